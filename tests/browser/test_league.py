"""The public pages of the team league, with cycles that are closed, corrected and open."""

import pytest
from playwright.sync_api import expect

from ratings.league.models import CycleList, Player, Team
from tests.league.by_hand import season_by_hand
from tests.league.test_pages import corrected, player, why

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def addresses(live_server):
    """An address of every kind of page."""
    season = season_by_hand()
    corrected()
    lists = CycleList.objects.order_by("revision")
    return [
        "/league/",
        season.get_absolute_url(),
        f"{season.get_absolute_url()}?round=2",
        Team.objects.get(name="North").get_absolute_url(),
        *(one.get_absolute_url() for one in lists),
        player("Cruz").get_absolute_url(),
        player("Brook").get_absolute_url(),
        why("Cruz"),
        why("Abel"),
        why("Dunn"),
        why("Avery", 2),
    ]


def test_no_page_of_the_league_violates_the_rules_or_is_wider_than_the_window(addresses, check):
    for address in addresses:
        check(address)


def test_from_the_lists_to_why_a_rating_is_what_it_is(page, live_server, addresses, complaints):
    page.goto(f"{live_server.url}/lists/")
    page.get_by_text("More lists").click()
    page.get_by_role("link", name="Team league").click()
    page.get_by_role("link", name="cycle 1").click()
    page.get_by_label("Player").fill("cru")
    page.get_by_label("Player").press("Enter")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("link", name="2096").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cruz, cycle 1")
    page.get_by_role("link", name="All cycles of this player").click()
    expect(page.get_by_role("img", name="Rating after each cycle.")).to_be_visible()
    assert page.url == f"{live_server.url}{Player.objects.get(name='Cruz').get_absolute_url()}"
    assert not complaints
