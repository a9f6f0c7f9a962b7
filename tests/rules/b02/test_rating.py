"""FIDE B.02 5, 6 and 8: tournaments, rated."""

import pytest

from ratings.rules.b02.expected_score import expected_score
from ratings.rules.b02.tournament_rating import pairs_missing, rate_tournament
from ratings.rules.b02.types import (
    Choices,
    Entrant,
    Game,
    GameReason,
    GameResult,
    Outcome,
    TournamentToRate,
    TournamentType,
)
from tests.rules.b02.players import round_robin, swiss


def lines(rating):
    return {result.number: result for result in rating.results}


def test_8_1_b_the_printed_table_differs_at_327_and_328_only():
    printed = Choices(printed_table=True)
    differ = [d for d in range(-800, 801) if expected_score(d) != expected_score(d, printed)]
    assert differ == [-328, -327, 327, 328]
    assert [expected_score(d) for d in (326, 327, 328, 329, -327)] == [87, 87, 87, 88, 13]
    assert [expected_score(d, printed) for d in (326, 327, 328, 329, -327)] == [87, 88, 88, 88, 12]
    a, b = Entrant(1, 2327, 10), Entrant(2, 2000, 15)
    assert [line.change for line in rate_tournament(swiss([a, b], (1, 2, 2))).results] == [130, -195]
    assert [line.change for line in rate_tournament(swiss([a, b], (1, 2, 2)), printed).results] == [120, -180]


@pytest.mark.parametrize(("difference", "expected"), [(391, 91), (392, 92), (400, 92), (401, 92), (1500, 92)])
def test_8_54_a_difference_over_400_counts_as_400(difference, expected):
    assert expected_score(difference) == expected
    assert expected_score(-difference) == 100 - expected


def test_8_54_the_game_keeps_the_difference_as_it_is():
    strong, weak = rate_tournament(swiss([Entrant(1, 2700, 10), Entrant(2, 1900, 25)], (1, 2, 0))).results
    assert strong.games == (GameResult(1, 2, 0, GameReason.RATED, 1900, 800, 92),)
    assert weak.games == (GameResult(1, 1, 2, GameReason.RATED, 2700, -800, 8),)
    assert (strong.change, weak.change) == (-920, 2300)


def test_8_55_change_is_the_sum_of_score_less_expectation_times_k():
    a, b, c = Entrant(1, 2000, 15), Entrant(2, 2010, 15), Entrant(3, 1949, 25)
    line = rate_tournament(swiss([a, b, c], (1, 2, 1), (3, 1, 0), (1, 2, 2))).results[0]
    # P(-10) = 0.49 twice, P(51) = 0.57; score 2.5.
    assert (line.rated_games, line.half_points, line.expected, line.change) == (3, 5, 155, 15 * 95)
    assert line.average == 1990  # 1989.67
    assert [game.round for game in line.games] == [1, 2, 3]


def test_6_42_in_a_swiss_a_game_against_an_unrated_player_does_not_count_for_the_rated_one():
    rated, unrated = Entrant(1, 2000, 15), Entrant(2, None)
    line = rate_tournament(swiss([rated, unrated], (1, 2, 0))).results[0]
    assert line.outcome is Outcome.NOTHING_RATED
    assert line.games == (GameResult(1, 2, 0, GameReason.OPPONENT_UNRATED),)
    assert (line.counts, line.rated_games, line.change) == (False, 0, None)


def with_penalty(tournament, number, ours, theirs):
    """The tournament with these half points in its game of this number."""
    games = list(tournament.games)
    games[number] = games[number]._replace(half_points=ours, opponents_half_points=theirs)
    return tournament._replace(games=games)


@pytest.mark.parametrize(
    ("ours", "theirs", "changes"),
    [
        (2, None, (15 * 43, -15 * 43)),
        (0, 0, (-15 * 57, -15 * 43)),
        (1, 0, (-15 * 7, -15 * 43)),
        (0, 1, (-15 * 57, 15 * 7)),
        (2, 1, (15 * 43, 15 * 7)),
    ],
)
def test_a_game_with_a_penalty_is_rated_by_each_players_own_score(ours, theirs, changes):
    """P(50) = 0.57: 1 - 0.57 of a win, 0 - 0.57 and 0 - 0.43 where both lost."""
    pair = swiss([Entrant(1, 2050, 15), Entrant(2, 2000, 15)], (1, 2, 2))
    rated = rate_tournament(with_penalty(pair, 0, ours, theirs))
    assert tuple(line.change for line in rated.results) == changes


