"""The search of the header and the fields that suggest members, by keyboard and on a phone."""

import re
from datetime import date

import pytest
from playwright.sync_api import expect

from members.models import Member
from ratings.otb.models import Tournament
from tests.arena import member
from tests.browser.looking import faults

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[390, 1280])
def games(request, page, live_server, arena):
    member("kovac", name="Kovač, Marko", full_from=None)
    member("kovacova", name="Kováčová, Eva", full_from=None)
    page.set_viewport_size({"width": request.param, "height": 800})
    page.goto(f"{live_server.url}/games/")
    return page


def test_the_keyboard_alone_finds_somebody(games, complaints):
    games.keyboard.press("/")
    field = games.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "false")
    games.keyboard.type("Ковач")
    options = games.locator(".found [role=option]")
    expect(options).to_have_count(3)
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(games.get_by_role("status").first).to_have_text("Did you mean:")
    assert not faults(games)
    complaints.clear()
    games.keyboard.press("ArrowDown")
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", options.nth(0).get_attribute("id"))
    games.keyboard.press("ArrowUp")
    expect(games.locator("[aria-selected=true]")).to_have_count(0)
    games.keyboard.press("ArrowUp")
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    games.keyboard.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("Ковач")
    field.press("Backspace")
    expect(options).to_have_count(3)
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        games.keyboard.press(key)
    expect(games.get_by_role("heading", level=1)).to_contain_text("Kov")
    assert not complaints


def test_enter_without_an_option_opens_all_results(games, complaints):
    field = games.get_by_role("combobox", name="Search")
    field.press_sequentially("berg")
    expect(games.get_by_role("option", name="Berg, Anna")).to_be_visible()
    field.press("Enter")
    expect(games.get_by_role("heading", level=1)).to_have_text("Search")
    expect(games.get_by_role("link", name="Berg, Anna")).to_be_visible()
    assert not faults(games)
    complaints.clear()


def test_in_a_list_a_suggestion_leads_to_the_games_of_that_member(games, complaints):
    field = games.get_by_role("combobox", name="Member")
    field.press_sequentially("anna")
    option = games.get_by_role("option", name="Berg, Anna")
    expect(option).to_contain_text("1810 1793 1801")
    assert not faults(games)
    complaints.clear()
    option.click()
    expect(games.get_by_text("Showing only Berg, Anna.")).to_be_visible()
    assert "player=" in games.url
    assert "member=" not in games.url
    field.fill("boris")
    field.press("Enter")
    expect(games.get_by_text("Only Berg, Anna.")).to_have_count(0)
    expect(games.locator("#list tbody tr").first).to_contain_text("Lund, Boris")
    assert not complaints


def test_a_list_stays_as_it_is_below_its_suggestions(games, complaints):
    rows = games.locator("#list tbody tr")
    shown = rows.count()
    field = games.get_by_role("combobox", name="Member")
    field.press_sequentially("kovac")
    expect(games.locator(".found [role=option]").first).to_contain_text("Kov")
    # Neither has played: the list of their games is asked for with Enter alone.
    assert rows.count() == shown
    assert "member=" not in games.url
    field.press("Enter")
    expect(games).to_have_url(re.compile("member=kovac"))
    expect(rows).to_have_count(1)
    assert not complaints


def test_in_a_list_of_what_is_searched_a_suggestion_opens_its_page(games, live_server, complaints):
    day = date(2026, 3, 1)
    Tournament.objects.create(name="Harbour Open", city="Gdansk", first_day=day, last_day=day)
    for address, label, typed, name in (
        ("/members/", "Member", "anna", "Berg, Anna"),
        ("/fide/tournaments/", "Tournament", "gdan", "Harbour Open"),
    ):
        games.goto(f"{live_server.url}{address}")
        games.get_by_role("combobox", name=label, exact=True).press_sequentially(typed)
        games.get_by_role("option", name=name).click()
        expect(games.get_by_role("heading", level=1)).to_contain_text(name)
    assert not complaints


def test_where_an_opponent_is_asked_for_a_suggestion_answers(games, live_server, complaints):
    anna = Member.objects.get(username="anna")
    games.goto(f"{live_server.url}/members/{anna.pk}/against/")
    games.get_by_role("combobox", name="Opponent").press_sequentially("boris")
    games.get_by_role("option", name="boris").click()
    expect(games).to_have_url(f"{live_server.url}/members/{anna.pk}/against/?member=boris")
    assert not complaints


def test_suggestions_close_when_the_field_is_left(games):
    games.get_by_role("combobox", name="Search").press_sequentially("berg")
    expect(games.get_by_role("option", name="Berg, Anna")).to_be_visible()
    games.locator("footer").click()
    expect(games.locator(".found [role=option]")).to_have_count(0)


def test_without_javascript_the_search_opens_its_page(new_context, live_server, arena):
    page = new_context(java_script_enabled=False, viewport={"width": 390, "height": 800}).new_page()
    page.goto(f"{live_server.url}/games/")
    page.get_by_role("searchbox", name="Search").fill("berg")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Berg, Anna").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Berg, Anna")
