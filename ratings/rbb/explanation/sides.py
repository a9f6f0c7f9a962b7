"""The effect of a game on each of its two players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext

from members.models import Member
from ratings.rbb.explanation import LedgerExplanation, Note, explain, spoken_name, why_nothing
from ratings.rbb.explanation.lines import NOTHING_BESIDE, Beside, beside
from ratings.rbb.models import Game, Rating, RatingChange
from ratings.rbb.models.keys import event_id
from ratings.rules.rbb.rating import UNRATED, rate_game
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import DRAW, LOSS, WIN


@dataclass(frozen=True)
class Side:
    """One of the two players: their exact rating before the game, and their line."""

    colour: str
    member: Member
    before: Decimal | None
    line: RatingChange | None
    previous: int | None = None
    following: int | None = None

    @cached_property
    def explanation(self) -> LedgerExplanation | None:
        """The explanation of the line, computed on access."""
        return None if self.line is None else explain(self.line)


def sides_of(game: Game, *, with_neighbours: bool = False) -> tuple[Side, Side]:
    """Return White, then Black; with the keys of their games before and after this one in the category."""
    lines = {line.member_id: line for line in RatingChange.objects.of_game(game)}
    near = beside(*game.ledger_keys, games=True) if with_neighbours and lines else {}
    return (
        _side(game, gettext("White"), game.white, game.black, lines.get(game.white_id), near),
        _side(game, gettext("Black"), game.black, game.white, lines.get(game.black_id), near),
    )


class Prospect(NamedTuple):
    """The effect of each result of a game in progress on one player; None while they are unrated."""

    win: Decimal | None
    draw: Decimal | None
    loss: Decimal | None


def prospects_of(game: Game) -> tuple[Prospect, Prospect] | None:
    """Return what White and Black would gain or lose (RBB 3.9); None for a game that will not be rated."""
    if not game.rated or game.voided_at is not None or game.category is None:
        return None
    stored = Rating.objects.filter(member__in=(game.white_id, game.black_id), category=game.category)
    standings = {one.member_id: one.standing for one in stored}
    white, black = (standings.get(one, UNRATED) for one in (game.white_id, game.black_id))
    lines = [rate_game(game.category, white, black, result) for result in (WIN, DRAW, LOSS)]
    of_white, of_black = (
        [None if line.change is None else from_hundredths(line.change) for line in side]
        for side in zip(*lines, strict=True)
    )
    return Prospect(*of_white), Prospect(*reversed(of_black))


def other_line(line: RatingChange) -> RatingChange | None:
    """Return the opponent's line of the same game; None for another event. One query."""
    if line.opponent is None:
        return None
    other = RatingChange.objects.filter(pk=line.pk ^ 1).first()
    if other is not None:
        other.member, other.opponent = line.opponent, line.member
    return other


def why_they_differ(one: RatingChange | None, other: RatingChange | None) -> str:
    """Return why one player's change isn't the reverse of the other's; empty if K isn't the reason.

    The two lines must be of the same game, with their members loaded. RBB 3.10.
    """
    if one is None or other is None or None in (one.k, other.k) or one.k == other.k:
        return ""
    text = gettext("The changes differ because K is %(one_k)d for %(one)s and %(other_k)d for %(other)s.")
    return text % {
        "one": spoken_name(one.member),
        "one_k": one.k,
        "other": spoken_name(other.member),
        "other_k": other.k,
    }


def notes_of(game: Game, sides: tuple[Side, Side]) -> Sequence[Note]:
    """Return why a game has no line; empty if it has one."""
    return () if any(side.line for side in sides) else why_nothing(game)


def _side(
    game: Game,
    colour: str,
    member: Member,
    opponent: Member,
    line: RatingChange | None,
    near: dict[int, Beside],
) -> Side:
    if line is None:
        return Side(colour, member, _rating_before(game, member), None)
    line.member, line.opponent = member, opponent
    previous, following, _moved = near.get(line.pk, NOTHING_BESIDE)
    return Side(
        colour,
        member,
        line.before,
        line,
        previous and event_id(previous),
        following and event_id(following),
    )


def _rating_before(game: Game, member: Member) -> Decimal | None:
    """Return the rating at the end of a game without a ledger line; while it goes on, the rating now."""
    if game.category is None:
        return None
    rows = RatingChange.objects.filter(member=member, category=game.category)
    if game.ended_at is not None:
        rows = rows.filter(occurred_at__lt=game.ended_at)
    last = rows.order_by("-occurred_at", "-id").first()
    return last.after if last else None
