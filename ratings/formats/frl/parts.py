"""From the seven raw parts of a row to the player; the same for TXT and XML."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from ratings.formats.frl.rows import FideRating, PlayerRow, fide_id, in_latin_letters
from ratings.formats.problems import Problem, readable

__all__ = ["NO_RATING", "Parts", "Remembered", "players"]

T = TypeVar("T")

_REMEMBERED: Final = 1 << 16
"""How many different texts of a part are kept, some 20 MB at most. 1.9 million players have the same few over
and over, for instance some 20,000 different ratings with games and K."""


class Remembered(dict[bytes, T], Generic[T]):
    """What a part says, by its bytes as they stand in the file: read once, then looked up.

    A third faster than ``functools.lru_cache``, whose order of use nobody needs here.
    """

    def __init__(self, read: Callable[[bytes], T]) -> None:
        super().__init__()
        self.read = read

    def __missing__(self, raw: bytes) -> T:
        if len(self) >= _REMEMBERED:
            self.clear()
        value = self[raw] = self.read(raw)
        return value


NO_RATING: Final[Remembered[FideRating | None]] = Remembered(lambda raw: None)
"""Of a control that the list is not of: its part is always empty."""


@dataclass(frozen=True)
class Parts:
    """How each part of a row is read; each reader raises ValueError with what is wrong."""

    name: Callable[[bytes], str]
    described: Remembered[tuple[str, str, str, str, str, str]]
    ratings: Sequence[Remembered[FideRating | None]]
    born_and_flag: Remembered[tuple[int | None, str]]


def players(rows: Iterable[tuple[int, Sequence[bytes] | str]], parts: Parts) -> Iterator[PlayerRow | Problem]:
    """The player of each row, or a :class:`Problem` with all that is wrong.

    A row has its line and its seven parts: ID, name, description, the ratings in the order of FideControl,
    birth and flag; or the reason why it cannot be taken apart.
    """
    name, described, end = parts.name, parts.described, parts.born_and_flag
    standard, rapid, blitz = parts.ratings
    for line, raw in rows:
        if isinstance(raw, str):
            yield Problem(line, raw)
            continue
        raw_id, raw_name, raw_described, raw_standard, raw_rapid, raw_blitz, raw_end = raw
        try:
            # Not by its name, which would take every row apart once more.
            row = tuple.__new__(
                PlayerRow,
                (
                    line, fide_id(raw_id), name(raw_name), *described[raw_described], standard[raw_standard],
                    rapid[raw_rapid], blitz[raw_blitz], *end[raw_end],
                ),
            )  # fmt: skip
        except ValueError:
            yield _problem(line, raw, parts)
            continue
        yield row


def _problem(line: int, raw: Sequence[bytes], parts: Parts) -> Problem:
    readers: tuple[Callable[[bytes], object], ...] = (
        fide_id, parts.name, parts.described.read, *(part.read for part in parts.ratings),
        parts.born_and_flag.read,
    )  # fmt: skip
    reasons = []
    for read, text in zip(readers, raw, strict=True):
        try:
            read(text)
        except ValueError as error:
            reasons.append(str(error))
    return Problem(
        line,
        "; ".join(reasons),
        {
            "fide_id": readable(in_latin_letters(raw[0])).strip(),
            "name": readable(in_latin_letters(raw[1])).strip(),
        },
    )
