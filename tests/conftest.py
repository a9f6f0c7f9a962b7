"""Fixtures for every test, and the order in which they run."""

import gc
import os
import re
import shutil
import sys
from collections import defaultdict
from contextlib import ExitStack
from copy import deepcopy
from datetime import date
from functools import partial
from pathlib import Path
from random import Random

import pytest
from django.apps import apps
from django.conf import settings
from django.core.cache import cache, caches
from django.core.management.color import no_style
from django.db import connection, connections, transaction
from django.http import HttpResponseForbidden
from django.test import TransactionTestCase, override_settings
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from foa import files
from foa.command import OfficeCommand
from tests import locking, migrated
from tests.services import LACKING

# How long an example takes says something of the machine, nothing of the office.
hypothesis_settings.register_profile("office", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.register_profile("few", hypothesis_settings.get_profile("office"), max_examples=10)
hypothesis_settings.load_profile("office")

# Reports of 2026 in most tests are rated by the regulations of 2009; tests of those of 2024 say so.
settings.OTB_REGULATIONS_2024_SINCE = date(2100, 1, 1)
# A visitor's page may be two seconds old, and a test asks for the next sooner.
settings.CACHES["pages"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}

BROWSER = Path(__file__).parent / "browser"

_LEFT_OUT = {
    app.parent.name
    for app in Path(__file__).parent.parent.glob("ratings/*/apps.py")
    if not apps.is_installed(f"ratings.{app.parent.name}")
}
_NEEDS_THEM = re.compile(rf"(?:ratings|tests)\.(?:{'|'.join(sorted(_LEFT_OUT))})\b")

# Until all tests are collected nothing goes, and to look for it would take a fifth of the time.
gc.disable()


def pytest_ignore_collect(collection_path):
    """Leave out tests of a room that ROOMS leaves out, and those that name one, by file and by folder."""
    here = Path(__file__).parent
    if not _LEFT_OUT or here not in collection_path.parents:
        return None
    named = [collection_path]
    if collection_path.is_dir():
        named = [file for file in collection_path.glob("*.py") if not file.name.startswith("test_")]
    needs_them = any(_NEEDS_THEM.search(file.read_text()) for file in named)
    of_them = not _LEFT_OUT.isdisjoint(collection_path.relative_to(here).parts)
    return of_them or needs_them or None


def pytest_runtest_setup(item):
    """Skip a test that asks of a room which ROOMS leaves out."""
    if lacking := _LEFT_OUT & {room for mark in item.iter_markers("needs") for room in mark.args}:
        pytest.skip(f"ROOMS leaves out {', '.join(sorted(lacking))}")


def transactional(item):
    """Whether a test commits."""
    marker = item.get_closest_marker("django_db")
    return "transactional_db" in item.fixturenames or bool(marker and marker.kwargs.get("transaction"))


def takes_long(item):
    """Whether a test is one of those that take seconds."""
    return transactional(item) or any(map(item.get_closest_marker, ("browser", "process", "long")))


def asks_the_database(item):
    """Whether a test may look into the database of the settings: to all others Django refuses it."""
    return (
        "db" in item.fixturenames
        or item.get_closest_marker("django_db") is not None
        or (item.cls is not None and issubclass(item.cls, TransactionTestCase))
        or transactional(item)
    )


def in_one_piece(call):
    """Call it with room for all frames below in one piece of memory.

    CPython takes that room in pieces of 16 KB. A loop that calls at the end of one takes and gives back the
    next each time, which costs one second in twenty.
    """
    return call()


in_one_piece.__code__ = in_one_piece.__code__.replace(co_stacksize=1 << 17)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run everything else that runs the tests, in one piece."""
    others = config.pluginmanager.subset_hook_caller("pytest_cmdline_main", [sys.modules[__name__]])
    return in_one_piece(lambda: others(config=config))


def pytest_addoption(parser):
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in another order")


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """Say in one line which tests were left out for want of a program, in place of a line for each."""
    skipped = terminalreporter.stats.get("skipped", [])
    left_out = [(report, report.longrepr[2].partition(LACKING)[2]) for report in skipped]
    packages = sorted({package for _, package in left_out if package})
    if packages:
        terminalreporter.stats["skipped"] = [report for report, package in left_out if not package]
        count = len(skipped) - len(terminalreporter.stats["skipped"])
        terminalreporter.write_line(
            f"{count} tests were left out: install {', '.join(packages)} (Debian’s names).", yellow=True
        )


def pytest_report_header(config):
    seed = config.option.shuffle
    return None if seed is None else f"order: --shuffle {seed}"


def shuffle(items, seed):
    """Another order of the modules, of what stands in each, and of the parameters of a test."""
    chance = Random(seed)
    ranks = defaultdict(chance.random)

    def rank(item):
        name = item.nodeid.partition("[")[0]
        return ranks[item.path], ranks[item.parent.nodeid], ranks[name], chance.random()

    items.sort(key=rank)


def keep_standing_together(items):
    """Within each class let those with its standing rows come first: others would take them away."""
    first = {}
    for place, item in enumerate(items):
        first.setdefault(item.parent.nodeid if item.cls else item.nodeid, place)
    items.sort(
        key=lambda item: (
            first[item.parent.nodeid if item.cls else item.nodeid],
            "standing" not in item.fixturenames,
        )
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items, config):
    """Mark where a test has to run (see the markers in pyproject.toml), before ``-m`` asks for it.

    Modules and classes with what takes long come first: in the end no worker waits while another is at it.
    """
    for item in items:
        if "standing" in item.fixturenames and not asks_the_database(item):
            item.add_marker("django_db")
        other_process = "migrated" in item.fixturenames
        if BROWSER in item.path.parents:
            item.add_marker("browser")
            # Two programs wait for each other here, and may wait for the wrong thing.
            item.add_marker(pytest.mark.flaky(reruns=1))
        elif other_process or not asks_the_database(item):
            item.add_marker("pure")
        if other_process:
            item.add_marker("process")
        if item.get_closest_marker("mechanism") and not item.cls.shows_mechanism:
            item.add_marker("rendered")
            item.add_marker("long")
    yield
    if config.option.shuffle is not None:
        shuffle(items, config.option.shuffle)
    keep_standing_together(items)
    long = {item.parent.nodeid for item in items if takes_long(item)}
    items.sort(key=lambda item: item.parent.nodeid not in long)


def pytest_collection_finish():
    """What is there by now stays to the end: nobody has to look through it for garbage again and again."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory):
    """The database begins as a copy of one that is migrated (tests/migrated.py).

    SQLite in a file, as in production: in memory, who reads a table while another writes gets an error.
    """
    database = connections.databases["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        name = tmp_path_factory.mktemp("database") / "test.sqlite3"
        database["TEST"] |= {"NAME": str(shutil.copy(migrated.sqlite(), name)), "MIGRATE": False}
    elif template := os.environ.get("TEMPLATE_DATABASE"):
        database["TEST"] |= {"TEMPLATE": template, "MIGRATE": False}


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb):
    """Of SQLite it is the copy that is there already; a pool keeps connections, so nobody could drop it."""
    database = connections.databases["default"]
    is_pooled = database.get("DISABLE_SERVER_SIDE_CURSORS", False)
    return django_db_keepdb or is_pooled or database["ENGINE"] == "django.db.backends.sqlite3"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """The database of the tests, which its connection leaves in the end even if it is kept.

    What a test has committed is taken back row by row: to truncate all tables takes as long as ten tests.
    The value of the fixture does that when it is called.
    """
    with django_db_blocker.unblock():
        migrated_rows = {table: rows_of(table) for table in tables_with_rows()}
    restore = partial(restore_tables, migrated_rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda self: restore())
        # The database is migrated. To find that out takes longer than what most commands do.
        patch.setattr(OfficeCommand, "requires_migrations_checks", False)
        yield restore
    connections["default"].close()


def tables_with_rows():
    """The tables of all models that aren't empty."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    asked = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        return [table for (table,) in cursor.fetchall()]


def rows_of(table, columns="*"):
    """The columns of a table, and its rows in a certain order."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {table} ORDER BY 1")
        return ", ".join(f'"{column[0]}"' for column in cursor.description), cursor.fetchall()


