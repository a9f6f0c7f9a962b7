"""Examples for the articles, computed by the rules."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from foa.text import points, signed
from ratings.office.rule_books import by_article
from ratings.rbb.labels import CATEGORY_WORDS, expected_text
from ratings.rules.rbb.fide_lists import first_rating_from_lists
from ratings.rules.rbb.rating import (
    FIRST_RATING_GAMES,
    PREVIOUSLY_UNRATED_GAMES,
    UNRATED,
    LedgerLine,
    adjust,
    first_rating,
    fractional_score,
    k_factor,
    rate_game,
)
from ratings.rules.rounding import displayed, from_hundredths, points_or_none
from ratings.rules.time_controls import RATED_CONTROLS, Category, Control
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

_OPPONENT: Final = Hundredths(1500_00)

Words = dict[str, Any]


def _points(hundredths: Hundredths | None) -> str:
    return points(points_or_none(hundredths))


def _rated(hundredths: Hundredths) -> LedgerLine:
    return LedgerLine(hundredths, peak=hundredths)


def _game(own: int, opponent: int, half_points: HalfPoints, category: Category = Category.BLITZ) -> Words:
    """Rate a game between two rated players, ratings in hundredths (RBB 3.9)."""
    before, against = Hundredths(own), Hundredths(opponent)
    line, other = rate_game(category, _rated(before), _rated(against), half_points)
    change = line.change or Hundredths(0)
    computed = Hundredths(before + change)
    return {
        "before": _points(before),
        "opponent": _points(against),
        "exact": _points(Hundredths(abs(before - against))),
        "difference": line.difference,
        "expected": expected_text(line.expected or Hundredths(0)),
        "other_expected": expected_text(other.expected or Hundredths(0)),
        "k": line.k,
        "change": signed(from_hundredths(change)),
        "computed": _points(computed),
        "after": _points(line.rating),
        "opponent_after": _points(other.rating),
        "shown_before": displayed(before),
        "shown_after": displayed(computed),
    }


def _first_rating(score: int) -> Words:
    """Rate this score, in half points, in five games against opponents of 1500 (RBB 3.7)."""
    half_points = HalfPoints(score)
    average, added, rating = first_rating(half_points, Hundredths(FIRST_RATING_GAMES * _OPPONENT))
    return {
        "average": _points(average),
        "halves": half_points - FIRST_RATING_GAMES,
        "p": expected_text(fractional_score(half_points)),
        "added": _points(added),
        "rating": _points(rating),
    }


def _results_after(*results: HalfPoints) -> Words:
    """Return how many of these results of an unrated player count (RBB 3.6.1)."""
    line = UNRATED
    for half_points in results:
        line, _opponent = rate_game(Category.BLITZ, line, _rated(_OPPONENT), half_points)
    return {"results": line.games}


def _k_of_games(**numbers: int) -> Words:
    """Return K for these games of a member who was unrated (RBB 3.10.3)."""
    return {
        name: k_factor(Category.BLITZ, LedgerLine(_OPPONENT, number - 1, previously_unrated=True))
        for name, number in numbers.items()
    }


def _loss_to_an_unrated_player() -> Words:
    line, _opponent = rate_game(Category.BLITZ, _rated(_OPPONENT), UNRATED, LOSS)
    return {"before": _points(line.before), "after": _points(line.rating)}


def _average(*opponents: int) -> Words:
    """Return Ra for five opponents, in hundredths (RBB 3.7.1)."""
    return {"average": _points(first_rating(HalfPoints(5), Hundredths(sum(opponents))).average)}


def _first_from_lists() -> Words:
    """Return the ratings of a member whom FIDE's lists rate only in standard and blitz (RBB 3.4)."""
    published = {"standard": Points(1900), "rapid": None, "blitz": Points(1850)}
    found = {
        category: first_rating_from_lists(category, published)
        for category in (Category.RAPID, Category.BLITZ)
    }
    return {category.slug: _points(given[1]) for category, given in found.items() if given is not None}


def _adjusted() -> Words:
    line = adjust(Category.BLITZ, _rated(_OPPONENT), Hundredths(-12_00))
    return {
        "before": _points(line.before),
        "amount": signed(from_hundredths(line.change or Hundredths(0))),
        "after": _points(line.rating),
    }


_BOTH = _(
    "%(before)s beats %(opponent)s: PD is %(expected)s, K is %(k)s, and they have %(after)s and "
    "%(opponent_after)s."
)

