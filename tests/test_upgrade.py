"""A database of version 0.4.1 is upgraded: nothing in it is lost, and it goes back as it came.

On the way it stops at 0.6.0, which had migrations under names that vanished.
What was in it, and what 0.4.1 said of it, is in a file that 0.4.1 made (see ``upgrade_fixture.py``).
"""

import base64
import hashlib
import json
import os
import shutil
from contextlib import contextmanager
from datetime import date, datetime
from unittest.mock import patch
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.test import Client
from django_tasks_db.models import DBTaskResult

from foa.former_migrations import FORMER_NAMES
from ratings.league.models import CycleList
from ratings.models import Game, RatingList
from ratings.office import jobs
from ratings.office.models import Job
from ratings.otb.models import OtbList, Refusal
from ratings.services.ledger.replay import replay
from tests import migrated
from tests.deployment.versions import applied, present
from tests.migrated import VERSION_0_4_1, what_0_4_1_left

BEFORE = what_0_4_1_left()
OURS = ("members", "office", "ratings", "fide", "otb", "league")

pytestmark = [pytest.mark.usefixtures("upgraded"), pytest.mark.long]


class WayBack(MigrationExecutor):
    """Makes the models of a state when it takes its migration back.

    Django makes them before, for each state on from the one before it, which takes two thirds of the time.
    """

    def _migrate_all_backwards(self, *arguments, **options):
        patch.object(ProjectState, "apps", None).start()
        return super()._migrate_all_backwards(*arguments, **options)

    def unapply_migration(self, state, migration, **options):
        patch.stopall()
        assert state.apps
        return super().unapply_migration(state, migration, **options)


def migrate_back():
    """Take back every migration that 0.4.1 did not have."""
    WayBack(connection).migrate([(app, BEFORE["migrations"].get(app)) for app in OURS])
    ContentType.objects.clear_cache()


def migrate():
    """As an operator does after installing the new version."""
    call_command("migrate", verbosity=0, interactive=False)
    ContentType.objects.clear_cache()


def migrate_to_0_6_0():
    """Leave the database as that version did, with the names that it had for its migrations."""
    had = applied("0.6.0")
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    there = {present(name) for name in had}
    executor.migrate(None, [step for step in plan if (step[0].app_label, step[0].name) in there])
    for app, name in had & FORMER_NAMES.keys():
        rows = MigrationRecorder.Migration.objects.filter(app=app, name=FORMER_NAMES[app, name])
        assert rows.update(name=name) == 1


def columns_of(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} LIMIT 0")
        return [column[0] for column in cursor.description]


def empty():
    """Take all rows away, as they are not those of 0.4.1."""
    tables = sorted({*connection.introspection.table_names()} - {"django_migrations"})
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables, reset_sequences=True))


def insert(name, table):
    """Insert the rows of a table as they are."""
    quote = connection.ops.quote_name
    columns = table["columns"]
    binary = [columns.index(column) for column in table["binary"]]
    for row in table["rows"]:
        for place in binary:
            row[place] = None if row[place] is None else base64.b64decode(row[place])
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {quote(name)} ({', '.join(map(quote, columns))})"
            f" VALUES ({', '.join(['%s'] * len(columns))})",
            table["rows"],
        )
        if connection.vendor == "postgresql":
            for sequence in connection.introspection.get_sequences(cursor, name):
                column = quote(sequence["column"])
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence(%s, %s), MAX({column})) FROM {quote(name)}",
                    [name, sequence["column"]],
                )


def lead_to(database):
    """Let the connection lead to this database."""
    connection.close()
    connection.settings_dict["NAME"] = database
    ContentType.objects.clear_cache()


@contextmanager
def on_a_copy(of, directory):
    """For a while the connection leads to a copy of a database, of SQLite in this directory."""
    before = connection.settings_dict["NAME"]
    connection.close()
    if connection.vendor == "sqlite":
        copy = str(shutil.copy(of, directory / "copy.sqlite3"))
    else:
        copy = f"copy_of_{of}_{os.getpid()}"
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {copy} TEMPLATE {of}")
    lead_to(copy)
    try:
        yield
    finally:
        lead_to(before)


@pytest.fixture(scope="module")
def transactional_db(django_db_setup, django_db_blocker, tmp_path_factory):
    """A database of its own for this module.

    pytest-django's own fixture of this name would empty it after every test.
    """
    as_it_was = migrated.sqlite(VERSION_0_4_1) if connection.vendor == "sqlite" else VERSION_0_4_1
    with django_db_blocker.unblock(), on_a_copy(as_it_was, tmp_path_factory.mktemp(VERSION_0_4_1)):
        yield


