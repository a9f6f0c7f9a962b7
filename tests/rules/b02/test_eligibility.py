"""FIDE B.02 0.4 to 6.6: what keeps a tournament, or a part of it, from being rated."""

from datetime import date, timedelta

import pytest

from ratings.rules.b02.eligibility import appeal_until, findings
from ratings.rules.b02.findings import Circumstances, Finding, Finds, Severity
from ratings.rules.b02.time_controls import Stage, minutes_needed, seconds_for_60_moves
from ratings.rules.b02.tournament_rating import rate_tournament
from ratings.rules.b02.types import Entrant, Game, TournamentToRate, TournamentType
from tests.rules.b02.players import round_robin, swiss

FIRST, LAST = date(2010, 5, 1), date(2010, 5, 9)
GOOD = {
    "first_day": FIRST,
    "last_day": LAST,
    "registered": date(2010, 4, 1),
    "stages": (Stage(40, 5400, 30), Stage(None, 1800, 30)),
    "round_days": {1: FIRST, 2: LAST},
}
RATED = [Entrant(number, 1900 + 50 * number, 15) for number in range(1, 5)]
FINE = swiss(RATED, (1, 2, 2), (3, 4, 1))


def found(tournament=FINE, **circumstances):
    return findings(tournament, Circumstances(**GOOD | circumstances), rate_tournament(tournament))


def test_nothing_is_found_where_nothing_is_wrong():
    assert found() == []


@pytest.mark.parametrize("registered", [date(2010, 4, 2), date(2010, 5, 20)])
def test_0_4_registered_less_than_a_month_ahead_may_be_accepted(registered):
    (finding,) = found(registered=registered)
    assert (finding.finds, finding.article) == (Finds.REGISTERED_LATE, "0.4")
    assert (finding.day, finding.found, finding.needed) == (registered, (FIRST - registered).days, 30)
    assert finding.acceptable


def test_0_4_a_month_ahead_of_the_31st_is_the_last_day_of_a_shorter_month():
    days = {"first_day": date(2010, 3, 31), "last_day": date(2010, 3, 31)}
    assert found(registered=date(2010, 2, 28), **days) == []
    assert [finding.finds for finding in found(registered=date(2010, 3, 1), **days)] == [
        Finds.REGISTERED_LATE
    ]


def test_0_4_not_registered_is_refused_and_0_3_official_tournaments_need_not_be():
    (finding,) = found(registered=None)
    assert finding == Finding(Finds.NOT_REGISTERED)
    assert (finding.severity, finding.acceptable) == (Severity.REFUSAL, False)
    assert found(registered=None, official=True) == []


def test_0_5_seven_days_for_an_appeal():
    assert appeal_until(date(2010, 5, 30)) == date(2010, 6, 6)


@pytest.mark.parametrize(
    ("strongest", "minutes"), [(None, 60), (1599, 60), (1600, 90), (2199, 90), (2200, 120), (2800, 120)]
)
def test_1_1_the_strongest_player_decides_how_much_time_there_must_be(strongest, minutes):
    assert minutes_needed(strongest) == minutes
    players = [Entrant(1, strongest, 10), Entrant(2, 1300, 15) if strongest else Entrant(2, None)]
    tournament = TournamentToRate(TournamentType.SWISS, players, [])
    assert found(tournament, stages=[Stage(None, 60 * minutes)]) == []
    assert found(tournament, stages=[Stage(None, 60 * minutes - 1)]) == [
        Finding(Finds.TOO_FAST, player=1 if strongest else None, found=minutes - 1, needed=minutes)
    ]


def test_1_1_of_equals_the_first_is_named():
    players = [Entrant(3, 2300, 15), Entrant(2, 2300, 15), Entrant(1, 2000, 15)]
    (finding,) = found(TournamentToRate(TournamentType.SWISS, players, []), stages=[Stage(None, 5400)])
    assert (finding.player, finding.acceptable, finding.severity) == (2, False, Severity.REFUSAL)


@pytest.mark.parametrize(
    ("stages", "minutes"),
    [
        ([Stage(None, 5400, 30)], 120),
        ([Stage(40, 5400, 30), Stage(None, 1800, 30)], 150),
        ([Stage(40, 7200), Stage(20, 3600), Stage(None, 1800)], 180),
        ([Stage(60, 5400), Stage(None, 3600)], 90),
        ([Stage(40, 6000), Stage(40, 3000, 60)], 170),
        ([], 0),
    ],
)
def test_1_1_time_for_sixty_moves(stages, minutes):
    assert seconds_for_60_moves(stages) == 60 * minutes


