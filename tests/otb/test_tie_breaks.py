"""Tie-breaks of a report (FIDE C.07): what its codes mean, when there are none, and whom they place."""

import dataclasses
import io
from datetime import date
from types import SimpleNamespace

import pytest

from ratings.formats import trf
from ratings.otb.services.places import by_place, tie_breaks_of
from ratings.otb.services.rows import reported
from ratings.rules.b02.types import TournamentType
from tests.otb.tournaments import FIRST_DAY, entrant, everybody_listed, received, report
from tests.pages import words

ROUNDS = (
    {(1, 2): "1", (3, 4): "1"},
    {(1, 3): "=", (2, 4): "+"},
    {(4, 1): "=", (2, 3): "1"},
)
"""Scores 2, 2, 1½, ½. Number 2 has beaten 4 by forfeit."""

BY_HAND = {1: (7, 8, 12, 1), 2: (7, 8, 8, 1), 3: (8, 9, 6, 1), 4: (7, 8, 4, 0)}
"""BH-C1 and BH in half points, SB in quarter points, WON.

1: 2, 1½, ½; SB 2 + ¾ + ¼. 2: 2, the ½ of number 4, 1½; SB 0 + ½ + 1½. 3: ½, 2, 2; SB ½ + 1 + 0. 4: 1½, its
own ½, 2; SB 0 + 0 + 1. Of 4 the forfeit is cut, of the others the lowest.
"""


def read(rounds, players=4, **options):
    entrants = [entrant(number) for number in range(1, players + 1)]
    found = trf.read_trf(io.BytesIO(report(entrants, rounds, kind="Swiss", **options))).tournament
    assert found is not None
    return found


def tie_breaks(of_report, kind=TournamentType.SWISS, first_day=FIRST_DAY):
    tournament = SimpleNamespace(kind=kind, first_day=first_day)
    return tie_breaks_of(tournament, of_report)


def with_points(of_report, *tenths, scoring=""):
    """The report with other points, as its record 162 may say that they are counted."""
    players = [
        player._replace(points=points) for player, points in zip(of_report.players, tenths, strict=True)
    ]
    headers = (*of_report.headers, trf.Record(0, "162", scoring))
    return dataclasses.replace(of_report, headers=headers, players=tuple(players))


def test_a_report_gives_the_tie_breaks_of_everybody():
    assert tie_breaks(read(ROUNDS)) == BY_HAND


def test_a_game_that_was_played_but_is_not_rated_was_won_over_the_board():
    assert tie_breaks(read(({(1, 2): "W", (3, 4): "1"}, *ROUNDS[1:]))) == BY_HAND


def test_rounds_to_come_are_no_byes():
    assert tie_breaks(read((*ROUNDS, {}, {}))) == BY_HAND
    # With an entry for one player the round has been, and the others were not there: draws for opponents.
    assert tie_breaks(read((*ROUNDS, {(1, None): "U"})))[3].buchholz == (1 + 1) + 6 + (4 + 1) + 3


@pytest.mark.parametrize(("bye", "as_old"), [("H", "="), ("U", "+"), ("Z", "-"), ("Z", " "), ("F", "+")])
def test_old_files_write_byes_as_results_without_an_opponent(bye, as_old):
    rounds = [{(1, 2): "1", (3, None): bye}, {(1, 3): "0", (2, None): bye}, {(2, 3): "=", (1, None): bye}]
    old = [
        {(white, black): as_old if black is None else result for (white, black), result in games.items()}
        for games in rounds
    ]
    if as_old == " ":
        old = [{pair: result for pair, result in games.items() if pair[1]} for games in old]
    found = tie_breaks(read(rounds, players=3))
    assert len(found) == 3
    assert tie_breaks(read(old, players=3)) == found


def test_an_allocated_bye_can_be_worth_less_by_record_162():
    rounds = [{(1, 2): "1", (3, None): "U"}, {(1, 3): "1"}]
    usual = read(rounds, players=3)
    half = with_points(usual, 20, 0, 5, scoring="P 0.5")
    # 1: opponent 2 wasn't there in the last round, which counts ½. Opponent 3 has 1 or ½ for the bye.
    assert (tie_breaks(usual)[1].buchholz, tie_breaks(half)[1].buchholz) == (1 + 2, 1 + 1)
    # 3: ½ of the dummy for the bye, which is the lowest, and 2 of number 1.
    assert tie_breaks(half)[3] == (4, 1 + 4, 1, 0)


@pytest.mark.parametrize(
    "of_report",
    [
        with_points(read(ROUNDS), 20, 20, 15, None),
        # A bonus or a penalty, or byes with other points than their codes say.
        with_points(read(ROUNDS), 20, 20, 15, 10),
        with_points(read(ROUNDS), 50, 60, 40, 10, scoring="W 3.0 D 1.0 L 0.0"),
        with_points(read(ROUNDS), 16, 20, 13, 3, scoring="D 0.3"),
    ],
)
def test_without_the_usual_points_of_results_there_are_no_tie_breaks(of_report):
    assert tie_breaks(of_report) == {}


