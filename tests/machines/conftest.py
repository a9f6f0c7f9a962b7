"""A PostgreSQL of its own for each module, and sites and workers over it, as other processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPResponse

import psycopg
import pytest

from tests import postgresql
from tests.commands import MANAGE
from tests.databases import entered
from tests.migrated import ROOT
from tests.services import free_port, running, temporary_directory


def pytest_collection_modifyitems(items):
    """They start other processes, over a database of their own."""
    for item in items:
        if item.path.parent.name == "machines":
            item.add_marker("process")


@pytest.fixture(scope="module")
def server():
    """A server with a migrated database."""
    started = postgresql.start()
    with psycopg.connect(host=str(started.directory), user="postgres", autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_commit = on")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("CREATE DATABASE office TEMPLATE migrated")
    yield started
    started.stop()


@pytest.fixture(scope="module")
def url(server):
    """Its address."""
    return f"postgres://postgres@/office?host={server.directory}"


@pytest.fixture(scope="module")
def within(url, django_db_blocker):
    """A context in which this process is one more of those over that database."""
    return partial(entered, url, django_db_blocker)


def asked(url, sql, *parameters):
    """The rows that a statement gives."""
    host = url.partition("host=")[2].partition("&")[0]
    name = url.partition("@/")[2].partition("?")[0]
    with psycopg.connect(host=host, user="postgres", dbname=name, autocommit=True) as connection:
        cursor = connection.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []


def environment(**settings):
    """That of a process of the office with these settings."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    return {**kept, "SECRET_KEY": "of-the-tests-" * 5, **settings}


def python(code, **settings):
    """What a piece of Python says, in a process with these settings but without the apps: JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="foa.settings", **settings),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Site:
    """A site on a port of the loopback; its settings can’t be changed any more."""

    def __init__(self, port):
        self.port = port

    def ask(self, path, method="GET", body=None, **headers):
        """An answer, read to its end: its text is its attribute ``content``."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {name.replace("_", "-"): headers[name] for name in headers})
        response: HTTPResponse = connection.getresponse()
        response.content = response.read().decode()
        connection.close()
        return response


@contextmanager
def site(*, workers=1, threads=8, directory=None, **settings) -> Iterator[Site]:
    """A site with these settings."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "foa.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", str(workers), "--threads", str(threads), "--pythonpath", str(ROOT)]
    with (
        temporary_directory("site") as place,
        running(command, ("127.0.0.1", port), directory or place, env=environment(**settings)),
    ):
        yield Site(port)


@contextmanager
def worker(directory, *arguments, **settings) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with these settings, which is told to stop in the end."""
    command = [sys.executable, MANAGE, "run_jobs", "--interval", "0.05", "--no-startup-delay", *arguments]
    with (directory / "worker").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(**settings))
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
