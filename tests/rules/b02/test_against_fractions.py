"""FIDE B.02 8 beside a second, slow reading of the text in fractions, and what must hold of any tournament.

The slow reading shares only the types of the results: tables from the printed text, one player at a time.
"""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.rules.b02.tournament_rating import rate_tournament
from ratings.rules.b02.types import (
    AS_IN_EXAMPLES,
    IN_FORCE,
    Choices,
    Entrant,
    Game,
    Outcome,
    TournamentToRate,
    TournamentType,
)
from tests.rules.printed import PD_PRINTED, dp_of, half_up, printed_pd

PRINTED = {
    AS_IN_EXAMPLES: PD_PRINTED,
    IN_FORCE: PD_PRINTED,
    Choices(printed_table=True): PD_PRINTED.replace("316-328", "316-326").replace("329-344", "327-344"),
}


def p_of(difference, printed):
    difference = max(-400, min(400, difference))
    return next(
        higher if difference >= 0 else lower
        for first, last, higher, lower in printed_pd(printed)
        if first <= abs(difference) <= last
    )


def played(tournament, number):
    """A player’s games as (opponent, points)."""
    for game in tournament.games:
        if game.played and number == game.player:
            yield game.opponent, Fraction(game.half_points, 2)
        elif game.played and number == game.opponent:
            yield game.player, 1 - Fraction(game.half_points, 2)


def ru_of(average, games, edition, n=None):
    score = sum(points for _, points in games)
    over = score - Fraction(len(games), 2)
    if over >= 0:
        return half_up(average + over * 2 * Fraction(edition.bonus_per_half_point, 100))
    return half_up(average + dp_of(score / len(games)) * (Fraction(n, n + 1) if n else 1))


def slowly(tournament, edition):
    """{number: (change, Ru)} by 8.2 and 8.5; round robins are whole and nobody is without a point."""
    printed = PRINTED[edition]
    counts_as = {p.number: p.rating for p in tournament.players if p.rating is not None}
    games = {p.number: list(played(tournament, p.number)) for p in tournament.players}
    ru = {}
    new = [number for number in games if number not in counts_as]
    if tournament.kind is TournamentType.ROUND_ROBIN and counts_as:
        n = len(games) - 1
        dpa = sum(Fraction(dp_of(sum(x for _, x in games[r]) / len(games[r]))) for r in counts_as) / len(
            counts_as
        )
        ra = half_up(Fraction(sum(counts_as.values()), len(counts_as)) - dpa * Fraction(n, n + 1))
        first = {u: ru_of(ra, games[u], edition, n) for u in new}
        stand = counts_as | first
        for u in new:
            moved = sum(
                max(first[u] - 400, min(first[u] + 400, stand[o])) - stand[o] for o in stand if o != u
            )
            ru[u] = ru_of(half_up(ra + Fraction(moved, n)), games[u], edition, n)
        counts_as = counts_as | (first if edition.changes_from_first_ru else ru)
    elif tournament.kind is TournamentType.SWISS:
        for u in new:
            rated = [(o, x) for o, x in games[u] if o in counts_as]
            if rated:
                ru[u] = ru_of(
                    half_up(Fraction(sum(counts_as[o] for o, _ in rated), len(rated))), rated, edition
                )
    result = {}
    for player in tournament.players:
        changes = [
            x - p_of(player.rating - counts_as[o], printed)
            for o, x in games[player.number]
            if player.rating is not None and o in counts_as
        ]
        result[player.number] = (sum(changes) * player.k if changes else None, ru.get(player.number))
    return result


def a_player(dice, number, unrated):
    if dice.random() < unrated:
        return Entrant(number, None, earlier_result=True)
    return Entrant(number, dice.randrange(1200, 2800), dice.choice((10, 15, 25)))


def a_swiss(dice):
    players = [a_player(dice, number, 0.3) for number in range(1, 31)]
    games = []
    for round_ in range(1, 10):
        order = dice.sample(range(1, 31), 30)
        games += [
            Game(round_, one, other, dice.choice((0, 1, 2)), played=dice.random() > 0.1)
            for one, other in zip(order[::2], order[1::2], strict=True)
        ]
    return TournamentToRate(TournamentType.SWISS, players, games)


