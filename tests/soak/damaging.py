"""Files of every format, and damage of every kind."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Sequence
from io import BytesIO
from typing import Final

import openpyxl

from ratings.formats.games import COLUMNS as GAMES
from ratings.formats.league import ROUND_COLUMNS, SQUAD_COLUMNS
from tests.formats.frl_text import SMALL_XML, TXT_LISTS
from tests.formats.pgn_text import pgn
from tests.formats.trf_text import OLD, SWISS, TEAMS


def in_csv(*rows: Sequence[str]) -> bytes:
    """A file of these rows, which need no quotation marks."""
    return "".join(",".join(row) + "\r\n" for row in rows).encode()


def in_xlsx(*rows: Sequence[str]) -> bytes:
    """The same as a workbook."""
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(list(row))
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def _packed(name: str, data: bytes) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


_TABLES: Final[tuple[tuple[Sequence[str], ...], ...]] = (
    (
        GAMES,
        ("1", "p1", "p2", "180+2", "1", "1-0", "time", "2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z"),
        ("2", "p3", "p4", "60+0", "0", "½-½", "agreement", "01.03.2026 10:00", "01.03.2026 10:01"),
    ),
    (
        ("username", "category", "rating", "effective_at", "games", "previously_unrated"),
        ("p5", "rapid", "1800.00", "2026-03-01T00:00:00Z", "30", "1"),
    ),
    (
        (
            "username",
            "name",
            "fide_id",
            "federation",
            "sex",
            "birth_year",
            "title",
            "full_from",
            "full_until",
        ),
        ("new1", "Berg Anna", "30012345", "NOR", "F", "1971", "WGM", "2026-01-01", ""),
    ),
    (SQUAD_COLUMNS, ("Krog Ole", "Oslo", "1900", "20", "")),
    (ROUND_COLUMNS, ("1", "Oslo", "Bergen", "1", "Krog Ole", "Berg Anna", "1-0")),
    (("fide_id", "period", "rapid", "blitz"), ("30012345", "2026-10", "3.5", "-2")),
)
_GAME: Final = {
    **{"id": "4711", "white": "p1", "black": "p2", "time_control": "180+2", "result": "1-0", "plies": 61},
    **{"started_at": "2026-03-01T10:00:00Z", "ended_at": "2026-03-01T10:05:00Z", "termination": "time"},
}

SAMPLES: Final = {
    ".csv": [in_csv(*table) for table in _TABLES],
    ".xlsx": [in_xlsx(*table) for table in _TABLES],
    ".pgn": [pgn().encode() * 2, pgn("1. d4 {[%clk 0:03:00]} d5 (1... f5) 2. c4 $1 1/2-1/2").encode()],
    ".trf": [text.encode() for text in (SWISS, OLD, TEAMS)],
    ".txt": [text.encode("latin-1") for text in TXT_LISTS.values()],
    ".xml": [SMALL_XML.encode(), _packed("list.xml", SMALL_XML.encode())],
    ".json": [json.dumps(_GAME).encode()],
}
"""By the ending of their names."""

_TOKENS: Final = (
    *(b"\0", b"\r", b"\n", b'"', b"'", b",", b";", b"\t", b"{", b"}", b"[", b"]", b"<", b">", b"&", b"\\"),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"PK\x03\x04", b"\x1a", "١٢".encode(), "½".encode()),
    *(
        b"9" * 400,
        b"-1",
        b"1e999",
        b"NaN",
        b"null",
        b"true",
        b"=1+1",
        b"9999-12-31",
        b"0000-00-00",
        b" " * 99,
    ),
    *(
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
        b"&a;",
        b"]]>",
        b"{[%clk 99:99:99]}",
        b"((((",
        b"))))",
        b"1-0",
        b"*",
    ),
)


def damaged(data: bytes, dice: random.Random) -> bytes:
    """The same with some damage: bytes changed, lost, doubled, exchanged or put in between."""
    for _ in range(dice.choice((1, 1, 2, 4, 8))):
        start = dice.randrange(len(data) + 1)
        end = min(len(data), start + dice.choice((1, 2, 8, 40, 200)))
        piece = data[start:end]
        new = dice.choice(
            (
                b"",
                piece * 2,
                piece[::-1],
                dice.choice(_TOKENS),
                piece + dice.choice(_TOKENS),
                dice.randbytes(len(piece)),
                piece.swapcase(),
            )
        )
        data = data[:start] + new + data[end:]
    if dice.random() < 0.1:
        data = data[: dice.randrange(len(data) + 1)]
    return data
