"""The start and end of a PGN game, from its tags and moves.

docs/files.md lists the sources in their order, and the programs that write them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Final, NamedTuple

import chess

from ratings.formats.games import EARLIEST_YEAR, LATEST_YEAR, TRUTH, EndBy, in_utc
from ratings.formats.movetext import Played
from ratings.formats.problems import shown
from ratings.rules.rbb.plausibility import DAY_ALONE, TOLERANCE, longest
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Control

END_TAGS: Final = ("EndTime", "UTCEndTime", "GameEndTime", "TimeEnd", "EndDate", "UTCEndDate")
START_TAGS: Final = ("GameStartTime", "StartTime", "TimeStart")
"""Tags for the start of a game that has no Time, and no UTCDate with UTCTime."""
ZONE_TAG: Final = "Timezone"
BERSERK_TAGS: Final = {chess.WHITE: "WhiteBerserk", chess.BLACK: "BlackBerserk"}

_UTC_TAGS: Final = ("UTCTime", "UTCEndTime")
_NOT_SAID: Final = ("", "-")
_DATE: Final = re.compile(r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}")
_TIME: Final = re.compile(
    r"(?:([0-9]{4}[-./][0-9]{2}[-./][0-9]{2})(?:T|\s+))?"
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,6})[0-9]*)?)?\s*(.*)"
)
_OFFSET: Final = re.compile(r"(?:utc|gmt)?\s*([+-])([0-9]{1,2})(?::?([0-5][0-9]))?")
_ASIDE: Final = re.compile(r"\s*\(.*\)")
_LARGEST_OFFSET: Final = timedelta(hours=14)

_ZONES: Final = {
    **dict.fromkeys(("utc", "gmt", "ut", "z", "wet"), 0.0),
    **dict.fromkeys(("cet", "met", "bst", "west"), 1.0),
    **dict.fromkeys(("cest", "mest", "eet", "sast"), 2.0),
    **dict.fromkeys(("eest", "msk"), 3.0),
    **{"jst": 9.0, "kst": 9.0, "awst": 8.0, "aest": 10.0, "aedt": 11.0, "nzst": 12.0, "nzdt": 13.0},
    **{"edt": -4.0, "est": -5.0, "cdt": -5.0, "mdt": -6.0, "mst": -7.0, "pdt": -7.0, "pst": -8.0},
    **{
        f"{region} {season} time": hours + (season == "daylight")
        for region, hours in (("eastern", -5.0), ("central", -6.0), ("mountain", -7.0), ("pacific", -8.0))
        for season in ("standard", "daylight")
    },
}
"""Hours east of UTC for the zones named in files. CST and IST are left out: each means several zones."""


class Start(NamedTuple):
    """The start of a game: 00:00 UTC on ``day`` if the time is unknown.

    ``is_plain``: given by UTCDate and UTCTime, or by Date and Time. ``remarks``: what couldn't be used.
    """

    moment: datetime
    day: date
    has_time: bool
    is_plain: bool
    remarks: Sequence[str] = ()


class Times(NamedTuple):
    """The start and end of a game, and the source of the end."""

    started_at: datetime
    ended_at: datetime
    end_by: EndBy
    remarks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Written:
    """A time as written in a tag. ``day`` and ``zone``: None if the tag doesn't give them."""

    day: date | None
    time: time
    zone: tzinfo | None

    def on(self, day: date) -> datetime:
        """Return the moment in UTC when clocks in this zone showed this time on a day."""
        try:
            moment = datetime.combine(day, self.time, self.zone or UTC).astimezone(UTC)
        except OverflowError:
            moment = datetime.max.replace(tzinfo=UTC)
        if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
            raise ValueError(f"is not between the years {EARLIEST_YEAR} and {LATEST_YEAR}")
        return moment


class _UnknownZoneError(ValueError):
    """A time whose zone is unknown: it can't be used, but the game is still accepted."""


