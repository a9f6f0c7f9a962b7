"""Teams in the search of the site, and the players whom the filter of a list suggests."""

import pytest

from ratings.league.models import Player, Season, Team
from tests.league.test_pages import corrected, list_address
from tests.pages import words

pytestmark = pytest.mark.django_db


def test_teams_of_the_latest_season_come_first(client, season):
    later = Season.objects.create(league=season.league, name="later", ordinal=season.ordinal + 1)
    for one in (season, later):
        Team.objects.create(season=one, name="Brücke Wörth")
    for text in ("wörth", "bruck", "worth bru"):
        page = words(client.get("/search/suggestions/", {"q": text}))
        found = page.partition("Teams ")[2]
        assert found.startswith(
            f"Brücke Wörth {season.league} · later Brücke Wörth {season.league} · {season}"
        )


def test_the_filter_of_a_list_suggests_players_with_their_last_ratings(client, season):
    """The ratings are those of the cycle worked out by hand."""
    assert 'data-suggest="/search/suggestions/?of=league_players"' in client.get(list_address(season)).text
    for text, found in (
        ("cru", "Cruz BAL · 2102"),
        ("bro", "Brook BAL"),  # unrated
        ("bak", "Baker BAL · 1971"),
    ):
        page = client.get("/search/suggestions/", {"q": text, "of": "league_players"})
        assert words(page).removeprefix("Suggestions below. Use the arrow keys. ") == found
        assert Player.objects.get(name=found.split()[0]).get_absolute_url() in page.text
    # Revision 2 of the list.
    corrected()
    assert "Abel BAL · 2098" in words(client.get("/search/suggestions/?of=league_players&q=abel"))
