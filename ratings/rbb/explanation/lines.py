"""A line of the ledger with its explanation and neighbours, and both players' lines of a game.

The last state of a line that is gone is explained, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, NamedTuple, Self

from django.db import connections, router
from django.db.models import Q
from django.utils.translation import gettext

from members.models import Member
from ratings.rbb.explanation import LedgerExplanation, Note, explain, spoken_name, why_nothing
from ratings.rbb.models import Game, Rating, RatingChange, RecalculatedLine, RuleEdition
from ratings.rbb.models.editions import DecidedEditions
from ratings.rbb.models.fields import event_id
from ratings.rbb.strengths import Strength, without_lines
from ratings.rules.rbb.rating import UNRATED, rate_game
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN

# Raw SQL: building four querysets takes ten times as long as running it.
_NEIGHBOURS: Final = """
SELECT line.id,
    (
        SELECT earlier.id FROM ratings_ratingchange AS earlier
        WHERE earlier.member_id = line.member_id AND earlier.category = line.category
        AND (NOT %(games)s OR earlier.game_id IS NOT NULL) AND earlier.occurred_at <= line.occurred_at
        AND (earlier.occurred_at < line.occurred_at OR earlier.id < line.id)
        ORDER BY earlier.occurred_at DESC, earlier.id DESC LIMIT 1
    ),
    (
        SELECT later.id FROM ratings_ratingchange AS later
        WHERE later.member_id = line.member_id AND later.category = line.category
        AND (NOT %(games)s OR later.game_id IS NOT NULL) AND later.occurred_at >= line.occurred_at
        AND (later.occurred_at > line.occurred_at OR later.id > line.id)
        ORDER BY later.occurred_at, later.id LIMIT 1
    ),
    EXISTS (SELECT 1 FROM ratings_recalculatedline AS moved WHERE moved.line = line.id)
FROM ratings_ratingchange AS line WHERE line.id IN (%(first)s, %(last)s)
"""


class Beside(NamedTuple):
    """Keys of the lines before and after a member's line in its category, and whether that one ever moved."""

    previous: int | None
    following: int | None
    moved: bool


NOTHING_BESIDE: Final = Beside(None, None, moved=False)


def beside(first: int, last: int, *, games: bool = False) -> dict[int, Beside]:
    """Return the neighbours of one or two lines, by key; ``games``: only lines of games count."""
    with connections[router.db_for_read(RatingChange)].cursor() as cursor:
        cursor.execute(_NEIGHBOURS, {"first": first, "last": last, "games": games})
        return {key: Beside(*found) for key, *found in cursor.fetchall()}


class ExplainedLine(NamedTuple):
    """A line's explanation. ``previous`` and ``following``: keys of its neighbours in the category.

    ``decisions``: the line before each decision that moved it, latest first.
    """

    line: RatingChange
    explanation: LedgerExplanation
    previous: int | None
    following: int | None
    decisions: Iterable[RecalculatedLine]


def explained_line(row: RatingChange) -> ExplainedLine:
    """Return everything shown about a line, which must have its member, opponent and event loaded."""
    previous, following, moved = beside(row.pk, row.pk).get(row.pk, NOTHING_BESIDE)
    return ExplainedLine(
        row,
        explain(row),
        previous,
        following,
        # Few lines ever moved, and the full query takes several times longer.
        RecalculatedLine.objects.of_line(row.pk).by_decision() if moved else (),
    )


def gone_line(key: int) -> RecalculatedLine | None:
    """Return the last state of a line that is no longer in the ledger; None if there never was one."""
    return RecalculatedLine.objects.of_line(key).filter(gone=True).first()


def line_after(gone: RecalculatedLine) -> RatingChange | None:
    """Return the member's next line in the category after one that is no longer in the ledger."""
    after = Q(occurred_at__gt=gone.occurred_at) | Q(occurred_at=gone.occurred_at, pk__gt=gone.line)
    rows = RatingChange.objects.filter(after, member=gone.member_id, category=gone.category)
    return rows.in_order().first()


