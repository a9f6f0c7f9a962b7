"""What members come for, on a phone: each within three taps from the first page."""

import pytest
from django.conf import settings
from playwright.sync_api import expect

from tests.arena import game
from tests.browser.looking import broken, cut_off

pytestmark = pytest.mark.django_db(transaction=True)

MOST = 3


@pytest.fixture
def phone(page, live_server, arena):
    """The first page on a phone, and ``tap``, which counts."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(live_server.url)
    page.taps = 0

    def tap(place):
        page.taps += 1
        assert page.taps <= MOST
        place.click()
        expect(page.locator("html")).to_have_js_property("scrollWidth", 390)

    page.tap_on = tap
    return page


def find_anna(phone):
    """Typing is no tap: the search answers while somebody types."""
    phone.get_by_role("combobox", name="Search").fill("anna berg")
    phone.tap_on(phone.locator(".found").first.get_by_role("option", name="Berg, Anna"))
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Berg, Anna")


def last_change(phone):
    phone.tap_on(phone.locator("#latest-changes a[href^='/changes/']").first)
    expect(phone.get_by_role("heading", level=1)).to_have_text("Why did this rating change?")


def test_somebody_finds_their_own_ratings(phone):
    find_anna(phone)
    expect(phone.locator(".rating-card .figure").first).to_be_visible()


def test_somebody_reads_why_a_rating_changed(phone):
    find_anna(phone)
    last_change(phone)
    expect(phone.get_by_text("Anna Berg gained")).to_be_visible()
    expect(phone.get_by_text("How it was calculated")).to_be_visible()


def test_somebody_asks_what_they_would_need(phone):
    phone.tap_on(phone.get_by_role("button", name="Menu"))
    phone.tap_on(phone.get_by_role("link", name="Calculators"))
    phone.tap_on(phone.get_by_role("main").get_by_role("link", name="What do I need?"))
    expect(phone.get_by_role("heading", level=1)).to_contain_text("What do I need?")


def test_somebody_downloads_the_latest_list(phone):
    phone.tap_on(phone.get_by_role("link", name="Blitz, April 2026"))
    expect(phone.get_by_role("heading", level=1)).to_have_text("Blitz, April 2026 list")
    with phone.expect_download() as download:
        phone.tap_on(phone.get_by_role("link", name="CSV", exact=True))
    assert download.value.suggested_filename.endswith(".csv")


def test_somebody_complains(phone):
    find_anna(phone)
    last_change(phone)
    phone.tap_on(phone.get_by_role("link", name="Log in to dispute it"))
    # Whoever complains has to say who they are.
    expect(phone.get_by_role("heading", level=1)).to_have_text("Log in")


def test_a_long_list_shows_25_rows_first(phone, live_server, arena):
    for n in range(30):
        game(arena.anna, arena.boris, minute=100 + n)
    phone.goto(f"{live_server.url}/games/")
    rows = phone.locator("#list tbody tr:visible")
    at_first = rows.count()
    phone.get_by_label("Show all").check()
    assert at_first == 25
    assert rows.count() > 30


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_table_fits_and_breaks_no_number(phone, live_server, arena, width):
    phone.set_viewport_size({"width": width, "height": 844})
    profile = arena.anna.get_absolute_url()
    for address in (
        "/games/",
        "/changes/",
        "/lists/",
        "/lists/blitz/2026-04/",
        "/members/",
        f"{profile}games/",
    ):
        phone.goto(live_server.url + address)
        assert (address, cut_off(phone), broken(phone)) == (address, [], [])


def test_a_phone_says_of_each_change_when_and_by_what(phone, live_server):
    phone.goto(f"{live_server.url}/changes/?kind=game")
    row = phone.locator("#list tbody tr").first
    expect(row).to_contain_text("Blitz")
    expect(row.locator(".on-phones").first).to_contain_text("2026")
    expect(row.get_by_role("link", name="Game ")).to_be_visible()


def test_a_rule_book_begins_below_one_row_of_menus(phone, live_server):
    phone.goto(f"{live_server.url}/how-ratings-work/")
    menus = phone.locator("main .menus")
    assert menus.bounding_box()["height"] <= 60
    menus.get_by_text("Arena: RBB").first.click()
    menus.get_by_role("link", name="League: BAL").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("How league ratings work")


def test_what_a_finger_has_to_hit_is_40_px_high(new_context, live_server, arena, client):
    context = new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    client.force_login(arena.anna.user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
    page = context.new_page()
    links = ":is(.list-links, .menus, .tabs, .site-footer nav, .choices, [class^=account-]) a"
    profile = arena.anna.get_absolute_url()
    for address in ("/", "/ratings/blitz/", "/lists/", "/fide/otb/", "/account/", profile):
        page.goto(live_server.url + address)
        for place in page.locator(f"{links}, main summary, main button").all():
            if place.is_visible():
                assert place.bounding_box()["height"] >= 40, (address, place.inner_text())


def test_in_a_list_that_has_nobody_no_heading_breaks_into_letters(phone, live_server):
    phone.goto(f"{live_server.url}/ratings/blitz/?member=nobody")
    expect(phone.get_by_text("Nothing found.")).to_be_visible()
    assert phone.get_by_role("link", name="Name", exact=True).bounding_box()["height"] < 40
