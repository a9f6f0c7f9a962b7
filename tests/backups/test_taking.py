"""``manage.py backup``: one moment of the office, whole or not there."""

import errno
import json
import os
import shutil
import signal
import stat
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from foa.version import version
from ratings.rbb.backups import engines, manifest
from ratings.rbb.backups.taking import back_up, backups
from ratings.rbb.models import Game, RatingChange
from tests.backups.offices import shell, small_files
from tests.commands import run

pytestmark = pytest.mark.process

WRITER = """
import sys
from ratings.rbb.models import Game
from tests.arena import game
last = Game.objects.select_related("white", "black").latest("pk")
for number, line in enumerate(sys.stdin, 4):
    game(last.white, last.black, minute=10 * number)
    print(number, flush=True)
"""
KILLED = """
import signal, sys
from pathlib import Path
from ratings.rbb.backups import {module}
def hang(*arguments):
    print("half way", flush=True)
    signal.pause()
{module}.{name} = hang
from django.core.management import call_command
call_command("backup")
"""


@pytest.fixture
def saves(office, tmp_path):
    """Saves a game in another process, and returns when it is committed."""
    with shell(office.url, tmp_path, WRITER) as writer:

        def save():
            writer.stdin.write("save\n")
            writer.stdin.flush()
            assert writer.stdout.readline()

        yield save


def test_a_backup_has_the_database_the_uploads_and_a_manifest_for_its_owner_alone(office, backup):
    database = engines.engine().file
    told = json.loads((backup / "manifest.json").read_text())
    assert told["version"] == version()
    assert told["engine"] == connection.vendor
    assert backup.name == told["made"].replace("-", "").replace(":", "")
    assert "ratings.0001_version_0_15_0" in told["migrations"]
    assert (told["rows"]["ratings_game"], told["rows"]["ratings_ratingchange"]) == (3, 8)
    assert list(told["lists"]) == [
        "ratings.ratinglist 1", "otb.otblist 1", "otb.otblist 2", "league.cyclelist 1",
    ]  # fmt: skip
    assert {len(checksum) for checksum in told["lists"].values()} == {64}
    assert sorted(told["files"]) == [database, "uploads/a"]
    modes = {
        path.relative_to(backup).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in (backup, *backup.rglob("*"))
    }
    assert modes == {
        ".": 0o700, "uploads": 0o700, "uploads/a": 0o600, database: 0o600, "manifest.json": 0o600,
    }  # fmt: skip


def test_what_is_saved_while_a_backup_is_made_is_in_the_next_one(office, saves, monkeypatch):
    figures = manifest.figures

    def saved_before_they_are_counted():
        saves()
        return figures()

    with monkeypatch.context() as patch:
        patch.setattr(manifest, "figures", saved_before_they_are_counted)
        made = [back_up(office.backups) for _ in range(2)]
    assert [one.rows["ratings_game"] for _path, one in made] == [3, 4]
    assert [one.rows["ratings_ratingchange"] for _path, one in made] == [8, 10]
    assert (Game.objects.count(), RatingChange.objects.count()) == (5, 12)
    for path, _one in made:
        done = run("restore", "--drill", path)
        assert done.code == 0, done.err


def test_an_upload_that_comes_or_goes_while_a_backup_is_made_is_in_it(office, monkeypatch):
    figures = manifest.figures

    def meanwhile():
        (office.uploads / "a").unlink()
        (office.uploads / "b").write_bytes(b"later")
        return figures()

    monkeypatch.setattr(manifest, "figures", meanwhile)
    path, _made = back_up(office.backups)
    assert (path / "uploads" / "a").read_bytes() == b"brought by staff"
    assert (path / "uploads" / "b").read_bytes() == b"later"


