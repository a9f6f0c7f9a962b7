"""FIDE's regulations of 1 March 2024, 5, 6, 7.3.1, 8.2.4 and 8.3: tournaments, rated."""

from datetime import date

import pytest

from ratings.rules.b02.editions import edition_in_force
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import (
    Entrant,
    Game,
    GameReason,
    GameResult,
    Outcome,
    TournamentToRate,
    TournamentType,
)
from tests.rules.b02.players import round_robin, swiss

MARCH_2024, SEPTEMBER_2025, OCTOBER_2025 = date(2024, 3, 1), date(2025, 9, 30), date(2025, 10, 1)
NOVEMBER_2024, DECEMBER_2024 = date(2024, 11, 30), date(2024, 12, 1)


def lines(tournament, day=OCTOBER_2025, chapter=Chapter.STANDARD):
    """The results by number; ``day`` is the first of the tournament."""
    (stage,) = edition_in_force(day, chapter=chapter).rate([tournament])
    return {result.number: result for result in stage.rating.results}


def pair(one, other, half_points, k=(10, 20)):
    return swiss([Entrant(1, one, k[0]), Entrant(2, other, k[1])], (1, 2, half_points))


@pytest.mark.parametrize(
    ("day", "expected", "change"), [(SEPTEMBER_2025, 92, 80), (OCTOBER_2025, 98, 20), (MARCH_2024, 92, 80)]
)
def test_8_3_1_since_october_2025_the_cap_is_not_for_the_change_of_a_player_from_2650_on(
    day, expected, change
):
    found = lines(pair(2700, 2100, 2), day)
    assert found[1].games == (GameResult(1, 2, 2, GameReason.RATED, 2100, 600, expected),)
    assert found[1].change == change
    # 2100 loses to 2700, in either month: D counts as 400.
    assert (found[2].expected, found[2].change) == (8, -160)


def test_8_3_1_2649_is_capped_and_2650_is_not():
    assert lines(pair(2649, 2000, 2))[1].expected == 92
    assert lines(pair(2650, 2000, 2))[1].expected == 99
    assert lines(pair(2800, 1900, 2))[1].expected == 100


def test_8_3_1_the_opponent_s_cap_is_by_the_opponent_s_own_rating():
    """Two players from 2650 on both count D as it is; below, D over 400 counts as 400 every time."""
    found = lines(
        swiss([Entrant(1, 3100, 10), Entrant(2, 2660, 10), Entrant(3, 2200, 20)], (1, 2, 2), (2, 3, 2))
    )
    # D 440 is 0.94 and D 460 0.95.
    assert [game.expected for game in found[1].games] == [94]
    assert [game.expected for game in found[2].games] == [6, 95]
    assert [game.expected for game in found[3].games] == [8]


@pytest.mark.parametrize("chapter", [Chapter.RAPID, Chapter.BLITZ])
def test_7_3_1_of_rapid_and_blitz_d_over_400_counts_as_400_for_everybody(chapter):
    assert lines(pair(2700, 2101, 2), chapter=chapter)[1].expected == 92


@pytest.mark.parametrize("chapter", [Chapter.RAPID, Chapter.BLITZ])
def test_7_3_1_since_december_2024_a_game_600_points_apart_with_one_above_2600_is_not_rated(chapter):
    before = lines(pair(2610, 2010, 2), NOVEMBER_2024, chapter)
    assert (before[1].change, before[2].change) == (80, -160)
    since = lines(pair(2610, 2010, 2), DECEMBER_2024, chapter)
    assert [since[n].games[0].reason for n in (1, 2)] == [GameReason.TOO_FAR_APART] * 2
    assert [since[n].outcome for n in (1, 2)] == [Outcome.NOTHING_RATED] * 2
    assert lines(pair(2610, 2010, 2), DECEMBER_2024, Chapter.STANDARD)[1].change == 80


@pytest.mark.parametrize(
    ("one", "other", "rated"),
    [(2601, 2001, False), (2600, 1900, True), (2700, 2101, True), (2700, 2100, False)],
)
def test_7_3_1_the_limits_are_600_points_and_above_2600(one, other, rated):
    for tournament in (pair(one, other, 2), pair(other, one, 0)):
        assert lines(tournament, DECEMBER_2024, Chapter.RAPID)[1].counts is rated


def test_7_3_1_goes_by_the_list_in_force_where_a_later_rating_is_none():
    late = [Entrant(1, 2700, 10), Entrant(2, None, 40, later_rating=2000)]
    found = lines(swiss(late, (1, 2, 2)), DECEMBER_2024, Chapter.RAPID)
    assert (found[2].change, found[1].outcome) == (40 * -8, Outcome.NOTHING_RATED)