def test_6_1_a_new_player_whose_only_point_a_penalty_took_leaves_a_round_robin():
    players = [Entrant(1, 2000, 15), Entrant(2, 1990, 15), Entrant(3, 1980, 15), Entrant(4, None)]
    games = round_robin(players, {(1, 4): 2, (2, 4): 2, (3, 4): 0})
    assert lines(rate_tournament(games))[4].outcome is not Outcome.ZERO_SCORE
    number = next(at for at, game in enumerate(games.games) if {game.player, game.opponent} == {3, 4})
    left = lines(rate_tournament(with_penalty(games, number, 0, 0)))
    assert left[4].outcome is Outcome.ZERO_SCORE
    assert [game.reason for game in left[3].games].count(GameReason.ZERO_SCORE) == 1


def test_6_5_a_match_with_a_penalty_is_decided_by_each_players_own_points():
    """Two of four games are 0-0: 2 points of 4 are half, not more."""
    games = [Game(1, 1, 2, 0, True, 0), Game(2, 2, 1, 0, True, 0), Game(3, 1, 2, 2), Game(4, 1, 2, 2)]
    match = TournamentToRate(TournamentType.MATCH, [Entrant(1, 2000, 15), Entrant(2, 2000, 15)], games, 4)
    result = rate_tournament(match).results[1]
    assert [game.reason for game in result.games] == [GameReason.RATED] * 4
    assert result.half_points == 0


def test_5_1_games_not_played_count_for_nothing():
    players = [Entrant(1, 2000, 15), Entrant(2, 2000, 15)]
    games = [
        Game(1, 1, 2, 2, played=False),
        Game(2, 2, 1, None, played=False),
        Game(3, 1, None, 2, played=False),
    ]
    one, other = rate_tournament(TournamentToRate(TournamentType.SWISS, players, games)).results
    assert [game.reason for game in one.games] == [GameReason.NOT_PLAYED] * 3
    assert [game.half_points for game in one.games] == [2, None, 2]
    assert [game.opponent for game in one.games] == [2, 2, None]
    assert len(other.games) == 2
    assert (one.outcome, one.change) == (Outcome.NOTHING_RATED, None)


def test_8_2_a_in_a_swiss_only_games_against_rated_players_enter_a_new_result():
    players = [
        Entrant(1, None),
        Entrant(2, 2000, 15),
        Entrant(3, 2101, 15),
        Entrant(4, 1900, 15),
        Entrant(5, None),
    ]
    rating = rate_tournament(swiss(players, (1, 2, 1), (1, 3, 0), (1, 4, 1), (1, 5, 2)))
    line = rating.results[0]
    assert line.outcome is Outcome.NEW_RESULT
    assert [game.reason for game in line.games] == [GameReason.TOWARDS_RATING] * 3 + [GameReason.BOTH_UNRATED]
    assert (line.rated_games, line.half_points, line.average) == (3, 2, 2000)
    assert (line.change, line.k, line.expected) == (None, None, None)
    # Rc 2000.33; p = 0.33, d(p) = -125.
    assert (line.new.opponents_sum, line.new.final.dp, line.new.final.rating) == (6001, -125, 1875)
    assert line.new.final.article == "8.24"
    assert line.new.first is line.new.final
    assert rating.round_robin is None


def opponents(ratings):
    return [Entrant(number, rating, 15) for number, rating in enumerate(ratings, 2)]


@pytest.mark.parametrize(
    ("ratings", "half_points", "outcome"),
    [
        ((2000, 2000), (2, 2), Outcome.FEW_GAMES),
        ((2000, 2000, 2000), (1, 0, 0), Outcome.FEW_POINTS),
        ((2000, 2000, 2000), (0, 0, 0), Outcome.ZERO_SCORE),
        # Rc 1325 - 125 at 33 %.
        ((1325, 1325, 1325), (2, 0, 0), Outcome.NEW_RESULT),
        ((1324, 1324, 1324), (2, 0, 0), Outcome.BELOW_FLOOR),
    ],
)
def test_6_41_8_31_what_the_first_result_in_a_swiss_must_be(ratings, half_points, outcome):
    games = [(1, number, points) for number, points in enumerate(half_points, 2)]
    line = rate_tournament(swiss([Entrant(1, None), *opponents(ratings)], *games)).results[0]
    assert line.outcome is outcome
    assert line.counts is (outcome is Outcome.NEW_RESULT)
    assert line.rated_games == (3 if line.counts else 0)
    assert line.new.games == len(ratings)
    later = Entrant(1, None, earlier_result=True)
    line = rate_tournament(swiss([later, *opponents(ratings)], *games)).results[0]
    assert (line.outcome, line.rated_games) == (Outcome.NEW_RESULT, len(ratings))
    # Kept for the day when the window of two years has passed over the earlier result (7.14(c)).
    assert (line.new.why_not_first is None) is (outcome is Outcome.NEW_RESULT)


