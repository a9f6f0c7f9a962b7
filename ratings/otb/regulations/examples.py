"""Examples for the articles of FIDE's regulations over the board, computed by their rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.text import points, signed
from ratings.office.rule_books import by_article
from ratings.otb.models import CHAPTER_NAMES, KIND_NAMES
from ratings.rbb.labels import expected_text
from ratings.rules.b02 import first_ratings, first_ratings_2024
from ratings.rules.b02.book import Book
from ratings.rules.b02.editions import B02_2009, book_on
from ratings.rules.b02.eligibility import appeal_until, minutes_needed, seconds_for_60_moves
from ratings.rules.b02.findings import Stage
from ratings.rules.b02.first_ratings import Score
from ratings.rules.b02.lists import Lists, Standing
from ratings.rules.b02.rating import expected_score, pairs_missing, rate_tournament
from ratings.rules.b02.scale import most_games
from ratings.rules.b02.time_controls_2024 import seconds_needed
from ratings.rules.b02.types import Chapter, Game, Player, Result, Tournament, TournamentType
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

_DAY: Final = date(2026, 5, 14)
_BOOK: Final = book_on(_DAY)
_LIST: Final = _BOOK.list_in_force(_DAY)
_RAPID: Final = book_on(_DAY, chapter=Chapter.RAPID)

_Example = tuple[str, str | Promise, Mapping[str, Any]]
"""Article, text, and the words that the rules give for it."""


def _of_lists(book: Book, in_force: str, closing: str) -> tuple[_Example, _Example]:
    """Return examples of which list counts and when one closes, for these articles of an edition."""
    list_day = book.list_in_force(_DAY)
    following = book.next_list(list_day)
    closes = book.closing_day(following)
    return (
        (
            in_force,
            _("A tournament that starts on %(day)s uses the list of %(list)s."),
            {"day": _DAY, "list": list_day},
        ),
        (
            closing,
            _(
                "The list of %(next)s closes on %(closing)s. A tournament that ends a day later is rated for "
                "%(later)s."
            ),
            {"next": following, "closing": closes, "later": book.rated_on(closes + timedelta(days=1))},
        ),
    )


def _inactive_on(book: Book) -> date:
    """Return the first list on which a player is inactive whose last game was on the day of the examples."""
    list_day = book.list_in_force(_DAY)
    while Lists.ACTIVE in book.lists_of(Points(1800), _DAY, list_day):
        list_day = book.next_list(list_day)
    return list_day


def _played(book: Book, rating: int, k: int, games: Sequence[tuple[int, HalfPoints]]) -> Result:
    """Return the result of a player in a Swiss, by the opponents' ratings and the own scores."""
    opponents = [Player(number, Points(other), 20) for number, (other, _score) in enumerate(games, 2)]
    rounds = [Game(number, 1, number + 1, score) for number, (_other, score) in enumerate(games, 1)]
    players = [Player(1, Points(rating), k), *opponents]
    (rated,) = book.rate([Tournament(TournamentType.SWISS, players, rounds)])
    return rated.rating.results[0]


def _against_1600(book: Book, k: int) -> dict[str, Any]:
    """A player of 1500 scores 2½ out of 4 against 1600."""
    found = _played(book, 1500, k, [(1600, WIN), (1600, WIN), (1600, DRAW), (1600, LOSS)])
    change = found.change or Hundredths(0)
    return {
        "expected": points(from_hundredths(found.expected or Hundredths(0))),
        "more": signed(from_hundredths(found.delta or Hundredths(0))),
        "k": found.k,
        "change": signed(from_hundredths(change)),
        "rating": book.new_rating(Points(1500), [change]),
    }


def _of_a_change(book: Book, article: str, k: int) -> _Example:
    return (
        article,
        _(
            "1500 scores 2½ out of 4 against 1600: %(expected)s expected, so ΣΔR = %(more)s and the change is"
            " %(more)s × %(k)s = %(change)s."
        ),
        _against_1600(book, k),
    )


def _one_game(book: Book, rating: int, opponent: int) -> dict[str, Any]:
    found = _played(book, rating, 10, [(opponent, WIN)])
    return {
        "expected": expected_text(found.games[0].expected or 0),
        "change": signed(from_hundredths(found.change or Hundredths(0))),
    }


def _ru(half_points: int, opponents: int | None = None) -> dict[str, Any]:
    """A score in nine games against an average of 1800."""
    found = first_ratings.performance(Points(1800), HalfPoints(half_points), 9, opponents=opponents)
    return {"dp": str(found.dp).replace("-", "−"), "rating": found.rating}


def _incomplete() -> dict[str, Any]:
    """Four players, of whom two did not meet."""
    players = [Player(number, Points(1800), 15) for number in range(1, 5)]
    games = [
        Game(1, 1, 2, WIN),
        Game(1, 3, 4, WIN),
        Game(2, 1, 3, WIN),
        Game(2, 2, 4, WIN),
        Game(3, 1, 4, WIN),
    ]
    tournament = Tournament(TournamentType.ROUND_ROBIN, players, games)
    return {"missing": pairs_missing(tournament), "kind": KIND_NAMES[rate_tournament(tournament).kind]}


