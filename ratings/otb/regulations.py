"""FIDE's regulations over the board as rule books of the site: those of 2024, and B.02 of 2009."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from foa.text import signed
from ratings.office.explanations import hundredths_text
from ratings.office.rule_books import RuleBook
from ratings.otb.models import CHAPTER_NAMES, KIND_NAMES
from ratings.rules.b02 import first_ratings
from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.eligibility import appeal_until
from ratings.rules.b02.expected_score import expected_score
from ratings.rules.b02.first_ratings import Score
from ratings.rules.b02.k_factor import Standing, most_games
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import (
    Chapter,
    Stage,
    minutes_needed,
    seconds_for_60_moves,
    seconds_needed_2024,
)
from ratings.rules.b02.tournament_rating import pairs_missing, rate_tournament
from ratings.rules.b02.types import Entrant, EntrantResult, Game, TournamentToRate, TournamentType
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

_DAY: Final = date(2026, 5, 14)
_BOOK: Final = edition_in_force(_DAY)
_LIST: Final = _BOOK.list_in_force(_DAY)
_RAPID: Final = edition_in_force(_DAY, chapter=Chapter.RAPID)


def _of_lists(book: Edition) -> dict[str, Any]:
    """Return examples of which list counts, when one closes, and on which a player is inactive."""
    list_day = book.list_in_force(_DAY)
    following = book.next_list(list_day)
    closes = book.closing_day(following)
    return {
        "list_in_force": {"day": _DAY, "list": list_day},
        "closing": {
            "next": following,
            "closing": closes,
            "later": book.rated_on(closes + timedelta(days=1)),
        },
        "inactive": {"day": _DAY, "list": _inactive_on(book)},
    }


def _inactive_on(book: Edition) -> date:
    """Return the first list on which a player is inactive whose last game was on the day of the examples."""
    list_day = book.list_in_force(_DAY)
    while Lists.ACTIVE in book.lists_of(Points(1800), _DAY, list_day):
        list_day = book.next_list(list_day)
    return list_day


def _played(book: Edition, rating: int, k: int, games: Sequence[tuple[int, HalfPoints]]) -> EntrantResult:
    """Return the result of a player in a Swiss, by the opponents' ratings and the own scores."""
    opponents = [Entrant(number, Points(other), 20) for number, (other, _score) in enumerate(games, 2)]
    rounds = [Game(number, 1, number + 1, score) for number, (_other, score) in enumerate(games, 1)]
    players = [Entrant(1, Points(rating), k), *opponents]
    (rated,) = book.rate([TournamentToRate(TournamentType.SWISS, players, rounds)])
    return rated.rating.results[0]


def _against_1600(book: Edition, k: int) -> dict[str, Any]:
    """Return the example of a player of 1500 who scores 2½ out of 4 against 1600."""
    found = _played(book, 1500, k, [(1600, WIN), (1600, WIN), (1600, DRAW), (1600, LOSS)])
    change = found.change or Hundredths(0)
    return {
        "expected": hundredths_text(found.expected or Hundredths(0)),
        "more": signed(from_hundredths(found.delta or Hundredths(0))),
        "k": found.k,
        "change": signed(from_hundredths(change)),
        "rating": book.new_rating(Points(1500), [change]),
    }


def _one_game(book: Edition, rating: int, opponent: int) -> dict[str, Any]:
    found = _played(book, rating, 10, [(opponent, WIN)])
    return {
        "expected": hundredths_text(found.games[0].expected or Hundredths(0)),
        "change": signed(from_hundredths(found.change or Hundredths(0))),
    }


def _ru(half_points: int, opponents: int | None = None) -> dict[str, Any]:
    """Return Ru of a score in nine games against an average of 1800."""
    found = first_ratings.performance(Points(1800), HalfPoints(half_points), 9, opponents=opponents)
    return {"dp": str(found.dp).replace("-", "−"), "rating": found.rating}


def _incomplete() -> dict[str, Any]:
    """Return a round robin of four players, two of whom didn't meet."""
    players = [Entrant(number, Points(1800), 15) for number in range(1, 5)]
    games = [
        Game(1, 1, 2, WIN),
        Game(1, 3, 4, WIN),
        Game(2, 1, 3, WIN),
        Game(2, 2, 4, WIN),
        Game(3, 1, 4, WIN),
    ]
    tournament = TournamentToRate(TournamentType.ROUND_ROBIN, players, games)
    return {"missing": pairs_missing(tournament), "kind": KIND_NAMES[rate_tournament(tournament).kind]}


