"""Examples for the articles of FIDE's regulations of 2024, computed by their rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.text import points, signed
from ratings.office.rule_books import by_article
from ratings.otb.models import CHAPTER_NAMES
from ratings.rbb.labels import expected_text
from ratings.rules.b02.editions import book_on
from ratings.rules.b02.eligibility import seconds_for_60_moves
from ratings.rules.b02.findings import Stage
from ratings.rules.b02.first_ratings import Score
from ratings.rules.b02.first_ratings_2024 import performance
from ratings.rules.b02.lists import Lists, Standing, months_after
from ratings.rules.b02.time_controls_2024 import seconds_needed
from ratings.rules.b02.types import Chapter, Game, Player, Result, Tournament, TournamentType
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

_DAY: Final = date(2026, 5, 14)
_BOOK: Final = book_on(_DAY)
_LIST: Final = _BOOK.list_in_force(_DAY)
_NEXT: Final = _BOOK.next_list(_LIST)
_CLOSING: Final = _BOOK.closing_day(_NEXT)

_OPPONENTS: Final = (1900, 1850, 2000, 1750, 1800)


def _played(
    rating: int,
    k: int,
    games: Sequence[tuple[int, HalfPoints]],
    chapter: Chapter = Chapter.STANDARD,
    day: date = _DAY,
) -> Result:
    """Return the result of a player in a Swiss, by the opponents' ratings and the own scores."""
    opponents = [Player(number, Points(other), 20) for number, (other, _score) in enumerate(games, 2)]
    rounds = [Game(number, 1, number + 1, score) for number, (_other, score) in enumerate(games, 1)]
    players = [Player(1, Points(rating), k), *opponents]
    return (
        book_on(day, chapter=chapter)
        .rate([Tournament(TournamentType.SWISS, players, rounds)])[0]
        .rating.results[0]
    )


def _one_game(
    rating: int, opponent: int, chapter: Chapter = Chapter.STANDARD, day: date = _DAY
) -> dict[str, Any]:
    found = _played(rating, 10, [(opponent, WIN)], chapter, day)
    return {
        "expected": expected_text(found.games[0].expected or 0),
        "change": signed(from_hundredths(found.change or Hundredths(0))),
    }


def _against_1600() -> dict[str, Any]:
    """A player of 1500 with K = 40 scores 2½ out of 4 against 1600."""
    found = _played(1500, 40, [(1600, WIN), (1600, WIN), (1600, DRAW), (1600, LOSS)])
    change = found.change or Hundredths(0)
    return {
        "expected": points(from_hundredths(found.expected or Hundredths(0))),
        "more": signed(from_hundredths(found.delta or Hundredths(0))),
        "k": found.k,
        "change": signed(from_hundredths(change)),
        "rating": _BOOK.new_rating(Points(1500), [change]),
    }


