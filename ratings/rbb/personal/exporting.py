"""Everything stored about a member, as a ZIP file that is created while it is sent."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.http import HttpResponseBase

from foa.files import download
from foa.spreadsheet import csv_pieces
from members.models import Member
from ratings.office.personal import Table
from ratings.office.relations import declarations, refuse_undeclared
from ratings.rbb.personal.people import person_of

_README = """What the rating office has stored about you.

Each table is here twice: for spreadsheets (.csv) and for programs (.json). All moments are in UTC. A column
"…_in_words" says what the codes in the column before it mean.
docs/privacy.md of the office's software says why each of these is stored and for how long.
"""
_WITHOUT = """
Notes that staff wrote for each other are not in this file. Ask the office for them.
"""


class _Sink(io.RawIOBase):
    """A buffer for the archive's output until it is sent on."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: Any) -> int:
        """Keep the data until it is taken."""
        self._pieces.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


def export_pieces(member: Member, *, for_staff: bool) -> Iterator[bytes]:
    """Return the pieces of the ZIP file. ``for_staff``: include what staff wrote for each other.

    Raises ValidationError if a relation to members isn't declared.
    """
    refuse_undeclared(Member)
    return _pieces(member, for_staff)


def export_response(member: Member, *, for_staff: bool) -> HttpResponseBase:
    """Return the ZIP file as a download."""
    response = download(
        lambda: export_pieces(member, for_staff=for_staff), f"member-{member.pk}.zip", "application/zip"
    )
    response["Cache-Control"] = "private, no-store"
    return response


def _pieces(member: Member, for_staff: bool) -> Iterator[bytes]:
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _README + ("" if for_staff else _WITHOUT))
        for ending, write in (("csv", _csv), ("json", _json)):
            for one in tables_of(member, for_staff=for_staff):
                with archive.open(f"{one.name}.{ending}", "w") as file:
                    for text in write(one):
                        file.write(text.encode())
                        if piece := sink.taken():
                            yield piece
    yield sink.taken()


def tables_of(member: Member, *, for_staff: bool) -> Iterator[Table]:
    """Yield every table, including empty ones: they show that nothing is stored."""
    person = person_of(member)
    for declaration in declarations():
        for one in declaration.tables(person):
            if for_staff or not one.for_staff:
                yield one


def _csv(one: Table) -> Iterator[str]:
    return csv_pieces(one.columns, one.rows)


def _json(one: Table) -> Iterator[str]:
    between = "[\n"
    for row in one.rows:
        yield between + json.dumps(dict(zip(one.columns, row, strict=True)), ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"
