"""However many follow, download or don't read on, one process of the site answers pages and probes."""

import os
import re
import secrets
import shutil
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from http.client import HTTPConnection
from socket import SO_RCVBUF, SOL_SOCKET, socket

import pytest
import urllib3

from foa import files
from foa.serving import threads
from ratings.arena.api import changes, lines
from tests import migrated
from tests.deployment.serving import started
from tests.migrated import ROOT
from tests.services import wait_until

MANY = """
from members.models import Member
Member.objects.bulk_create(Member(username=f"m{number}", name="x" * 100) for number in range(20_000))
"""
NEWS = "username,category,rating,effective_at\nm1,blitz,1800.00,2019-06-01T00:00:00Z\n"
PAGES = ("/", "/members/", "/games/", "/changes/", "/lists/", "/register/", "/login/", "/healthz/live")


def test_whoever_may_hold_a_thread_for_long_leaves_others_some():
    unit = (ROOT / "docs" / "systemd" / "foa-site@.service").read_text()
    held = changes.WAITING + files.AT_ONCE + lines.AT_ONCE
    assert held < int(re.search(r"--threads (\d+)", unit)[1]) <= threads


class Site:
    """A site of one process with eight threads, and what a follower needs."""

    def __init__(self, address, token):
        self.address = address
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, path, **how):
        """An answer; each on a connection of its own."""
        with urllib3.PoolManager(retries=False, timeout=60) as pool:
            return pool.request("GET", self.address + path, redirect=False, **how)

    def follow(self):
        """The answer to a follower who has read everything."""
        return self.ask("/api/v1/changes?after=0&wait=20", headers=self.headers)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Its list of members is longer than what the buffers of a connection hold."""
    place = tmp_path_factory.mktemp("site")
    shutil.copy(migrated.sqlite(), place / "office.sqlite3")
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{place}/office.sqlite3",
        "SECRET_KEY": secrets.token_hex(32),
    }

    def manage(*arguments):
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        ).stdout

    manage("shell", "--no-imports", "-c", MANY)
    told = dict(line.split(": ", 1) for line in manage("add_server", "arena").splitlines() if ": " in line)
    gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:foa.serving", "foa.wsgi"]
    with started(gunicorn, cwd=ROOT, env=environment, log=place / "site.log") as address:
        form = {
            "grant_type": "client_credentials",
            "client_id": told["client id"],
            "client_secret": told["client secret"],
        }
        pool = urllib3.PoolManager()
        token = pool.request("POST", f"{address}/oauth/token/", fields=form, encode_multipart=False)
        site = Site(address, token.json()["access_token"])
        site.manage = manage
        yield site


@pytest.mark.process
def test_six_followers_of_one_process_leave_pages_answered(site, tmp_path):
    with ThreadPoolExecutor(6) as followers:
        asked = {followers.submit(site.follow) for _ in range(6)}
        waiting, refused = asked, set()
        while len(refused) < 4:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            refused |= done
        for one in refused:
            answer = one.result()
            assert (answer.status, answer.headers["Retry-After"]) == (200, "20")
            assert answer.json() == {"changes": [], "next": "0", "more": False}
        assert [site.ask(path).status for path in PAGES] == [200] * len(PAGES)
        assert not any(one.done() for one in waiting)
        (tmp_path / "news.csv").write_text(NEWS)
        site.manage("import_ratings", str(tmp_path / "news.csv"))
    assert [len(one.result().json()["changes"]) for one in waiting] == [1] * 2


@pytest.mark.process
def test_of_65_downloads_one_is_made_and_the_others_told_when_to_come_back(site):
    """Their readers take nothing: what is made waits for them, and holds its thread."""
    host, port = site.address.removeprefix("http://").split(":")
    with ExitStack() as stack:
        answers = []
        for _ in range(65):
            connection = stack.enter_context(socket())
            connection.setsockopt(SOL_SOCKET, SO_RCVBUF, 4096)
            connection.connect((host, int(port)))
            http = HTTPConnection(host, int(port))
            http.sock = connection
            http.request("GET", "/members/?format=json")
            answers.append(stack.enter_context(http.getresponse()))
        begun = [one for one in answers if one.status == 200]
        assert len(begun) == files.AT_ONCE
        assert {(one.status, one.headers["Retry-After"]) for one in answers if one not in begun} == {
            (503, "30")
        }
        assert [site.ask(path).status for path in PAGES] == [200] * len(PAGES)
        assert site.ask("/members/?format=csv").status == 503
    # They have left, and what they held is free again.
    wait_until(lambda: site.ask("/members/?format=csv").status == 200)


@pytest.mark.process
def test_requests_that_are_half_sent_do_not_hold_the_probe(site):
    host, port = site.address.removeprefix("http://").split(":")
    with ExitStack() as stack:
        for _ in range(12):
            connection = stack.enter_context(socket())
            connection.connect((host, int(port)))
            connection.sendall(b"GET /games/ HTTP/1.1\r\nHost: ratings.exam")
        assert site.ask("/healthz/live").status == 200
