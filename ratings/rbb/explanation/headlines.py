"""A line of the ledger in the simplest words: who gained or lost how much, and why."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.text import points
from ratings.rbb.explanation.sentences import sentence, sentence_to_come, words_of
from ratings.rbb.models import RatingChange
from ratings.rules.rbb.rating import Reason
from ratings.rules.units import DRAW, LOSS, WIN

_HIGHER, _EQUAL, _LOWER = -1, 0, 1

_HAPPENED: Final[dict[tuple[int, int], Promise]] = {
    (WIN, _HIGHER): _("%(player)s gained %(amount)s points for beating a higher-rated player."),
    (WIN, _EQUAL): _("%(player)s gained %(amount)s points for beating a player rated about the same."),
    (WIN, _LOWER): _("%(player)s gained %(amount)s points for beating a lower-rated player."),
    (DRAW, _HIGHER): _("%(player)s gained %(amount)s points for a draw with a higher-rated player."),
    (DRAW, _LOWER): _("%(player)s lost %(amount)s points for a draw with a lower-rated player."),
    (LOSS, _HIGHER): _("%(player)s lost %(amount)s points to a higher-rated player."),
    (LOSS, _EQUAL): _("%(player)s lost %(amount)s points to a player rated about the same."),
    (LOSS, _LOWER): _("%(player)s lost %(amount)s points to a lower-rated player."),
}
_WOULD_HAPPEN: Final[dict[tuple[int, int], Promise]] = {
    (WIN, _HIGHER): _("%(player)s would gain %(amount)s points for beating a higher-rated player."),
    (WIN, _EQUAL): _("%(player)s would gain %(amount)s points for beating a player rated about the same."),
    (WIN, _LOWER): _("%(player)s would gain %(amount)s points for beating a lower-rated player."),
    (DRAW, _HIGHER): _("%(player)s would gain %(amount)s points for a draw with a higher-rated player."),
    (DRAW, _LOWER): _("%(player)s would lose %(amount)s points for a draw with a lower-rated player."),
    (LOSS, _HIGHER): _("%(player)s would lose %(amount)s points to a higher-rated player."),
    (LOSS, _EQUAL): _("%(player)s would lose %(amount)s points to a player rated about the same."),
    (LOSS, _LOWER): _("%(player)s would lose %(amount)s points to a lower-rated player."),
}
_STAYED: Final = _("%(player)s’s rating stayed the same: the result was exactly what was expected.")
_WOULD_STAY: Final = _("%(player)s’s rating would stay the same: the result is exactly what is expected.")
_ADDED: Final[dict[bool, Promise]] = {
    True: _("%(player)s gained %(amount)s points from games over the board."),
    False: _("%(player)s lost %(amount)s points from games over the board."),
}


def headline(row: RatingChange, *, to_come: bool = False) -> str:
    """Return a line's headline without an article or a rating; ``to_come``: for a game not yet played.

    Two ratings count as equal if each player is expected to score half a point (RBB 4.2). A line without an
    expected score gets its sentence.
    """
    words = {**words_of(row), "amount": points(abs(row.change or 0))}
    if row.why is Reason.ADJUSTED and row.change:
        return str(_ADDED[row.change > 0]) % words
    if row.why is not Reason.RATED:
        return sentence_to_come(row) if to_come else sentence(row)
    if not row.change:
        return str(_WOULD_STAY if to_come else _STAYED) % words
    expected = row.expected or 0
    key = (row.half_points or 0, (expected > 50) - (expected < 50))
    return str((_WOULD_HAPPEN if to_come else _HAPPENED)[key]) % words
