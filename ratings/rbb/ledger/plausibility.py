"""Implausible facts: about one input when it is entered, and about all inputs for the audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from itertools import islice
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import F

from foa.text import duration, utc_text
from members.models import FullMembership, Member
from ratings.office import bulk
from ratings.rbb.models.games import Game, ImportBatch, TimeControl
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.plausibility import DAY_ALONE, Doubt, first_day, is_day_alone, lasts_too_long, longest
from ratings.rules.time_controls import Control, category_of

_AT_ONCE: Final = 2_000
_GAME: Final = Game._meta.db_table
_DAY_ALONE: Final = {
    "postgresql": "ended_at - started_at = interval '23:59:59'"
    " AND (started_at AT TIME ZONE 'UTC')::time = '00:00'",
    "sqlite": "substr(started_at, 12) = '00:00:00' AND ended_at = substr(started_at, 1, 11) || '23:59:59'",
}
"""SQL for ``is_day_alone``, for a row of games."""
SHOWN: Final = 5
"""Maximum number of examples in a summary."""


@dataclass(slots=True)
class Examples:
    """A number of cases, and the first of them."""

    number: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """Count another case, and keep it if it is among the first."""
        self.number += 1
        if len(self.first) < SHOWN:
            self.first.append(example)

    @property
    def named(self) -> str:
        """The first examples, with a mark if there are more."""
        return ", ".join(self.first) + (", …" if self.number > len(self.first) else "")

    def __str__(self) -> str:
        return f"{self.number}: {self.named}"


class Doubtful(NamedTuple):
    """An implausible game or starting rating. ``words`` are the doubt's; ``key`` is unique."""

    of: Any
    doubt: Doubt
    words: Mapping[str, str]
    key: str


def doubts_of(instance: Any) -> list[Doubtful]:
    """Return what is implausible in a game or a starting rating, as stored or about to be."""
    if isinstance(instance, Game):
        return list(_doubts_of_game(instance))
    return list(early_among([instance])) if isinstance(instance, OpeningRating) else []


def long_games() -> Iterator[Doubtful]:
    """Yield rated games that lasted longer than their control allows."""
    controls = {one.pk: one.control for one in TimeControl.objects.all()}
    games = Game.objects
    # Compared here: on SQLite, subtracting two moments calls a slow function in Python.
    rows = (
        games.counting().order_by("pk").values_list("pk", "time_control", "plies", "started_at", "ended_at")
    )
    long = (
        pk
        for pk, control, plies, started_at, ended_at in rows.iterator(_AT_ONCE)
        if lasts_too_long(started_at, ended_at, controls[control], plies)
    )
    while some := list(islice(long, _AT_ONCE)):
        for game in games.filter(pk__in=some).with_names().defer("pgn").order_by("pk"):
            yield from too_long(game)


def overlapping_games() -> Iterator[Doubtful]:
    """Yield rated games that began before an earlier one of the same player had ended.

    A game with only a known day doesn't overlap any.
    """
    seats = iter(_overlapping_seats())
    while some := list(islice(seats, _AT_ONCE)):
        games = Game.objects.with_names().defer("pgn").in_bulk([pk for pk, _player in some])
        for pk, player in some:
            game = games[pk]
            if other := _played_meanwhile(game, player):
                yield _overlapping(game, game.player(player), other)


def overlaps_of_batch(batch: ImportBatch, since: datetime, until: datetime) -> Examples:
    """Return rated games that overlap another of the same player, at least one of them from this import.

    ``since``, ``until``: when its first rated game began, and its last one ended.
    """
    # A game that ends more than a day later is too long, and is reported as such.
    seats = _overlapping_seats((since, until + timedelta(days=1)), batch.pk)
    found = sorted({pk for pk, _player in seats})
    games = Game.objects.in_bulk(found[:SHOWN])
    return Examples(len(found), [games[pk].external_id or str(pk) for pk in found[:SHOWN]])