@pytest.fixture(scope="module")
def upgraded(transactional_db):
    """The database of 0.4.1, upgraded."""
    for name, table in BEFORE["tables"].items():
        assert sorted(columns_of(name)) == sorted(table["columns"]), name
    empty()
    # Rows may come before those that they refer to: foreign keys are looked at when all are there.
    with transaction.atomic():
        for name, table in json.loads(json.dumps(BEFORE["tables"])).items():
            insert(name, table)
    migrate_to_0_6_0()
    migrate()


def client_of(who):
    client = Client()
    if who:
        client.force_login(User.objects.get(username=who))
    return client


def body(response):
    assert response.status_code == 200
    return b"".join(response.streaming_content) if response.streaming else response.content


def the_file(published):
    """The address of the file that the checksum of a list is of."""
    if isinstance(published, RatingList):
        return f"{published.get_absolute_url()}?format=csv"
    return f"{published.get_absolute_url()}list.{'txt' if isinstance(published, OtbList) else 'csv'}"


def test_every_list_keeps_its_checksum_and_its_lines_are_those_that_it_is_of():
    client = client_of("")
    for model in (RatingList, OtbList, CycleList):
        lists = model.objects.order_by("pk")
        said = BEFORE["checksums"][model._meta.db_table]
        assert {str(one.pk): one.checksum for one in lists} == said
        assert {
            str(one.pk): hashlib.sha256(body(client.get(the_file(one)))).hexdigest() for one in lists
        } == said


def test_the_ledger_is_what_the_inputs_give():
    assert replay(check=True).differences == 0


@pytest.mark.parametrize("who", BEFORE["pages"], ids=lambda who: who or "visitor")
def test_every_page_answers_as_before(who):
    client = client_of(who)
    differing = {}
    for address, status in BEFORE["pages"][who].items():
        response = client.get(address)
        if response.status_code == 302 != status and address.startswith(("/admin/", "/language/")):
            # The page has moved, and the old address leads there.
            response = client.get(address, follow=True)
        if response.streaming:
            # What goes wrong in a file does so after its status.
            assert b"".join(response.streaming_content)
        if response.status_code != status:
            differing[address] = (status, response.status_code)
    assert differing == {}


def rights(holder):
    return {(one.content_type.model, one.codename) for one in holder.select_related("content_type")}


NEW_RIGHTS = {
    ("fullmembership", "correct_fullmembership"),
    ("job", "steer_job"),
    *(("member", f"{verb}_member") for verb in ("update", "merge", "erase", "export", "invite")),
}
"""Rights of models that were there before."""


def test_groups_and_users_keep_their_permissions_and_get_only_those_of_new_models():
    models = {row[2] for row in BEFORE["tables"]["django_content_type"]["rows"]}
    for name, held in BEFORE["groups"].items():
        now = rights(Group.objects.get(name=name).permissions)
        assert {tuple(row) for row in held} <= now
        new = now - {tuple(row) for row in held} - NEW_RIGHTS
        assert {model for model, _codename in new} & models == set()
    for username, held in BEFORE["users"].items():
        assert rights(User.objects.get(username=username).user_permissions) == {tuple(row) for row in held}


def test_permissions_count_for_the_moved_models():
    arbiter = User.objects.get(username="arbiter")
    assert arbiter.get_all_permissions() == {
        "otb.view_tournament", "otb.receive_tournament", "otb.judge_tournament", "office.view_job",
        "ratings.view_game", "otb.close_otblist", "otb.add_associationmember", "ratings.add_openingrating",
    }  # fmt: skip


def test_no_content_type_is_left_without_its_model_or_twice():
    assert [one for one in ContentType.objects.all() if one.model_class() is None] == []
    once = ["associationmember", "job", "otblist", "otblistentry", "tournament", "tournamentreport"]
    assert ContentType.objects.filter(model__in=once).count() == len(once)
    assert Permission.objects.filter(content_type__model="tournament").count() == 6


def test_what_tournaments_were_refused_for_is_kept_with_its_day():
    """B.02 0.5: as far as it was written down."""
    kept = (
        Refusal.objects.filter(ended_on=None)
        .order_by("tournament_id")
        .values_list("tournament__name", "text", "refused_on", "appealed_on")
    )
    assert list(kept) == [
        ("Two Lakes Match", "", date(2026, 11, 22), None),
        ("Lunch Break Cup", "", date(2026, 11, 22), None),
        ("Autumn Open", "No arbiter was there.", date(2026, 11, 20), None),
    ]


