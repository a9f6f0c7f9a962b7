"""A line of the ledger in one plain sentence, with its exact figures."""

from __future__ import annotations

from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.text import month_text, points, signed
from members.models import Member
from ratings.rbb.labels import CATEGORY_WORDS, half_points_text
from ratings.rbb.models import RatingChange
from ratings.rbb.models.keys import EventType
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, FLOOR, Reason, first_rating
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths

_OF_FIVE: Final = (Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)

_ROSE: Final[dict[int, Promise]] = {
    WIN: _(
        "%(player)s’s %(category)s rating rose by %(amount)s, from %(before)s to %(after)s, after beating "
        "%(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
    DRAW: _(
        "%(player)s’s %(category)s rating rose by %(amount)s, from %(before)s to %(after)s, after a draw "
        "with %(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
}
_FELL: Final[dict[int, Promise]] = {
    DRAW: _(
        "%(player)s’s %(category)s rating fell by %(amount)s, from %(before)s to %(after)s, after a draw "
        "with %(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
    LOSS: _(
        "%(player)s’s %(category)s rating fell by %(amount)s, from %(before)s to %(after)s, after a loss to "
        "%(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
}
_STAYED: Final = _(
    "%(player)s’s %(category)s rating stayed at %(before)s: %(opponent)s (%(opponent_rating)s) was expected "
    "to score %(share)s, and did."
)
_LOST_BY_GAME: Final = _(
    "%(player)s lost the %(category)s rating of %(before)s: the game against %(opponent)s "
    "(%(opponent_rating)s) took it to %(computed)s, below the floor of %(floor)s."
)
_LOST_BY_ADJUSTMENT: Final = _(
    "%(player)s lost the %(category)s rating of %(before)s: the over-the-board change of %(signed)s took it "
    "to %(computed)s, below the floor of %(floor)s."
)
_OUTRANKED: Final = _(
    "%(player)s has another %(category)s first rating of the same moment, which counts, so this one was not "
    "applied. Source: %(source)s."
)
_SENTENCES: Final[dict[Reason, Promise]] = {
    Reason.OPENING: _("%(player)s started with a %(category)s rating of %(after)s. Source: %(source)s."),
    Reason.OPENING_NOT_APPLIED: _(
        "%(player)s already had a %(category)s rating, so another first rating was not applied. Source: "
        "%(source)s."
    ),
    Reason.ADJUSTED: _(
        "%(player)s’s %(category)s rating changed by %(signed)s, from %(before)s to %(after)s, with the "
        "over-the-board changes of the %(period)s FIDE list."
    ),
    Reason.ADJUSTMENT_UNRATED: _(
        "%(player)s was unrated in %(category)s, so the over-the-board changes of the %(period)s FIDE list "
        "were not added."
    ),
    Reason.OPPONENT_UNRATED: _(
        "%(player)s’s %(category)s rating stayed at %(before)s, because %(opponent)s was unrated."
    ),
    Reason.BOTH_UNRATED: _(
        "The game does not count, because %(player)s and %(opponent)s were both unrated in %(category)s."
    ),
    Reason.LOSS_FORGOTTEN: _(
        "%(player)s is still unrated in %(category)s: a loss before the first draw or win against a rated "
        "opponent does not count."
    ),
    Reason.RESULT_COUNTED: _(
        "%(player)s is still unrated in %(category)s: the game against %(opponent)s (%(opponent_rating)s) is "
        "result %(results)s of the %(needed)s that make a first rating."
    ),
    Reason.FIRST_RATING: _(
        "%(player)s reached a first %(category)s rating of %(after)s by scoring %(score)s out of %(needed)s "
        "against opponents averaging %(average)s."
    ),
    Reason.FIRST_RATING_BELOW_FLOOR: _(
        "%(player)s is still unrated in %(category)s: the five results would give %(first)s, below the floor "
        "of %(floor)s, so the first rating starts again."
    ),
}
_WOULD: Final[dict[Reason, Promise]] = {
    Reason.LOST_UNDER_FLOOR: _(
        "%(player)s would lose the %(category)s rating of %(before)s: the game against %(opponent)s "
        "(%(opponent_rating)s) would take it to %(computed)s, below the floor of %(floor)s."
    ),
    Reason.OPPONENT_UNRATED: _(
        "%(player)s’s %(category)s rating would stay at %(before)s, because %(opponent)s is unrated."
    ),
    Reason.BOTH_UNRATED: _(
        "The game would not count, because %(player)s and %(opponent)s are both unrated in %(category)s."
    ),
    Reason.LOSS_FORGOTTEN: _(
        "%(player)s would still be unrated in %(category)s: a loss before the first draw or win against a "
        "rated opponent does not count."
    ),
    Reason.RESULT_COUNTED: _(
        "%(player)s would still be unrated in %(category)s: the game against %(opponent)s "
        "(%(opponent_rating)s) would be result %(results)s of the %(needed)s that make a first rating."
    ),
    Reason.FIRST_RATING: _(
        "%(player)s would reach a first %(category)s rating of %(after)s by scoring %(score)s out of "
        "%(needed)s against opponents averaging %(average)s."
    ),
    Reason.FIRST_RATING_BELOW_FLOOR: _(
        "%(player)s would still be unrated in %(category)s: the five results would give %(first)s, below the "
        "floor of %(floor)s, so the first rating would start again."
    ),
}
"""Sentences for a future game."""


def spoken_name(member: Member | str) -> str:
    """Return a name with the first name first: “Novak, Anna” becomes Anna Novak in a sentence."""
    last, comma, first = str(member).partition(", ")
    return f"{first} {last}" if comma else last


def words_of(row: RatingChange) -> dict[str, str]:
    """Return the player, opponent and category for a sentence about this row."""
    return {
        "player": spoken_name(row.member),
        "opponent": spoken_name(row.opponent) if row.opponent else "",
        "category": str(CATEGORY_WORDS[row.category]),
    }


def sentence(row: RatingChange) -> str:
    """Return what happened and why, with exact numbers. Expects the row with its event loaded."""
    return str(_text(row)) % _values(row)


def sentence_to_come(row: RatingChange) -> str:
    """Return the sentence for a future game to which the formulas of RBB 3.9 don't apply."""
    return str(_WOULD[row.why]) % _values(row)


def _text(row: RatingChange) -> Promise:
    if row.why is Reason.LOST_UNDER_FLOOR:
        return _LOST_BY_GAME if row.kind is EventType.GAME else _LOST_BY_ADJUSTMENT
    if row.why is Reason.OPENING_NOT_APPLIED and row.peak is None:
        return _OUTRANKED
    if row.why is not Reason.RATED:
        return _SENTENCES[row.why]
    if not row.change:
        return _STAYED
    return (_ROSE if row.change > 0 else _FELL)[row.half_points or 0]


def _values(row: RatingChange) -> dict[str, Any]:
    values: dict[str, Any] = {
        **words_of(row),
        "before": points(row.before),
        "after": points(row.after),
        "opponent_rating": points(row.opponent_rating),
        "floor": points(from_hundredths(FLOOR)),
        "results": row.games,
        "needed": FIRST_RATING_GAMES,
    }
    if row.change is not None:
        values |= {"amount": points(abs(row.change)), "signed": signed(row.change)}
        if row.before is not None:
            values["computed"] = points(row.before + row.change)
    if row.expected is not None:
        values["share"] = points(from_hundredths(Hundredths(100 - row.expected)))
    if row.opening is not None:
        values["source"] = row.opening.source
    if row.adjustment is not None:
        values["period"] = month_text(row.adjustment.period)
    if row.why in _OF_FIVE:
        first = first_rating(HalfPoints(row.first_half_points), to_hundredths(row.first_opponents))
        values |= {
            "score": half_points_text(row.first_half_points),
            "average": points(from_hundredths(first.average)),
            "first": points(from_hundredths(first.rating)),
        }
    return values