def test_1_1_an_unknown_time_control_waits_for_somebody_who_knows_it():
    (finding,) = found(stages=())
    assert (finding.finds, finding.severity, finding.acceptable) == (
        Finds.CONTROL_UNKNOWN,
        Severity.REFUSAL,
        True,
    )


def test_3_1_three_rounds_a_day_and_twelve_hours():
    two_hours = [Stage(None, 7200)]
    days = {1: FIRST, 2: FIRST, 3: FIRST, 4: LAST}
    assert found(stages=two_hours, round_days=days) == []
    assert found(stages=[Stage(None, 7201)], round_days=days) == [
        Finding(Finds.TOO_MANY_HOURS, day=FIRST, found=721, needed=720)
    ]
    assert found(stages=[Stage(None, 5400)], round_days=dict.fromkeys(range(4), LAST)) == [
        Finding(Finds.TOO_MANY_ROUNDS, day=LAST, found=4, needed=3)
    ]


def test_3_1_unknown_days_are_noted():
    assert found(round_days={}) == [Finding(Finds.DAYS_UNKNOWN)]
    assert Finds.DAYS_UNKNOWN.severity is Severity.NOTE


def test_4_1_ninety_days_except_leagues_and_4_12_by_consent():
    assert found(last_day=FIRST + timedelta(days=89)) == []
    (finding,) = found(last_day=FIRST + timedelta(days=90))
    assert finding == Finding(Finds.TOO_LONG, found=91, needed=90)
    assert finding.acceptable
    assert found(last_day=FIRST + timedelta(days=90), league=True) == []


def test_5_1_each_game_not_played_is_noted_once_and_byes_are_not():
    games = [Game(1, 1, 2, 2), Game(2, 4, 3, 2, played=False), Game(2, 1, None, 2, played=False)]
    assert found(FINE._replace(games=games)) == [Finding(Finds.NOT_PLAYED, 3, 4, 2)]


def test_6_1_and_6_41_new_players_whose_results_are_left_out():
    low = [Entrant(number, 1250, 25) for number in (1, 2, 3)]
    players = [*low, *(Entrant(number, None) for number in (5, 6, 7, 8))]
    tournament = swiss(
        players,
        *((5, 1, 0), (5, 2, 0), (5, 3, 0)),
        *((6, 1, 1), (6, 2, 0), (6, 3, 0)),
        *((7, 1, 2), (7, 2, 2)),
        *((8, 1, 2), (8, 2, 0), (8, 3, 0)),
    )
    notes = found(tournament)
    assert notes == [
        Finding(Finds.ZERO_SCORE, 5),
        Finding(Finds.FEW_GAMES, 7, found=2, needed=3),
        Finding(Finds.FEW_POINTS, 6, found=1, needed=2),
        Finding(Finds.BELOW_FLOOR, 8, found=1125, needed=1200),
    ]
    assert {note.severity for note in notes} == {Severity.NOTE}


def test_7_14_a_new_player_without_a_fide_id_whose_result_would_count_is_noted():
    """Rated players, and new ones whose result is left out, lose nothing by it."""
    players = [*RATED, Entrant(5, None), Entrant(6, None), Entrant(7, None)]
    games = [(new, number, 1) for new in (5, 6) for number in (1, 2, 3)]
    tournament = swiss(players, *games, (7, 1, 1))
    circumstances, rating = Circumstances(**GOOD), rate_tournament(tournament)
    assert findings(tournament, circumstances, rating, without_id=[1, 6, 7]) == [
        Finding(Finds.FEW_POINTS, 7, found=1, needed=2),
        Finding(Finds.NO_FIDE_ID, 6),
    ]


def a_round_robin(rated, unrated, cycles=1):
    players = [
        Entrant(n, 2000, 15) if n <= rated else Entrant(n, None) for n in range(1, rated + unrated + 1)
    ]
    return round_robin(players, {}, cycles)


@pytest.mark.parametrize(
    ("rated", "unrated", "expected"),
    [
        (4, 8, []),
        (4, 6, []),
        (4, 9, [Finding(Finds.FEW_RATED, found=4, needed=5)]),
        (3, 7, [Finding(Finds.FEW_RATED, found=3, needed=4)]),
        (4, 5, []),
        (3, 6, [Finding(Finds.FEW_RATED_SMALL, found=3, needed=4)]),
        (3, 0, [Finding(Finds.FEW_RATED_SMALL, found=3, needed=4)]),
    ],
)
def test_6_3_and_6_31_how_many_of_a_round_robin_must_have_ratings(rated, unrated, expected):
    assert found(a_round_robin(rated, unrated)) == expected


