"""B.02 of 2024, 8.3.2 to 8.3.4: a list is the sum of the cross-tables of its period."""

import random
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta

import pytest

from ratings.fide.models import FidePlayer
from ratings.otb.explanation import explain
from ratings.otb.models import OtbList, OtbListEntry, Tournament, TournamentResult
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.publishing import NothingToClose
from ratings.otb.services.rating import as_rated
from ratings.otb.services.standings import edition_on
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.units import Hundredths
from tests.otb.test_regulations_2024 import (
    AUGUST,
    ID,
    NOVEMBER,
    OCTOBER,
    RAPID,
    SEPTEMBER,
    found,
    of_2024,
    players,
    sent,
)

__all__ = ["of_2024"]

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 12, 2, 10, tzinfo=UTC)
DECEMBER = date(2026, 12, 1)


def close(list_day, chapter=Chapter.RAPID):
    return close_period(until=list_day, chapter=chapter, at=NOW)


def reseeded():
    """Player 1 falls below 1400 in August, and begins again with the standard rating in September.

    Of the two tournaments of October’s list one began under the list of August, the other under that of
    September, on which the player isn’t rated and has 30 games.
    """
    entrants = players({"standard": 1500, "rapid": 1405}, {"standard": 1500, "rapid": 1405}, period=AUGUST)
    FidePlayer.objects.update(rapid_k=40)
    draws = [{(1, 2): "0"}, *({(1, 2): "="} for _ in range(29))]
    sent(entrants, draws, RAPID, "First", date(2026, 8, 5))
    long = sent(entrants, [{(1, 2): "0"}], RAPID, "Long", date(2026, 8, 20), last_day=date(2026, 9, 5))
    short = sent(entrants, [{(1, 2): "1"}, {(1, 2): "="}], RAPID, "Short", date(2026, 9, 10))
    close(SEPTEMBER)
    return long, short


def test_8_3_3_k_is_that_of_the_list_before_in_every_tournament_of_a_period():
    long, short = reseeded()
    closing = close(OCTOBER)
    results = {one.tournament_id: one for one in TournamentResult.objects.filter(fide_id=ID + 1)}
    # 1405 against 1405: PD 0.50. 1500 against the 1417 of September: D 83, PD 0.61; 1.5 − 1.22 = +0.28.
    assert [(results[one.pk].k, str(results[one.pk].change)) for one in (long, short)] == [
        (20, "-10.00"),
        (20, "5.60"),
    ]
    (line,) = [one for one in closing.lines if one.fide_id == ID + 1]
    assert (line.before, line.after, line.k, str(line.change)) == (None, 1496, 20, "-4.40")
    explained = []
    for tournament in (long, short):
        tournament.refresh_from_db()
        rated = as_rated(tournament)
        explained += [step.text for step in explain(rated, rated.participants[0]).steps if "× K" in step.text]
    assert explained == [
        "Change = ΣΔR × K = −0.50 × 20 = −10.00.",
        "Change = ΣΔR × K = +0.28 × 20 = +5.60.",
    ]
    assert not found("tournament-results", "over-the-board-lists")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("chapter", [Chapter.STANDARD, Chapter.RAPID])
def test_8_3_4_every_rating_of_a_list_is_the_one_before_and_the_changes_of_its_cross_tables(chapter, seed):
    """Ratings around 1400, long and short tournaments that begin under any list, many games, both K."""
    dice = random.Random(seed)
    entrants = players(
        *(
            {"standard": dice.randrange(1400, 1440), "rapid": dice.choice([None, dice.randrange(1400, 1440)])}
            for _ in range(8)
        ),
        period=AUGUST,
    )
    FidePlayer.objects.update(rapid_k=40, standard_k=dice.choice([20, 40]))
    control = RAPID if chapter is Chapter.RAPID else "5400+30"
    for number in range(14):
        first = AUGUST + timedelta(days=dice.randrange(80))
        some = dice.sample(range(1, 9), 4)
        rounds = [
            {
                (some[0], some[1]): dice.choice("1=0"),
                (some[2], some[3]): dice.choice("100"),
            }
            for _ in range(dice.choice([1, 5, 12]))
        ]
        last = first + timedelta(days=dice.choice([0, 3, 25]))
        sent(entrants, rounds, control, f"Open {number}", first, at=NOW, last_day=last)
    seen = 0
    for day in (SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER):
        try:
            otb_list = close(day, chapter).otb_list
        except NothingToClose:
            continue
        edition = edition_on(day, chapter)
        results = defaultdict(list)
        rated = Tournament.objects.filter(rated_for=day, chapter=chapter)
        for one in (
            TournamentResult.objects.filter(tournament__in=rated)
            .exclude(change=None)
            .select_related("tournament")
        ):
            results[one.fide_id].append(one)
        before = OtbList.objects.in_chapter(chapter).before(day).first()
        was = dict(OtbListEntry.objects.filter(otb_list=before).values_list("fide_id", "rating"))
        for entry in OtbListEntry.objects.filter(otb_list=otb_list, fide_id__in=results):
            own = results[entry.fide_id]
            assert len({one.k for one in own}) == 1
            begins = was.get(entry.fide_id)
            # Without a rating on the list before, only who begins again in rapid has one to change (7.2.1).
            begin_again = chapter is Chapter.RAPID and any(
                one.tournament.first_day >= before.list_day for one in own
            )
            if begins is None and not begin_again:
                continue
            changes = [Hundredths(int(100 * one.change)) for one in own]
            # Who isn't rated on a rapid list begins with the standard rating of one of the tournaments.
            ratings = {one.rating for one in own} if begins is None else {begins}
            sums = {edition.new_rating(rating, changes) for rating in ratings}
            assert entry.rating in {rating if rating >= edition.floor else None for rating in sums}
            seen += 1
    assert seen > 8
    assert not found("tournament-results", "over-the-board-lists")