def start_of(tags: Mapping[str, str]) -> Start:
    """Read the start of a game; raises ValueError if not even its day is known, or if a time is invalid.

    The order is: UTCDate with UTCTime; Date with Time; GameStartTime; the day with StartTime, TimeStart or
    UTCTime. A time without a zone is in the file's zone (Timezone), or else in UTC.
    """
    if tags.keys() >= {"UTCDate", "UTCTime"}:
        moment = _plain("UTCDate", tags["UTCDate"], "UTCTime", tags["UTCTime"])
        return Start(moment, moment.date(), True, True)
    remarks: list[str] = []
    day_tag = "Date" if "Date" in tags or "UTCDate" not in tags else "UTCDate"
    by_name = {
        name: _read(tags, name, remarks, must=name == "Time") for name in ("Time", *START_TAGS, "UTCTime")
    }
    whole = by_name["GameStartTime"]
    if whole is not None and whole.day is not None and by_name["Time"] is None:
        moment = _moment("GameStartTime", tags, whole, whole.day)
        day = _day(tags, day_tag, []) or moment.date()
        return Start(moment, day, True, False, remarks)
    midnight = _plain(day_tag, tags.get(day_tag, ""), "Time", "00:00:00")
    for name, written in by_name.items():
        if written is not None:
            moment = _moment(name, tags, written, written.day or midnight.date())
            return Start(moment, midnight.date(), True, name == "Time", remarks)
    return Start(midnight, midnight.date(), False, False, remarks)


def times_of(
    tags: Mapping[str, str],
    start: Start,
    played: Played,
    control: Control,
    termination: Termination,
    word: str = "",
) -> Times:
    """Find when a finished game ended: by its tags, else by its moves, else by its day.

    ``word``: the file's word for the end, if it isn't the office's. Raises ValueError if the tags contradict
    each other.
    """
    remarks = list(start.remarks)
    by_moves = EndBy.MOVE_TIMES if played.noted.has_move_times else EndBy.CLOCKS
    used, berserk = timedelta(), _berserk(tags)
    # Remaining time means nothing if the control isn't seconds and increment.
    is_noted = played.noted.has_move_times or (bool(played.noted) and not control.written)
    if is_noted:
        flagged = _flagged(played, termination, word)
        used = played.noted.time_used(control, played.plies, berserk=berserk, flagged=flagged)
    if not control.written:
        remarks += played.noted.doubts(control, berserk=berserk)
    end = _end_in_tags(tags, start, control, played.plies, remarks)
    if end is not None:
        if start.has_time and used > end - start.moment + TOLERANCE:
            remarks.append(
                f"according to its tags, the game lasted {end - start.moment}, "
                f"but its moves took {used}; the tags are used"
            )
        counted_back = end - min(used, longest(control, played.plies))
        return Times(start.moment if start.has_time else counted_back, end, EndBy.TAGS, remarks)
    if unread := played.noted.unread:
        remarks.append(f"{shown(unread)} isn’t a time such as [%clk 0:02:58]; such times aren’t used")
    if (side := played.noted.without_clock(played.plies)) and is_noted and start.has_time:
        remarks.append(f"{side} has no clock in the moves: the game may have ended later than we assume")
    last_day = _day(tags, "UTCEndDate", remarks) or _day(tags, "EndDate", remarks)
    if last_day is not None and last_day < start.day:
        raise ValueError(f"the game ends on {last_day}, before it starts on {start.day}")
    if start.has_time:
        end = start.moment + used
        if last_day is None or last_day <= end.date():
            return Times(start.moment, end, by_moves if is_noted else EndBy.START, remarks)
    day = last_day or start.day
    end = datetime.combine(day, time(), UTC) + DAY_ALONE
    remarks.append(f"only the day is known: the game counts as ended at {end:%Y-%m-%d %H:%M:%S} UTC")
    return Times(start.moment, end, EndBy.DAY, remarks)


def _end_in_tags(
    tags: Mapping[str, str], start: Start, control: Control, plies: int, remarks: list[str]
) -> datetime | None:
    """Return the end given by the tags with a time; raises ValueError if it is before the start."""
    for name in ("EndTime", "UTCEndTime", "GameEndTime", "TimeEnd"):
        written = _read(tags, name, remarks)
        if written is None:
            continue
        day, utc_day = written.day or _day(tags, "EndDate", remarks), _day(tags, "UTCEndDate", remarks)
        if day is not None:
            end = _moment(name, tags, written, day)
        elif utc_day is not None:
            end = _moment(name, tags, written, utc_day)
            end += utc_day - end.date()
        elif _said(tags, "EndDate") or _said(tags, "UTCEndDate"):
            # If that day can't be read, using another would be a guess.
            continue
        else:
            local = start.moment.astimezone(written.zone or UTC).date() if start.has_time else start.day
            end = _moment(name, tags, written, local)
            # Past midnight, if the clocks allow it.
            if start.has_time and end < start.moment:
                next_day = end + timedelta(days=1)
                end = next_day if next_day - start.moment <= longest(control, plies) else end
        if start.has_time and end < start.moment:
            raise ValueError(
                f"{name}: the game ends at {end:%Y-%m-%d %H:%M:%S} UTC, before it starts at "
                f"{start.moment:%Y-%m-%d %H:%M:%S} UTC; correct one of them, or leave the end out"
            )
        return end
    return None


