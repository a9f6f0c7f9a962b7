"""``manage.py restore``: what was backed up comes back, proven, or nothing changes."""

import json
import signal

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from foa.monitoring.health import OLDEST
from foa.version import version
from ratings.office.audit import audit, checks
from ratings.office.models import AuditFinding, Epoch
from ratings.office.outbox import reached
from ratings.rbb.backups import manifest
from ratings.rbb.backups.engines import engine
from ratings.rbb.backups.manifest import Manifest
from ratings.rbb.backups.taking import back_up
from ratings.rbb.models import Game, Rating, RatingList
from tests.arena import projections
from tests.backups.offices import shell, small_files
from tests.commands import run
from tests.databases import opened
from tests.deployment.versions import applied

pytestmark = pytest.mark.process


KILLED = """
import signal
from ratings.rbb.backups import restoring
def hang(**options):
    print("half way", flush=True)
    signal.pause()
restoring.replay = hang
from django.core.management import call_command
import os
call_command("restore", *{arguments}, replace="{replace}", stdout=open(os.devnull, "w"))
"""


def rewritten(backup, **changes):
    """The backup with another manifest, which has its checksum."""
    content = json.loads((backup / "manifest.json").read_text())
    del content["checksum"]
    (backup / "manifest.json").write_text(Manifest(**content | changes).text())
    return backup


def name():
    return engine().name()


def test_a_backup_is_restored_into_an_empty_database_with_all_that_was_there(
    offices, office, backup, settings, tmp_path
):
    was, figures = projections(), manifest.figures()
    settings.UPLOAD_DIR = tmp_path / "other-uploads"
    empty = offices.empty()
    with opened(empty):
        done = run("restore", backup)
        assert done.code == 0, done.err
        assert projections() == was
        there = manifest.figures()
        assert there.lists == figures.lists
        changed = {table for table, rows in there.rows.items() if rows != figures.rows[table]}
        assert changed == {"office_auditedcheck", "office_epoch"}
        assert run("replay", "--check").code == 0
        restored = name()
    assert (settings.UPLOAD_DIR / "a").read_bytes() == b"brought by staff"
    told = done.out.splitlines()
    assert told[0].endswith(f"version {version()}: every file has its SHA-256.")
    assert told[1] == (
        f"{sum(figures.rows.values())} rows in {len(figures.rows)} tables: the same as in the backup."
    )
    assert told[2:5] == [
        "4 published lists: the same checksums as in the backup.",
        "Replay: 5 events give the ledger and the ratings.",
        f"Audit: {len(checks())} checks, no new findings.",
    ]
    assert told[5] == f"Restored as {restored}."
    assert told[6] == "Followers of the change feed will start again."
    assert told[7].startswith("The backup is in place: ")
    assert offices.databases(empty) == [restored]


def test_each_restore_begins_an_epoch_of_its_own_and_a_drill_none(offices, office, backup):
    epochs = [reached().epoch]
    assert run("restore", "--drill", backup).code == 0
    assert reached().epoch == ""
    for _ in range(2):
        connection.close()
        done = run("restore", backup, "--replace", name())
        assert done.code == 0, done.err
        epochs.append(reached().epoch)
    assert len(set(epochs)) == 3
    # The second replaced what the first had begun: a backup knows nothing of later epochs.
    assert Epoch.objects.count() == 1


def test_a_database_that_is_not_empty_is_replaced_only_by_its_name_and_kept(offices, office, backup):
    Game.objects.get(pk=1).delete()
    for wrong in ((), ("--replace", "another")):
        refused = run("restore", backup, *wrong)
        assert (refused.code, refused.err) == (
            1,
            f"The database {name()} isn’t empty. To put the backup in its place, add --replace {name()}.",
        )
    connection.close()
    done = run("restore", backup, "--replace", name())
    assert done.code == 0, done.err
    assert Game.objects.count() == 3
    connection.close()
    own, kept = offices.databases(office.url)
    assert (own, kept.startswith(f"{name()}-replaced-")) == (name(), True)
    with opened(office.url.replace(own, kept)):
        assert Game.objects.count() == 2


def test_a_database_that_others_use_is_not_replaced(offices, office, backup):
    Game.objects.get(pk=1).delete()
    own, users = name(), connection.copy()
    with users.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM ratings_game")
        try:
            refused = run("restore", backup, "--replace", own)
        finally:
            users.close()
    assert (refused.code, refused.err) == (
        1,
        f"{own} is in use. Stop the site and the worker, then restore again.",
    )
    assert Game.objects.count() == 2


