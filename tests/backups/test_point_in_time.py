"""docs/backups.md, “Back to a given second”, to the letter: its configuration and its commands are run.

Only the places are others: pgBackRest reads them from the environment. Debian’s pg_ctlcluster knows the
clusters of /etc alone, so PostgreSQL’s own pg_ctl takes its part.
"""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from members.models import Member
from ratings.rbb.models import Game
from tests.arena import game, rated
from tests.commands import run
from tests.databases import opened
from tests.migrated import ROOT
from tests.postgresql import TEMPLATE, start
from tests.services import program

pytestmark = pytest.mark.process

DOCUMENT = (ROOT / "docs" / "backups.md").read_text()
BLOCKS = dict(re.findall(r"```\w+\n# ([^\n]+)\n(.*?)```", DOCUMENT, re.DOTALL))
"""Its configuration and commands, by their first lines."""

MOMENT = "2026-11-24 08:17:06+00"
"""The second that the document goes back to."""

CONTROL = """#!/bin/sh
exec {bin}/pg_ctl -D {data} -w -m fast -l {log} \\
  -o "-c listen_addresses='' -c unix_socket_directories={socket}" "$3"
"""


class Machine:
    """A server, and the commands of the document as the user under whom it runs."""

    def __init__(self, server):
        self.server = server
        self.directory = Path(tempfile.mkdtemp(prefix="foa-pgbackrest-"))
        for name in ("repository", "log", "lock", "spool"):
            (self.directory / name).mkdir()
        configuration = self.directory / "pgbackrest.conf"
        configuration.write_text(BLOCKS["/etc/pgbackrest/pgbackrest.conf"])
        control = self.directory / "pg_ctlcluster"
        log = self.directory / "log" / "postgresql"
        control.write_text(CONTROL.format(bin=server.bin, data=server.data, log=log, socket=server.directory))
        control.chmod(0o755)
        self.user = []
        if server.user is not None:
            entry = pwd.getpwnam(server.user)
            self.user = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
            for path in (self.directory, *self.directory.rglob("*")):
                shutil.chown(path, server.user)
        self.environment = {
            **os.environ,
            "PATH": f"{self.directory}:{os.environ['PATH']}",
            "PGBACKREST_CONFIG": str(configuration),
            "PGBACKREST_REPO1_PATH": str(self.directory / "repository"),
            "PGBACKREST_LOG_PATH": str(self.directory / "log"),
            "PGBACKREST_LOCK_PATH": str(self.directory / "lock"),
            "PGBACKREST_SPOOL_PATH": str(self.directory / "spool"),
            "PGBACKREST_PG1_PATH": server.data,
            "PGBACKREST_PG1_SOCKET_PATH": str(server.directory),
            "PGBACKREST_PG1_USER": "postgres",
        }

    def run(self, commands):
        """Run them as the shell does, until one fails."""
        with (self.directory / "output").open("w+") as output:
            done = subprocess.run(
                [*self.user, "sh", "-e", "-c", commands],
                env=self.environment,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
            output.seek(0)
            assert done.returncode == 0, output.read()

    def ask(self, statement):
        """The only value of a statement."""
        with psycopg.connect(host=str(self.server.directory), user="postgres", autocommit=True) as there:
            return there.execute(statement).fetchone()[0]


@pytest.fixture
def machine():
    program("pgbackrest")
    server = start()
    machine = Machine(server)
    try:
        yield machine
    finally:
        server.stop()
        shutil.rmtree(machine.directory)


def test_the_office_goes_back_to_a_second_as_documented(machine, django_db_blocker):
    with django_db_blocker.unblock():
        url = machine.server.url.replace("/postgres?", f"/{TEMPLATE}?")
        with (Path(machine.server.data) / "postgresql.conf").open("a") as settings:
            settings.write(BLOCKS["postgresql.conf"])
        machine.run(BLOCKS["set-up"])
        with opened(url):
            anna, bob = rated(1600), rated(1700)
            game(anna, bob, minute=40)
        machine.run(BLOCKS["every day"])
        with opened(url):
            game(anna, bob, minute=50)
            kept = list(Game.objects.order_by("pk").values_list("pk", "ended_at"))
            # The next whole second begins after this game and before the following one.
            second = machine.ask(
                "SELECT to_char(date_trunc('second', clock_timestamp()) + interval '1 second',"
                " 'YYYY-MM-DD HH24:MI:SSOF')"
            )
            machine.ask(f"SELECT pg_sleep(EXTRACT(EPOCH FROM '{second}' - clock_timestamp()))::text")
            game(anna, bob, minute=60)
            Member.objects.create(username="late")
        assert BLOCKS["restore"].count(MOMENT) == 1
        machine.run(BLOCKS["restore"].replace(MOMENT, second))
        while machine.ask("SELECT pg_is_in_recovery()"):
            time.sleep(0.05)
        with opened(url):
            assert list(Game.objects.order_by("pk").values_list("pk", "ended_at")) == kept
            assert not Member.objects.filter(username="late").exists()
            for line in BLOCKS["proof"].splitlines():
                done = run(*line.removeprefix("manage.py ").split())
                assert done.code == 0, done.err
            assert game(anna, bob, minute=70).pk
