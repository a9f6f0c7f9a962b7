"""A player in a FIDE rating list, and the valid values of each field.

FIDE ID, rating, games and K decide ratings: their readers raise ValueError, and the row is left out. Any
other value that can't be read is left blank, with a sentence in ``remarks``, and the player is kept.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from ratings.formats.problems import UNREADABLE, shown
from ratings.rules.units import FideId, Points

LOWEST_RATING: Final = Points(100)
"""RBB 3.2: lowest rating, because the office writes its own lists in this form. FIDE has never gone below
1000."""

HIGHEST_RATING: Final = Points(3500)
"""Highest rating accepted. FIDE's highest published rating is 2882."""

MAX_FIDE_ID: Final = FideId(999_999_999)
FIRST_LIST_YEAR: Final = 1971
"""Year of FIDE’s first rating list."""

YEARS_OF_LISTS: Final = range(FIRST_LIST_YEAR, 2100)
"""Years in which an over-the-board game can be rated. Others are typing errors."""

MAX_NAME: Final = 150
MAX_K: Final = 40
MAX_GAMES: Final = 999
EARLIEST_BIRTH: Final = 1850
LATEST_BIRTH: Final = 2099

OLD_TITLES: Final = {
    "g": "GM",
    "m": "IM",
    "f": "FM",
    "c": "CM",
    "wg": "WGM",
    "wm": "WIM",
    "wf": "WFM",
    "wc": "WCM",
}
"""Titles as written in lists until 2012, and in tournament reports before 2016."""

_FLAGS: Final = "winetf"
"""Letters of the flag: w for a woman, i for inactive. Lists until 2003 also have n, e, t and f."""

_FLAGS_OF_TODAY: Final = "wi"
_MOST_FLAGS: Final = 2
_SEXES: Final = frozenset({"", "F", "M"})
_FEDERATION: Final = re.compile("[A-Z]{3}|")
_TITLE: Final = re.compile("[A-Za-z]{1,5}|")
_OTHER_TITLES: Final = re.compile("(?:[A-Za-z][A-Za-z ,./-]{0,63})?")
_DIGITS: Final = re.compile("[0-9]{1,9}")
_DATE: Final = re.compile(r"[0-9 ]{0,2}\.[0-9 ]{0,2}\.([0-9]{2}|[0-9]{4})")
_UNKNOWN_BIRTHS: Final = frozenset({"", "..", "00.00.00", "00.00.0000"})
_LEAST_CERTAIN_YEAR: Final = 10
# Latin-1 has no letters from 80 to A7 (hex); CP850 has almost none elsewhere.
_CP850: Final = re.compile(b"[\x80-\xa7]")


class FideControl(StrEnum):
    """The time controls that FIDE rates over the board, in the order of its lists."""

    STANDARD = "standard"
    RAPID = "rapid"
    BLITZ = "blitz"


class FideRating(NamedTuple):
    """A player's rating in one control.

    ``rating``: None if unrated. ``games``: rated games in the list's period. ``k``: 0 if the list gives none.
    """

    rating: Points | None
    games: int
    k: int


class PlayerRow(NamedTuple):
    """A player in a rating list.

    ``line``: where the row begins in the file, counted from 1; 0 if it doesn't come from a file. ``name``:
    "Last, First" as printed, may be blank. ``federation``: three capitals (including NON and FID) or blank.
    ``sex``: M, F or blank. ``standard``, ``rapid``, ``blitz``: None if the list doesn't cover this control.
    ``flag``: blank, i (inactive), w (woman) or wi; until 2003 also n, e, t, f.
    """

    line: int
    fide_id: FideId
    name: str
    federation: str
    sex: str
    title: str
    women_title: str
    other_titles: str
    arena_title: str
    standard: FideRating | None
    rapid: FideRating | None
    blitz: FideRating | None
    birth_year: int | None
    flag: str


def fide_id(raw: bytes) -> FideId:
    """Read a FIDE ID of one to nine digits, with blanks on either side."""
    digits = raw.strip()
    # bytes.isdigit accepts only the ten ASCII digits; int alone would accept 1_000 and +5.
    if digits.isdigit() and 0 < (number := int(digits)) <= MAX_FIDE_ID:
        return FideId(number)
    raise ValueError(f"FIDE ID: {shown(in_latin_letters(digits))} isn’t a number of 1 to 9 digits")


def name(decode: Callable[[bytes], str], raw: bytes, remarks: list[str]) -> str:
    """Read a name without surrounding blanks. An unreadable character becomes a question mark."""
    text = (raw.decode("ascii") if raw.isascii() else decode(raw)).strip()
    if not text.isprintable() and (match := UNREADABLE.search(text)):
        fault = "a byte that isn’t UTF-8" if match[0] >= "\ud800" else f"the character U+{ord(match[0]):04X}"
        remarks.append(f"name: {fault} in {shown(text)}; replaced by a question mark")
        text = UNREADABLE.sub("?", text)
    if len(text) > MAX_NAME:
        remarks.append(f"name: {shown(text)} has {len(text)} characters; cut to {MAX_NAME}")
        text = text[:MAX_NAME].rstrip()
    return text