def _of_2009() -> dict[str, Any]:
    return {
        **_of_lists(B02_2009),
        "refusal": {"told": _DAY, "until": appeal_until(_DAY)},
        "strongest_2150": {"minutes": minutes_needed(Points(2150))},
        "incomplete": _incomplete(),
        "next_list": {"list": B02_2009.list_in_force(_DAY), "next": B02_2009.next_list(_DAY)},
        "below_1200": {"rating": B02_2009.new_rating(Points(1201), [Hundredths(-2_40)])},
        "ru_half": _ru(9),
        "ru_above": _ru(12),
        "ru_below": _ru(6),
        "ru_round_robin": _ru(6, 9),
        "capped": {"expected": hundredths_text(expected_score(Points(600)))},
        "change": _against_1600(B02_2009, 25),
        "k": {
            "new": Standing(Points(2410), 29, reached_2400=True).k,
            "later": Standing(Points(2410), 30, reached_2400=True).k,
            "lower": Standing(Points(2100), 30).k,
        },
        "most_games": {"ten": most_games(10), "new": most_games(25)},
    }


_OPPONENTS: Final = (1900, 1850, 2000, 1750, 1800)


def _first_rating(half_points: int, opponents: Sequence[int]) -> dict[str, Any]:
    found = first_ratings.performance_2024(
        Score(len(opponents), HalfPoints(half_points), len(opponents), Points(sum(opponents)))
    )
    return {
        "average": found.average,
        "p": hundredths_text(found.p),
        "dp": found.dp,
        "rating": found.rating,
    }


def _time(minutes: int, increment: int) -> dict[str, Any]:
    stages = [Stage(None, 60 * minutes, increment)]
    chapter = _BOOK.chapter_of(stages, None)
    return {
        "minutes": seconds_for_60_moves(stages) // 60,
        "chapter": "" if chapter is None else CHAPTER_NAMES[chapter],
    }


def _is_rated(book: Edition, rating: int, opponent: int) -> str | Promise:
    """Return “yes” or “no”: whether a game between two such ratings is rated."""
    if _played(book, rating, 10, [(opponent, WIN)]).rated_games:
        return pgettext_lazy("of a game", "rated")
    return pgettext_lazy("of a game", "not rated")


def _k(born: int, standing: Standing, list_day: date) -> int | None:
    return _BOOK.k(standing, born, list_day)


_GROWN_UP, _YOUNG = 1980, 2008
_AT_2290: Final = Standing(Points(2290), 45)


def _of_2024() -> dict[str, Any]:
    """Return the examples of both chapters."""
    return {
        **_of_lists(_BOOK),
        "first_rating": _first_rating(7, _OPPONENTS),
        "highest_first_rating": _first_rating(10, [2300] * 5),
        "change": _against_1600(_BOOK, 40),
        "k_of_young": {
            "young": _k(_YOUNG, _AT_2290, date(2026, 12, 1)),
            "later": _k(_YOUNG, _AT_2290, date(2027, 1, 1)),
        },
        "k_of_new": {
            "new": _k(_GROWN_UP, Standing(Points(2100), 29), _LIST),
            "later": _k(_GROWN_UP, Standing(Points(2100), 30), _LIST),
        },
        "k_of_many_games": {"k": _BOOK.k_of_period(20, 36)},
        "rounding": {"rating": _BOOK.new_rating(Points(1500), [Hundredths(-2_50)])},
        "report": {"day": _DAY, "list": _BOOK.last_list_to_report(_DAY)},
    }


def _standard() -> dict[str, Any]:
    return {
        **_of_2024(),
        "against_2150": {"minutes": seconds_needed_2024(Points(2150)) // 60},
        "below_1400": {"rating": _BOOK.new_rating(Points(1404), [Hundredths(-5_20)])},
        "capped": _one_game(_BOOK, 2600, 2000),
        "not_capped": _one_game(_BOOK, 2700, 2100),
    }


def _rapid_and_blitz() -> dict[str, Any]:
    return {
        **_of_2024(),
        "rapid": _time(15, 10),
        "blitz": _time(3, 2),
        "capped": _one_game(_RAPID, 2600, 2000),
        "too_far_apart": {
            "before": _is_rated(edition_in_force(date(2024, 11, 30), chapter=Chapter.RAPID), 2610, 2010),
            "since": _is_rated(_RAPID, 2610, 2010),
        },
    }


STANDARD_2024: Final = RuleBook("b02-2024", "B.02 (2024)", _standard)
RAPID_AND_BLITZ_2024: Final = RuleBook("b02-rapid-blitz-2024", "B.02 RB (2024)", _rapid_and_blitz)
OF_2009: Final = RuleBook("b02", "B.02", _of_2009, in_force=False)