def test_8_3_2_change_is_k_times_score_less_expectation():
    players = [Entrant(1, 2000, 20), Entrant(2, 2010, 20), Entrant(3, 1949, 40)]
    line = lines(swiss(players, (1, 2, 1), (3, 1, 0), (1, 2, 2)))[1]
    # PD(-10) = 0.49 twice, PD(51) = 0.57; score 2.5.
    assert (line.rated_games, line.expected, line.delta, line.change) == (3, 155, 95, 1900)


def test_8_2_3_games_against_unrated_opponents_count_for_nobody_in_any_kind_of_tournament():
    players = [Entrant(1, 2000, 20), Entrant(2, 1900, 20), Entrant(3, None), Entrant(4, None)]
    for kind in (TournamentType.SWISS, TournamentType.ROUND_ROBIN, TournamentType.TEAM):
        found = lines(round_robin(players, {})._replace(kind=kind))
        reasons = {n: [game.reason for game in found[n].games] for n in found}
        assert reasons[1] == [GameReason.RATED] + [GameReason.OPPONENT_UNRATED] * 2
        assert reasons[3] == [GameReason.TOWARDS_RATING] * 2 + [GameReason.BOTH_UNRATED]
        assert (found[1].rated_games, found[1].change) == (1, -280)
        # p = 2/4; Ra = (3900 + 3600)/4
        assert (found[3].outcome, found[3].rated_games) == (Outcome.NEW_RESULT, 2)
        assert found[3].new.final.rating == 1875


def unrated(*half_points, earlier=False):
    players = [Entrant(0, None, earlier_result=earlier)]
    players += [Entrant(number, 1450, 40) for number in range(1, len(half_points) + 1)]
    return swiss(players, *((0, number, points) for number, points in enumerate(half_points, 1)))


def test_8_2_1_a_very_first_event_without_a_point_is_forgotten():
    line = lines(unrated(0, 0, 0, 0, 0))[0]
    assert (line.outcome, line.counts, line.rated_games) == (Outcome.ZERO_SCORE, False, 0)
    assert line.new.final.rating == 1241
    line = lines(unrated(0, 0, 0, 0, 0, earlier=True))[0]
    assert (line.outcome, line.rated_games, line.new.final.rating) == (Outcome.NEW_RESULT, 5, 1241)


def test_8_2_1_one_draw_against_a_rated_player_is_enough():
    assert lines(unrated(1))[0].outcome is Outcome.NEW_RESULT


def test_8_2_1_points_that_do_not_count_are_none():
    """Reading: a win against an unrated player counts for nobody, and a forfeit isn’t played."""
    players = [Entrant(0, None), Entrant(1, 1450, 40), Entrant(2, None)]
    not_played = [Game(3, 0, 1, 2, played=False), Game(4, 0, None, 2, played=False)]
    games = [Game(1, 0, 1, 0), Game(2, 0, 2, 2), *not_played]
    line = lines(TournamentToRate(TournamentType.SWISS, players, games))[0]
    assert line.outcome is Outcome.ZERO_SCORE


def test_8_2_1_an_event_without_a_game_that_counts_brings_nothing():
    line = lines(swiss([Entrant(0, None), Entrant(1, None)], (0, 1, 2)))[0]
    assert (line.outcome, line.new) == (Outcome.NOTHING_RATED, None)


def test_8_2_1_all_stages_are_one_event():
    ids = [{0: "somebody", 1: "one"}, {0: "somebody", 1: "other"}]
    lost, won = edition_in_force(OCTOBER_2025).rate([unrated(0), unrated(2)], ids)
    assert [stage.rating.results[0].outcome for stage in (lost, won)] == [Outcome.NEW_RESULT] * 2
    both = edition_in_force(OCTOBER_2025).rate([unrated(0), unrated(0)], ids)
    assert [stage.rating.results[0].outcome for stage in both] == [Outcome.ZERO_SCORE] * 2
    later = edition_in_force(OCTOBER_2025).rate([unrated(0, earlier=True), unrated(0, earlier=True)], ids)
    assert [stage.rating.results[0].outcome for stage in later] == [Outcome.NEW_RESULT] * 2
    strangers = edition_in_force(OCTOBER_2025).rate([unrated(0), unrated(2)], [{0: "one"}, {0: "other"}])
    assert [s.rating.results[0].outcome for s in strangers] == [Outcome.ZERO_SCORE, Outcome.NEW_RESULT]
    unknown = edition_in_force(OCTOBER_2025).rate([unrated(0), unrated(2)], [{}, {}])
    assert [s.rating.results[0].outcome for s in unknown] == [Outcome.ZERO_SCORE, Outcome.NEW_RESULT]