def _flagged(played: Played, termination: Termination, word: str) -> chess.Color | None:
    """Return the side whose time ran out; in a draw, the side to move."""
    if termination is Termination.TIME:
        if played.result == "1-0":
            return chess.BLACK
        if played.result == "0-1":
            return chess.WHITE
    elif not (termination is Termination.INSUFFICIENT_MATERIAL and "time" in word.lower()):
        return None
    return chess.BLACK if played.plies % 2 else chess.WHITE


def _berserk(tags: Mapping[str, str]) -> dict[chess.Color, bool]:
    told = {side: TRUTH.get(tags.get(name, "").lower()) for side, name in BERSERK_TAGS.items()}
    return {side: is_berserk for side, is_berserk in told.items() if is_berserk is not None}


def _plain(day_tag: str, day: str, time_tag: str, text: str) -> datetime:
    """Return the moment in UTC of a full date and a time."""
    if not _DATE.fullmatch(day):
        raise ValueError(f"{day_tag}: {shown(day)} isn’t a full date such as 2026.01.31")
    written = _written(time_tag, text, None)
    if written.day or (written.zone and written.zone != UTC):
        raise ValueError(f"{time_tag}: {shown(text)} isn’t a time in UTC such as 18:30:00")
    try:
        return in_utc(f"{day.replace('.', '-')}T{written.time.isoformat()}")
    except ValueError as error:
        raise ValueError(f"{day_tag}: {shown(f'{day} {text}')} {error}") from None


def _said(tags: Mapping[str, str], name: str) -> str:
    value = tags.get(name, "")
    return "" if value in _NOT_SAID or "?" in value else value


def _read(tags: Mapping[str, str], name: str, remarks: list[str], *, must: bool = False) -> _Written | None:
    """Read a time if a tag gives one; add a remark if it can't be used.

    ``must``: raise ValueError for a text that isn't a time.
    """
    text = _said(tags, name)
    if not text:
        return None
    of_file = "" if name in _UTC_TAGS else _said(tags, ZONE_TAG)
    try:
        return _written(name, text, of_file)
    except ValueError as error:
        if must and not isinstance(error, _UnknownZoneError):
            raise
        remarks.append(f"{error}; not used")
        return None


def _written(name: str, text: str, zone_of_file: str | None) -> _Written:
    found = _TIME.fullmatch(text)
    fault = f"{name}: {shown(text)} isn’t a time such as 18:30:00"
    if found is None:
        raise ValueError(fault)
    day, hour, minute, second, fraction, zone = found.groups()
    try:
        at = time(int(hour), int(minute), int(second or 0), int((fraction or "").ljust(6, "0")))
        on = date.fromisoformat(re.sub("[./]", "-", day)) if day else None
    except ValueError:
        raise ValueError(fault) from None
    named = zone or zone_of_file
    if not named:
        return _Written(on, at, None)
    offset = _offset(named)
    if offset is None:
        raise _UnknownZoneError(f"{name}: {shown(text)} is in an unknown time zone, {shown(named)}")
    return _Written(on, at, timezone(offset))


def _offset(zone: str) -> timedelta | None:
    """Return a zone's offset east of UTC; None for a name that is unknown or ambiguous."""
    zone = _ASIDE.sub("", zone).strip().lower()
    if found := _OFFSET.fullmatch(zone):
        sign, hours, minutes = found.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return None if offset > _LARGEST_OFFSET else -offset if sign == "-" else offset
    named = _ZONES.get(zone)
    return None if named is None else timedelta(hours=named)


def _day(tags: Mapping[str, str], name: str, remarks: list[str]) -> date | None:
    text = _said(tags, name)
    if not text:
        return None
    try:
        return _plain(name, text, "Time", "00:00:00").date()
    except ValueError as error:
        remarks.append(f"{error}; not used")
        return None


def _moment(name: str, tags: Mapping[str, str], written: _Written, day: date) -> datetime:
    try:
        return written.on(day)
    except ValueError as error:
        raise ValueError(f"{name}: {shown(tags.get(name, ''))} {error}") from None