@pytest.mark.parametrize("kind", [TournamentType.TEAM, TournamentType.MATCH])
def test_teams_and_matches_have_no_tie_breaks(kind):
    assert tie_breaks(read(ROUNDS), kind) == {}


def test_8_a_round_robin_has_no_buchholz_and_a_forfeit_counts_with_the_opponents_score():
    found = tie_breaks(read(ROUNDS), TournamentType.ROUND_ROBIN)
    assert found == {number: (None, None, *values[2:]) for number, values in BY_HAND.items()}


def test_16_4_the_first_day_decides_on_the_edition():
    # Until February 2026 the forfeit is worth number 2's own 2 points, not the ½ of number 4.
    before = tie_breaks(read(ROUNDS), first_day=date(2026, 2, 28))
    assert before == {**BY_HAND, 2: (8, 4 + 4 + 3, 8 + 6, 1)}


def places(ranks):
    """The start numbers by place in a report with these ranks; all but number 4 have 1½ of 2."""
    players = [
        player._replace(rank=rank)
        for player, rank in zip(everybody_listed(2000, 2000, 2000, 2000), ranks, strict=True)
    ]
    rounds = [{(1, 4): "1", (2, 3): "="}, {(3, 4): "1", (1, None): "H"}, {(2, None): "U"}]
    tournament = received(report(players, rounds, kind="Swiss")).tournament
    of_report = reported(tournament)
    ties = tie_breaks_of(tournament, of_report)
    order = [one.start_rank for one in by_place(TournamentType.SWISS, of_report.players, ties)]
    assert list(tournament.players.order_by("place").values_list("number", flat=True)) == order
    return tournament, order


@pytest.mark.django_db
def test_equal_points_are_placed_by_tie_breaks_where_the_report_has_no_ranks(client):
    tournament, order = places([None] * 4)
    found = tie_breaks_of(tournament, reported(tournament))
    # 1, 2 and 3 have 1½. Last rounds without a game: 1 has two, 3 one, 4 one, each a draw for opponents.
    # 1: 4 with ½, dummies of 1½ twice: 3½, less a voluntary 1½. 2: 3 with 2, dummies twice: 5, less 1½.
    # 3: 2 with 1½, 4 with ½, a dummy: 3½, less the voluntary 1½.
    assert {number: found[number][:2] for number in (1, 2, 3)} == {1: (4, 7), 2: (7, 10), 3: (4, 7)}
    # Of 1 and 3, Sonneborn-Berger: ½ + ¾ and ¾ + ½. Both have won one game. So the start number decides.
    assert found[1] == found[3]
    assert order == [2, 1, 3, 4]
    text = words(client.get(tournament.get_absolute_url()))
    assert "Ties are broken by BH-C1, BH, SB and WON, in this order." in text


@pytest.mark.django_db
def test_the_ranks_of_a_report_are_official_and_the_office_shows_no_tie_breaks_of_its_own(client):
    tournament, order = places([3, 2, 1, 4])
    assert order == [3, 2, 1, 4]
    text = words(client.get(tournament.get_absolute_url()))
    assert "Places as reported." in text
    assert "Sonneborn" not in text
    assert "Ties are broken" not in text


@pytest.mark.django_db
def test_whoever_has_no_rank_comes_after_those_who_have_one():
    assert places([None, None, None, 1])[1] == [4, 2, 1, 3]


@pytest.mark.django_db
@pytest.mark.parametrize("ranks", [[3, 2, 4, 1], [1, 2, 3, 3], [None, None, 2, 1]])
def test_ranks_that_contradict_the_points_place_nobody(client, ranks):
    tournament, order = places(ranks)
    assert order == [2, 1, 3, 4]
    text = words(client.get(tournament.get_absolute_url()))
    assert "Ties are broken by BH-C1, BH, SB and WON, in this order." in text


@pytest.mark.django_db
def test_players_with_equal_points_may_share_a_rank():
    assert places([2, 1, 1, 4])[1] == [2, 3, 1, 4]


@pytest.mark.django_db
def test_ranks_of_teams_do_not_follow_the_points_of_their_players():
    players = [
        player._replace(rank=rank) for player, rank in zip(everybody_listed(2000, 2000), (2, 1), strict=True)
    ]
    done = received(report(players, [{(1, 2): "1"}], kind="Team: Swiss-System"))
    assert list(done.tournament.players.order_by("place").values_list("number", flat=True)) == [2, 1]
    assert not any("rank" in remark.text for remark in done.remarks)


@pytest.mark.django_db
def test_a_tournament_of_teams_shows_no_tie_breaks(client):
    players = everybody_listed(2000, 2000)
    tournament = received(report(players, [{(1, 2): "1"}], kind="Team: Swiss-System")).tournament
    text = words(client.get(tournament.get_absolute_url()))
    assert "Points Change Performance" in text
    assert "Sonneborn" not in text
