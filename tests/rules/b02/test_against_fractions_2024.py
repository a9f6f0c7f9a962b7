"""FIDE's regulations of 1 March 2024, 8, beside a second reading in fractions, written from the text alone.

It shares only the types of tournaments and results: tables come from the printed text, one player at a time.
"""

import math
from datetime import date
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.rules.b02.editions import edition_in_force
from ratings.rules.b02.editions.b02_2009 import PeriodResults
from ratings.rules.b02.first_ratings import CountedEvent
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Entrant, Game, TournamentToRate, TournamentType
from tests.rules.printed import dp_of, half_up, printed_pd

RAPID_AND_BLITZ = (Chapter.RAPID, Chapter.BLITZ)
BOOKS = [
    (edition_in_force(date(2025, 9, 30)), False),
    (edition_in_force(date(2025, 10, 1)), True),
    *((edition_in_force(date(2024, 11, 30), chapter=chapter), False) for chapter in RAPID_AND_BLITZ),
    *((edition_in_force(date(2024, 12, 1), chapter=chapter), True) for chapter in RAPID_AND_BLITZ),
]
"""Each chapter before and after its amendment."""

BOOK = BOOKS[0][0]
HALF = Fraction(1, 2)


def pd_of(difference):
    for first, last, higher, lower in printed_pd():
        if first <= abs(difference) <= last:
            return higher if difference >= 0 else lower
    return Fraction(difference > 0)


def own_games(tournament, number):
    """A player's played games as (round, opponent, points)."""
    for game in tournament.games:
        points = Fraction(game.half_points, 2)
        if game.played and number == game.player:
            yield game.round, game.opponent, points
        elif game.played and number == game.opponent:
            yield game.round, game.player, 1 - points


def decided_in(tournament):
    """6.2: the round after which the match is decided."""
    points = {player.number: Fraction(0) for player in tournament.players}
    for game in sorted(tournament.games, key=lambda game: game.round):
        points[game.player] += Fraction(game.half_points, 2)
        points[game.opponent] += 1 - Fraction(game.half_points, 2)
        if max(points.values()) > Fraction(len(tournament.games), 2):
            return game.round
    return math.inf


def is_rated(tournament, one, other, round_, chapter, amended):
    """1.1, 6.1, 6.2, 7.3.1: whether a played game counts at all; ratings of the list in force."""
    a, b = one.rating, other.rating
    if tournament.kind is TournamentType.MATCH:
        unrated = any(player.rating is None for player in tournament.players)
        if unrated or (round_ > decided_in(tournament) and not tournament.to_the_end):
            return False
    if chapter is Chapter.STANDARD and tournament.seconds is not None:
        ratings = [rating for rating in (a, b) if rating is not None]
        if any(rating >= 2400 for rating in ratings):
            minutes = 120
        elif any(rating >= 1800 for rating in ratings):
            minutes = 90
        else:
            minutes = 60
        return Fraction(tournament.seconds, 60) >= minutes
    if chapter is not Chapter.STANDARD and amended and a is not None and b is not None:
        return not (abs(a - b) >= 600 and (a > 2600 or b > 2600))
    return True


def slowly(tournament, chapter, amended):
    """{number: (ΣΔR of a rated player, Ru of a new one, whether anything is rated)}"""
    players = {player.number: player for player in tournament.players}
    found = {}
    for player in tournament.players:
        mine = player.rating if player.rating is not None else player.later_rating
        counted = [
            (players[opponent].rating, points)
            for round_, opponent, points in own_games(tournament, player.number)
            if players[opponent].rating is not None
            and is_rated(tournament, player, players[opponent], round_, chapter, amended)
        ]
        if not counted:
            found[player.number] = None, None, False
        elif mine is not None:
            capped = not (chapter is Chapter.STANDARD and amended and mine >= 2650)
            total = Fraction(0)
            for rating, points in counted:
                difference = mine - rating
                if capped:
                    difference = max(-400, min(400, difference))
                total += points - pd_of(difference)
            found[player.number] = total, None, True
        else:
            # 8.2.2: two hypothetical opponents of 1800, a draw with each.
            games = [*counted, (1800, HALF), (1800, HALF)]
            ra = Fraction(sum(rating for rating, _ in games), len(games))
            ru = min(2200, half_up(ra + dp_of(sum(points for _, points in games) / len(games))))
            nothing = not sum(points for _, points in counted) and not player.earlier_result
            found[player.number] = None, ru, not nothing
    return found