def in_latin_letters(raw: bytes) -> str:
    """Decode a TXT list: ASCII today; old lists mix Latin-1 and CP850 from row to row."""
    if raw.isascii():
        return raw.decode("ascii")
    return raw.decode("cp850" if _CP850.search(raw) else "latin-1")


def in_utf_8(raw: bytes) -> str:
    """Decode UTF-8. An invalid byte becomes a character that no value may contain."""
    return raw.decode("utf-8", "surrogateescape")


def described(texts: Mapping[str, str], remarks: list[str]) -> tuple[str, str, str, str, str, str]:
    """Read federation, sex and the four kinds of titles; blank if the list has no such column."""
    federation = texts.get("federation", "")
    if not _FEDERATION.fullmatch(federation):
        federation = _left_blank(remarks, f"federation: {shown(federation)} isn’t three capital letters")
    sex = texts.get("sex", "")
    if sex not in _SEXES:
        sex = _left_blank(remarks, f"sex: {shown(sex)} is neither M nor F")
    title = texts.get("title", "")
    other_titles = texts.get("other_titles", "")
    if not _OTHER_TITLES.fullmatch(other_titles):
        other_titles = _left_blank(remarks, f"other titles: {shown(other_titles)} isn’t a list of titles")
    return (
        federation,
        sex,
        _title("title", OLD_TITLES.get(title, title), remarks),
        _title("women’s title", texts.get("women_title", ""), remarks),
        other_titles,
        _title("arena title", texts.get("arena_title", ""), remarks),
    )


def fide_rating(control: FideControl, texts: Mapping[str, str], lowest: Points = LOWEST_RATING) -> FideRating:
    """Read rating, games and K in a control. 0 or blank means none; K may also be missing."""
    rating = _number(f"{control} rating", texts["rating"], HIGHEST_RATING)
    if 0 < rating < lowest:
        raise ValueError(f"{control} rating: {rating} is below {lowest}")
    return FideRating(
        Points(rating) if rating else None,
        _number(f"{control} games", texts.get("games", ""), MAX_GAMES),
        _number(f"{control} K", texts.get("k", ""), MAX_K),
    )


def born_and_flag(texts: Mapping[str, str], remarks: list[str]) -> tuple[int | None, str]:
    """Read the year of birth, None if the list doesn't give it, and the flag."""
    try:
        born = _birth_year(texts.get("birth", ""))
    except ValueError as error:
        _left_blank(remarks, str(error))
        born = None
    flag = texts.get("flag", "")
    if flag.strip(_FLAGS):
        flag = _left_blank(remarks, f"flag: {shown(flag)} isn’t one of i, w, wi")
    elif len(flag) > _MOST_FLAGS:
        kept = "".join(letter for letter in _FLAGS_OF_TODAY if letter in flag)
        remarks.append(f"flag: {shown(flag)} has more than {_MOST_FLAGS} letters; kept as {shown(kept)}")
        flag = kept
    return born, flag


def _left_blank(remarks: list[str], fault: str) -> str:
    """Return a blank value, and add a remark about it."""
    remarks.append(f"{fault}; left blank")
    return ""


def _title(kind: str, text: str, remarks: list[str]) -> str:
    return text if _TITLE.fullmatch(text) else _left_blank(remarks, f"{kind}: {shown(text)} isn’t a title")


def _number(what: str, text: str, highest: int) -> int:
    if not text:
        return 0
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"{what}: {shown(text)} isn’t a number")
    if (number := int(text)) > highest:
        raise ValueError(f"{what}: {number} is above {highest}")
    return number


def _birth_year(text: str) -> int | None:
    """Read the year from "1990", "17.01.1972" or "17.01.72" (lists until 2005).

    0, 0000, blank and " .  ." mean unknown. Raises ValueError for anything else, and for two digits from 00
    to 09, which could mean either century: an infant or a centenarian.
    """
    if text.replace(" ", "") in _UNKNOWN_BIRTHS:
        return None
    if match := _DATE.fullmatch(text):
        text = match[1]
        if len(text) < len("1972"):
            if int(text) < _LEAST_CERTAIN_YEAR:
                raise ValueError(f"birth: {shown(match[0])} may be of 19{text} or of 20{text}")
            return 1900 + int(text)
    year = _number("birth", text, LATEST_BIRTH)
    if 0 < year < EARLIEST_BIRTH:
        raise ValueError(f"birth: {year} is before {EARLIEST_BIRTH}")
    return year or None
