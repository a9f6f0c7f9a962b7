"""Importing a FIDE rating list: what is in force afterwards, and what is kept of members."""

import io
import zipfile
from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.fide.models import FideList, FidePlayer
from ratings.fide.services import lists
from ratings.fide.services.lists import Listeners
from ratings.formats.frl import FideControl, combined_xml
from tests.arena import member
from tests.commands import run
from tests.fide.office import (
    NOVEMBER,
    OCTOBER,
    bring,
    combined,
    everything,
    history,
    in_force,
    listed,
    single,
)
from tests.formats.frl_text import BERG, COMBINED_TXT, KROG, SMALL_XML

pytestmark = pytest.mark.django_db

RAPID = FideControl.RAPID
MANY = [listed(number, f"Berg, Anna{number}", 1800 + number, 1700, 1600) for number in range(1, 41)]

AGAIN = b"\r\n"
"""A blank line makes another file of a list."""


def figures(fide_list):
    return (fide_list.rows, fide_list.refused, fide_list.added, fide_list.changed, fide_list.removed)


def versions():
    """Where PostgreSQL keeps each row, and which transactions wrote or locked it."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT fide_id, ctid::text, xmin::text, xmax::text FROM fide_fideplayer ORDER BY 1")
        return cursor.fetchall()


def columns(fide_id):
    return FidePlayer.objects.filter(pk=fide_id).values_list().get()


@pytest.mark.parametrize("text", [COMBINED_TXT, SMALL_XML])
def test_every_value_of_a_row_is_in_force(text):
    bring(OCTOBER, text.encode())
    assert columns(30012345) == (
        30012345,
        "Berg, Anna Maria",
        "BERG, ANNA MARIA",
        "NOR",
        "F",
        "WGM",
        "WGM",
        "IA,FST,IO",
        "AGM",
        2235,
        9,
        20,
        2191,
        0,
        20,
        2200,
        12,
        15,
        1971,
        "w",
        False,
        False,
    )
    assert columns(499) == (
        499,
        "Krog",
        "KROG",
        "NON",
        "M",
        "",
        "",
        "",
        "",
        1709,
        0,
        40,
        None,
        0,
        0,
        None,
        0,
        0,
        None,
        "i",
        False,
        False,
    )
    assert (BERG.fide_id, KROG.fide_id) == (30012345, 499)


def test_a_list_in_its_archive_is_read_as_it_is():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("players_list_foa.txt", COMBINED_TXT)
    bring(OCTOBER, packed.getvalue())
    assert set(in_force()) == {499, 30012345}


@pytest.mark.parametrize("name", ["O\\Brien, \\N", "Tab\\tley", "Müller, Łukasz", "=cmd", "'; DROP TABLE"])
def test_a_name_comes_into_the_database_as_it_stands(name):
    for period, before in ((OCTOBER, ()), (NOVEMBER, (listed(2),))):
        row = listed(1, name)
        bring(period, b"".join(combined_xml([row, *before])), force=True)
        assert FidePlayer.objects.get(pk=1).name == name
        FidePlayer.objects.filter(pk=1).delete()


def test_a_first_list_says_who_came():
    result = bring(OCTOBER, combined(*MANY))
    assert result.put_in_force == tuple(FideControl)
    assert figures(result.fide_list) == (40, 0, 40, 0, 0)
    assert str(result.fide_list) == "October 2025 FIDE rating list"


def test_the_keys_and_indexes_of_the_players_are_after_a_first_list_what_they_were():
    def keys():
        with connection.cursor() as cursor:
            return connection.introspection.get_constraints(cursor, FidePlayer._meta.db_table)

    before = keys()
    assert {"fide_player_by_name", "fide_player_by_federation"} < set(before)
    assert [key["columns"] for key in before.values() if key["primary_key"]] == [["fide_id"]]
    bring(OCTOBER, combined(*MANY))
    assert keys() == before


def test_a_second_list_writes_only_what_differs_and_removes_who_is_gone():
    bring(OCTOBER, combined(*MANY))
    changed = MANY[1]._replace(title="WGM")
    result = bring(NOVEMBER, combined(changed, *MANY[2:], listed(99, "New, Nora")))
    assert figures(result.fide_list) == (40, 0, 1, 1, 1)
    assert 1 not in in_force()
    assert FidePlayer.objects.get(pk=2).title == "WGM"
    assert in_force()[99] == ("New, Nora", None, None, None)


def test_a_second_list_that_says_the_same_touches_no_row():
    bring(OCTOBER, combined(*MANY))
    before = versions()
    result = bring(NOVEMBER, combined(*MANY) + AGAIN)
    assert figures(result.fide_list) == (40, 0, 0, 0, 0)
    assert versions() == before


def test_the_same_file_again_is_nothing_to_do(tmp_path):
    file = tmp_path / "list.txt"
    file.write_bytes(combined(*MANY))
    assert run("import_frl", file, "--period", "2025-10").code == 0
    before = everything()
    again = run("import_frl", file, "--period", "2025-10")
    assert again.code == 0
    assert "October 2025 FIDE rating list: this file was already imported on " in again.out
    assert again.out.endswith(". Nothing to do.\n")
    assert everything() == before


def test_an_older_list_only_adds_to_the_history_of_members():
    who = member(fide_id=1)
    bring(NOVEMBER, combined(*MANY))
    stood = in_force()
    result = bring(OCTOBER, combined(listed(1, rapid=1650), listed(2)))
    assert result.put_in_force == ()
    assert figures(result.fide_list) == (2, 0, 0, 0, 0)
    assert in_force() == stood
    assert FideList.objects.in_force(RAPID).period == NOVEMBER
    assert history(who.fide_id) == {
        "2025-10 standard": (None, 0),
        "2025-10 rapid": (1650, 5),
        "2025-10 blitz": (None, 0),
        "2025-11 standard": (1801, 5),
        "2025-11 rapid": (1700, 5),
        "2025-11 blitz": (1600, 5),
    }


def test_a_list_of_one_control_changes_only_that_control():
    bring(OCTOBER, combined(*MANY))
    moved = [row._replace(rapid=row.rapid._replace(rating=1750)) for row in MANY[:10]]
    new = listed(99, "New, Nora", rapid=1500)
    result = bring(NOVEMBER, single(RAPID, NOVEMBER, *moved, *MANY[10:38], new), control=RAPID)
    assert result.put_in_force == (RAPID,)
    assert figures(result.fide_list) == (39, 0, 1, 10, 2)
    assert in_force()[1] == ("Berg, Anna1", 1801, 1750, 1600)
    assert in_force()[40] == ("Berg, Anna40", 1840, None, 1600)
    assert in_force()[99] == ("New, Nora", None, 1500, None)
    assert [FideList.objects.in_force(one).period for one in FideControl] == [OCTOBER, NOVEMBER, OCTOBER]


def test_a_combined_list_older_than_one_of_a_control_leaves_that_control_and_names_alone():
    bring(NOVEMBER, single(RAPID, NOVEMBER, listed(1, "Newname, Anna", rapid=1750)), control=RAPID)
    result = bring(
        OCTOBER,
        combined(listed(1, "Oldname, Anna", 1801, 1700, 1600), listed(2, "B", rapid=1500)),
        force=True,
    )
    assert result.put_in_force == (FideControl.STANDARD, FideControl.BLITZ)
    assert in_force() == {1: ("Newname, Anna", 1801, 1750, 1600), 2: ("B", None, None, None)}


def test_history_is_kept_of_members_alone_and_says_also_that_somebody_is_not_rated():
    member(fide_id=1)
    member(fide_id=77)
    bring(OCTOBER, combined(*MANY))
    assert history(1) == {
        "2025-10 standard": (1801, 5),
        "2025-10 rapid": (1700, 5),
        "2025-10 blitz": (1600, 5),
    }
    assert set(history(77).values()) == {(None, 0)}
    assert history(2) == {}


def test_who_came_on_the_books_after_an_import_gets_his_history_with_the_next():
    bring(OCTOBER, combined(*MANY))
    member(fide_id=1)
    assert history(1) == {}
    bring(NOVEMBER, combined(*MANY) + AGAIN)
    assert sorted(history(1)) == [
        f"2025-{month} {control}" for month in (10, 11) for control in sorted(FideControl)
    ]


def test_a_further_list_of_a_month_takes_the_place_of_the_first():
    member(fide_id=1)
    bring(OCTOBER, combined(*MANY))
    result = bring(OCTOBER, combined(listed(1, "Berg, Anna1", 1811, 1700, 1600), *MANY[1:]))
    assert figures(result.fide_list) == (40, 0, 0, 1, 0)
    assert history(1)["2025-10 standard"] == (1811, 5)


def test_refused_rows_are_told_with_line_and_reason_and_left_out(tmp_path):
    good = combined(*(listed(number, rapid=1500) for number in range(1, 2001)))
    lines = good.splitlines(keepends=True)
    lines[1000] = lines[1000].replace(b"1500", b"9999")
    file, refused = tmp_path / "list.txt", tmp_path / "refused.csv"
    file.write_bytes(b"".join(lines))
    done = run("import_frl", file, "--period", "2025-10", "--refused", refused)
    assert done.code == 0
    assert "refused, line 1001: rapid rating: 9999 is above 3500" in done.err
    assert "read 2000 rows, 1999 players, 1 refused" in done.out
    assert refused.read_text("utf-8").splitlines() == [
        "fide_id,name,line,reason",
        '1000,"Berg, Anna",1001,rapid rating: 9999 is above 3500',
    ]
    assert 1000 not in in_force()


def test_an_import_tells_how_far_it_has_come():
    told = []
    bring(OCTOBER, combined(*MANY), told=Listeners(progress=told.append))
    assert told == [40]


def test_as_many_statements_for_many_rows_as_for_few():
    few = CaptureQueriesContext(connection)
    with few:
        bring(OCTOBER, combined(*MANY[:20]))
    FidePlayer.objects.all().delete()
    FideList.objects.all().delete()
    with CaptureQueriesContext(connection) as many:
        bring(OCTOBER, combined(*MANY))
    assert len(many) == len(few)


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("OCT26", date(2026, 10, 1)),
        ("mar14", date(2014, 3, 1)),
        ("Sept05", date(2005, 9, 1)),
        ("JAN01", date(2001, 1, 1)),
        ("XYZ10", None),
        ("", None),
    ],
)
def test_the_month_of_a_header_is_understood(text, month):
    assert lists.month_named(text) == month
