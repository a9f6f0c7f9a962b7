"""Versions of a game: as stored, and as a file gives it when it arrives again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from foa.text import utc_text
from members.former import FormerName
from members.usernames import composed, key_of
from ratings.formats.games import UNFINISHED, UNMARKED, GameRow
from ratings.rules.rbb.conditions import why_not_listed
from ratings.rules.time_controls import UNKNOWN, Control

STORED_VERSION: Final = (
    "white__username",
    "black__username",
    "time_control__initial",
    "time_control__increment",
    "time_control__written",
    "started_at",
    "result",
    "ended_at",
    "rated",
    "unrated_reason",
    "voided_at",
)
"""Columns of a stored game that make up its version, for values_list()."""


class Version(NamedTuple):
    """A source's version of a game. ``ended_at`` is None while it is in progress.

    ``result`` is empty in that case, and for a game that ended without one because it wasn't played.
    """

    white: str
    black: str
    initial: int
    increment: int
    written: str
    started_at: datetime
    result: str
    ended_at: datetime | None
    rated: bool
    unrated_reason: str
    voided_at: datetime | None = None

    @classmethod
    def of(cls, row: GameRow) -> Version:
        """Return the version of a file's row."""
        return cls(
            composed(row.white),
            composed(row.black),
            *row.control,
            row.started_at,
            row.result,
            row.ended_at,
            row.rated,
            row.unrated_reason,
        )

    def as_called_now(self, stored: Version) -> Version:
        """Return the version with current usernames for players who differ from the stored version.

        A file may name a player in a different case, by a former username, or by an account merged since.
        """
        others = {self.white, self.black} - {stored.white, stored.black}
        if not others:
            return self
        in_case = {key_of(name): name for name in (stored.white, stored.black)}
        alike = {name: in_case[key_of(name)] for name in others if key_of(name) in in_case}
        former = FormerName.objects.of_usernames(others)
        now = dict(former.values_list("text", "member__username")) | alike
        return self._replace(
            white=composed(now.get(self.white, self.white)), black=composed(now.get(self.black, self.black))
        )

    def __str__(self) -> str:
        times = f"{utc_text(self.started_at)} to {utc_text(self.ended_at) if self.ended_at else 'now'}"
        rated = "rated" if self.rated else "not rated"
        result = self.result or ("no result" if self.ended_at else "in progress")
        return f"{self.white} – {self.black}, {self.control.notation}, {rated}, {result}, {times}"

    @property
    def control(self) -> Control:
        """The time control in the form used by the rules."""
        return Control(self.initial, self.increment, self.written)

    def same_as(self, other: Version) -> bool:
        """Return True for the same game with the same result. The office may have unrated it since.

        A control that one of the two doesn't know is taken from the other.
        """
        return self.knowing(other)[:_RATED] == other.knowing(self)[:_RATED]

    def knowing(self, other: Version) -> Version:
        """Return the version with the other's control if it doesn't know its own."""
        return self._replace(**other.control._asdict()) if self.control == UNKNOWN else self

    def finishes(self, earlier: Version) -> bool:
        """Return whether this is the finished form of an earlier version in progress."""
        return (
            earlier.ended_at is None
            and self.ended_at is not None
            and self[:_RESULT] == earlier[:_RESULT]
            and not self._disagrees(earlier)
        )

    def marks(self, earlier: Version) -> bool:
        """Return whether the earlier version was marked neither rated nor unrated, and this one is rated."""
        return (
            self.rated
            and earlier.unrated_reason in (UNMARKED, _AT_UNKNOWN)
            and earlier.voided_at is None
            and self.same_as(earlier)
        )

    def differing(self, other: Version) -> str:
        """Return the names of the columns in which two versions contradict each other."""
        names = {
            "white": self.white == other.white,
            "black": self.black == other.black,
            "time_control": self.knowing(other).control == other.knowing(self).control,
            "rated": not self._disagrees(other) or bool(self.ended_at and other.ended_at),
            "result": self.result == other.result,
            "started_at": self.started_at == other.started_at,
            "ended_at": self.ended_at == other.ended_at,
        }
        return ", ".join(name for name, same in names.items() if not same)

    def _disagrees(self, other: Version) -> bool:
        """Return whether one is marked rated and the other unrated. A version with a reason isn't marked."""
        marked = [one.rated for one in (self, other) if one.rated or not one.unrated_reason]
        return len(set(marked)) > 1


def with_end(row: GameRow, stored: Version | None, *, at: datetime) -> GameRow:
    """Return a game that wasn't played with the moment of its end, if its source doesn't give one.

    ``stored``: the stored version, if any. A game that was in progress until now ends now (``at``); a new one
    ends when it starts.
    """
    if row.ended_at is not None or not row.has_ended:
        return row
    if stored is None:
        return replace(row, ended_at=row.started_at)
    return replace(row, ended_at=stored.ended_at or max(at, row.started_at))


_AT_UNKNOWN: Final = why_not_listed(UNKNOWN)
UNSAID: Final = (UNMARKED, UNFINISHED, _AT_UNKNOWN)
"""Reasons of games that are unrated because a file didn't say more of them."""

_RATED = Version._fields.index("rated")
_RESULT = Version._fields.index("result")