def a_round_robin(dice):
    number = dice.randrange(3, 13)
    players = [a_player(dice, n, 0.4) for n in range(number)]
    cycles = dice.choice((1, 1, 2))
    games = [
        Game(cycle, one, other, dice.choice((0, 1, 1, 2)))
        for cycle in range(cycles)
        for one in range(number)
        for other in range(one)
    ]
    return TournamentToRate(TournamentType.ROUND_ROBIN, players, games)


@pytest.mark.parametrize("edition", list(PRINTED))
@pytest.mark.parametrize("make", [a_swiss, a_round_robin])
@pytest.mark.parametrize("seed", range(25))
def test_a_slow_reading_in_fractions_gives_the_same_changes_and_ru(make, seed, edition):
    tournament = make(random.Random(seed))
    expected = slowly(tournament, edition)
    for line in rate_tournament(tournament, edition).results:
        change = None if line.change is None else Fraction(line.change, 100)
        assert (change, line.new and line.new.final.rating) == expected[line.number]


RATINGS = st.one_of(st.none(), st.integers(1200, 2900))
K = st.sampled_from((10, 15, 25))


@st.composite
def tournaments(draw, ratings=RATINGS, kinds=tuple(TournamentType), k=K):
    """Any players and any games between them."""
    drawn = draw(st.lists(ratings, min_size=2, max_size=9))
    players = [
        Entrant(
            number, rating, draw(k) if rating else None, earlier_result=rating is None and draw(st.booleans())
        )
        for number, rating in enumerate(drawn)
    ]
    pairs = [(one, other) for one in range(len(players)) for other in range(one)]
    whole = draw(st.booleans())
    chosen = pairs if whole else draw(st.lists(st.sampled_from(pairs), max_size=20))
    games = [
        Game(round_, one, other, draw(st.integers(0, 2)), played=whole or draw(st.booleans()))
        for round_, (one, other) in enumerate(chosen)
    ]
    return TournamentToRate(draw(st.sampled_from(kinds)), players, games)


@given(tournaments(), st.randoms())
def test_colours_order_and_start_numbers_do_not_matter(tournament, dice):
    plain = rate_tournament(tournament)
    names = {player.number: 100 - player.number for player in tournament.players}
    players = [player._replace(number=names[player.number]) for player in tournament.players]
    games = [
        Game(game.round, names[game.opponent], names[game.player], 2 - game.half_points, game.played)
        for game in tournament.games
    ]
    dice.shuffle(games)
    other = rate_tournament(tournament._replace(players=players, games=games))
    assert other.kind is plain.kind
    for one, same in zip(plain.results, other.results, strict=True):
        assert same.number == names[one.number]
        assert same[1:2] == one[1:2]
        assert same[3:10] == one[3:10]
        assert (same.new and same.new.final) == (one.new and one.new.final)


@given(tournaments(ratings=st.integers(1200, 2900), k=st.just(15)))
def test_what_one_wins_the_others_lose_where_k_is_the_same(tournament):
    assert sum(line.change or 0 for line in rate_tournament(tournament).results) == 0


@given(tournaments())
def test_every_game_is_seen_by_both_and_a_line_is_the_sum_of_its_games(tournament):
    rating = rate_tournament(tournament)
    assert sum(len(line.games) for line in rating.results) == 2 * len(tournament.games)
    for line in rating.results:
        counted = [game for game in line.games if game.opponent_rating is not None]
        if line.outcome is Outcome.CHANGED:
            assert line.rated_games == len(counted)
            assert line.expected == sum(game.expected for game in counted)
            assert line.change == sum(line.k * (50 * game.half_points - game.expected) for game in counted)
        else:
            assert line.change is None
            assert line.rated_games == (len(counted) if line.counts else 0)
        assert line.counts is (line.rated_games > 0)
        if line.new is not None:
            assert line.new.games == len(counted)


@settings(max_examples=50)
@given(tournaments(kinds=(TournamentType.SWISS,)), st.integers(0, 2))
def test_a_better_result_never_brings_less(tournament, half_points):
    if not tournament.games or not tournament.games[0].played:
        return
    game = tournament.games[0]
    better = [game._replace(half_points=min(2, game.half_points + half_points)), *tournament.games[1:]]
    before = rate_tournament(tournament).results[game.player]
    after = rate_tournament(tournament._replace(games=better)).results[game.player]
    if before.change is not None:
        assert after.change >= before.change
    if before.new is not None:
        assert after.new.final.rating >= before.new.final.rating