def test_8_2_4_a_later_rating_is_for_one_s_own_games_alone():
    found = lines(swiss([Entrant(1, None, 40, later_rating=1800), Entrant(2, 1800, 20)], (1, 2, 2)))
    assert (found[1].outcome, found[1].rating, found[1].change) == (Outcome.CHANGED, 1800, 2000)
    assert (found[2].outcome, found[2].games[0].reason) == (
        Outcome.NOTHING_RATED,
        GameReason.OPPONENT_UNRATED,
    )


def test_5_1_games_not_played_do_not_count_and_a_penalty_counts_by_each_player_s_own_score():
    players = [Entrant(1, 2050, 20), Entrant(2, 2000, 20)]
    games = [Game(1, 1, 2, 2, played=False), Game(2, 1, 2, 0, True, 0), Game(3, 1, None, 2, played=False)]
    found = lines(TournamentToRate(TournamentType.SWISS, players, games))
    assert [game.reason for game in found[1].games] == [
        GameReason.NOT_PLAYED,
        GameReason.RATED,
        GameReason.NOT_PLAYED,
    ]
    assert (found[1].change, found[2].change) == (-20 * 57, -20 * 43)


def match(results, planned=None, rating=2000, to_the_end=False):
    players = [Entrant(1, 2000, 20), Entrant(2, rating, None if rating is None else 20)]
    games = [Game(round_, 1, 2, points) for round_, points in enumerate(results, 1)]
    return TournamentToRate(TournamentType.MATCH, players, games, planned, to_the_end=to_the_end)


def test_6_1_a_match_with_an_unrated_player_is_not_rated():
    found = lines(match([1, 1], rating=None))
    assert {game.reason for n in (1, 2) for game in found[n].games} == {GameReason.MATCH_UNRATED}
    assert [found[n].outcome for n in (1, 2)] == [Outcome.NOTHING_RATED] * 2


def test_6_2_games_after_the_match_is_decided_are_not_rated():
    # Of four planned points, 2 aren't more than half; 2.5 are.
    reasons = [game.reason for game in lines(match([2, 2, 1, 1]))[1].games]
    assert reasons == [GameReason.RATED] * 3 + [GameReason.MATCH_DECIDED]
    assert lines(match([2, 2, 1, 1], planned=6))[1].rated_games == 4


def test_6_2_unless_it_was_asked_for_beforehand():
    assert lines(match([2, 2, 1, 1], to_the_end=True))[1].rated_games == 4


@pytest.mark.parametrize(
    ("one", "other", "minutes"),
    [(2400, 1500, 120), (2399, 1500, 90), (1800, None, 90), (1799, 1500, 60), (None, 1799, 60)],
)
def test_1_1_of_standard_the_stronger_of_the_two_decides_how_much_time_they_need(one, other, minutes):
    players = [Entrant(n, rating, 20 if rating else None) for n, rating in ((1, one), (2, other))]
    for tournament in (swiss(players, (1, 2, 1)), swiss(players, (2, 1, 1))):
        enough = lines(tournament._replace(seconds=60 * minutes))
        too_little = lines(tournament._replace(seconds=60 * minutes - 1))
        assert {too_little[n].games[0].reason for n in (1, 2)} == {GameReason.TOO_FAST}
        assert GameReason.TOO_FAST not in {enough[n].games[0].reason for n in (1, 2)}


def test_1_1_other_games_of_the_same_tournament_are_rated():
    players = [Entrant(1, 2450, 10), Entrant(2, 2000, 20), Entrant(3, 2000, 20)]
    found = lines(swiss(players, (1, 2, 1), (2, 3, 2))._replace(seconds=90 * 60))
    assert [found[n].rated_games for n in (1, 2, 3)] == [0, 1, 1]


def test_1_1_of_rapid_and_blitz_does_not_ask_for_ratings():
    fast = pair(2700, 2650, 1)._replace(seconds=300)
    assert lines(fast, chapter=Chapter.BLITZ)[1].rated_games == 1


def test_a_tournament_that_contradicts_itself_is_refused():
    with pytest.raises(ValueError, match="player 1 has a rating and no K"):
        lines(swiss([Entrant(1, 2000), Entrant(2, 2000, 20)], (1, 2, 1)))
