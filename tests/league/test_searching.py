"""Teams in the search of the site."""

import pytest

from ratings.league.models import Season, Team
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