def restore_tables(kept):
    """Give every table the rows that it had once, such as when the tests began."""
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    with transaction.atomic(), connection.cursor() as cursor:
        for table in {*kept, *tables_with_rows()}:
            columns, rows = kept.get(table, ("*", []))
            if rows and (columns, rows) == rows_of(table, columns):
                continue
            cursor.execute(f"DELETE FROM {table}")
            if rows:
                places = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)
                for statement in connection.ops.sequence_reset_sql(no_style(), [models[table]]):
                    cursor.execute(statement)


@pytest.fixture(scope="session", autouse=True)
def _settings_of_tests(tmp_path_factory):
    """Passwords that nobody has to protect, static files where they stand, and uploads that go again."""
    storage = "django.contrib.staticfiles.storage.StaticFilesStorage"
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        STORAGES={**settings.STORAGES, "staticfiles": {"BACKEND": storage}},
        UPLOAD_DIR=tmp_path_factory.mktemp("uploads"),
        # WhiteNoise warns of a missing directory, and reads every static file anew for every test client.
        STATIC_ROOT=None,
        WHITENOISE_USE_FINDERS=False,
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def _plain_rows_are_locked():
    """Whichever statement of whichever test locks rows, it locks those of one table."""
    with locking.guarded():
        yield


@pytest.fixture(autouse=True)
def _english():
    """Every test starts in English and leaves its language to no other."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def _nothing_cached():
    """What a test before has seen is another list of the same number."""
    cache.clear()
    # Asked once a minute, so pages are counted without it; a test of the demo clears the cache.
    cache.set("is-demo", False)
    for name in ("limits", "template_fragments"):
        caches[name].clear()


@pytest.fixture(autouse=True)
def _files_are_read():
    """A file that a test asks for is read to its end or closed, since it keeps its place until then."""
    yield
    # Of a browser, another thread may just be at its end.
    assert files._places.acquire(timeout=10), "a file was requested, and neither read nor closed"
    files._places.release()


class Standing:
    """Rows that tests begin with: once for all who follow one another, in a transaction around them."""

    def __init__(self):
        self.end_of_transaction = ExitStack()
        self.what = self.made = None

    def __call__(self, make, *arguments):
        """A copy of what ``make`` gives for these arguments; nothing but its rows stands in the database."""
        if self.what != (make, *arguments):
            self.end()
            with self.blocker.unblock(), ExitStack() as stack:
                # Like those of Django's own tests: a transaction that has to be outermost may be within it.
                atomic = transaction.atomic()
                atomic._from_testcase = True
                stack.enter_context(atomic)
                stack.callback(transaction.set_rollback, True)
                self.made = make(*arguments)
                self.what = (make, *arguments)
                self.end_of_transaction = stack.pop_all()
        return deepcopy(self.made)

    def end(self):
        """Take it all back."""
        if self.what is not None:
            with self.blocker.unblock():
                self.end_of_transaction.close()
            self.what = self.made = None


STANDING = Standing()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Before anything of the next test is set up: with a browser it has another connection."""
    try:
        return (yield)
    finally:
        if nextitem is not None and "standing" not in nextitem.fixturenames:
            STANDING.end()