RATINGS = st.one_of(st.none(), st.integers(1400, 2900), st.sampled_from((1800, 2000, 2400, 2600, 2601, 2650)))


@st.composite
def tournaments(draw):
    """Any players and any games between them."""
    numbers = range(draw(st.sampled_from((2, 2, 5, 9))))
    players = []
    for number in numbers:
        rating = draw(RATINGS)
        later = draw(RATINGS) if rating is None else None
        k = None if rating is None and later is None else draw(st.sampled_from((10, 20, 40)))
        players.append(Entrant(number, rating, k, draw(st.booleans()), later))
    pairs = [(one, other) for one in numbers for other in numbers if one != other]
    games = [
        Game(round_, one, other, draw(st.integers(0, 2)), played=draw(st.integers(0, 9)) > 0)
        for round_, (one, other) in enumerate(draw(st.lists(st.sampled_from(pairs), max_size=16)))
    ]
    kind = draw(st.sampled_from(tuple(TournamentType))) if len(numbers) == 2 else TournamentType.SWISS
    seconds = draw(st.sampled_from((None, 3600, 5399, 5400, 7200)))
    return TournamentToRate(kind, players, games, None, seconds, draw(st.booleans()))


@settings(max_examples=400)
@given(tournaments(), st.sampled_from(BOOKS))
def test_a_slow_reading_in_fractions_gives_the_same_changes_and_ru(tournament, edition):
    book, amended = edition
    expected = slowly(tournament, book.chapter, amended)
    (stage,) = book.rate([tournament])
    for line in stage.rating.results:
        delta = None if line.delta is None else Fraction(line.delta, 100)
        assert (delta, line.new and line.new.final.rating, line.counts) == expected[line.number]
        if line.change is not None:
            assert Fraction(line.change, 100) == line.k * delta


@given(
    st.integers(1400, 2900),
    st.sampled_from((10, 20, 40)),
    st.integers(1, 90),
    st.integers(-3000, 3000),
)
def test_a_period_has_the_largest_k_of_700_and_is_rounded_once_away_from_zero(rating, k, games, delta):
    of_period = next(one for one in range(k, -1, -1) if one * games <= 700)
    exact = of_period * Fraction(delta, 100)
    points = math.floor(abs(exact) + HALF) * (1 if exact >= 0 else -1)
    change = BOOK.period_change(PeriodResults(k, games, k * delta, delta))
    assert Fraction(change, 100) == exact
    assert BOOK.new_rating(rating, [change]) == rating + points


@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(0, 18), st.integers(1400, 2700)), min_size=1, max_size=4
    )
)
def test_results_of_several_events_are_rated_as_those_of_one(results):
    day = date(2024, 3, 1)
    events = [
        CountedEvent(date(2024, 1, 1), games, min(half_points, 2 * games), games * rating, None)
        for games, half_points, rating in results
    ]
    games = sum(event.games for event in events)
    ra = Fraction(sum(event.opponents_sum for event in events) + 3600, games + 2)
    p = (Fraction(sum(event.half_points for event in events), 2) + 1) / (games + 2)
    ru = min(2200, half_up(ra + dp_of(p)))
    first = BOOK.first_rating(events, day)
    assert (first.games, first.ru.rating) == (games, ru)
    assert first.published == (ru if games >= 5 and ru >= 1400 else None)


@given(
    st.one_of(st.none(), st.integers(1400, 2900)),
    st.integers(0, 60),
    st.booleans(),
    st.booleans(),
    st.one_of(st.none(), st.integers(1930, 2020)),
    st.dates(),
)
def test_k_is_the_first_that_the_article_names(rating, games, reached_2400, reached_2300, born, day):
    def reasons():
        if reached_2400:
            yield 10
        if (
            born is not None
            and not reached_2300
            and not day > day.replace(year=max(born + 18, 1), month=12, day=31)
        ):
            yield 40
        if games < 30:
            yield 40
        yield 20

    k = BOOK.k(Standing(rating, games, reached_2400, reached_2300), born, day)
    assert k == (None if rating is None else next(reasons()))
