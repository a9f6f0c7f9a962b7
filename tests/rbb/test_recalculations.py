"""A correction is never silent: what it did to the ledger is recorded, and lists that differ say so."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.replay import replay
from ratings.rbb.lists.comparing import difference
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Recalculation
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, control, game, member, opening, rated, taken_back
from tests.pages import words

pytestmark = pytest.mark.django_db

APRIL = datetime(2026, 4, 1, tzinfo=UTC)


def four_games():
    """Four blitz games, the third of other players; nothing of how they came in is recorded any more."""
    anna, bob, carl, dora = (rated(1600) for _ in range(4))
    games = [
        game(anna, bob, minute=10),
        game(anna, bob, minute=20),
        game(carl, dora, minute=30),
        game(anna, bob, minute=40),
    ]
    Recalculation.objects.all().delete()
    return games


@pytest.fixture(scope="class")
def played(standing):
    return standing(four_games)


def recorded():
    return [(one.category, one.since, one.lines) for one in Recalculation.objects.order_by("pk")]


def void(*games):
    return void_games(games=games, by=None, reason="engine", at=timezone.now())


def freeze(**options):
    return publish(category=Category.BLITZ, month=APRIL, at=timezone.now(), **options)[0]


def test_the_newest_result_in_time_is_no_correction():
    anna, bob = rated(1600), rated(1600)
    Recalculation.objects.all().delete()
    now = timezone.now()
    for minutes in (50, 5):
        ended = now - timedelta(minutes=minutes)
        game(anna, bob, started_at=ended, ended_at=ended)
    assert recorded() == []


def test_a_result_that_comes_in_more_than_an_hour_late_is_recorded():
    anna, bob = rated(1600), rated(1600)
    Recalculation.objects.all().delete()
    with patch("django.utils.timezone.now", return_value=at(10) + timedelta(hours=1)):
        game(anna, bob, minute=10)
    assert recorded() == []
    with patch("django.utils.timezone.now", return_value=at(20) + timedelta(hours=1, seconds=1)):
        game(anna, bob, minute=20)
    assert recorded() == [(Category.BLITZ, at(20), 2)]


def test_a_correction_is_recorded_from_the_first_line_that_is_another_one(played):
    before = timezone.now()
    void(played[1])
    # The two lines of the void game are gone, those of the last one are others; Carl's and Dora's are not.
    assert recorded() == [(Category.BLITZ, at(20), 4)]
    assert before <= Recalculation.objects.get().at <= timezone.now()


def test_a_replay_that_finds_everything_in_order_records_nothing(played):
    replay()
    replay(check=True)
    taken_back(lambda: void(played[0]))
    assert recorded() == []


def test_a_correction_of_the_control_is_recorded_in_both_categories(played):
    played[3].time_control = control(CONTROL[Category.RAPID])
    played[3].save()
    assert recorded() == [(Category.RAPID, at(40), 2), (Category.BLITZ, at(40), 2)]


def test_a_list_says_that_a_correction_came_after_it_and_whom_it_concerns(played, client):
    published = freeze()
    assert difference(published) is None
    void(played[1])
    found = difference(published)
    # Anna and Bob.
    assert (found.members, found.since) == (2, Recalculation.objects.get())
    text = words(client.get(published.get_absolute_url()))
    assert "A later correction affects 2 members on this list" in text
    assert "1628.40" in text, "as it was published"
    revised = freeze(revise=True)
    assert difference(revised) is None
    assert "A later correction" not in words(client.get(revised.get_absolute_url()))


def test_a_correction_that_was_taken_back_makes_no_list_differ(played):
    published = freeze()
    void(played[3])
    assert difference(published).members == 2
    reinstate_games(games=played[3:], by=None, reason="a mistake")
    assert difference(published) is None


def test_a_correction_after_the_moment_of_a_list_does_not_concern_it(played):
    published = freeze()
    anna, bob = played[0].white, played[0].black
    later = game(anna, bob, minute=60 * 24 * 40)
    void(later)
    assert difference(published) is None


def test_a_result_that_came_in_after_the_list_makes_it_differ(played):
    published = freeze()
    eve = member()
    opening(eve, 1500, minute=50)
    assert difference(published).members == 1


def test_a_list_is_compared_once_for_each_correction(played):
    published = freeze()
    void(played[1])
    difference(published)
    with CaptureQueriesContext(connection) as captured:
        assert difference(published).members == 2
    assert len(captured) == 1


def test_who_was_voided_stands_where_he_stood_before(played):
    void(*played)
    assert {line.rating for line in freeze().entries} == {Decimal("1600.00")}