@pytest.fixture(scope="session")
def _standing_to_the_end(django_db_setup, django_db_blocker):
    STANDING.blocker = django_db_blocker
    yield STANDING
    STANDING.end()


@pytest.fixture(scope="class")
def standing(_standing_to_the_end):
    """For fixtures of class scope, which outside a class are of one test: ``standing(make, …)``."""
    return _standing_to_the_end


@pytest.fixture
def pages_kept(settings):
    """Pages are kept for visitors, as in production. In all other tests each is made anew."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {**settings.CACHES, "pages": {"BACKEND": memory, "LOCATION": "pages"}}
    caches["pages"].clear()


@pytest.fixture
def bare_refusals(monkeypatch):
    """A refusal (403) without its page, for tests that ask thousands of times whether it is one."""
    monkeypatch.setattr("django.conf.urls.handler403", lambda request, exception: HttpResponseForbidden())


@pytest.fixture
def staff(django_user_model, client):
    """The login of a superuser, in the test's own client."""
    client.force_login(django_user_model.objects.create_superuser("registrar"))
    return client


@pytest.fixture
def worker(settings, tmp_path, monkeypatch):
    """The worker: called, it does all jobs that wait, here and now."""
    # Once the apps are there.
    from django.contrib.contenttypes.models import ContentType
    from django_tasks_db.management.commands import db_worker

    from tests.decisions import do_jobs

    # Django remembers those that another test has taken back.
    ContentType.objects.clear_cache()

    progress = {**settings.CACHES["progress"], "LOCATION": str(tmp_path / "progress")}
    settings.CACHES = {**settings.CACHES, "progress": progress}
    settings.UPLOAD_DIR = tmp_path / "uploads"
    # The test is in a transaction, which would end with its connection.
    monkeypatch.setattr(db_worker, "close_old_connections", lambda: None)
    return do_jobs