def test_6_1_a_point_against_an_unrated_player_makes_it_6_41_instead():
    players = [Entrant(1, None), *opponents([2000, 2000, 2000]), Entrant(9, None)]
    line = rate_tournament(swiss(players, (1, 2, 0), (1, 3, 0), (1, 4, 0), (1, 9, 2))).results[0]
    assert line.outcome is Outcome.FEW_POINTS


FOUR = [Entrant(1, 2000, 15), Entrant(2, 2100, 15), Entrant(3, 2200, 15), Entrant(4, 1900, 15)]
LOST = {(number, 9): 2 for number in (1, 2, 3, 4, 5, 6)}


def test_6_1_a_new_player_without_a_point_leaves_a_round_robin_with_all_his_games():
    rating = rate_tournament(round_robin([*FOUR, Entrant(5, None), Entrant(9, None)], LOST))
    assert rating.kind is TournamentType.ROUND_ROBIN
    assert rating.round_robin.opponents == 4
    line = lines(rating)[9]
    assert (line.outcome, line.rated_games, line.new) == (Outcome.ZERO_SCORE, 0, None)
    assert {game.reason for game in line.games} == {GameReason.ZERO_SCORE}
    assert [line.rated_games for line in rating.results] == [4, 4, 4, 4, 4, 0]
    without = rate_tournament(round_robin([*FOUR, Entrant(5, None)], {}))
    assert [line.change for line in rating.results[:4]] == [line.change for line in without.results[:4]]
    assert rating.results[4].new == without.results[4].new


def test_6_1_a_point_by_forfeit_is_none():
    tournament = round_robin([*FOUR, Entrant(9, None)], LOST)
    replayed = tournament._replace(games=[Game(0, 9, 1, 2, played=False), *tournament.games])
    line = rate_tournament(replayed).results[4]
    assert line.outcome is Outcome.ZERO_SCORE
    assert [game.reason.article for game in line.games] == ["5.1", "6.1", "6.1", "6.1", "6.1"]


def test_6_1_whose_only_points_were_against_one_who_leaves_leaves_as_well():
    players = [*FOUR, Entrant(5, None), Entrant(9, None)]
    rating = rate_tournament(round_robin(players, LOST | {(number, 5): 2 for number in (1, 2, 3, 4)}))
    assert [line.outcome for line in rating.results[4:]] == [Outcome.ZERO_SCORE] * 2
    assert [line.rated_games for line in rating.results] == [3, 3, 3, 3, 0, 0]


def test_6_1_does_not_bind_a_player_with_an_earlier_result():
    rating = rate_tournament(round_robin([*FOUR, Entrant(9, None, earlier_result=True)], LOST))
    line = rating.results[4]
    assert (line.outcome, line.new.first.dp, line.rated_games) == (Outcome.NEW_RESULT, -800, 4)
    assert rating.results[0].rated_games == 4


def test_6_1_does_not_bind_a_player_who_has_got_a_rating_meanwhile():
    late = Entrant(9, None, 25, later_rating=1900)
    rating = rate_tournament(round_robin([*FOUR, late], LOST))
    assert [line.rated_games for line in rating.results] == [4] * 5
    assert rating.results[4].change == 25 * -(36 + 24 + 15 + 50)


def test_8_21_cancels_a_new_player_s_own_result_only_in_a_round_robin():
    half_a_point = LOST | {(1, 9): 1}
    rating = rate_tournament(round_robin([*FOUR, Entrant(9, None)], half_a_point))
    new = rating.results[4]
    assert (new.outcome, new.rated_games, new.average) == (Outcome.FEW_POINTS, 0, None)
    games = {game.opponent: game for game in rating.results[0].games}
    assert games[9].opponent_rating == new.new.final.rating
    assert rating.results[0].rated_games == 4