@pytest.mark.parametrize(
    ("rated", "unrated", "cycles", "expected"),
    [
        (4, 1, 2, [Finding(Finds.SMALL_DOUBLE, found=5, needed=6)]),
        (4, 2, 2, []),
        (4, 0, 2, []),
        (4, 1, 1, []),
    ],
)
def test_6_32_a_double_round_robin_with_new_players_needs_six(rated, unrated, cycles, expected):
    assert found(a_round_robin(rated, unrated, cycles)) == expected


@pytest.mark.parametrize(
    ("rated", "women_only", "needed"), [(3, False, None), (2, False, 3), (2, True, None), (1, True, 2)]
)
def test_6_33_a_national_championship_needs_three_rated_players_or_two_women(rated, women_only, needed):
    tournament = a_round_robin(rated, 10 - rated)
    notes = found(tournament, national_championship=True, women_only=women_only)
    refusals = [finding for finding in notes if finding.severity is Severity.REFUSAL]
    assert refusals == ([Finding(Finds.FEW_RATED_NATIONAL, found=rated, needed=needed)] if needed else [])


def test_6_43_a_round_robin_with_games_missing_is_noted_and_no_longer_judged_as_one():
    tournament = a_round_robin(2, 3)
    games = [game for game in tournament.games if game.player != 4]
    notes = found(tournament._replace(games=[*games, Game(5, 4, 5, 2, played=False)]))
    assert Finding(Finds.GAMES_MISSING, found=1, needed=0) in notes
    assert Finding(Finds.NOT_PLAYED, 4, 5, 5) in notes
    assert not [finding for finding in notes if finding.severity is Severity.REFUSAL]


def test_6_5_and_6_6_matches():
    games = [Game(1, 1, 2, 2), Game(2, 2, 1, 0), Game(3, 1, 2, 0)]
    match = TournamentToRate(TournamentType.MATCH, RATED[:2], games)
    assert found(match) == [Finding(Finds.MATCH_DECIDED, 1, 2, 3)]
    assert found(match._replace(players=RATED[:3])) == [
        Finding(Finds.MATCH_DECIDED, 1, 2, 3),
        Finding(Finds.NOT_TWO_PLAYERS, found=3, needed=2),
    ]
    unrated = found(match._replace(players=[RATED[0], Entrant(2, None)]))
    assert unrated == [Finding(Finds.MATCH_UNRATED, 2)]
    assert unrated[0].severity is Severity.REFUSAL


def test_only_what_the_articles_leave_to_somebody_can_be_accepted():
    acceptable = [finds.article for finds in Finds if finds.acceptable]
    assert acceptable[:3] == ["0.4", "1.1", "4.1"]
    # What a report says of itself, and what only somebody who asks the organizer can know.
    assert acceptable[3:] == ["7.13", "5.1", "4.13", "2.1", "5.1", "4.13"]


def test_1_3_a_first_time_control_that_is_not_at_move_40_is_a_note():
    enough = 7200
    assert found(stages=[Stage(40, enough), Stage(None, 900)]) == []
    assert found(stages=[Stage(None, enough)]) == [], "without a first control there is nothing to advise"
    assert found(stages=[Stage(36, enough), Stage(40, 900)]) == [
        Finding(Finds.FIRST_CONTROL, found=36, needed=40)
    ]
    assert (Finds.FIRST_CONTROL.article, Finds.FIRST_CONTROL.severity) == ("1.3", Severity.NOTE)


def test_9_2_an_event_that_was_announced_as_not_rated_is_not_rated_and_nobody_can_accept_that():
    (finding,) = found(announced_unrated=True)
    assert finding == Finding(Finds.ANNOUNCED_UNRATED)
    assert (finding.article, finding.severity, finding.acceptable) == ("9.2", Severity.REFUSAL, False)
    official = found(announced_unrated=True, official=True)
    assert official == [finding], "0.3 lets official tournaments be rated, but 9.2 is announced to players"


def test_2_1_other_laws_than_those_of_fide_need_consent():
    (finding,) = found(other_laws=True)
    assert (finding, finding.article) == (Finding(Finds.OTHER_LAWS), "2.1")
    assert (finding.severity, finding.acceptable) == (Severity.REFUSAL, True)


