"""The steps shared by explanations of all kinds of events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from foa.text import points, signed
from ratings.office.explanations import Excerpt, Step
from ratings.rbb.explanation.sentences import words_of
from ratings.rbb.models import RatingChange
from ratings.rbb.models.keys import EventType
from ratings.rules.rbb.rating import FLOOR, Reason
from ratings.rules.rounding import displayed, from_hundredths, to_hundredths


def score_text(half_points: int) -> str:
    """Return half points as the regulations write a score: 0, 0.5, 1, 1.5."""
    return str(Decimal(half_points) / 2)


def in_brackets(amount: Decimal) -> str:
    """Return a summand or factor, in brackets if negative: 0.60, and (−0.60)."""
    return f"({points(amount)})" if amount < 0 else points(amount)


class Steps:
    """The steps of a row, while they are being written."""

    def __init__(self, row: RatingChange, earlier: Sequence[RatingChange] | None = None) -> None:
        self.row = row
        self.earlier = earlier
        self.words = words_of(row)
        self.written: list[Step] = []
        self.displayed_before = displayed_rating(row.before)
        self.displayed_after = displayed_rating(row.after)

    def add(
        self,
        name: str,
        articles: str,
        text: str,
        *,
        words: dict[str, str] | None = None,
        excerpt: Excerpt | None = None,
        lines: Iterable[RatingChange] = (),
        minor: bool = False,
        **values: Any,
    ) -> None:
        """Write a step. Its text uses ``values``, and ``words`` that aren't among the values."""
        shown = {key: points(value) if isinstance(value, Decimal) else value for key, value in values.items()}
        told = text % {**self.words, **shown, **(words or {})}
        article = ", ".join(articles.split())
        self.written.append(Step(told, article, tuple(lines), name, values, excerpt, minor))

    def before(self) -> None:
        """Write the exact rating before (RBB 3.1 or 3.5)."""
        if self.row.before is None:
            self.add("before", "3.5", _("%(player)s before: unrated in %(category)s."), rating=None)
        elif self.row.kind is EventType.GAME:
            text = _("%(player)s’s exact %(category)s rating before the game: Ro = %(rating)s.")
            self.add("before", "3.1", text, minor=True, rating=self.row.before)
        else:
            text = _("%(player)s’s exact %(category)s rating before: %(rating)s.")
            self.add("before", "3.1", text, minor=True, rating=self.row.before)

    def score(self, article: str) -> None:
        """Write the score: 1, 0.5 or 0 (RBB 3.9.1)."""
        half_points = self.row.half_points or 0
        text = (
            _("Score = 0: a loss for %(player)s."),
            _("Score = 0.5: a draw."),
            _("Score = 1: a win for %(player)s."),
        )[half_points]
        self.add("score", article, text, minor=True, score=score_text(half_points))

    def floor(self) -> None:
        """Write the floor if a rating reaches it, or could with one more game (RBB 3.2, 3.3)."""
        row = self.row
        computed = row.before + row.change
        values = {"computed": computed, "floor": from_hundredths(FLOOR)}
        if row.why is Reason.LOST_UNDER_FLOOR:
            text = _(
                "%(computed)s is below the floor of %(floor)s: the %(category)s rating is lost, and only "
                "this one. A first rating starts again with the first draw or win against a rated opponent."
            )
            self.add("floor", "3.2 3.3 3.6", text, **values, lost=True)
        elif row.k is not None and to_hundredths(computed) - 100 * row.k < FLOOR:
            text = _(
                "The floor is near: one game can cost up to %(k)s points, and an exact rating below "
                "%(floor)s is lost. Exactly %(floor)s is kept."
            )
            self.add("floor", "3.2 3.3", text, **values, lost=False, words={"k": str(row.k)})

    def display(self) -> None:
        """Write the displayed ratings before and after (RBB 3.12 to 3.14)."""
        before, after = self.displayed_before, self.displayed_after
        articles = "3.12 3.13"
        if before is None and after is None:
            return
        if before is None:
            text = _("Unrated before, displayed as %(after)s after: the exact rating, rounded half up.")
        elif after is None:
            text = _("Displayed as %(before)s before, unrated after.")
        elif before != after:
            text = _(
                "Displayed as %(before)s before and %(after)s after: the exact ratings, rounded half up."
            )
        elif self.row.change:
            articles += " 3.14"
            text = _(
                "Displayed as %(before)s both before and after, although the exact rating changes by "
                "%(amount)s."
            )
        else:
            text = _("Displayed as %(before)s both before and after.")
        words = {"amount": signed(self.row.change)}
        self.add("displayed", articles, text, words=words, minor=True, before=before, after=after)


def displayed_rating(rating: Decimal | None) -> int | None:
    """Return an exact rating as displayed; None if unrated (RBB 3.12)."""
    return None if rating is None else displayed(to_hundredths(rating))
