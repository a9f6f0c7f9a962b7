"""An unrated member's way to a first rating in a category: their results, and what each score would give."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from members.models import Member
from ratings.rbb.explanation import first_results
from ratings.rbb.explanation.steps import score_text
from ratings.rbb.models import Rating, RatingChange, RuleEdition
from ratings.rbb.models.ledger import RatingChangeQuerySet
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, UNRATED, LedgerLine
from ratings.rules.rbb.what_if import Outcome, games_to_go, outcomes
from ratings.rules.rounding import displayed, divide_half_up, from_hundredths, points_or_none, to_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import HalfPoints, Hundredths

_USUAL: Final = Decimal(1500)
"""Default average of the remaining opponents."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Where an unrated member stands (RBB 3.6), and which first ratings are ahead of them (RBB 3.7)."""

    category: Category
    standing: LedgerLine
    rows: RatingChangeQuerySet

    @property
    def to_go(self) -> int:
        """The results that are missing."""
        return games_to_go(self.standing)

    @property
    def results(self) -> int:
        """The results so far."""
        return FIRST_RATING_GAMES - self.to_go

    @property
    def counted(self) -> tuple[RatingChange, ...]:
        """The lines of these results."""
        return first_results(self.rows, self.results)

    @property
    def score(self) -> str:
        """The score in these results."""
        return score_text(self.standing.first_half_points if self.results else 0)

    @property
    def average_so_far(self) -> Decimal | None:
        """The average rating of the opponents so far; None without a result."""
        if not self.results:
            return None
        return from_hundredths(Hundredths(divide_half_up(self.standing.first_opponents, self.results)))

    @property
    def usual_average(self) -> Decimal:
        """The average to expect of the remaining opponents: that so far, else 1500."""
        return self.average_so_far or _USUAL

    def outcomes(self, average: Decimal) -> list[PossibleFirstRating]:
        """RBB 3.7: return what each score against remaining opponents of this average would give."""
        edition = RuleEdition.objects.in_force()
        found = outcomes(self.standing, to_hundredths(average), edition)
        return [PossibleFirstRating(one) for one in found]


class PossibleFirstRating:
    """A score over the missing results, and the first rating that it gives; None: still unrated."""

    def __init__(self, outcome: Outcome) -> None:
        self.score = score_text(HalfPoints(outcome.half_points))
        self.rating = points_or_none(outcome.rating)
        self.displayed = None if outcome.rating is None else displayed(outcome.rating)
        self.article = outcome.article


def forecast(member: Member, category: Category) -> Forecast | Rating:
    """Return a member's way to a first rating, or the rating that they have."""
    rating = Rating.objects.filter(member=member, category=category).first()
    if rating is not None and rating.rating is not None:
        return rating
    rows = RatingChange.objects.filter(member=member, category=category)
    return Forecast(category, UNRATED if rating is None else rating.standing, rows)
