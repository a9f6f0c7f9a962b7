"""A closed cycle is told to whoever follows the office."""

import pytest

from ratings.league.models import Season
from ratings.office.models import OutboxEntry
from tests.league.by_hand import season_by_hand

pytestmark = pytest.mark.django_db


def test_a_closed_cycle_is_told_with_the_address_of_its_list(client):
    season_by_hand()
    told = OutboxEntry.objects.get(event="period.closed")
    url = told.data.pop("url")
    assert told.data == {
        "rule_book": "league",
        "league": Season.objects.get().league.name,
        "season": "2026",
        "cycle": 1,
        "revision": 1,
    }
    assert client.get(url).status_code == 200