def _first_rating(half_points: int, opponents: Sequence[int]) -> dict[str, Any]:
    found = performance(
        Score(len(opponents), HalfPoints(half_points), len(opponents), Points(sum(opponents)))
    )
    return {
        "average": found.average,
        "p": expected_text(found.p),
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


def _is_rated(rating: int, opponent: int, chapter: Chapter, day: date) -> str | Promise:
    """Return whether a game between two such ratings is rated, in a word."""
    if _played(rating, 10, [(opponent, WIN)], chapter, day).rated_games:
        return pgettext_lazy("of a game", "rated")
    return pgettext_lazy("of a game", "not rated")


def _k(born: int, standing: Standing, list_day: date) -> int | None:
    return _BOOK.k(standing, born, list_day)


_GROWN_UP, _YOUNG = 1980, 2008
_AT_2290: Final = Standing(Points(2290), 45)

_SHARED: Final = (
    (
        "7.1.1",
        _("A tournament that starts on %(day)s uses the list of %(list)s."),
        {"day": _DAY, "list": _LIST},
    ),
    (
        "7.1.3",
        _(
            "The list of %(next)s closes on %(closing)s. A tournament that ends a day later is rated for "
            "%(later)s."
        ),
        {"next": _NEXT, "closing": _CLOSING, "later": _BOOK.rated_on(_CLOSING + timedelta(days=1))},
    ),
    (
        "7.2.2",
        _("A player whose last rated game was on %(day)s is inactive on the list of %(list)s."),
        {
            "day": _DAY,
            "list": next(
                day
                for months in range(24)
                if Lists.ACTIVE not in _BOOK.lists_of(Points(1800), _DAY, day := months_after(_LIST, months))
            ),
        },
    ),
    (
        "8.2.2",
        _("The opponents have 1900, 1850, 2000, 1750 and 1800. Ra = (9300 + 3600) / 7, rounded %(average)s."),
        _first_rating(7, _OPPONENTS),
    ),
    (
        "8.2.3",
        _("With 3½ out of 5 against them, p = 4½ / 7, rounded %(p)s, and dp = %(dp)s: Ru = %(rating)s."),
        _first_rating(7, _OPPONENTS),
    ),
    (
        "8.2.3",
        _("5 out of 5 against five opponents of 2300: Ru = %(rating)s, the most there is."),
        _first_rating(10, [2300] * 5),
    ),
    (
        "8.3.2",
        _(
            "1500 scores 2½ out of 4 against 1600: %(expected)s expected, so ΣΔR = %(more)s and the change is"
            " %(more)s × %(k)s = %(change)s."
        ),
        _against_1600(),
    ),
    (
        "8.3.3",
        _(
            "Born in 2008, 2290 after 45 games, never 2300: K = %(young)s on the list of December 2026, and K"
            " = %(later)s on that of January 2027."
        ),
        {
            "young": _k(_YOUNG, _AT_2290, date(2026, 12, 1)),
            "later": _k(_YOUNG, _AT_2290, date(2027, 1, 1)),
        },
    ),
    (
        "8.3.3",
        _("2100 has K = %(new)s after 29 games and K = %(later)s after 30."),
        {
            "new": _k(_GROWN_UP, Standing(Points(2100), 29), _LIST),
            "later": _k(_GROWN_UP, Standing(Points(2100), 30), _LIST),
        },
    ),
    (
        "8.3.3",
        _("36 games in a period: K = 20 becomes %(k)s, because 20 × 36 is above 700."),
        {"k": _BOOK.k_of_period(20, 36)},
    ),
    (
        "8.3.4",
        _("1500 and a change of −2.50: the new rating is %(rating)s."),
        {"rating": _BOOK.new_rating(Points(1500), [Hundredths(-2_50)])},
    ),
    (
        "9.1",
        _("A tournament that ends on %(day)s can be rated for the list of %(list)s, and for none after it."),
        {"day": _DAY, "list": _BOOK.last_list_to_report(_DAY)},
    ),
)

STANDARD: Final = by_article(
    (
        (
            "1.1",
            _("1500 against 2150: each player needs %(minutes)s minutes for 60 moves."),
            {"minutes": seconds_needed(Points(2150)) // 60},
        ),
        (
            "7.2.1",
            _("1404 changes by −5.20: %(rating)s, so the player has no rating on the next list."),
            {"rating": _BOOK.new_rating(Points(1404), [Hundredths(-5_20)])},
        ),
        (
            "8.3.1",
            _(
                "2600 beats 2000 with K = 10: D = 600 counts as 400, so PD = %(expected)s and the change is"
                " %(change)s."
            ),
            _one_game(2600, 2000),
        ),
        (
            "8.3.1",
            _("2700 beats 2100 with K = 10: D = 600, so PD = %(expected)s and the change is %(change)s."),
            _one_game(2700, 2100),
        ),
        *_SHARED,
    )
)
"""By article of the chapter for standard ratings, what the rules give."""

RAPID_AND_BLITZ: Final = by_article(
    (
        ("1.1.1", _("15 minutes and 10 seconds a move: %(minutes)s minutes, %(chapter)s."), _time(15, 10)),
        ("1.1.2", _("3 minutes and 2 seconds a move: %(minutes)s minutes, %(chapter)s."), _time(3, 2)),
        (
            "7.3.1",
            _(
                "2600 beats 2000 with K = 10: D = 600 counts as 400, so PD = %(expected)s and the change is"
                " %(change)s."
            ),
            _one_game(2600, 2000, Chapter.RAPID),
        ),
        (
            "7.3.1",
            _("2610 against 2010: %(before)s in November 2024, %(since)s in December 2024."),
            {
                "before": _is_rated(2610, 2010, Chapter.RAPID, date(2024, 11, 30)),
                "since": _is_rated(2610, 2010, Chapter.RAPID, date(2024, 12, 1)),
            },
        ),
        *_SHARED,
    )
)
"""By article of the chapter for rapid and blitz ratings, what the rules give."""