def _overlapping_seats(
    ended: tuple[datetime, datetime] | None = None, batch: int | None = None
) -> list[tuple[int, int]]:
    """Return game and player for each game that began before an earlier one of the player had ended.

    ``ended``: the period in which the games ended. ``batch``: at least one of the two is from this import.
    """
    day_alone = _DAY_ALONE[connection.vendor]
    conditions = ["rated", "ended_at IS NOT NULL", "voided_at IS NULL", f"NOT ({day_alone})"]
    parameters = []
    if ended is not None:
        conditions.append("ended_at BETWEEN %s AND %s")
        parameters = [bulk.as_stored(moment) for moment in ended] * 2
    of_batch = "TRUE" if batch is None else f"batch_id = {int(batch)}"
    chosen = (
        f"started_at, ended_at, COALESCE({of_batch}, FALSE) AS chosen"
        f" FROM {_GAME} WHERE {' AND '.join(conditions)}"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH seats AS (
                SELECT id, white_id AS player, {chosen} UNION ALL SELECT id, black_id, {chosen}
            ), busy AS (
                SELECT id, player, started_at, chosen, max(ended_at) OVER earlier AS until,
                    max(CASE WHEN chosen THEN ended_at END) OVER earlier AS chosen_until
                FROM seats WINDOW earlier AS (
                    PARTITION BY player ORDER BY started_at, id
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                )
            )
            SELECT id, player FROM busy
            WHERE (chosen AND until > started_at) OR chosen_until > started_at
            ORDER BY id, player""",  # noqa: S608  names, not values
            parameters,
        )
        found: list[tuple[int, int]] = cursor.fetchall()
    return found


def early_openings() -> Iterator[Doubtful]:
    """Yield starting ratings that take effect before their members became full members."""
    rows = OpeningRating.objects.select_related("member").order_by("pk").iterator(_AT_ONCE)
    while some := list(islice(rows, _AT_ONCE)):
        yield from early_among(some)


def early_among(openings: list[OpeningRating]) -> Iterator[Doubtful]:
    """Yield those of these starting ratings that take effect before full membership."""
    spans = FullMembership.objects.spans_of({one.member_id for one in openings})
    for opening in openings:
        first = first_day(spans[opening.member_id])
        if first is not None and opening.effective_at >= first:
            continue
        words = {"day": f"{opening.effective_at:%Y-%m-%d}", "player": str(opening.member)}
        doubt = Doubt.NEVER_A_MEMBER
        if first is not None:
            doubt, words["first"] = Doubt.BEFORE_MEMBERSHIP, f"{first:%Y-%m-%d}"
        yield Doubtful(opening, doubt, words, f"openingrating {opening.pk or 'new'}")


def _doubts_of_game(game: Game) -> Iterator[Doubtful]:
    yield from possibly_same(game)
    if not game.counts:
        return
    yield from too_long(game)
    for player in (game.white, game.black):
        if other := _played_meanwhile(game, player.pk):
            yield _overlapping(game, player, other)


def possibly_same(game: Game) -> Iterator[Doubtful]:
    """Yield a doubt about a game that may be another report of a stored one."""
    if game.waits and game.possibly_same_id is not None:
        yield Doubtful(
            game, Doubt.SAME_GAME, {"other": str(game.possibly_same_id)}, f"game {game.pk or 'new'}"
        )


def too_long(game: Game) -> Iterator[Doubtful]:
    """Yield a doubt if a counting game lasted longer than its control allows."""
    words = game.counts and words_of_length(
        game.time_control.control, game.plies, game.started_at, game.ended_at
    )
    if words:
        yield Doubtful(game, Doubt.TOO_LONG, words, f"game {game.pk or 'new'}")


def words_of_length(
    control: Control, plies: int | None, started_at: datetime, ended_at: datetime | None
) -> dict[str, str] | None:
    """Return the words of Doubt.TOO_LONG for a game at a rated control; None if it wasn't too long."""
    if category_of(control) is None or ended_at is None:
        return None
    if not lasts_too_long(started_at, ended_at, control, plies):
        return None
    return {
        "lasted": duration(ended_at - started_at),
        "control": str(control),
        "longest": duration(longest(control, plies)),
    }


def _played_meanwhile(game: Game, player: int) -> Game | None:
    """Return the first rated game of a player that was played at the same time."""
    if game.ended_at is None or is_day_alone(game.started_at, game.ended_at):
        return None
    others = (
        Game.objects.counting()
        .with_names()
        .exclude(pk=game.pk)
        .filter(ended_at__gt=game.started_at, started_at__lt=game.ended_at)
        .exclude(ended_at=F("started_at") + DAY_ALONE, started_at__time=time())
    )
    # Each query uses its own index.
    found = [
        others.filter(**{colour: player}).order_by("ended_at", "pk").first() for colour in ("white", "black")
    ]
    return min(filter(None, found), key=lambda other: (other.ended_at, other.pk), default=None)


def _overlapping(game: Game, player: Member, other: Game) -> Doubtful:
    words = {"player": str(player), "other": f"{other}, {utc_text(other.started_at)}"}
    return Doubtful(game, Doubt.OVERLAP, words, f"game {game.pk or 'new'} member {player.pk}")
