"""B.02 6.2: what the stages of an event give a new player together; ratings of opponents and scores by
hand."""

import pytest

from ratings.rules.b02.stages import rate_stages
from ratings.rules.b02.types import Entrant, Game, GameReason, Outcome, TournamentToRate, TournamentType

N = 9
"""The number of the new player in each stage."""


def swiss(*results, earlier=False):
    """The new player against opponents with 1800, half points in turn."""
    players = [
        *(Entrant(number, 1800, 15) for number in range(1, len(results) + 1)),
        Entrant(N, None, None, earlier),
    ]
    games = [Game(at, N, at, half_points) for at, half_points in enumerate(results, 1)]
    return TournamentToRate(TournamentType.SWISS, players, games)


def all_play_all(*results):
    """A round robin in which the new player has these results, and all others draw."""
    numbers = range(1, len(results) + 1)
    players = [*(Entrant(number, 1800, 15) for number in numbers), Entrant(N, None)]
    games = [Game(1, N, number, half_points) for number, half_points in zip(numbers, results, strict=True)]
    games += [Game(2, a, b, 1) for a in numbers for b in numbers if a < b]
    return TournamentToRate(TournamentType.ROUND_ROBIN, players, games)


def together(*stages, who="somebody"):
    rated = rate_stages(stages, [{N: who} for _ in stages])
    return [(one, next(r for r in one.rating.results if r.number == N)) for one in rated]


def test_6_2_what_no_stage_has_alone_all_have_together():
    # Two games each, 2 half points in all four: three games against rated players and one point (8.21).
    for stage, result in together(swiss(0, 1), swiss(1, 0)):
        assert (result.outcome, result.rated_games, result.half_points) == (Outcome.NEW_RESULT, 2, 1)
        whole = stage.whole[N]
        # 1 of 4 against 1800: p = 0.25, d(p) = -193.
        assert (whole.games, whole.half_points, whole.final.rating, whole.why_not_first) == (4, 2, 1607, None)


@pytest.mark.parametrize(
    ("stages", "outcome"),
    [
        ((swiss(1), swiss(1)), Outcome.FEW_GAMES),
        ((swiss(1, 0), swiss(0, 0)), Outcome.FEW_POINTS),
        ((swiss(0), swiss(0, 0)), Outcome.ZERO_SCORE),
    ],
)
def test_6_2_what_all_stages_lack_together_keeps_every_one_out(stages, outcome):
    assert [result.outcome for _stage, result in together(*stages)] == [outcome] * 2


def test_6_2_who_has_an_earlier_result_counts_whatever_the_stages_bring():
    found = together(swiss(0, earlier=True), swiss(0, earlier=True))
    assert [result.outcome for _stage, result in found] == [Outcome.NEW_RESULT] * 2


def test_6_1_a_point_in_another_stage_keeps_a_new_player_and_all_games_in_a_round_robin():
    alone = next(iter(together(all_play_all(0, 0, 0))))[1]
    assert {game.reason for game in alone.games} == {GameReason.ZERO_SCORE}
    (stage, kept), _final = together(all_play_all(0, 0, 0), swiss(2, 2))
    assert {game.reason for game in kept.games} == {GameReason.TOWARDS_RATING}
    assert kept.outcome is Outcome.NEW_RESULT
    opponents = [result for result in stage.rating.results if result.number != N]
    assert {game.reason for result in opponents for game in result.games} == {
        GameReason.RATED,
        GameReason.RATED_AGAINST_NEW,
    }


def test_6_1_a_point_against_somebody_who_leaves_is_no_point_in_the_other_stage():
    """Two new players: 8 beats 9 and nobody else; 9 has no point anywhere, so neither has 8."""
    first = all_play_all(0, 0, 0)
    players = [*first.players, Entrant(8, None)]
    games = [*first.games, Game(3, 8, N, 2), *(Game(3, 8, number, 0) for number in (1, 2, 3))]
    first = TournamentToRate(TournamentType.ROUND_ROBIN, players, games)
    second = swiss(0, 0)._replace(players=[*swiss(0, 0).players, Entrant(8, None)])
    second = second._replace(games=[*second.games, Game(1, 8, 1, 0)])
    rated = rate_stages([first, second], [{8: "eight", N: "nine"}] * 2)
    for stage in rated:
        assert {r.outcome for r in stage.rating.results if r.number in (8, N)} == {Outcome.ZERO_SCORE}


def test_6_2_whom_nobody_knows_in_another_stage_is_judged_by_one():
    rated = rate_stages([swiss(0, 1), swiss(1, 0)], [{}, {}])
    for stage in rated:
        assert stage.rating.results[-1].outcome is Outcome.FEW_POINTS
        assert stage.whole == {}


def test_6_2_what_rated_players_gain_does_not_depend_on_other_stages():
    apart = [rate_stages([stage])[0].rating.results[:-1] for stage in (swiss(0, 1), swiss(1, 0))]
    assert [one.rating.results[:-1] for one, _result in together(swiss(0, 1), swiss(1, 0))] == apart
