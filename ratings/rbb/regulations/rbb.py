"""RBB as a rule book of the site: what its text names, computed by the rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from foa.text import points, signed
from ratings.office.explanations import Picture, PrintedRow, hundredths_text, of_scores
from ratings.office.rule_books import RuleBook, Table
from ratings.rbb.labels import CATEGORY_WORDS
from ratings.rbb.regulations.tables import DP_COLUMNS, DP_ROWS, PD_COLUMNS, PD_ROWS
from ratings.rules.rbb.editions import PREVIOUSLY_UNRATED_GAMES
from ratings.rules.rbb.fide_lists import first_rating_from_lists
from ratings.rules.rbb.rating import (
    FIRST_RATING_GAMES,
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
        "expected": hundredths_text(line.expected or Hundredths(0)),
        "other_expected": hundredths_text(other.expected or Hundredths(0)),
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
        "p": hundredths_text(fractional_score(half_points)),
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


_ROWS_TOGETHER: Final = 17
"""Number of rows printed together, as in the regulations: 6 × 17 and 3 × 17."""


def _in_stretches(rows: tuple[PrintedRow, ...]) -> list[tuple[PrintedRow, ...]]:
    return [rows[start : start + _ROWS_TOGETHER] for start in range(0, len(rows), _ROWS_TOGETHER)]


def _category(control: Control) -> Words:
    return {"control": control, "category": CATEGORY_WORDS[RATED_CONTROLS[control]]}


def _controls(category: Category) -> str:
    """Return the rated controls of a category (RBB 2.3)."""
    return ", ".join(str(control) for control, its in RATED_CONTROLS.items() if its is category)


def _introduction() -> Picture:
    """Return a blitz game in which 1500 beats 1600 (RBB 3.9)."""
    line, _opponent = rate_game(Category.BLITZ, _rated(Hundredths(1500_00)), _rated(Hundredths(1600_00)), WIN)
    expected = line.expected or Hundredths(0)
    return of_scores(
        "1",
        hundredths_text(expected),
        line.k or 0,
        signed(from_hundredths(line.change or Hundredths(0))),
        shares=(Fraction(expected, 100), Fraction(1)),
    )


def _computed() -> Words:
    return {
        "introduction": _introduction(),
        "controls": {category.slug: _controls(category) for category in Category},
        "with_increment": _category(Control(600, 10)),
        "without_increment": _category(Control(600, 0)),
        "kept": _game(110_00, 110_00, LOSS),
        "lost": _game(109_99, 109_99, LOSS),
        "from_lists": _first_from_lists(),
        "draw_after_losses": _results_after(LOSS, LOSS, DRAW),
        "five_opponents": _average(1500_00, 1520_00, 1480_00, 1600_00, 1400_50),
        "half": _first_rating(5),
        "above_half": _first_rating(8),
        "below_half": _first_rating(3),
        "to_unrated": _loss_to_an_unrated_player(),
        "close_game": _game(1814_50, 1800_00, DRAW),
        "far_win": _game(2400_00, 1600_00, WIN),
        "far_loss": _game(2400_00, 1600_00, LOSS),
        "win": _game(1500_00, 1600_00, WIN),
        "bullet_win": _game(1500_00, 1600_00, WIN, Category.BULLET),
        "k_of_game": _k_of_games(sixth=6, last=PREVIOUSLY_UNRATED_GAMES, next=PREVIOUSLY_UNRATED_GAMES + 1),
        "displayed": {"exact": _points(Hundredths(1799_60)), "shown": displayed(Hundredths(1799_60))},
        "half_up": {"down": displayed(Hundredths(2215_49)), "up": displayed(Hundredths(2215_50))},
        "small_gain": _game(1799_60, 1279_60, WIN),
        "fide_change": _adjusted(),
        "table_4_1": Table(DP_COLUMNS, _in_stretches(DP_ROWS)),
        "table_4_2": Table(PD_COLUMNS, _in_stretches(PD_ROWS)),
    }


RULE_BOOK: Final = RuleBook("rbb", "RBB", _computed)
