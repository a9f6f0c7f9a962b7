"""A line of the ledger in one plain sentence."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.text import points, signed
from members.models import Member
from ratings.labels import CATEGORY_WORDS, expected_text
from ratings.models import RatingChange
from ratings.models.keys import Kind
from ratings.rules.rbb.steps import FIRST_RATING_GAMES, FLOOR, Reason, first_rating
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.units import HalfPoints

_WON, _DRAWN, _LOST = 2, 1, 0
_OF_FIVE: Final = (Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)

_ROSE: Final[dict[int, Promise]] = {
    _WON: _(
        "%(player)s’s %(category)s rating rose by %(amount)s, from %(before)s to %(after)s, because of the "
        "win against %(opponent)s (%(opponent_rating)s), who was expected to take %(share)s of the point."
    ),
    _DRAWN: _(
        "%(player)s’s %(category)s rating rose by %(amount)s, from %(before)s to %(after)s, because of the "
        "draw with %(opponent)s (%(opponent_rating)s), who was expected to take %(share)s of the point."
    ),
}
_FELL: Final[dict[int, Promise]] = {
    _DRAWN: _(
        "%(player)s’s %(category)s rating fell by %(amount)s, from %(before)s to %(after)s, because of the "
        "draw with %(opponent)s (%(opponent_rating)s), who was expected to take %(share)s of the point."
    ),
    _LOST: _(
        "%(player)s’s %(category)s rating fell by %(amount)s, from %(before)s to %(after)s, because of the "
        "loss to %(opponent)s (%(opponent_rating)s), who was expected to take %(share)s of the point."
    ),
}
_STAYED: Final = _(
    "%(player)s’s %(category)s rating stayed at %(before)s: the result against %(opponent)s "
    "(%(opponent_rating)s), who was expected to take %(share)s of the point, is exactly what was expected."
)
_LOST_BY_GAME: Final = _(
    "%(player)s lost the %(category)s rating of %(before)s: the game against %(opponent)s "
    "(%(opponent_rating)s) took it to %(computed)s, under the floor of %(floor)s."
)
_LOST_BY_ADJUSTMENT: Final = _(
    "%(player)s lost the %(category)s rating of %(before)s: the over-the-board change of %(signed)s took it "
    "to %(computed)s, under the floor of %(floor)s."
)
_SENTENCES: Final[dict[Reason, Promise]] = {
    Reason.OPENING: _(
        "%(player)s began with a %(category)s rating of %(after)s, carried in from: %(source)s."
    ),
    Reason.OPENING_NOT_APPLIED: _(
        "A first %(category)s rating for %(player)s was not applied, because there was one before "
        "(%(source)s)."
    ),
    Reason.ADJUSTED: _(
        "%(player)s’s %(category)s rating changed by %(signed)s, from %(before)s to %(after)s, with the "
        "over-the-board changes of the FIDE list of %(period)s."
    ),
    Reason.ADJUSTMENT_UNRATED: _(
        "The over-the-board changes of the FIDE list of %(period)s were not added: %(player)s was unrated in "
        "%(category)s."
    ),
    Reason.OPPONENT_UNRATED: _(
        "%(player)s’s %(category)s rating stayed at %(before)s, because %(opponent)s was unrated: such a "
        "game does not affect the rated player."
    ),
    Reason.BOTH_UNRATED: _(
        "The game counts for nothing, because %(player)s and %(opponent)s were both unrated in %(category)s."
    ),
    Reason.LOSS_FORGOTTEN: _(
        "%(player)s is still unrated in %(category)s: a loss before the first draw or win against a rated "
        "opponent counts for nothing."
    ),
    Reason.RESULT_COUNTED: _(
        "%(player)s is still unrated in %(category)s: the game against %(opponent)s (%(opponent_rating)s) is "
        "result %(results)s of the %(needed)s that make a first rating."
    ),
    Reason.FIRST_RATING: _(
        "%(player)s reached a first %(category)s rating of %(after)s: %(score)s of %(needed)s points against "
        "opponents of %(average)s on average."
    ),
    Reason.FIRST_RATING_BELOW_FLOOR: _(
        "%(player)s is still unrated in %(category)s: the five results would give %(first)s, under the floor "
        "of %(floor)s, so that the first rating begins again."
    ),
}


def spoken_name(member: Member) -> str:
    """First name first: “Novak, Anna” is listed so and spoken of as Anna Novak."""
    last, comma, first = str(member).partition(", ")
    return f"{first} {last}" if comma else last


def words_of(row: RatingChange) -> dict[str, str]:
    """Who, against whom, and in which category, for a sentence about this row."""
    return {
        "player": spoken_name(row.member),
        "opponent": spoken_name(row.opponent) if row.opponent else "",
        "category": str(CATEGORY_WORDS[row.category]),
    }


def sentence(row: RatingChange) -> str:
    """What happened and why, in one sentence with exact numbers. Expects the row with its event."""
    return str(_text(row)) % _values(row)


def _text(row: RatingChange) -> Promise:
    if row.why is Reason.LOST_UNDER_FLOOR:
        return _LOST_BY_GAME if row.kind is Kind.GAME else _LOST_BY_ADJUSTMENT
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
        values["share"] = expected_text(100 - row.expected)
    if row.opening is not None:
        values["source"] = row.opening.source
    if row.adjustment is not None:
        values["period"] = f"{row.adjustment.period:%Y-%m}"
    if row.why in _OF_FIVE:
        first = first_rating(HalfPoints(row.first_half_points), to_hundredths(row.first_opponents))
        values |= {
            "score": str(Decimal(row.first_half_points) / 2),
            "average": points(from_hundredths(first.average)),
            "first": points(from_hundredths(first.rating)),
        }
    return values