def test_8_21_three_games_against_rated_players_are_asked_for_in_a_round_robin_too():
    rating = rate_tournament(round_robin([*FOUR[:2], Entrant(5, None), Entrant(6, None)], {}))
    assert [line.outcome for line in rating.results[2:]] == [Outcome.FEW_GAMES] * 2
    assert rating.results[2].new.against_rated == 2


def test_8_31_a_result_under_1200_is_left_out_and_still_stands_for_the_opponents():
    weak = [Entrant(number, 1300, 25) for number in (1, 2, 3, 4)]
    # Rated: 0.38 0.63 0.63 0.63, d(pa) 49.5; Ra = 1300 - 39.6 = 1260. One point of 4: d(0.25) = -193 × 4/5.
    rating = rate_tournament(round_robin([*weak, Entrant(9, None)], LOST | {(1, 9): 0}))
    new = rating.results[4]
    assert (new.outcome, new.new.final.rating) == (Outcome.BELOW_FLOOR, 1106)
    assert rating.results[1].games[-1].opponent_rating == 1106


def test_8_31_compares_the_new_ru_of_8_58_with_1200():
    players = [Entrant(1, 2350, 15), *(Entrant(number, 1300, 25) for number in range(2, 7)), Entrant(9, None)]
    # Rar 1475, d(pa) 38: Ra 1442. One point of six: d(0.17) = -273 × 6/7 = -234.
    # 2350 is 742 too far from 1208: Rc new 1442 - 123.7.
    new = rate_tournament(round_robin(players, LOST | {(2, 9): 0})).results[6]
    assert (new.new.first.rating, new.new.final.rating) == (1208, 1084)
    assert new.outcome is Outcome.BELOW_FLOOR


def test_6_43_a_round_robin_with_a_game_not_played_is_rated_as_a_swiss():
    whole = round_robin([*FOUR, Entrant(5, None)], {})
    forfeit = [
        game._replace(played=False) if {game.player, game.opponent} == {1, 2} else game
        for game in whole.games
    ]
    for games in (forfeit, [game for game in forfeit if game.played]):
        tournament = whole._replace(games=games)
        assert pairs_missing(tournament) == 1
        rating = rate_tournament(tournament)
        assert (rating.kind, rating.round_robin) == (TournamentType.SWISS, None)
        assert [line.rated_games for line in rating.results] == [2, 2, 3, 3, 4]
    assert pairs_missing(whole) == 0


def test_8_25_n_of_a_double_round_robin_is_the_number_of_opponents():
    tournament = round_robin([*FOUR, Entrant(9, None)], {(number, 9): 2 for number in (1, 2, 3)}, cycles=2)
    assert pairs_missing(tournament) == 0
    rating = rate_tournament(tournament)
    new = rating.results[4].new
    assert rating.round_robin.opponents == new.first.opponents == 4
    assert (new.games, new.half_points, new.first.p) == (8, 2, 13)
    # Ra (rated: 0.63 0.63 0.63 0.50 → d 95 95 95 0): 2050 - 71.25 × 4/5 = 1993; d(0.13) = -322 × 4/5.
    assert (rating.round_robin.average, new.first.rating) == (1993, 1735)
    # Second pass: 2200 stands 465 above 1735 and counts as 2135.
    assert new.shifts == ((3, -65),)
    assert (new.final.average, new.final.rating) == (1977, 1719)
    assert new.opponents_sum == 1977 * 8


def test_8_58_an_opponent_far_below_is_moved_up():
    players = [
        Entrant(1, 2600, 10),
        Entrant(2, 2600, 10),
        Entrant(3, 2600, 10),
        Entrant(4, 1500, 25),
        Entrant(5, None),
    ]
    new = rate_tournament(round_robin(players, {})).results[4].new
    assert new.first.rating == 2325
    assert new.shifts == ((4, 425),)
    assert new.final.average == 2325 + 106


def test_8_2_a_round_robin_without_rated_players_gives_nothing():
    rating = rate_tournament(round_robin([Entrant(number, None) for number in range(4)], {}))
    assert {line.outcome for line in rating.results} == {Outcome.NOTHING_RATED}
    assert {game.reason for line in rating.results for game in line.games} == {GameReason.BOTH_UNRATED}


