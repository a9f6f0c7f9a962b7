"""Examples for the articles of B.02, computed by its rules."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from foa.text import points, signed
from ratings.office.rule_books import by_article
from ratings.otb.models import KIND_NAMES
from ratings.rbb.labels import expected_text
from ratings.rules.b02.editions import B02_2009
from ratings.rules.b02.eligibility import appeal_until, minutes_needed
from ratings.rules.b02.first_ratings import performance
from ratings.rules.b02.lists import Standing, is_inactive, months_after
from ratings.rules.b02.rating import expected_score, pairs_missing, rate_tournament
from ratings.rules.b02.scale import most_games
from ratings.rules.b02.types import Game, Player, Tournament, TournamentType
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import DRAW, WIN, HalfPoints, Hundredths, Points

_DAY: Final = date(2026, 5, 14)
_LIST: Final = B02_2009.list_in_force(_DAY)
_NEXT: Final = B02_2009.next_list(_LIST)


def _against_1600() -> dict[str, Any]:
    """A player of 1500 with K = 25 scores 2½ out of 4 against 1600."""
    half_points = (WIN, WIN, DRAW, HalfPoints(0))
    opponents = [Player(number, Points(1600), 15) for number in range(2, 6)]
    games = [Game(number, 1, number + 1, score) for number, score in enumerate(half_points, 1)]
    found = rate_tournament(
        Tournament(TournamentType.SWISS, [Player(1, Points(1500), 25), *opponents], games)
    ).results[0]
    expected, change = found.expected or Hundredths(0), found.change or Hundredths(0)
    return {
        "expected": points(from_hundredths(expected)),
        "more": signed(from_hundredths(Hundredths(50 * found.half_points - expected))),
        "k": found.k,
        "change": signed(from_hundredths(change)),
        "rating": B02_2009.new_rating(Points(1500), [change]),
    }


def _ru(half_points: int, opponents: int | None = None) -> dict[str, Any]:
    """A score in nine games against an average of 1800."""
    found = performance(Points(1800), HalfPoints(half_points), 9, opponents=opponents)
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


EXAMPLES: Final = by_article(
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
        (
            "4.13",
            _("A tournament that starts on %(day)s uses the list of %(list)s."),
            {"day": _DAY, "list": _LIST},
        ),
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
            {"list": _LIST, "next": _NEXT},
        ),
        (
            "7.13",
            _(
                "The list of %(next)s closes on %(closing)s. A tournament that ends a day later is rated "
                "for %(later)s."
            ),
            {
                "next": _NEXT,
                "closing": B02_2009.closing_day(_NEXT),
                "later": B02_2009.rated_on(date(2026, 6, 25)),
            },
        ),
        (
            "7.21",
            _("1201 falls by 2.40 to 1198.60, rounded %(rating)s, and is taken off the list."),
            {"rating": B02_2009.new_rating(Points(1201), [Hundredths(-2_40)])},
        ),
        (
            "7.23",
            _("Whoever played their last rated game on %(day)s is inactive on the list of %(list)s."),
            {
                "day": _DAY,
                "list": next(
                    day for months in range(0, 24, 2) if is_inactive(_DAY, day := months_after(_LIST, months))
                ),
            },
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
        (
            "8.55",
            _(
                "1500 scores 2½ out of 4 against 1600: %(expected)s expected, so ΣΔR = %(more)s and the "
                "change is %(more)s × %(k)s = %(change)s."
            ),
            _against_1600(),
        ),
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
            _against_1600(),
        ),
        (
            "12.3",
            _("With K = 10 a rating follows up to %(ten)s games, with K = 25 up to %(new)s."),
            {"ten": most_games(10), "new": most_games(25)},
        ),
    )
)
"""By article, what the rules give."""
