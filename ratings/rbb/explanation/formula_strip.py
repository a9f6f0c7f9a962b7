"""The arithmetic of a line of the ledger at a glance."""

from __future__ import annotations

from fractions import Fraction

from django.utils.translation import gettext as _

from foa.text import points, signed
from ratings.office.explanations import Picture, Term, of_scores, summand
from ratings.rbb.labels import half_points_text
from ratings.rbb.models import RatingChange
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, Reason, first_rating
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.units import HalfPoints, Hundredths


def picture(row: RatingChange) -> Picture | None:
    """Return the few figures that determine a rating; None without any (RBB 3.7, 3.9, 3.15)."""
    if row.k is not None:
        return _of_game(row, row.k)
    if row.why is Reason.FIRST_RATING:
        return _of_first_rating(row)
    if row.adjustment is not None and row.before is not None:
        return Picture(
            (
                Term("", points(row.before), _("before")),
                Term(*summand(row.change), _("over the board")),
                Term("=", points(row.before + row.change), _("after")),
            )
        )
    return None


def _of_game(row: RatingChange, k: int) -> Picture:
    """Return (score − expected score) × K (RBB 3.9)."""
    half_points, expected = row.half_points or 0, Hundredths(row.expected or 0)
    return of_scores(
        half_points_text(half_points),
        points(from_hundredths(expected)),
        k,
        signed(row.change),
        shares=(Fraction(expected, 100), Fraction(half_points, 2)),
    )


def _of_first_rating(row: RatingChange) -> Picture:
    """Return the opponents' average and what the score adds (RBB 3.7)."""
    half_points = HalfPoints(row.first_half_points)
    average, added, rating = map(
        from_hundredths, first_rating(half_points, to_hundredths(row.first_opponents))
    )
    words = {"score": half_points_text(half_points), "needed": FIRST_RATING_GAMES}
    return Picture(
        (
            Term("", points(average), _("opponents’ average")),
            Term(*summand(added), _("for %(score)s out of %(needed)s") % words),
            Term("=", points(rating), _("first rating")),
        )
    )
