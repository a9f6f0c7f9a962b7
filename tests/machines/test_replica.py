"""Public reading from a streaming replica, which may lag."""

import re
from itertools import count

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.models import User

from tests.arena import member
from tests.machines.conftest import asked, site
from tests.postgresql import Server
from tests.services import wait_until


class Replica(Server):
    """A streaming copy of a server."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__("")

    def _run(self, program, *arguments):
        if program == "initdb":
            program, arguments = "pg_basebackup", ("-D", self.data, "-R", "-c", "fast", "-U", "postgres")
            arguments += ("-h", str(self.primary.directory))
        super()._run(program, *arguments)


@pytest.fixture(scope="module")
def replica(server, url):
    started = Replica(server)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def copy(replica):
    """The address of the replica."""
    return f"postgres://postgres@/office?host={replica.directory}"


@pytest.fixture(scope="module")
def furnished(within):
    """Somebody who logs in."""
    # As the sites know passwords, and not as tests do.
    password = Argon2PasswordHasher().encode("correct horse battery", "salt" * 4)
    with within():
        anna = User.objects.create(username="anna", password=password)
        member("carl", name="Known, First", user=anna)


LAST = "SELECT max(query_start) FROM pg_stat_activity WHERE datname = 'office' AND query ~ 'members_member'"


def is_read(copy, office):
    """Whether the site asks the replica for a page."""
    before = asked(copy, LAST)
    office.ask("/members/")
    return asked(copy, LAST) != before


@pytest.fixture(scope="module")
def patient(url, copy, furnished):
    """A site whose replica may lag far behind."""
    with site(DATABASE_URL=url, DATABASE_REPLICA_URL=copy, DATABASE_REPLICA_LAG="1000") as started:
        wait_until(lambda: is_read(copy, started))
        yield started


_numbers = count()
CARL = "SELECT name FROM members_member WHERE username = 'carl'"


def rename(url, name):
    """Somebody has another name on the primary."""
    asked(url, "UPDATE members_member SET name = %s WHERE username = 'carl'", name)


def name(office, path="/members/", **headers):
    """The name that a page shows; none is asked for twice, since visitors' pages are kept."""
    response = office.ask(f"{path}?n={next(_numbers)}", **headers)
    assert response.status == 200
    return re.search(r"Known, \w+", response.content)[0]


@pytest.fixture
def paused(url, copy):
    """The replica stays as it is, and has an old name; the primary has a new one."""
    rename(url, "Known, Old")
    wait_until(lambda: asked(copy, CARL) == [("Known, Old",)])
    asked(copy, "SELECT pg_wal_replay_pause()")
    wait_until(lambda: asked(copy, "SELECT pg_get_wal_replay_pause_state()") == [("paused",)])
    rename(url, "Known, New")
    yield
    asked(copy, "SELECT pg_wal_replay_resume()")


WROTE = {"Cookie": "just_written=1"}


def test_visitors_read_the_replica_and_whoever_has_just_written_the_primary(patient, paused, copy):
    wait_until(lambda: name(patient) == "Known, Old")
    assert name(patient, **WROTE) == "Known, New"
    assert name(patient) == "Known, Old"
    assert name(patient, Authorization="Bearer x") == "Known, New"
    asked(copy, "SELECT pg_wal_replay_resume()")
    wait_until(lambda: name(patient) == "Known, New")


def test_a_download_reads_one_database_to_its_end(patient, paused):
    wait_until(lambda: name(patient) == "Known, Old")
    assert "Known, Old" in patient.ask("/members/?format=csv").content
    assert "Known, New" in patient.ask("/members/?format=csv", **WROTE).content


def test_a_login_counts_at_once_though_the_replica_has_no_session(patient, paused):
    wait_until(lambda: name(patient) == "Known, Old")
    page = patient.ask("/login/")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content)[1]
    csrf = page.getheader("Set-Cookie").partition(";")[0]
    answer = patient.ask(
        "/login/",
        "POST",
        f"csrfmiddlewaretoken={token}&username=anna&password=correct+horse+battery",
        Content_Type="application/x-www-form-urlencoded",
        Cookie=csrf,
    )
    assert answer.status == 302
    cookies = [each.partition(";")[0] for each in answer.headers.get_all("Set-Cookie")]
    assert "just_written=1" in cookies
    assert any(
        "just_written=1" in each and "Max-Age=1001" in each for each in answer.headers.get_all("Set-Cookie")
    )
    assert "Log out" in patient.ask("/members/", Cookie="; ".join(cookies)).content
