"""What a game did to each of its two players."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from django.utils.translation import gettext

from members.models import Member
from ratings.explanation import LedgerExplanation, explain
from ratings.models import Game, RatingChange
from ratings.models.ledger import RatingChangeQuerySet


@dataclass(frozen=True)
class Side:
    """One of the two players: their exact rating before the game, and their line with its explanation."""

    colour: str
    member: Member
    before: Decimal | None
    line: RatingChange | None
    explanation: LedgerExplanation | None

    @cached_property
    def previous(self) -> int | None:
        """The key of the player's game before this one in the category's ledger."""
        return None if self.line is None else _first(_games(self.line).earlier_than(self.line))

    @cached_property
    def following(self) -> int | None:
        """The key of the player's game after this one in the category's ledger."""
        return None if self.line is None else _first(_games(self.line).later_than(self.line))


def sides_of(game: Game) -> tuple[Side, Side]:
    """White, then Black."""
    lines = {line.member_id: line for line in RatingChange.objects.of_game(game)}
    return (
        _side(game, gettext("White"), game.white, game.black, lines.get(game.white_id)),
        _side(game, gettext("Black"), game.black, game.white, lines.get(game.black_id)),
    )


def _side(game: Game, colour: str, member: Member, opponent: Member, line: RatingChange | None) -> Side:
    if line is None:
        return Side(colour, member, _rating_before(game, member), None, None)
    line.member, line.opponent = member, opponent
    return Side(colour, member, line.before, line, explain(line))


def _games(line: RatingChange) -> RatingChangeQuerySet:
    return RatingChange.objects.filter(member=line.member_id, category=line.category, game__isnull=False)


def _first(lines: RatingChangeQuerySet) -> int | None:
    return lines.values_list("game", flat=True).first()


def _rating_before(game: Game, member: Member) -> Decimal | None:
    """The rating when a game ended that has no line in the ledger; if it goes on, the rating now."""
    if game.category is None:
        return None
    rows = RatingChange.objects.filter(member=member, category=game.category)
    if game.ended_at is not None:
        rows = rows.filter(occurred_at__lt=game.ended_at)
    last = rows.order_by("-occurred_at", "-id").first()
    return last.after if last else None