@pytest.mark.parametrize(
    ("offices", "module", "name"),
    [("files", "manifest", "figures"), ("databases", "manifest", "figures"), ("files", "taking", "sync")],
    indirect=["offices"],
    ids=["SQLite copies", "PostgreSQL copies", "the manifest is written"],
)
def test_a_killed_backup_leaves_none_and_the_next_one_clears_up(office, tmp_path, module, name):
    with shell(office.url, tmp_path, KILLED.format(module=module, name=name)) as process:
        assert process.stdout.readline() == "half way\n"
        (left,) = office.backups.iterdir()
        refused = run("backup")
    assert process.returncode == -signal.SIGKILL
    assert (refused.code, refused.err) == (1, f"Another backup is being made in {office.backups}.")
    assert backups(office.backups) == []
    assert list(office.backups.glob("*/manifest.json")) == []
    assert list(left.rglob("*")) != []

    assert run("backup").code == 0
    assert list(office.backups.iterdir()) == backups(office.backups)


def test_a_backup_that_fails_leaves_nothing(office, monkeypatch):
    monkeypatch.setattr(manifest, "figures", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        back_up(office.backups)
    assert list(office.backups.iterdir()) == []


def test_the_newest_backups_are_kept_and_nothing_else_goes(office, backup):
    (office.backups / "notes").write_text("mine")
    later = [back_up(office.backups)[0] for _ in range(2)]
    done = run("backup", "--keep", 2)
    assert done.code == 0
    newest = Path(done.out.partition(": ")[0])
    assert backups(office.backups) == [newest, later[1]]
    assert {path.name for path in office.backups.iterdir()} == {newest.name, later[1].name, "notes"}
    assert run("backup", "--keep", 0).err == "--keep must be at least 1."


@pytest.mark.parametrize("offices", ["files"], indirect=True)
def test_no_backup_takes_the_place_of_another(office, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    path, _made = back_up(office.backups)
    (path / "mine").touch()
    assert run("backup").err == f"{path} exists."
    assert (path / "mine").exists()
    assert list(office.backups.iterdir()) == [path]


@pytest.mark.parametrize("offices", ["files"], indirect=True)
def test_a_damaged_database_is_not_backed_up(office):
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA writable_schema=ON")
        cursor.execute("UPDATE sqlite_schema SET rootpage = rootpage + 1 WHERE name = 'ratings_game'")
    connection.close()
    done = run("backup")
    assert done.code == 1
    assert done.err.startswith("The database is damaged: ")
    assert list(office.backups.iterdir()) == []


@pytest.mark.parametrize("offices", ["files"], indirect=True)
def test_a_full_disk_stops_a_backup_with_a_sentence(office):
    with small_files():
        done = run("backup")
    assert (done.code, done.err) == (1, "No backup was made: disk I/O error.")
    assert list(office.backups.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_named(office, tmp_path):
    file = tmp_path / "file"
    file.touch()
    assert run("backup", file).err == f"{file} isn’t a directory."
    assert run("backup", file / "below").err == f"No backup was made: {file / 'below'}: Not a directory."


@pytest.mark.parametrize("offices", ["files"], indirect=True)
def test_an_old_backup_that_cannot_be_deleted_is_named_beside_the_one_that_was_made(
    office, backup, monkeypatch
):
    def not_permitted(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", not_permitted)
    done = run("backup", "--keep", 1)
    monkeypatch.undo()
    made = backups(office.backups)[0]
    assert made != backup
    assert (done.code, done.err) == (
        1,
        f"{made} was made, but {backup} couldn’t be deleted: {backup / 'manifest.json'}: Permission denied.",
    )


@pytest.mark.parametrize("offices", ["databases"], indirect=True)
def test_the_programs_of_postgresql_are_missing_or_too_old(office, tmp_path, monkeypatch):
    server = connection.pg_version // 10_000
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    done = run("backup")
    assert done.code == 1
    assert done.err == f"pg_dump isn’t on the PATH. Install the programs of PostgreSQL {server}."
    (programs / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n")
    (programs / "pg_dump").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{Path(shutil.which('sh', path=os.defpath)).parent}")
    assert run("backup").err == (
        f"{programs}/pg_dump is too old for PostgreSQL {server}: pg_dump (PostgreSQL) 9.6.24."
    )
    assert list(office.backups.iterdir()) == []