@dataclass(frozen=True)
class Side:
    """One of the two players: their exact rating before the game, and their line."""

    colour: str
    member: Member
    before: Decimal | None
    line: RatingChange | None
    previous: int | None = None
    following: int | None = None
    editions: DecidedEditions | None = None

    @property
    def strength(self) -> Strength:
        """The rating before the game, and the change, as they appear beside a name."""
        return Strength(self.before, None if self.line is None else self.line.change)

    @cached_property
    def explanation(self) -> LedgerExplanation | None:
        """The explanation of the line, computed on access."""
        return None if self.line is None else explain(self.line, editions=self.editions)


@dataclass(frozen=True)
class ExplainedGame:
    """A game with its effect on both players; ``notes``: why it has none."""

    game: Game
    white: Side
    black: Side
    notes: Sequence[Note]

    @classmethod
    def of(cls, game: Game, **more: Any) -> Self:
        """Return the game explained; ``more``: fields of a subclass."""
        white, black = sides_of(game)
        return cls(game, white, black, notes_of(game, (white, black)), **more)

    @property
    def changes(self) -> list[Side]:
        """The players with a line in the ledger, White first."""
        return [side for side in (self.white, self.black) if side.line is not None]

    @property
    def in_event(self) -> Game | None:
        """The game if it belongs to an event of the arena."""
        return None if self.game.event is None else self.game


def sides_of(game: Game, *, with_neighbours: bool = False) -> tuple[Side, Side]:
    """Return White, then Black; with the keys of their games before and after this one in the category."""
    lines = {line.member_id: line for line in RatingChange.objects.of_game(game)}
    near = beside(*game.ledger_keys, games=True) if with_neighbours and lines else {}
    white, black = without_lines([] if lines else [game]).get(game.pk, (None, None))
    editions = DecidedEditions()
    return (
        _side(gettext("White"), game.white, game.black, lines.get(game.white_id), white, near, editions),
        _side(gettext("Black"), game.black, game.white, lines.get(game.black_id), black, near, editions),
    )


class Prospect(NamedTuple):
    """The effect of each result of a game on one player; None where it would give a first rating."""

    win: Decimal | None
    draw: Decimal | None
    loss: Decimal | None


def prospects_of(game: Game) -> tuple[Prospect, Prospect] | None:
    """Return what White and Black would gain or lose (RBB 3.9); None for a game that will not be rated."""
    if not game.rated or game.voided_at is not None or game.category is None:
        return None
    return prospects_between(game.category, game.white_id, game.black_id)


def prospects_between(category: Category, one: int, other: int) -> tuple[Prospect, Prospect]:
    """Return what two members would gain or lose in a game rated now, each from their own side (RBB 3.9)."""
    stored = Rating.objects.filter(member__in=(one, other), category=category)
    standings = {rating.member_id: rating.standing for rating in stored}
    ours, theirs = (standings.get(key, UNRATED) for key in (one, other))
    edition = RuleEdition.objects.in_force()
    lines = [rate_game(category, ours, theirs, result, edition) for result in (WIN, DRAW, LOSS)]
    of_one, of_other = (
        [None if line.change is None else from_hundredths(line.change) for line in side]
        for side in zip(*lines, strict=True)
    )
    return Prospect(*of_one), Prospect(*reversed(of_other))


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
    colour: str,
    member: Member,
    opponent: Member,
    line: RatingChange | None,
    without_line: Strength | None,
    near: dict[int, Beside],
    editions: DecidedEditions,
) -> Side:
    if line is None:
        return Side(colour, member, without_line and without_line.rating, None)
    line.member, line.opponent = member, opponent
    previous, following, _moved = near.get(line.pk, NOTHING_BESIDE)
    return Side(
        colour,
        member,
        line.before,
        line,
        previous and event_id(previous),
        following and event_id(following),
        editions,
    )