def test_8_4_a_rating_got_meanwhile_counts_for_the_player_and_not_for_his_opponents():
    late = Entrant(5, None, 25, later_rating=2000)
    rating = rate_tournament(swiss([FOUR[0], late], (1, 5, 0)))
    rated, own = rating.results
    assert rated.outcome is Outcome.NOTHING_RATED
    assert rated.games[0].reason is GameReason.OPPONENT_UNRATED
    assert (own.outcome, own.rating, own.k, own.change, own.new) == (Outcome.CHANGED, 2000, 25, 1250, None)
    rating = rate_tournament(round_robin([*FOUR, late], {}))
    ru = rating.results[4].new.final.rating
    assert ru == 2050
    assert rating.results[0].games[-1].opponent_rating == ru
    assert rating.results[4].change == 25 * (200 - 50 - 36 - 24 - 64)


def test_6_5_games_after_the_match_is_decided_are_not_rated():
    players = [Entrant(1, 2000, 15), Entrant(2, 2000, 15)]
    # Four games: 2.5 points are enough, two are not.
    games = [Game(1, 1, 2, 2), Game(2, 2, 1, 0), Game(3, 1, 2, 1), Game(4, 1, 2, 0)]
    line = rate_tournament(TournamentToRate(TournamentType.MATCH, players, games)).results[0]
    assert [game.reason for game in line.games] == [GameReason.RATED] * 3 + [GameReason.MATCH_DECIDED]
    assert (line.rated_games, line.half_points, line.change) == (3, 5, 1500)
    line = rate_tournament(TournamentToRate(TournamentType.MATCH, players, games, planned_games=6)).results[0]
    assert line.rated_games == 4


def test_6_5_a_forfeit_counts_for_the_score_of_the_match():
    players = [Entrant(1, 2000, 15), Entrant(2, 2000, 15)]
    games = [Game(1, 1, 2, 2, played=False), Game(2, 1, 2, 2), Game(3, 2, 1, 2)]
    line = rate_tournament(TournamentToRate(TournamentType.MATCH, players, games)).results[0]
    assert [game.reason.article for game in line.games] == ["5.1", "8.51", "6.5"]


def test_6_6_a_match_with_an_unrated_player_is_not_rated():
    rating = rate_tournament(
        TournamentToRate(TournamentType.MATCH, [FOUR[0], Entrant(9, None)], [Game(1, 1, 9, 2)])
    )
    assert [line.outcome for line in rating.results] == [Outcome.NOTHING_RATED] * 2
    assert rating.results[1].games == (GameResult(1, 1, 0, GameReason.MATCH_UNRATED),)


def test_6_4_a_team_tournament_is_rated_as_a_swiss():
    games = [Game(1, 1, 2, 2), Game(1, 3, 4, 1), Game(2, 1, 3, 0)]
    one = rate_tournament(TournamentToRate(TournamentType.TEAM, FOUR, games))
    assert one.kind is TournamentType.TEAM
    assert one.results == rate_tournament(TournamentToRate(TournamentType.SWISS, FOUR, games)).results


@pytest.mark.parametrize(
    ("players", "games", "message"),
    [
        ([FOUR[0], FOUR[0]], [], "same start number"),
        ([Entrant(1, 2000)], [], "no K"),
        ([Entrant(1, None, later_rating=1800)], [], "no K"),
        (FOUR, [Game(1, 1, 7, 2)], "no such player"),
        (FOUR, [Game(1, 7, None, 2, played=False)], "no such player"),
        (FOUR, [Game(1, 1, 1, 1)], "against themselves"),
        (FOUR, [Game(1, 1, None, 2)], "played nobody"),
        (FOUR, [Game(1, 1, 2, 3)], "3 half points"),
        (FOUR, [Game(1, 1, 2, None)], "None half points"),
    ],
)
def test_a_tournament_that_contradicts_itself_is_an_error(players, games, message):
    with pytest.raises(ValueError, match=message):
        rate_tournament(TournamentToRate(TournamentType.SWISS, players, games))


def test_nobody_and_nothing_is_a_tournament_too():
    assert rate_tournament(TournamentToRate(TournamentType.ROUND_ROBIN, [], [])).results == ()
    assert [kind.slug for kind in TournamentType] == ["swiss", "round-robin", "team", "match"]
