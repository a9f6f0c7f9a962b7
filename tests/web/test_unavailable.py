"""While the database can’t be asked, every address says so with 503, and when to ask again."""

import errno
import sqlite3
from contextlib import contextmanager
from unittest.mock import patch

import psycopg
import pytest
from django.core.management import CommandError
from django.db import (
    DataError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
    connection,
)
from django.db.transaction import TransactionManagementError

from foa.db_errors import is_full, passes
from foa.files import streamed
from tests.pages import is_friendly, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


@contextmanager
def database_down(error=OperationalError):
    """No statement is answered."""

    def refuse(*_):
        raise error("connection to server failed")

    with connection.execute_wrapper(refuse):
        yield


PAGES = [
    "/",
    "/members/",
    "/members/1/",
    "/games/?member=a",
    "/lists/rapid/2026-11/",
    "/games/?format=csv",
    "/register/",
    "/fide/",
    "/league/",
    "/calculators/",
    "/sitemap.xml",
    "/login/",
]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
@pytest.mark.parametrize("address", ["/members/", "/games/"])
def test_a_page_says_so_and_when_to_ask_again(client, address, error):
    client.raise_request_exception = False
    with database_down(error):
        response = client.get(address)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert is_friendly(response)
    assert "The database isn’t available." in words(response)


@pytest.mark.parametrize("address", PAGES)
def test_no_page_fails_in_another_way(client, address):
    client.raise_request_exception = False
    with database_down():
        response = client.get(address)
    response.close()
    if response.status_code != 503:
        # A few pages ask nothing of the database.
        assert response.status_code in (200, 302, 404)
        return
    assert response["Retry-After"] == "5"


@pytest.mark.parametrize("address", ["/admin/", "/admin/ratings/game/", "/my-ratings/", "/members/"])
def test_whoever_is_logged_in_reads_it_without_their_session(admin_client, address):
    admin_client.raise_request_exception = False
    with database_down():
        response = admin_client.get(address)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert is_friendly(response)


@pytest.mark.parametrize("address", ["members", "all-games", "lists", "ratings/rapid"])
def test_the_api_answers_with_a_problem(client, address):
    client.raise_request_exception = False
    with database_down():
        response = client.get(f"/api/v1/{address}")
    assert response.status_code == 503
    assert response["Content-Type"] == "application/problem+json"
    assert response["Retry-After"] == "5"
    assert response.json()["kind"] == "service-unavailable"


def test_a_token_that_cannot_be_checked_is_not_refused(client):
    client.raise_request_exception = False
    with database_down():
        sent = client.put("/api/v1/games/1", b"{}", "application/json", headers={"authorization": "Bearer x"})
        asked = client.post(
            "/oauth/token/",
            {"grant_type": "client_credentials"},
            headers={"authorization": "Basic YTpi"},
        )
    assert (sent.status_code, sent["Retry-After"]) == (503, "5")
    assert (asked.status_code, asked["Retry-After"]) == (503, "5")


@pytest.mark.parametrize("whose", ["of the database", "of uploads"])
def test_a_full_disk_is_told(client, whose):
    client.raise_request_exception = False
    full = of_sqlite(sqlite3.SQLITE_FULL) if whose == "of the database" else OSError(errno.ENOSPC, "full")
    with patch("foa.web.listing.FilteredTableView.get", side_effect=full):
        response = client.get("/members/?sex=f")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "Our disk is full, so nothing was stored." in words(response)


def test_a_page_that_was_kept_comes_back_with_the_database(client):
    client.raise_request_exception = False
    before = client.get("/members/")
    with database_down():
        assert client.get("/members/").status_code == 503
    assert client.get("/members/").status_code == before.status_code == 200


def lost(*_):
    """A stream whose first row can’t be read."""
    raise LOST
    yield


def test_a_file_whose_first_row_cannot_be_read_is_not_begun(client):
    client.raise_request_exception = False
    with patch("foa.files.csv_pieces", lost):
        response = client.get("/games/?format=csv")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert is_friendly(response)


def test_a_file_has_all_its_pieces_and_may_be_empty():
    def answer(*pieces):
        return b"".join(streamed(iter(pieces), "text/plain"))

    assert answer() == b""
    assert answer("a") == b"a"
    assert answer("a", "b", "c") == b"abc"


def test_a_session_that_cannot_be_stored_was_not_ended_by_anybody(client, django_user_model):
    django_user_model.objects.create_user("anna", password="a long enough one")
    client.raise_request_exception = False

    def refuse_update(execute, sql, params, many, context):
        if sql.startswith('UPDATE "foa_session"'):
            raise OperationalError("the connection is lost")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse_update):
        response = client.post("/login/", {"username": "anna", "password": "a long enough one"})
    assert (response.status_code, response["Retry-After"]) == (503, "5")


def raised(error, cause=None, context=None):
    """An error as somebody catches it who knows what it came from."""
    error.__cause__, error.__context__ = cause, context
    return error


def of_sqlite(code):
    cause = sqlite3.OperationalError()
    cause.sqlite_errorcode = code
    return raised(OperationalError(), cause)


LOST = OperationalError("the connection is lost")


@pytest.mark.parametrize(
    ("error", "is_passing"),
    [
        (LOST, True),
        (InterfaceError("connection already closed"), True),
        (raised(OperationalError(), psycopg.errors.TooManyConnections()), True),
        (raised(OperationalError(), psycopg.errors.DeadlockDetected()), True),
        (of_sqlite(sqlite3.SQLITE_BUSY), True),
        (of_sqlite(sqlite3.SQLITE_IOERR), True),
        # SQLite has no other word for a table that doesn't exist.
        (of_sqlite(sqlite3.SQLITE_ERROR), False),
        (raised(TransactionManagementError("no queries until the end"), LOST), True),
        (raised(ProgrammingError("no new connection in an atomic block"), None, LOST), True),
        (ProgrammingError("no such column"), False),
        (raised(DataError(), psycopg.errors.NumericValueOutOfRange()), False),
        (raised(RuntimeError("a fault of ours"), None, LOST), False),
        (CommandError(), False),
        (None, False),
    ],
)
def test_what_passes_is_told_from_faults_of_the_office(error, is_passing):
    assert passes(error) is is_passing


@pytest.mark.parametrize(
    ("error", "is_so"),
    [
        (of_sqlite(sqlite3.SQLITE_FULL), True),
        # A full disk has no room for the files beside SQLite's own, and it says no more than this.
        (of_sqlite(sqlite3.SQLITE_IOERR), True),
        (of_sqlite(sqlite3.SQLITE_IOERR_SHMSIZE), True),
        (of_sqlite(sqlite3.SQLITE_BUSY), False),
        (raised(OperationalError(), psycopg.errors.DiskFull()), True),
        (raised(OperationalError(), psycopg.errors.DeadlockDetected()), False),
        (LOST, False),
        (None, False),
    ],
)
def test_a_full_disk_is_told_from_other_faults_of_the_database(error, is_so):
    assert is_full(error) is is_so
