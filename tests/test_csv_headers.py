"""Every import of CSV: a header that lacks a column or has one twice ends in words (issue 16)."""

import io
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from typing import Any, Final

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from members.comparing import compare_members
from members.importing import COLUMNS as MEMBERS
from members.importing import import_members
from ratings.fide.services import announcing
from ratings.formats import games, league
from ratings.formats.csv_rows import IGNORED, read_rows
from ratings.formats.problems import FileRefused
from ratings.rbb.ledger import openings
from ratings.rbb.ledger.game_files import import_games

AT: Final = datetime(2026, 11, 22, tzinfo=UTC)
OPENINGS: Final = (*openings.COLUMNS, *openings.OPTIONAL_COLUMNS)


def _openings(data: io.BytesIO) -> Any:
    rows = read_rows(data, required=openings.COLUMNS, optional=openings.OPTIONAL_COLUMNS)
    return openings.import_openings(rows=rows, source="x.csv", sha256="", at=AT)


def _games(data: io.BytesIO) -> Any:
    rows = games.read_games_csv(data)
    return import_games(rows=rows, source="x.csv", sha256="", at=AT, create_members=True)


def _changes(data: io.BytesIO) -> Any:
    rows = read_rows(data, required=announcing.COLUMNS)
    return announcing.refused_rows(rows, date(2026, 3, 1))


def _members(data: io.BytesIO) -> Any:
    return import_members(rows=read_rows(data, required=MEMBERS))


def _update(data: io.BytesIO) -> Any:
    return compare_members(rows=read_rows(data, required=MEMBERS))


Import = tuple[Callable[[io.BytesIO], Any], tuple[str, ...], Iterable[str], str]
IMPORTS: Final[dict[str, Import]] = {
    "members": (_members, MEMBERS, (), 'anna,"Berg, Anna",1500001,NOR,F,1990,WGM,2020-01-01,'),
    "members, updated": (_update, MEMBERS, (), 'anna,"Berg, Anna",1500001,NOR,F,1990,WGM,2020-01-01,'),
    "first ratings": (_openings, OPENINGS, openings.OPTIONAL_COLUMNS, "anna,blitz,1500,2026-01-01,3,no"),
    "games": (
        _games,
        games.COLUMNS,
        (),
        "g1,anna,bob,180+2,yes,1-0,mate,2026-03-01T10:00:00Z,2026-03-01T10:05:00Z",
    ),
    "over-the-board changes": (_changes, announcing.COLUMNS, (), "1500001,2026-03,5,-3.5"),
    "squads": (lambda data: list(league.read_squads(data)), league.SQUAD_COLUMNS, (), "Anna,Lund,1500,30,no"),
    "rounds": (
        lambda data: list(league.read_rounds(data)),
        league.ROUND_COLUMNS,
        (),
        "1,Lund,Oslo,1,Anna,Bob,1-0",
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", IMPORTS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_header_that_is_not_the_expected_one_is_refused_in_words(name: str, data: st.DataObject) -> None:
    read, columns, optional, row = IMPORTS[name]
    header = list(columns)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(header)))
        other = data.draw(st.sampled_from([*columns, *IGNORED, "", " ", "\u0130", '"', "\ufeff", "\x0b"]))
        action = data.draw(st.sampled_from(["remove", "insert", "replace", "append", "capitals"]))
        if action == "insert":
            header.insert(place, other)
        elif action == "capitals":
            header = [column.upper() for column in header]
        else:
            header[place : place + 1] = {"remove": [], "replace": [other]}.get(
                action, [*header[place : place + 1], other]
            )
    text = f"{','.join(header)}\n{row}{',' * max(len(header) - len(columns), 0)}\n"
    plain = ",".join(column.strip().lower().strip("\ufeff") for column in header).rstrip(",").split(",")
    sound = len(plain) == len(set(plain)) and {*columns}.difference(optional) <= {*plain} <= {
        *columns,
        *IGNORED,
    }
    with transaction.atomic():
        try:
            read(io.BytesIO(text.encode()))
        except FileRefused as refused:
            said = str(refused)
            assert "the columns must be " in said or "the file is empty" in said
        else:
            assert sound
        transaction.set_rollback(True)


@pytest.mark.django_db
@pytest.mark.parametrize("name", IMPORTS)
def test_each_column_that_is_missing_or_stands_twice_is_named(name: str) -> None:
    read, columns, optional, row = IMPORTS[name]
    for column in set(columns).difference(optional):
        without = ",".join(one for one in columns if one != column)
        with pytest.raises(FileRefused, match=f"^line 1: columns missing: “{column}”; the columns must be"):
            read(io.BytesIO(f"{without}\n{row}\n".encode()))
    for column in (*columns, *IGNORED):
        twice = ",".join((*columns, *IGNORED, column))
        with pytest.raises(FileRefused, match=f"^line 1: columns repeated: “{column}”; the columns must be"):
            read(io.BytesIO(f"{twice}\n{row},,\n".encode()))