@pytest.mark.parametrize("damaged", ["manifest.json", "database", "uploads/a"])
def test_one_flipped_byte_is_found_before_anything_is_restored(offices, backup, damaged):
    path = backup / (engine().file if damaged == "database" else damaged)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    for arguments in (("--drill",), ("--replace", name())):
        refused = run("restore", backup, *arguments)
        assert refused.code == 1
        assert refused.err.startswith(f"{path} is damaged")
        assert refused.out == ""
    path.unlink()
    assert run("restore", "--drill", backup).err == (
        f"{backup} isn’t a backup: it has no manifest.json."
        if damaged == "manifest.json"
        else f"{path} is missing. Take another backup."
    )


def test_a_backup_of_a_newer_version_or_another_engine_is_refused(backup):
    for changes in (
        {"version": "99.0.0"},
        {"version": version(), "migrations": ["admin.0001_initial", "ratings.0999_of_next_year"]},
    ):
        refused = run("restore", "--drill", rewritten(backup, **changes))
        assert (refused.code, refused.err) == (
            1,
            f"The backup was made by version {changes['version']}, and this is version {version()}. "
            "Install the version of the backup or a newer one.",
        )
    refused = run("restore", "--drill", rewritten(backup, migrations=[], engine="oracle"))
    assert refused.err == f"The backup is from oracle, but DATABASE_URL is for {connection.vendor}."


def test_a_backup_of_an_older_version_is_migrated(offices, office):
    rows = MigrationRecorder.Migration.objects
    first = [("foa", "0001_version_0_15_0")]
    now = list(rows.filter(app="foa").values_list("app", "name"))
    # Tables of later migrations are there: only what the first one replaces is taken back.
    before = [name for name in {*applied(OLDEST), *now} if name[0] == "foa" and name not in first]
    rows.filter(app="foa").delete()
    rows.bulk_create(MigrationRecorder.Migration(app=app, name=name) for app, name in before)
    backup, _made = back_up(office.backups)
    rewritten(backup, version=OLDEST)
    rows.filter(app="foa").delete()
    rows.bulk_create(MigrationRecorder.Migration(app=app, name=name) for app, name in now)
    with opened(offices.empty()):
        done = run("restore", backup)
        assert done.code == 0, done.err
        assert f"Migrated from version {OLDEST} to {version()}." in done.out.splitlines()
        assert set(first) <= set(MigrationRecorder(connection).applied_migrations())


def test_a_backup_that_is_too_old_says_which_version_reads_it(backup):
    refused = run("restore", "--drill", rewritten(backup, version="0.14.0", migrations=["foa.0001_sessions"]))
    assert (refused.code, refused.err) == (
        1,
        "The backup was made by version 0.14.0, and this version reads only backups from 0.15.0 or later. "
        "Restore it with 0.15.0, then upgrade.",
    )


def test_a_killed_restore_changes_nothing_and_the_next_one_clears_up(offices, office, backup, tmp_path):
    Game.objects.get(pk=1).delete()
    connection.close()
    before = offices.databases(office.url)
    with shell(office.url, tmp_path, KILLED.format(arguments=[str(backup)], replace=name())) as process:
        assert process.stdout.readline() == "half way\n"
        refused = run("restore", "--drill", backup)
    assert process.returncode == -signal.SIGKILL
    assert (refused.code, refused.err) == (1, "Another backup is being restored.")
    assert Game.objects.count() == 2
    connection.close()
    assert set(offices.databases(office.url)) > set(before)
    assert run("restore", "--drill", backup).code == 0
    connection.close()
    assert offices.databases(office.url) == before


KILLED_WHILE_EXCHANGED = """
import os, signal
from pathlib import Path
def hang(*arguments):
    print("half way", flush=True)
    signal.pause()
from ratings.rbb.backups import engines, restoring
{patch}
from django.core.management import call_command
call_command("restore", {backup!r}, replace={name!r}, stdout=open(os.devnull, "w"))
"""


@pytest.mark.parametrize("offices", ["files"], indirect=True)
@pytest.mark.parametrize(
    ("step", "games"),
    [("Path.replace = hang", 2), ("engines.sync = hang", 3)],
    ids=["before", "after"],
)
def test_the_office_has_its_whole_database_wherever_an_exchange_is_killed(
    offices, office, backup, tmp_path, step, games
):
    Game.objects.get(pk=1).delete()
    code = KILLED_WHILE_EXCHANGED.format(patch=step, backup=str(backup), name=name())
    connection.close()
    with shell(office.url, tmp_path, code) as process:
        assert process.stdout.readline() == "half way\n"
    assert process.returncode == -signal.SIGKILL
    assert Game.objects.count() == games
    connection.close()
    own, kept, *_left = offices.databases(office.url)
    assert (own, kept.startswith(f"{own}-replaced-")) == (name(), True)
    with opened(office.url.replace(own, kept)):
        assert Game.objects.count() == 2
    assert run("restore", backup, "--replace", name()).code == 0
    assert Game.objects.count() == 3


