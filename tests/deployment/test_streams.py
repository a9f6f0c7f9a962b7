"""docs/nginx.conf before a site and the process for streams, which is started as by its systemd unit."""

import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests import migrated
from tests.deployment.proxy import proxy
from tests.deployment.serving import started
from tests.migrated import ROOT
from tests.services import free_port

pytestmark = pytest.mark.process

UNIT = (ROOT / "docs" / "systemd" / "foa-streams@.service").read_text()
NEWS = "username,category,rating,effective_at\nanna,blitz,1800.00,2019-06-01T00:00:00Z\n"


class Office:
    """A site and a process for streams over one database, with nginx before them."""

    def __init__(self, place, stack):
        shutil.copy(migrated.sqlite(), place / "office.sqlite3")
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{place}/office.sqlite3",
            "SECRET_KEY": secrets.token_hex(32),
            "TRUSTED_PROXIES": "127.0.0.1",
            "ALLOWED_HOSTS": "ratings.example",
        }
        self.place = place
        # systemd keeps it while the process restarts.
        self.socket = stack.enter_context(socket.socket())
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen()
        gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:foa.serving", "foa.wsgi"]
        site = stack.enter_context(started(gunicorn, cwd=ROOT, env=self.environment, log=place / "site.log"))
        sites = [site.removeprefix("http://"), f"127.0.0.1:{free_port()}"]
        port = self.socket.getsockname()[1]
        self.visitor = stack.enter_context(proxy(place, sites, f"127.0.0.1:{port}"))

    def start(self):
        """The process for streams."""
        command = re.search(r"^ExecStart=/opt/foa/current/bin/(.*)$", UNIT, re.M)[1]
        command = command.replace("--fd 3", f"--fd {self.socket.fileno()}")
        return subprocess.Popen(
            [sys.executable, "-m", *shlex.split(command)],
            cwd=ROOT,
            env=self.environment,
            pass_fds=[self.socket.fileno()],
        )

    def manage(self, *arguments):
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, check=True)

    def follow(self):
        """What a stream of the pages that show Anna says after the first piece."""
        stream = self.visitor.ask("/api/v1/stream/pages?member=anna", preload_content=False, timeout=60)
        assert (stream.status, stream.headers["Content-Type"]) == (200, "text/event-stream")
        pieces = stream.stream()
        assert re.fullmatch(rb"retry: \d{4}\n\n", next(pieces))
        # While nothing happens it sends empty comments, more of them on a busy machine.
        return (piece for piece in pieces if piece != b":\n\n")


def test_streams_go_through_nginx_survive_a_restart_and_are_left_to_the_sites_without_the_process(tmp_path):
    with ExitStack() as stack:
        office = Office(tmp_path, stack)
        (tmp_path / "news.csv").write_text(NEWS)
        office.manage(
            "shell", "--no-imports", "-c", "from members.models import Member as M; M(username='anna').save()"
        )
        process = office.start()
        try:
            stream = office.follow()
            office.manage("import_ratings", str(tmp_path / "news.csv"))
            assert next(stream) == b"data: changed\n\n"

            # Told to stop, it ends all streams, and each to the last byte.
            process.send_signal(signal.SIGTERM)
            assert list(stream) == []
            assert process.wait(60) == -signal.SIGTERM

            # Whoever comes meanwhile waits for the next one.
            process = office.start()
            stream = office.follow()
            process.kill()
            assert list(stream) == []

            # Without it, a site answers, and ends what it can't keep.
            process.wait(60)
            office.socket.close()
            assert list(office.follow()) == []
        finally:
            process.kill()
            process.wait(60)
