"""The change feed: every line of the ledger at the place where it was last written, in commit order.

A follower reads from a cursor and keeps the last one. An outbox entry is followed by its lines, in the order
of their keys; lines from before there was an outbox come first, at position 0. A line that is written again
moves to its newer entry. So a slow follower may miss an intermediate value of a line, but never its current
one. A removed line is sent as gone, with its last values, before any new line with the same key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import merge
from typing import Any, Final, NamedTuple, Self

from django.db.models import Q, QuerySet

from members.models import Member
from ratings.office.bulk import Moment, Row, batches, stored_rows
from ratings.office.models import OutboxEntry
from ratings.rbb.ledger.summaries import Cause
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.recalculations import RecalculatedLine, Recalculation
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

_AT_ONCE: Final = 5_000
_ENTRIES_AT_ONCE: Final = 1_000


class Cursor(NamedTuple):
    """A follower's position: all before ``position``, and of that entry up to ``mark`` (None: all of it).

    ``epoch``: the epoch of the outbox that assigned the position.
    """

    position: int = 0
    mark: int | None = -1
    epoch: str = ""

    def __str__(self) -> str:
        place = f"{self.position}" if self.mark is None else f"{self.position}-{self.mark}"
        return f"{self.epoch}.{place}" if self.epoch else place


class FeedEntry(NamedTuple):
    """An outbox entry about lines. ``at``: None for position 0.

    ``change_set``: the entry of the register, if any.
    """

    epoch: str
    position: int
    at: datetime | None
    cause: Cause
    change_set: int | None

    @classmethod
    def of(
        cls, epoch: str, position: int, at: datetime, change_set: int | None, data: dict[str, Any]
    ) -> Self:
        """Build it from an entry's values. Late facts have a register entry, but weren't decided."""
        cause = Cause.DECISION if change_set else Cause(data["cause"])
        return cls(epoch, position, at, cause, change_set or data.get("register"))


class Change(NamedTuple):
    """A line of the ledger, present or removed, with moment and points as stored."""

    told: FeedEntry
    gone: bool
    line: int
    member_id: int
    member: str
    opponent: str | None
    reason: int
    category: int
    occurred_at: Moment
    before: Hundredths | None
    after: Hundredths | None
    change: Hundredths | None

    @property
    def cursor(self) -> Cursor:
        """The cursor after this change."""
        return Cursor(self.told.position, 2 * self.line + (not self.gone), self.told.epoch)


_REST: Final = ("member_id", "opponent_id", "reason", "category", "occurred_at", "before", "after", "change")
_LINE: Final = ("entry", "id")
_TOLD: Final = ("position", "at", "change_set_id", "data")
_GONE: Final = ("recalculation__entry", "line")


def is_news(after: Cursor, *, ends: bool = False) -> bool:
    """Return whether there are entries about lines after the cursor's own, with one query.

    ``ends``: also count ends of games decided by the office.
    """
    told = [OutboxEntry.Event.RATING_CHANGED, OutboxEntry.Event.GAME_ENDED][: 1 + ends]
    return OutboxEntry.objects.filter(event__in=told).after(after.position).exists()


def changes_after(
    after: Cursor,
    *,
    until: int,
    member: int | None = None,
    category: Category | None = None,
    at_once: int = _AT_ONCE,
) -> Iterator[Change]:
    """Yield the lines after a cursor, up to this position of the outbox, in order.

    They are streamed some thousand at a time, without a transaction. ``at_once``: the number read together,
    if no more are needed. ``until``: as just returned by :func:`ratings.office.outbox.number_entries`, since
    entries without a position aren't sent.
    """
    wanted: dict[str, Any] = {} if member is None else {"member": member}
    if category is not None:
        wanted["category"] = category
    lines = RatingChange.objects.filter(**wanted).order_by(*_LINE)
    # If an entry removed it twice, the last time counts.
    gone = RecalculatedLine.objects.filter(gone=True, **wanted).order_by(*_GONE, "-pk")
    at_once = min(at_once, _AT_ONCE)
    usernames = _Usernames()
    for run in _runs(after, until, member):
        keys = list(run)
        mark = after.mark if run[keys[0]].position == after.position else None
        read, is_read = (-1, 1) if mark is None else divmod(mark, 2)
        previous = None
        for entry, mark, row in merge(
            _in_order(gone, _GONE, keys, read, at_once, usernames),
            _in_order(lines, _LINE, keys, read if is_read else read - 1, at_once, usernames),
        ):
            if (entry, mark) == previous:
                continue
            previous = entry, mark
            line, stands = divmod(mark, 2)
            _entry, _line, member_id, opponent, *rest = row
            yield Change(
                run[entry],
                not stands,
                line,
                member_id,
                usernames[member_id],
                None if opponent is None else usernames[opponent],
                *rest,
            )


def _in_order(
    rows: QuerySet[Any],
    place: tuple[str, str],
    keys: list[int],
    after: int,
    at_once: int,
    usernames: _Usernames,
) -> Iterator[tuple[int, int, Row]]:
    """Yield the present and removed lines of entries with these ascending keys: key, mark and columns.

    ``place``: the fields for entry and line. ``after``: only later lines of the first entry. Each part is
    found by index where the previous one ended, however many lines an entry has.
    """
    entry, line = place
    stands = place is _LINE
    begun = True
    while keys:
        wanted: dict[str, Any]
        if begun:
            wanted = {entry: keys[0], f"{line}__gt": after}
        elif keys[-1] - keys[0] == len(keys) - 1:
            # The usual case. Sending a list of a thousand keys would take longer than reading its lines.
            wanted = {f"{entry}__range": (keys[0], keys[-1])}
        else:
            wanted = {f"{entry}__in": keys}
        found = list(stored_rows(rows.filter(**wanted)[:at_once], (*place, *_REST)))
        usernames.learn(found)
        for row in found:
            yield row[0], 2 * row[1] + stands, row
        if len(found) == at_once:
            keys = keys[keys.index(found[-1][0]) :]
            after, begun = found[-1][1], True
        elif begun:
            keys, begun = keys[1:], False
        else:
            return


def _runs(after: Cursor, until: int, member: int | None) -> Iterator[dict[int, FeedEntry]]:
    """Yield the entries by their keys, in runs: in order of position, as long as keys ascend too."""
    entries = OutboxEntry.objects.filter(event=OutboxEntry.Event.RATING_CHANGED, position__lte=until)
    if member is not None:
        entries = entries.filter(
            Q(pk__in=RatingChange.objects.filter(member=member).values("entry"))
            | Q(pk__in=Recalculation.objects.taking_lines_of(member).values("entry"))
        )
    position, run = after.position, {}
    if after.mark is not None:
        position -= 1
        if after.position == 0:
            run[0] = FeedEntry(after.epoch, 0, None, Cause.EARLIER, None)
    last = 0
    more = True
    while more:
        found = list(entries.after(position).values_list("pk", *_TOLD)[:_ENTRIES_AT_ONCE])
        for key, *facts in found:
            if key < last:
                yield run
                run = {}
            run[key] = FeedEntry.of(after.epoch, *facts)
            last = key
        if run:
            yield run
        more = len(found) == _ENTRIES_AT_ONCE
        if more:
            position, run, last = found[-1][1], {}, 0


class _Usernames(dict[int, str]):
    """Usernames by members' keys, as far as they have been looked up."""

    def learn(self, rows: Iterable[Row]) -> None:
        """Look up the members and opponents of these lines."""
        unknown = {key for row in rows for key in row[2:4] if key is not None and key not in self}
        for some in batches(list(unknown)):
            found = Member.everybody.filter(pk__in=some).order_by()
            self.update(found.values_list("pk", "username"))