def test_findings_are_in_the_order_of_the_articles():
    several = found(registered=None, stages=[Stage(30, 600)], round_days={}, announced_unrated=True)
    assert [one.article for one in several] == ["0.4", "1.1", "1.3", "3.1", "9.2"]


def test_7_13_a_report_of_fewer_rounds_than_it_plans_waits_for_somebody():
    (finding,) = found(rounds=5, planned_rounds=9)
    assert finding == Finding(Finds.UNFINISHED, found=5, needed=9)
    assert (finding.severity, finding.acceptable) == (Severity.REFUSAL, True)
    assert found(rounds=9, planned_rounds=9) == found(rounds=9, planned_rounds=7) == []
    assert found(rounds=0, planned_rounds=None) == []


def test_6_5_a_match_that_is_decided_is_not_unfinished():
    """Of eight games: 4½ points are more than half, 4 are not."""
    games = [Game(number, 1, 2, half_points) for number, half_points in enumerate([2, 2, 2, 2, 1], 1)]
    match = TournamentToRate(TournamentType.MATCH, RATED[:2], games, 8)
    assert found(match, rounds=5, planned_rounds=8) == []
    four = match._replace(games=games[:4])
    assert found(four, rounds=4, planned_rounds=8) == [Finding(Finds.UNFINISHED, found=4, needed=8)]


def test_5_1_points_that_only_byes_explain_wait_for_somebody():
    (finding,) = found(points_of_byes=[3, 4])
    assert finding == Finding(Finds.POINTS_OF_BYES, player=3, found=2)
    assert (finding.severity, finding.acceptable, finding.article) == (Severity.REFUSAL, True, "5.1")


@pytest.mark.parametrize(("ours", "theirs"), [(0, 0), (1, 0), (0, 1), (2, 1)])
def test_5_1_a_game_with_a_penalty_waits_for_somebody(ours, theirs):
    tournament = swiss(RATED[:2], (1, 2, 0))
    (game,) = tournament.games
    penalty = game._replace(half_points=ours, opponents_half_points=theirs)
    (finding,) = found(tournament._replace(games=[penalty]))
    assert finding == Finding(Finds.PENALTY, 1, 2, 1, found=ours, needed=theirs)
    assert (finding.severity, finding.acceptable, finding.article) == (Severity.REFUSAL, True, "5.1")


def test_1_1_a_time_control_that_cannot_be_read_is_quoted():
    (finding,) = found(stages=[], control="two hours or so")
    assert finding == Finding(Finds.CONTROL_UNKNOWN, text="two hours or so")


def test_4_13_a_first_or_last_round_on_another_day_waits_for_somebody():
    other = {7: date(2010, 5, 10), 1: date(2010, 4, 30)}
    assert found(other_days=other) == [
        Finding(Finds.OTHER_DAYS, round=1, day=date(2010, 4, 30)),
        Finding(Finds.OTHER_DAYS, round=7, day=date(2010, 5, 10)),
    ]


@pytest.mark.parametrize(
    ("rating", "k", "known"),
    [
        (1200, 25, True),
        (2500, 25, True),
        (2399, 15, True),
        (2400, 15, False),
        (2400, 10, True),
        (1800, 10, True),
        (1800, 20, False),
        (1800, 40, False),
        (1800, 30, False),
        (1800, 0, False),
    ],
)
def test_8_56_a_list_with_a_k_that_the_edition_does_not_have_is_a_note_and_its_k_counts(rating, k, known):
    """25 for new players, 15 while no published rating was 2400, then 10 for ever, also when it falls."""
    players = [RATED[0], Entrant(2, rating, k), *RATED[2:]]
    tournament = swiss(players, (1, 2, 2), (3, 4, 1))
    rated = rate_tournament(tournament)
    assert rated.results[1].k == k
    assert found(tournament) == ([] if known else [Finding(Finds.K_OF_LIST, player=2, found=1)])
    assert (Finds.K_OF_LIST.article, Finds.K_OF_LIST.severity) == ("8.56", Severity.NOTE)


def test_8_56_a_rating_that_came_later_has_a_k_too_and_players_are_counted_in_one_note():
    """8.4: Player 2 uses the rating, and the K, of the later list."""
    players = [RATED[0]._replace(k=20), Entrant(2, None, 40, True, 1850), *RATED[2:]]
    assert found(swiss(players, (1, 2, 2), (3, 4, 1))) == [Finding(Finds.K_OF_LIST, player=1, found=2)]
