"""B.02 7 and 8: rating periods over the board, the lists that come out of them, and rating them again.

The list of September 2025 is taken over; periods are closed for 1 November 2025, 1 January and 1 March 2026.
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.formats.frl import FideRating
from ratings.otb.models import (
    AcceptedFinding,
    AssociationMember,
    OtbList,
    OtbListEntry,
    Tournament,
    TournamentResult,
)
from ratings.otb.services.period_closing import close_period, list_day_of
from ratings.otb.services.publishing import NothingToClose, PeriodLine, rerate_from
from ratings.otb.services.rating import as_rated, last_day_played
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.types import Outcome
from tests.commands import run
from tests.fide.office import bring, combined, listed
from tests.otb import tournaments
from tests.otb.tournaments import entrant, report

pytestmark = pytest.mark.django_db

MAY, SEPTEMBER, NOVEMBER = date(2025, 5, 1), date(2025, 9, 1), date(2025, 11, 1)
JANUARY, MARCH = date(2026, 1, 1), date(2026, 3, 1)
AT = datetime(2026, 3, 10, tzinfo=UTC)
ID = 4_100_000
"""To which the short numbers of players are added: a FIDE ID has at least six digits."""

NEW = 900
ALL_LISTS = Lists.ALPHABETICAL | Lists.ACTIVE

TWO_ROUNDS = [[(1, 2, "="), (3, 4, "1")], [(1, 3, "0"), (2, 4, "0")]]
"""Of the players 1 (2000, K 15), 2 (1900, 15), 3 (2100, 10) and 4 (2450, 10)."""

AFTER_TWO_ROUNDS = {
    # D 100: 0.64, D -100: 0.36. 15 × ((0.5 - 0.64) + (0 - 0.36)) = -7.50; 1992.5 is rounded up.
    1: (2000, 1993, 15, Decimal("-7.50"), 2),
    # D -100: 0.36, D -550 as -400: 0.08. 15 × ((0.5 - 0.36) + (0 - 0.08)) = +0.90
    2: (1900, 1901, 15, Decimal("0.90"), 2),
    # D -350: 0.11, D 100: 0.64. 10 × ((1 - 0.11) + (1 - 0.64)) = +12.50
    3: (2100, 2113, 10, Decimal("12.50"), 2),
    # D 350: 0.89, D 550 as 400: 0.92. 10 × ((0 - 0.89) + (1 - 0.92)) = -8.10
    4: (2450, 2442, 10, Decimal("-8.10"), 2),
}


def rated(fide_id, rating, k=15, **other):
    return listed(ID + fide_id, f"Player, Number {fide_id}", standard=None)._replace(
        standard=FideRating(rating, 0, k if rating else 0), sex="M", **other
    )


def bring_september():
    """Import the FIDE list that the office begins with."""
    bring(
        SEPTEMBER,
        combined(
            rated(1, 2000), rated(2, 1900), rated(3, 2100, 10), rated(4, 2450, 10), rated(5, 1205),
            rated(6, 1210), rated(7, 1700, 40), rated(8, 1800, flag="i"), rated(9, None, title="FM"),
            *(rated(20 + number, 2220) for number in range(3)),
            *(rated(30 + number, 2150) for number in range(5)),
            *(rated(40 + number, 2200) for number in range(4)),
        ),
    )  # fmt: skip


@pytest.fixture(scope="class", autouse=True)
def september(standing):
    """That list is there."""
    standing(bring_september)


def report_of(players, rounds, first_day, name="Open", last_day=None):
    """A report of players with short numbers; of each round the games: White, Black, White’s result."""
    entrants = [entrant(number, fide_id=ID + player) for number, player in enumerate(players, 1)]
    games = [{(white, black): result for white, black, result in pairings} for pairings in rounds]
    last_day = last_day or first_day + timedelta(days=1)
    return report(entrants, games, name=name, kind="Swiss", first_day=first_day, last_day=last_day)


def received(
    players, rounds, first_day, name="Open", last_day=None, registered_on=date(2025, 5, 1), **fields
):
    """A tournament of two days, registered early enough, whose report was received."""
    what = report_of(players, rounds, first_day, name, last_day)
    last_day = last_day or first_day
    at = max(AT, datetime(last_day.year, last_day.month, last_day.day, tzinfo=UTC))
    one = tournaments.received(what, at=at).tournament
    Tournament.objects.filter(pk=one.pk).update(registered_on=registered_on, **fields)
    return one


def close(list_day):
    """Close the period of a list."""
    return close_period(until=list_day, at=AT)


def entry(fide_id, list_day):
    return OtbListEntry.objects.get(fide_id=ID + fide_id, otb_list=OtbList.objects.latest_of(list_day))


def on(list_day):
    """Rating, K, games of the period and games counted of everybody on the latest revision of a list."""
    entries = OtbListEntry.objects.filter(otb_list=OtbList.objects.latest_of(list_day))
    return {one.fide_id - ID: (one.rating, one.k, one.games, one.games_counted) for one in entries}


def newcomer(opponents, results, first_day, name, **fields):
    """A tournament in which a new player meets one rated player a round; his results."""
    rounds = [[(1, number, result)] for number, result in enumerate(results, 2)]
    return received([NEW, *opponents], rounds, first_day, name, **fields)


def before_january(last="=1==", **fields):
    """B.02 8.34: 1 of 3 against 2220, 3 of 5 against 2150; then, for January, 2½ of 4 against 2200."""
    newcomer(range(20, 23), "100", date(2025, 9, 10), "One")
    newcomer(range(30, 35), "11=0=", date(2025, 9, 20), "Two")
    close(NOVEMBER)
    newcomer(range(40, 44), last, date(2025, 11, 10), "Three", **fields)


def test_8_55_changes_of_the_period_are_rounded_once_on_the_list():
    tournament = received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    closing = close(NOVEMBER)
    assert {line.fide_id - ID: line[2:] for line in closing.lines} == AFTER_TWO_ROUNDS
    assert closing.rated == [tournament]
    assert {one: on(NOVEMBER)[one] for one in (1, 2, 3, 4)} == {
        1: (1993, 15, 2, 32), 2: (1901, 15, 2, 32), 3: (2113, 10, 2, 32), 4: (2442, 10, 2, 32),
    }  # fmt: skip
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (Tournament.Status.RATED, NOVEMBER)
    results = TournamentResult.objects.filter(tournament=tournament)
    assert [(one.number, one.rating, one.k, one.expected, one.change) for one in results] == [
        (1, 2000, 15, Decimal("1.00"), Decimal("-7.50")), (2, 1900, 15, Decimal("0.44"), Decimal("0.90")),
        (3, 2100, 10, Decimal("0.75"), Decimal("12.50")), (4, 2450, 10, Decimal("1.81"), Decimal("-8.10")),
    ]  # fmt: skip


def test_8_57_two_tournaments_of_a_period_are_added_before_rounding():
    for name in ("One", "Two"):
        received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10), name)
    lines = {line.fide_id - ID: line for line in close(NOVEMBER).lines}
    # 2000 - 15.00 and not 1993 - 7.50
    assert lines[1] == PeriodLine(ID + 1, "Player, Number 1", 2000, 1985, 15, Decimal("-15.00"), 4)
    assert lines[2].after == 1902  # 1901.80


def test_a_period_of_three_tournaments_takes_as_many_statements_as_one_of_one():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    statements = {}
    for list_day, first_day, count in ((JANUARY, date(2025, 11, 10), 1), (MARCH, date(2026, 1, 10), 3)):
        for number in range(count):
            received([1, 2, 3, 4], TWO_ROUNDS, first_day, f"Open {number}")
        with CaptureQueriesContext(connection) as asked:
            assert len(close(list_day).rated) == count
        statements[count] = len(asked)
    assert statements[1] == statements[3]


def test_7_12_the_imported_list_is_taken_over_with_its_k_and_8_56_rules_from_the_next_on():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    assert str(OtbList.objects.get(list_day=SEPTEMBER).taken_from) == "September 2025 FIDE rating list"
    # 7 had K 40: a new player without games. 4 has reached 2400; 3 had K 10, so he had.
    assert [on(SEPTEMBER)[one] for one in (3, 4, 7)] == [
        (2100, 10, 0, 30),
        (2450, 10, 0, 30),
        (1700, 40, 0, 0),
    ]
    assert on(NOVEMBER)[7] == (1700, 25, 0, 0)
    assert entry(3, NOVEMBER).reached_2400
    assert not entry(2, NOVEMBER).reached_2400


def test_7_23_who_had_flag_i_stays_inactive_until_he_plays():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    assert entry(8, NOVEMBER).lists is Lists.ALPHABETICAL
    assert entry(8, NOVEMBER).flag == "i"
    received([1, 8], [[(1, 2, "=")]], date(2025, 11, 10))
    close(JANUARY)
    assert (entry(8, JANUARY).lists, entry(8, JANUARY).flag) == (ALL_LISTS, "")
    assert entry(8, JANUARY).last_game == date(2025, 11, 11)


def league(days, last_day=date(2026, 6, 6)):
    """A league from September to June: players 1 and 2 meet in the first round only, 3 and 4 in both."""
    rounds = [{(1, 2): "=", (3, 4): "="}, {(4, 3): "="}]
    entrants = [entrant(number, fide_id=ID + number) for number in (1, 2, 3, 4)]
    what = report(
        entrants,
        rounds,
        name="League",
        kind="Swiss",
        first_day=date(2025, 9, 13),
        last_day=last_day,
        days=days,
    )
    one = tournaments.received(what, at=datetime(2026, 6, 6, tzinfo=UTC)).tournament
    Tournament.objects.filter(pk=one.pk).update(registered_on=date(2025, 5, 1), league=True)
    return one


def test_7_23_the_last_game_is_that_of_the_last_round_played():
    league([date(2025, 9, 13), date(2026, 6, 6)])
    july, november = date(2026, 7, 1), date(2026, 11, 1)
    close_period(until=july, at=datetime(2026, 6, 24, tzinfo=UTC))
    # Not 6 June, the end of the league, which players 1 and 2 didn't see.
    assert [entry(one, july).last_game for one in (1, 2, 3, 4)] == [
        date(2025, 9, 13), date(2025, 9, 13), date(2026, 6, 6), date(2026, 6, 6),
    ]  # fmt: skip
    received([5, 6], [[(1, 2, "=")]], date(2026, 9, 10))
    close_period(until=november, at=datetime(2026, 10, 25, tzinfo=UTC))
    # A year before 1 November is after September: flag i.
    assert [entry(one, november).flag for one in (1, 2, 3, 4)] == ["i", "i", "", ""]


def test_7_23_without_the_days_of_the_rounds_it_is_the_last_day_of_the_tournament():
    one = league([])
    rated = as_rated(Tournament.objects.get(pk=one.pk))
    assert last_day_played(rated.participants[0], rated) == date(2026, 6, 6)


def test_7_22_who_has_a_title_and_no_rating_is_listed_apart():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    assert entry(9, NOVEMBER).lists is Lists.TITLED


def test_8_34_a_first_rating_is_pooled_until_there_are_nine_games():
    before_january()
    assert NEW not in on(NOVEMBER)  # eight games (7.14)
    close(JANUARY)
    # (3 × 2220 + 5 × 2150 + 4 × 2200) / 12 = 2184; 6½ of 12: one half point over, 15 (8.23).
    assert on(JANUARY)[NEW] == (2199, 25, 4, 12)
    # Games against a player without a rating change nobody's rating in a Swiss (6.42).
    assert on(JANUARY)[40] == (2200, 15, 0, 30)


def test_7_14_results_of_more_than_two_years_ago_are_forgotten():
    before_january()
    Tournament.objects.filter(name="One").update(first_day=date(2023, 12, 30), last_day=date(2023, 12, 31))
    close(JANUARY)
    assert on(JANUARY)[NEW] == (2202, 25, 4, 9)  # (5 × 2150 + 4 × 2200) / 9 = 2172; 5½ of 9: 2 × 15


def test_7_14_g_seven_games_are_enough_for_a_member_of_an_association_of_the_disabled():
    AssociationMember.objects.create(fide_id=ID + NEW, association="IBCA", since=NOVEMBER)
    before_january()
    # 1 of 3 against 2220 and 3 of 5 against 2150: 2176; half of the eight games.
    assert on(NOVEMBER)[NEW] == (2176, 25, 8, 8)


def test_7_14_f_seven_games_of_an_olympiad_are_enough():
    newcomer([*range(30, 35), 40, 41], "11=0=11", date(2025, 9, 20), "Olympiad", team_championship=True)
    close(NOVEMBER)
    # (5 × 2150 + 2 × 2200) / 7 = 2164; 5 of 7: 3 × 15
    assert on(NOVEMBER)[NEW] == (2209, 25, 7, 7)


def test_6_1_after_a_result_that_counts_a_tournament_without_a_point_counts_too():
    before_january("0000")
    close(JANUARY)
    # 2184 as before, now 4 of 12: p = 0.33, d(p) = -125.
    assert on(JANUARY)[NEW] == (2059, 25, 4, 12)
    assert TournamentResult.objects.get(fide_id=ID + NEW, tournament__name="Three").earlier_result


def test_6_1_a_first_tournament_without_a_point_is_left_out():
    newcomer(range(20, 23), "000", date(2025, 9, 10), "One")
    newcomer([*range(30, 35), *range(40, 44)], "1" * 9, date(2025, 9, 20), "Two")
    close(NOVEMBER)
    # (5 × 2150 + 4 × 2200) / 9 = 2172; 9 of 9: 9 × 15
    assert on(NOVEMBER)[NEW] == (2307, 25, 9, 9)
    assert (
        TournamentResult.objects.get(fide_id=ID + NEW, tournament__name="One").outcome == Outcome.ZERO_SCORE
    )


def test_7_21_who_falls_under_1200_is_delisted_and_a_new_player_again():
    received([5, 6], [[(1, 2, "0")]], date(2025, 9, 10))
    closing = close(NOVEMBER)
    # D -5: 0.49. 1205 - 7.35 = 1197.65
    assert closing.lines[0] == PeriodLine(ID + 5, "Player, Number 5", 1205, None, 15, Decimal("-7.35"), 1)
    one = entry(5, NOVEMBER)
    assert (one.rating, one.previous, one.lists, one.delisted_on) == (None, 1205, Lists.DELISTED, NOVEMBER)
    assert closing.otb_list.delisted == 1
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 11, 10))
    close(JANUARY)
    assert (entry(5, JANUARY).lists, entry(5, JANUARY).delisted_on) == (Lists.NOWHERE, NOVEMBER)


def test_7_21_results_from_before_a_delisting_do_not_make_a_new_rating():
    received([5, 1], [[(1, 2, "0")]], date(2025, 9, 9), "Nothing")
    newcomer([20, 21, 22, 30, 31, 32, 33, 34, 40], "0000000==", date(2025, 9, 10), "First")
    close(NOVEMBER)
    first = on(NOVEMBER)[NEW]
    assert first[0] is not None
    OtbListEntry.objects.filter(fide_id=ID + NEW).update(
        rating=None, k=None, games_counted=0, delisted_on=NOVEMBER
    )
    newcomer([1, 2, 3], "==1", date(2025, 11, 10), "Again")
    close(JANUARY)
    assert on(JANUARY)[NEW] == (None, None, 3, 0)


def test_8_4_who_was_rated_meanwhile_counts_himself_as_rated_and_not_for_others():
    before_january()
    # Begun under the list of November, ended too late for that of January (7.13).
    late = received([NEW, 1], [[(1, 2, "=")]], date(2025, 12, 27), "Late")
    close(JANUARY)
    close(MARCH)
    results = {one.fide_id - ID: one for one in TournamentResult.objects.filter(tournament=late)}
    # D 199: 0.76. 25 × (0.5 - 0.76)
    assert (results[NEW].rating, results[NEW].later_rating, results[NEW].change) == (
        None,
        2199,
        Decimal("-6.50"),
    )
    assert results[1].outcome == Outcome.NOTHING_RATED
    assert on(MARCH)[NEW] == (2193, 25, 1, 13)  # 2192.50


def test_4_13_ratings_are_those_of_the_list_in_force_on_the_first_day():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    before = received([1, 2], [[(1, 2, "=")]], date(2025, 10, 28), "Before", last_day=date(2025, 11, 3))
    after = received([1, 2], [[(1, 2, "=")]], date(2025, 11, 1), "After")
    close(NOVEMBER)
    close(JANUARY)
    used = TournamentResult.objects.filter(fide_id=ID + 1).values_list("tournament", "rating")
    assert dict(used)[before.pk] == 2000
    assert dict(used)[after.pk] == 1993


def test_7_13_what_ends_after_the_closing_day_waits_unless_it_is_of_fide():
    received([1, 2], [[(1, 2, "=")]], date(2025, 10, 24), "In time")
    received([3, 4], [[(1, 2, "=")]], date(2025, 10, 25), "Late")
    received([5, 6], [[(1, 2, "=")]], date(2025, 10, 30), "Of FIDE", official=True)
    assert [one.name for one in close(NOVEMBER).rated] == ["In time", "Of FIDE"]
    assert [one.name for one in close(JANUARY).rated] == ["Late"]


def test_7_13_a_report_that_came_too_late_is_rated_for_the_next_list():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    received([5, 6], [[(1, 2, "1")]], date(2025, 9, 10), "Lost on its way")
    assert [one.name for one in close(JANUARY).rated] == ["Lost on its way"]


def test_0_4_what_is_not_registered_is_refused_and_what_was_late_waits_for_consent():
    never = received([1, 2], [[(1, 2, "=")]], date(2025, 9, 10), "Never", registered_on=None)
    late = received([3, 4], [[(1, 2, "=")]], date(2025, 9, 10), "Late", registered_on=date(2025, 9, 1))
    received([5, 6], [[(1, 2, "=")]], date(2025, 9, 10), "Fine")
    closing = close(NOVEMBER)
    assert [one.tournament for one in closing.refused] == [never, late]
    never.refresh_from_db()
    late.refresh_from_db()
    assert (never.status, never.refusal.refused_on) == (Tournament.Status.REFUSED, AT.date())
    assert never.refusal.text == "The tournament was not registered (B.02 0.4)."
    assert (late.status, late.refusal) == (Tournament.Status.RECEIVED, None)
    AcceptedFinding.objects.create(
        tournament=late, finds=Finds.REGISTERED_LATE, reason="By letter", accepted_at=AT
    )
    assert close(JANUARY).rated == [late]


def test_a_replaced_report_rates_its_period_and_every_later_one_again():
    tournament = received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    received([1, 2], [[(1, 2, "=")]], date(2025, 11, 10), "Later")
    close(JANUARY)
    first = {day: on(day) for day in (NOVEMBER, JANUARY)}
    frozen = list(OtbListEntry.objects.values())
    checksums = list(OtbList.objects.values_list("checksum", flat=True))
    # The first game was won, not drawn: 15 × ((1 - 0.64) + (0 - 0.36)) = 0; 15 × ((0 - 0.36) - 0.08) = -6.60.
    won = [[(1, 2, "1"), (3, 4, "1")], TWO_ROUNDS[1]]
    what = report_of([1, 2, 3, 4], won, date(2025, 9, 10))
    revised = tournaments.received(what, at=AT, tournament=tournament, registered_on=MAY).revised
    assert [(one.list_day, one.revision) for one in revised] == [(NOVEMBER, 2), (JANUARY, 2)]
    assert (on(NOVEMBER)[1][0], on(NOVEMBER)[2][0]) == (2000, 1893)  # 1893.40
    # January before: D 92 (1993, 1901): 0.63, 15 × (0.5 - 0.63) = -1.95 and back. Now 107 (2000, 1893): 0.65.
    assert (first[JANUARY][1][0], first[JANUARY][2][0]) == (1991, 1903)
    assert (on(JANUARY)[1][0], on(JANUARY)[2][0]) == (1998, 1895)  # 1997.75, 1895.25
    assert list(OtbListEntry.objects.filter(otb_list__revision=1).values()) == frozen
    assert list(OtbList.objects.filter(revision=1).values_list("checksum", flat=True)) == checksums
    assert OtbList.objects.get(list_day=NOVEMBER, revision=1).superseded


def test_rating_again_without_a_difference_makes_no_revision():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    before_january()
    close(JANUARY)
    results = list(TournamentResult.objects.order_by("tournament", "number").values_list("fide_id", "change"))
    assert rerate_from(NOVEMBER, at=AT) == []
    assert OtbList.objects.filter(revision=2).count() == 0
    again = TournamentResult.objects.order_by("tournament", "number").values_list("fide_id", "change")
    assert list(again) == results


def test_a_replaced_report_that_may_not_be_rated_leaves_the_period():
    tournament = received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    received([5, 6], [[(1, 2, "=")]], date(2025, 9, 10), "Other")
    close(NOVEMBER)
    Tournament.objects.filter(pk=tournament.pk).update(time_control="1800")
    assert [str(one) for one in rerate_from(NOVEMBER, at=AT, replaced=[tournament])] == [
        "Over-the-board list 1 Nov 2025, revision 2"
    ]
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (Tournament.Status.REFUSED, None)
    assert on(NOVEMBER)[1] == (2000, 15, 0, 30)
    assert not tournament.results.exists()


def test_a_tournament_that_was_rated_stays_so_whatever_another_correction_makes_of_its_players():
    first = received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    # 90 minutes are enough while nobody has 2200 (1.1); 3 had 2113.
    second = received([1, 3], [[(1, 2, "=")]], date(2025, 11, 10), "Second", time_control="5400")
    close(JANUARY)
    OtbListEntry.objects.filter(fide_id=ID + 3, otb_list__list_day=SEPTEMBER).update(rating=2300)
    revised = tournaments.received(
        report_of([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10), last_day=date(2025, 9, 12)),
        at=AT,
        tournament=first,
        registered_on=MAY,
    ).revised
    assert [one.list_day for one in revised] == [NOVEMBER, JANUARY]
    second.refresh_from_db()
    assert (second.status, second.rated_for) == (Tournament.Status.RATED, JANUARY)


def test_7_13_a_replaced_report_with_later_days_moves_the_tournament_to_a_later_list():
    tournament = received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    received([5, 6], [[(1, 2, "=")]], date(2025, 9, 10), "Other")
    close(NOVEMBER)
    later = report_of([1, 2, 3, 4], TWO_ROUNDS, date(2025, 11, 3))
    revised = tournaments.received(later, at=AT, tournament=tournament, registered_on=MAY).revised
    assert [str(one) for one in revised] == ["Over-the-board list 1 Nov 2025, revision 2"]
    assert on(NOVEMBER)[1] == (2000, 15, 0, 30)
    assert not tournament.results.exists()
    assert [one.pk for one in close(JANUARY).rated] == [tournament.pk]
    assert on(JANUARY)[1] == (1993, 15, 2, 32)


def test_7_14_g_who_joins_an_association_later_changes_no_list_before():
    newcomer([*range(30, 35), 40, 41], "11=0=11", date(2025, 9, 20), "One")
    close(NOVEMBER)
    AssociationMember.objects.create(fide_id=ID + NEW, association="ICSC", since=JANUARY)
    assert rerate_from(NOVEMBER, at=AT) == []
    received([1, 2], [[(1, 2, "=")]], date(2025, 11, 10), "Two")
    newcomer([42], "=", date(2025, 11, 10), "Three")
    close(JANUARY)
    # (5 × 2150 + 3 × 2200) / 8 = 2169; 5½ of 8: 3 × 15
    assert on(JANUARY)[NEW] == (2214, 25, 1, 8)


@pytest.mark.parametrize(
    ("until", "list_day"),
    [
        (date(2025, 10, 24), SEPTEMBER),
        (date(2025, 10, 25), NOVEMBER),
        (date(2025, 12, 24), NOVEMBER),
        (date(2025, 12, 25), JANUARY),
    ],
)
def test_7_13_a_list_can_be_closed_from_seven_days_before_it_on(until, list_day):
    assert list_day_of(until) == list_day


def test_7_3_lists_may_be_monthly(settings):
    settings.MONTHS_PER_OTB_LIST = 1
    assert list_day_of(date(2025, 11, 24)) == date(2025, 12, 1)
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    assert close(date(2025, 10, 1)).otb_list.list_day == date(2025, 10, 1)


def test_there_has_to_be_something_to_close():
    with pytest.raises(
        NothingToClose, match="no report of a tournament that ended by 25 Oct 2025 is waiting"
    ):
        close(NOVEMBER)
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    with pytest.raises(NothingToClose, match="the period of the list of 1 May 2026 runs until 24 Apr 2026"):
        close(date(2026, 5, 1))
    close(NOVEMBER)
    with pytest.raises(NothingToClose, match="the list of 1 Nov 2025 is published; the next, of 1 Jan 2026"):
        close(NOVEMBER)
    assert OtbList.objects.count() == 2


def test_nothing_is_stored_of_a_period_that_is_only_shown():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    output = run("close_period", "--until", "2025-11-01", "--dry-run").out
    assert "  Player, Number 1 (4100001): 2000 → 1993 (−7.50, K 15), 2 games" in output
    assert not OtbList.objects.exists()
    assert not TournamentResult.objects.exists()
    assert Tournament.objects.get().status == Tournament.Status.RECEIVED


def test_the_command_closes_a_period_once():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    received([1, 2], [[(1, 2, "=")]], date(2025, 9, 10), "Late", registered_on=date(2025, 9, 1))
    output = run("close_period", "--until", "2025-11-01").out
    assert "Late (10 Sep 2025): not rated, waiting:" in output
    assert (
        "Over-the-board list 1 Nov 2025, revision 1: published. Tournaments rated: 1; not rated: 1. "
        "Players listed: 20; new: 0; delisted: 0; with rated games: 4." in output
    )
