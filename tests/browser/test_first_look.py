"""What a stranger and a member see before they scroll."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import far_down

pytestmark = pytest.mark.django_db(transaction=True)

SCREENS = [(1280, 720), (390, 844)]


@pytest.fixture(params=SCREENS, ids=["desk", "phone"])
def screen(request, page):
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
    return page


def is_above_the_fold(page, place):
    box = place.bounding_box()
    return box["y"] + box["height"] <= page.viewport_size["height"]


def test_home_shows_games_and_a_rating_that_moved_with_the_reason_before_anybody_scrolls(
    screen, live_server, arena
):
    screen.goto(live_server.url)
    assert is_above_the_fold(screen, screen.locator(".boards .board").first)
    assert is_above_the_fold(screen, screen.locator("#example .passage"))
    assert is_above_the_fold(screen, screen.locator("#example .lead"))


def test_home_shows_a_member_what_moved_before_anybody_scrolls(screen, live_server, arena, log_in):
    log_in("anna")
    screen.goto(live_server.url)
    assert is_above_the_fold(screen, screen.locator("#example .mine .leaders li").first)


def test_a_whole_board_shows_with_what_the_game_changed_before_anybody_scrolls(screen, live_server, arena):
    screen.goto(live_server.url + arena.last.get_absolute_url())
    assert is_above_the_fold(screen, screen.locator(".game-and-why .squares"))
    if screen.viewport_size["width"] > 1000:
        assert is_above_the_fold(screen, screen.locator(".players"))


def test_a_profile_shows_all_that_moved_before_anybody_scrolls(screen, live_server, arena):
    screen.goto(live_server.url + arena.anna.get_absolute_url())
    for card in screen.locator(".rating-card .lately").all():
        assert is_above_the_fold(screen, card)
    if screen.viewport_size["width"] > 1000:
        assert is_above_the_fold(screen, screen.locator(".history-plot"))
        assert is_above_the_fold(screen, screen.locator("#latest-changes tbody tr").nth(2))


def test_a_profile_has_cards_then_the_chart_then_games_and_folds_the_rest(page, live_server, arena):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(live_server.url + arena.anna.get_absolute_url())
    parts = ["#standings", "#history", "#latest-changes", "#about-heading"]
    tops = [page.locator(part).bounding_box()["y"] for part in parts]
    assert tops == sorted(tops)


def test_following_and_stopping_happen_in_place(page, live_server, arena, log_in, complaints):
    log_in("anna")
    page.goto(live_server.url + arena.boris.get_absolute_url())
    page.evaluate("window.isTheSamePage = true")
    page.get_by_role("button", name="Follow", exact=True).click()
    stop = page.get_by_role("button", name="Unfollow")
    expect(stop).to_be_focused()
    stop.click()
    expect(page.get_by_role("button", name="Follow", exact=True)).to_be_focused()
    assert page.evaluate("window.isTheSamePage")
    assert page.url == live_server.url + arena.boris.get_absolute_url()
    assert not complaints


def test_figures_of_the_rating_scale_come_before_their_explanation(screen, live_server, arena):
    for address in ("/lab/scale/", "/lab/calibration/"):
        screen.goto(live_server.url + address)
        first = screen.locator("main table, main section p").first
        assert first.bounding_box()["y"] < screen.viewport_size["height"] / 2, address


def test_a_question_to_the_lab_is_asked_on_one_screen(page, live_server, arena, log_in):
    page.set_viewport_size({"width": 1280, "height": 720})
    log_in("officer")
    page.goto(f"{live_server.url}/admin/lab/run/add/")
    assert is_above_the_fold(page, page.get_by_role("button", name="Replay all games"))


def test_rows_of_lists_in_the_admin_begin_as_high_in_polish_and_on_a_phone(page, live_server, arena, log_in):
    log_in("officer")
    page.context.add_cookies([{"name": "django_language", "value": "pl", "url": live_server.url}])
    # Members and what belongs to them have eight tabs; games have the most filters.
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{live_server.url}/admin/members/member/")
        assert page.locator(".tabs a").count() == 8
        tabs = [tab.get_attribute("href") for tab in page.locator(".tabs a").all()]
        for address in (*tabs, "/admin/ratings/game/"):
            page.goto(live_server.url + address)
            assert far_down(page) == [], (address, width)
            current = page.locator(".tabs [aria-current]").bounding_box()
            assert 0 <= current["x"] <= current["x"] + current["width"] <= width, address


def test_choices_of_a_filter_in_the_admin_open_on_a_phone_where_they_can_be_seen(
    page, live_server, arena, log_in
):
    page.set_viewport_size({"width": 390, "height": 844})
    log_in("officer")
    page.goto(f"{live_server.url}/admin/ratings/game/")
    page.locator("details.filter summary", has_text="Result").click()
    page.get_by_role("link", name="0-1", exact=True).click()
    expect(page).to_have_url(f"{live_server.url}/admin/ratings/game/?result__exact=0-1")