OF_2009: Final = by_article(
    (
        (
            "0.5",
            _("Refused on %(told)s: an appeal is possible until %(until)s."),
            {"told": _DAY, "until": appeal_until(_DAY)},
        ),
        (
            "1.1",
            _("With a strongest player of 2150, each player needs %(minutes)s minutes for 60 moves."),
            {"minutes": minutes_needed(Points(2150))},
        ),
        *_of_lists(B02_2009, "4.13", "7.13"),
        (
            "6.43",
            _(
                "Four players, and one game of the six is missing (%(missing)s): rated as a tournament of "
                "the kind %(kind)s."
            ),
            _incomplete(),
        ),
        (
            "7.11",
            _("After the list of %(list)s comes that of %(next)s."),
            {"list": B02_2009.list_in_force(_DAY), "next": B02_2009.next_list(_DAY)},
        ),
        (
            "7.21",
            _("1201 falls by 2.40 to 1198.60, rounded %(rating)s, and is taken off the list."),
            {"rating": B02_2009.new_rating(Points(1201), [Hundredths(-2_40)])},
        ),
        (
            "7.23",
            _("Whoever played their last rated game on %(day)s is inactive on the list of %(list)s."),
            {"day": _DAY, "list": _inactive_on(B02_2009)},
        ),
        ("8.22", _("4½ out of 9 against an average of 1800: Ru = %(rating)s."), _ru(9)),
        ("8.23", _("6 out of 9 against an average of 1800: Ru = 1800 + 3 × 15 = %(rating)s."), _ru(12)),
        ("8.24", _("3 out of 9 against an average of 1800: d(p) = %(dp)s, so Ru = %(rating)s."), _ru(6)),
        (
            "8.25",
            _(
                "3 out of 9 in a round robin with an average of 1800: Ru = 1800 + (%(dp)s) × 9 / 10, "
                "rounded %(rating)s."
            ),
            _ru(6, 9),
        ),
        (
            "8.54",
            _("2300 against 1700: D = 600 counts as 400, so P(D) = %(expected)s."),
            {"expected": expected_text(expected_score(Points(600)))},
        ),
        _of_a_change(B02_2009, "8.55", 25),
        (
            "8.56",
            _("2410 has K = %(new)s after 29 games and K = %(later)s after 30; 2100 has K = %(lower)s."),
            {
                "new": Standing(Points(2410), 29, reached_2400=True).k,
                "later": Standing(Points(2410), 30, reached_2400=True).k,
                "lower": Standing(Points(2100), 30).k,
            },
        ),
        (
            "8.57",
            _("1500 and a change of %(change)s: the new rating, rounded, is %(rating)s."),
            _against_1600(B02_2009, 25),
        ),
        (
            "12.3",
            _("With K = 10 a rating follows up to %(ten)s games, with K = 25 up to %(new)s."),
            {"ten": most_games(10), "new": most_games(25)},
        ),
    )
)
"""Examples of the edition of 2009, by article."""

_OPPONENTS: Final = (1900, 1850, 2000, 1750, 1800)


def _first_rating(half_points: int, opponents: Sequence[int]) -> dict[str, Any]:
    found = first_ratings_2024.performance(
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


def _is_rated(book: Book, rating: int, opponent: int) -> str | Promise:
    """Return whether a game between two such ratings is rated, in a word."""
    if _played(book, rating, 10, [(opponent, WIN)]).rated_games:
        return pgettext_lazy("of a game", "rated")
    return pgettext_lazy("of a game", "not rated")


def _k(born: int, standing: Standing, list_day: date) -> int | None:
    return _BOOK.k(standing, born, list_day)


_GROWN_UP, _YOUNG = 1980, 2008
_AT_2290: Final = Standing(Points(2290), 45)

_SHARED: Final = (
    *_of_lists(_BOOK, "7.1.1", "7.1.3"),
    (
        "7.2.2",
        _("A player whose last rated game was on %(day)s is inactive on the list of %(list)s."),
        {"day": _DAY, "list": _inactive_on(_BOOK)},
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
    _of_a_change(_BOOK, "8.3.2", 40),
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
            _one_game(_BOOK, 2600, 2000),
        ),
        (
            "8.3.1",
            _("2700 beats 2100 with K = 10: D = 600, so PD = %(expected)s and the change is %(change)s."),
            _one_game(_BOOK, 2700, 2100),
        ),
        *_SHARED,
    )
)
"""Examples of the chapter for standard ratings, by article."""

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
            _one_game(_RAPID, 2600, 2000),
        ),
        (
            "7.3.1",
            _("2610 against 2010: %(before)s in November 2024, %(since)s in December 2024."),
            {
                "before": _is_rated(book_on(date(2024, 11, 30), chapter=Chapter.RAPID), 2610, 2010),
                "since": _is_rated(_RAPID, 2610, 2010),
            },
        ),
        *_SHARED,
    )
)
"""Examples of the chapter for rapid and blitz ratings, by article."""