def test_the_log_of_staff_still_leads_to_its_objects():
    client = client_of("registrar")
    for pk, model, key in BEFORE["log"]:
        entry = LogEntry.objects.get(pk=pk)
        assert (entry.content_type.model, str(entry.get_edited_object().pk)) == (model, key)
        assert client.get(entry.get_admin_url()).status_code == 200


def test_reasons_of_void_games_are_notes_for_staff_and_members_read_a_neutral_one():
    columns = BEFORE["tables"]["ratings_game"]["columns"]
    place, key = columns.index("void_reason"), columns.index("id")
    written = {row[key]: row[place] for row in BEFORE["tables"]["ratings_game"]["rows"]}
    assert {"", "Black used an engine", "ż" * 255} == set(written.values())
    assert dict(Game.objects.values_list("pk", "void_note")) == written
    neutral = {pk: "other" if reason else "" for pk, reason in written.items()}
    assert dict(Game.objects.values_list("pk", "void_reason")) == neutral
    void = Game.objects.filter(void_note="Black used an engine").first()
    client = client_of("guest")
    assert "engine" not in client.get(void.get_absolute_url()).text
    assert "engine" not in client.get(f"{void.get_absolute_url()}?format=json").text
    notes = Game.history.exclude(void_reason="").values_list("void_note", "void_reason").distinct()
    assert set(notes) == {(note, "other") for note in ("Black used an engine", "ż" * 255, "by mistake")}


def test_jobs_that_no_worker_had_taken_are_ended_with_a_sentence_and_the_worker_passes_them_over(worker):
    waiting = BEFORE["tables"]["ratings_job"]
    state, key = waiting["columns"].index("state"), waiting["columns"].index("id")
    keys = [row[key] for row in waiting["rows"] if row[state] == "waiting"]
    assert len(keys) == 3
    worker()
    jobs.settle()
    client = client_of("registrar")
    for job in Job.objects.filter(pk__in=keys):
        assert (job.state, job.began_at, job.outcome) == ("failed", None, [])
        assert job.error == (
            "The office was upgraded before the worker started this job. Nothing was done. Ask for it again."
        )
        assert job.asked_at < job.ended_at
        assert DBTaskResult.objects.get(pk=job.task).status == "FAILED"
        assert job.error in client.get(f"/admin/office/job/{job.pk}/change/").text
    others = Job.objects.exclude(pk__in=keys).order_by("pk")
    assert [job.state for job in others] == [row[state] for row in waiting["rows"] if row[state] != "waiting"]


@contextmanager
def rolled_back():
    """For a test in which other tests of the module must not see what it did."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_job_whose_task_is_gone_fails_and_the_worker_goes_on(worker, caplog):
    with rolled_back():
        for job in Job.objects.filter(state="failed", began_at=None):
            Job.objects.filter(pk=job.pk).update(state="waiting", error="", ended_at=None)
            DBTaskResult.objects.filter(pk=job.task).update(
                status="READY", finished_at=None, task_path="ratings.nowhere.gone"
            )
        worker()
        assert "ModuleNotFoundError: No module named 'ratings.nowhere'" in caplog.text
        assert set(DBTaskResult.objects.values_list("status", flat=True)) == {"SUCCESSFUL", "FAILED"}
        DBTaskResult.objects.update(started_at=datetime.fromisoformat("2026-11-01T00:00:00Z"))
        jobs.settle()
        assert set(Job.objects.values_list("state", flat=True)) == {"done", "failed"}


def plain(value):
    """What a database gives, as the fixture has it."""
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, datetime):
        return str(value.replace(tzinfo=None))
    if isinstance(value, str) and value[:1] in "[{":
        # PostgreSQL writes JSON in its own way.
        return plain_json(value)
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def plain_json(text):
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


def rows_of(name, columns):
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(map(quote, columns))} FROM {quote(name)}")
        return sorted(([plain(value) for value in row] for row in cursor.fetchall()), key=repr)


def test_on_the_way_back_every_row_is_as_it_was(tmp_path):
    tables = {name: BEFORE["tables"][name] for name in BEFORE["tables"] if name.split("_")[0] in OURS}
    # Jobs that were ended stay so.
    del tables["ratings_job"]
    with on_a_copy(connection.settings_dict["NAME"], tmp_path):
        migrate_back()
        for name, table in tables.items():
            was = sorted(([plain(value) for value in row] for row in table["rows"]), key=repr)
            assert rows_of(name, table["columns"]) == was, name
        moved = {tuple(row[1:3]) for row in BEFORE["tables"]["django_content_type"]["rows"]}
        assert moved <= set(ContentType.objects.values_list("app_label", "model"))