_EXAMPLES: Final = (
    (
        "2.3",
        _("A game of %(control)s is %(category)s."),
        {"control": Control(600, 10), "category": CATEGORY_WORDS[RATED_CONTROLS[Control(600, 10)]]},
    ),
    (
        "2.3",
        _("A game of %(control)s is %(category)s."),
        {"control": Control(600, 0), "category": CATEGORY_WORDS[RATED_CONTROLS[Control(600, 0)]]},
    ),
    ("3.2", _("%(before)s loses to %(opponent)s: %(after)s is kept."), _game(110_00, 110_00, LOSS)),
    ("3.2", _("%(before)s loses to %(opponent)s: %(computed)s is lost."), _game(109_99, 109_99, LOSS)),
    (
        "3.6.1",
        _("After two losses and a draw, the number of results that count is %(results)s."),
        _results_after(LOSS, LOSS, DRAW),
    ),
    ("3.7.3", _("Ra = %(average)s, 2.5 of 5 points: Rf = %(rating)s."), _first_rating(5)),
    (
        "3.4",
        _(
            "Standard 1900 and blitz 1850, no rapid: the first ratings are %(rapid)s in rapid and %(blitz)s "
            "in blitz."
        ),
        _first_from_lists(),
    ),
    (
        "3.7.1",
        _("Opponents of 1500, 1520, 1480, 1600 and 1400.50: Ra = %(average)s."),
        _average(1500_00, 1520_00, 1480_00, 1600_00, 1400_50),
    ),
    (
        "3.7.4",
        _(
            "Ra = %(average)s, 4 of 5 points, %(halves)s half points over 50 %%: Rf = %(average)s + "
            "%(added)s = %(rating)s."
        ),
        _first_rating(8),
    ),
    (
        "3.7.5",
        _("Ra = %(average)s, 1.5 of 5 points: p = %(p)s, dp = %(added)s, Rf = %(rating)s."),
        _first_rating(3),
    ),
    (
        "3.8",
        _("%(before)s loses to an unrated player and has %(after)s after."),
        _loss_to_an_unrated_player(),
    ),
    (
        "3.9.1",
        _(
            "%(before)s plays %(opponent)s: D = %(exact)s, rounded %(difference)s. PD is %(expected)s for "
            "the higher and %(other_expected)s for the lower."
        ),
        _game(1814_50, 1800_00, DRAW),
    ),
    (
        "3.9.1",
        _(
            "%(before)s beats %(opponent)s: D is %(difference)s, PD is %(expected)s, the rating changes by "
            "%(change)s."
        ),
        _game(2400_00, 1600_00, WIN),
    ),
    (
        "3.9.1",
        _("%(before)s loses to %(opponent)s: the rating changes by %(change)s."),
        _game(2400_00, 1600_00, LOSS),
    ),
    (
        "3.9.2",
        _("Ro = %(before)s, PD = %(expected)s, a win and K = %(k)s: Rn = %(after)s."),
        _game(1500_00, 1600_00, WIN),
    ),
    ("3.10.1", _BOTH, _game(1500_00, 1600_00, WIN)),
    ("3.10.2", _BOTH, _game(1500_00, 1600_00, WIN, Category.BULLET)),
    (
        "3.10.3",
        _("In blitz, game 6 has K = %(sixth)s, game 30 K = %(last)s and game 31 K = %(next)s."),
        _k_of_games(sixth=6, last=PREVIOUSLY_UNRATED_GAMES, next=PREVIOUSLY_UNRATED_GAMES + 1),
    ),
    (
        "3.12",
        _("The exact rating %(exact)s is displayed as %(shown)s."),
        {"exact": _points(Hundredths(1799_60)), "shown": displayed(Hundredths(1799_60))},
    ),
    (
        "3.13",
        _("2215.49 is shown as %(down)s, 2215.50 as %(up)s."),
        {"down": displayed(Hundredths(2215_49)), "up": displayed(Hundredths(2215_50))},
    ),
    (
        "3.14",
        _(
            "%(before)s beats %(opponent)s and gains %(change)s: %(after)s. It was shown as %(shown_before)s "
            "and is shown as %(shown_after)s."
        ),
        _game(1799_60, 1279_60, WIN),
    ),
    ("3.15", _("%(before)s and a FIDE list with %(amount)s: %(after)s."), _adjusted()),
)

EXAMPLES: Final = by_article(_EXAMPLES)
"""RBB: the results of the rules, by article."""