def test_a_file_that_the_manifest_does_not_name_is_refused(offices, office, backup):
    strange = backup / "uploads" / "strange"
    strange.write_text("brought by nobody")
    for arguments in (("--drill",), ("--replace", name())):
        refused = run("restore", backup, *arguments)
        assert (refused.code, refused.out) == (1, "")
        assert refused.err == (
            f"{strange} isn’t part of the backup: manifest.json doesn’t list it. Move it elsewhere."
        )
    assert not (office.uploads / "strange").exists()


def test_a_manifest_that_names_no_files_or_other_kinds_of_values_is_refused(backup):
    for path in (backup / "uploads" / "a", backup / engine().file):
        path.unlink()
    assert run("restore", "--drill", rewritten(backup, files={})).err == (
        f"{backup} isn’t a complete backup: manifest.json doesn’t list {engine().file}."
    )
    for changes in ({"files": [engine().file]}, {"rows": None}, {"made": 7}):
        refused = run("restore", "--drill", rewritten(backup, **changes))
        assert refused.err == f"{backup / 'manifest.json'} is damaged. Take another backup."


def test_a_backup_without_uploads_is_restored_where_their_directory_was_lost(offices, office):
    (office.uploads / "a").unlink()
    backup, _made = back_up(office.backups)
    (backup / "uploads").rmdir()
    with opened(offices.empty()):
        done = run("restore", backup)
        assert done.code == 0, done.err


def test_what_is_no_directory_is_no_backup(backup):
    file = backup / "manifest.json"
    assert run("restore", "--drill", file).err == f"{file} isn’t a backup: it has no manifest.json."


@pytest.mark.parametrize("offices", ["files"], indirect=True)
def test_a_full_disk_stops_a_drill_with_a_sentence(office, backup):
    with small_files():
        done = run("restore", "--drill", backup)
    assert (done.code, done.out.count("\n")) == (1, 1)
    assert done.err.startswith("Nothing was restored: ")
    assert done.err.endswith(": File too large.")


@pytest.mark.parametrize("what", ["rows", "lists"])
def test_a_backup_that_is_not_what_its_manifest_says_is_not_put_in_place(offices, office, backup, what):
    before = offices.databases(office.url)
    told = json.loads((backup / "manifest.json").read_text())[what]
    of = {"rows": "ratings_game", "lists": "ratings.ratinglist 1"}[what]
    other = {"rows": 4, "lists": "0" * 64}[what]
    rewritten(backup, **{what: {**told, of: other}})
    noun = {"rows": "rows", "lists": "checksum"}[what]
    connection.close()
    refused = run("restore", backup, "--replace", name())
    assert (refused.code, refused.err) == (
        1,
        f"{of}: {noun} {other} in the backup, {told[of]} when restored. Nothing was put in place.",
    )
    assert offices.databases(office.url) == before


def test_a_drill_proves_the_latest_backup_and_leaves_nothing(offices, office, backup):
    before = offices.databases(office.url)
    Game.objects.get(pk=1).delete()
    _path, made = back_up(office.backups)
    done = run("restore", "--drill", "--latest")
    assert done.code == 0, done.err
    assert done.out.startswith(f"Backup of {made.made}, ")
    assert done.out.splitlines()[-1].startswith("The backup can be restored: ")
    assert offices.databases(office.url) == before
    assert (Game.objects.count(), AuditFinding.objects.count()) == (2, 0)


def test_without_a_backup_there_is_no_latest_one(office):
    refused = run("restore", "--drill", "--latest")
    assert (refused.code, refused.err) == (1, f"There are no backups in {office.backups} (BACKUP_DIR).")


def test_a_drill_says_what_contradicts_the_rules_but_not_what_the_office_knows_of(office):
    Rating.objects.filter(pk=Rating.objects.earliest("pk").pk).update(rating=1500)
    RatingList.objects.get().entries.filter(rank=1).update(rating=1800)
    back_up(office.backups)
    done = run("restore", "--drill", "--latest")
    assert done.code == 1
    assert "but the checks found problems: see above." in done.err
    replayed = "  replay --check: rows that don’t match the inputs: 1"
    assert replayed in done.out.splitlines()
    assert len(faults(done)) == 3
    assert "its lines don’t match its checksum" in done.out

    audit()
    back_up(office.backups)
    done = run("restore", "--drill", "--latest")
    assert done.code == 1
    assert faults(done) == [replayed]


def faults(done):
    """What was found, indented."""
    return [line for line in done.out.splitlines() if line.startswith("  ")]


@pytest.mark.parametrize("offices", ["databases"], indirect=True)
def test_who_may_not_create_databases_is_told_how_to(offices, backup):
    empty = offices.empty()
    offices.run("ALTER ROLE foa NOCREATEDB")
    try:
        with opened(empty):
            refused = run("restore", backup)
    finally:
        offices.run("ALTER ROLE foa CREATEDB")
    assert (refused.code, refused.err) == (
        1,
        "permission denied to create database: a backup is restored into a new database. "
        'As a superuser, run: ALTER ROLE "foa" CREATEDB',
    )
