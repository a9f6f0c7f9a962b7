"""Closed periods and rated tournaments are told to whoever follows the office."""

from datetime import date

import pytest

from ratings.office.models import OutboxEntry
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.time_controls import Chapter
from tests.arena import taken_back
from tests.otb.test_chapters import NOW
from tests.otb.test_regulations_2024 import NOVEMBER, RAPID, close, of_2024, players, sent
from tests.pages import words

__all__ = ["of_2024"]

pytestmark = pytest.mark.django_db

PERIOD, RATED = OutboxEntry.Event.PERIOD_CLOSED, OutboxEntry.Event.TOURNAMENT_RATED


def told():
    entries = OutboxEntry.objects.filter(event__in=(PERIOD, RATED)).order_by("pk")
    return [(one.event, one.about, one.data) for one in entries]


def test_a_closed_period_and_each_of_its_tournaments_are_told(client):
    sent(players({"standard": 1900}, {"standard": 1900}), [{(1, 2): "1"}], name="Autumn Open")
    assert told() == []
    assert taken_back(close).rated
    assert told() == []
    close()
    otb_list, tournament = OtbList.objects.published().get(), Tournament.objects.get()
    shared = {"chapter": "standard", "list_day": "2026-10-01", "revision": 1}
    of_list = {**shared, "rule_book": "fide", "tournaments": 1, "url": otb_list.get_absolute_url()}
    of_one = {
        **shared,
        "tournament": tournament.pk,
        "name": "Autumn Open",
        "url": tournament.get_absolute_url(),
    }
    assert told() == [(PERIOD, otb_list.pk, of_list), (RATED, tournament.pk, of_one)]
    assert "Autumn Open" in words(client.get(of_one["url"]))


def test_a_list_that_is_rated_again_is_told_with_its_revision_and_one_that_stays_is_not():
    entrants = players({"standard": 1900}, {"standard": 1900}, {"standard": 1900, "rapid": 1900})
    sent(entrants[:2], [{(1, 2): "1"}], name="Long")
    sent(entrants, [{(1, 3): "="}], RAPID, "Fast", date(2026, 10, 10), at=NOW)
    close_period(until=NOVEMBER, chapter=Chapter.RAPID, at=NOW)
    close()
    assert [
        (event, data["chapter"], data["revision"], data.get("name", "")) for event, _key, data in told()
    ] == [
        (PERIOD, "rapid", 1, ""),
        (RATED, "rapid", 1, "Fast"),
        (PERIOD, "standard", 1, ""),
        (RATED, "standard", 1, "Long"),
        (PERIOD, "rapid", 2, ""),
        (RATED, "rapid", 2, "Fast"),
    ]
