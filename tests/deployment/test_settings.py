"""A wrong setting, and a database that can’t be reached, are told in a sentence."""

import os
import subprocess
import sys

import pytest

from tests.commands import MANAGE


def manage(*arguments, **variables):
    """The exit code of a command, its output and its errors. Nothing here may be a traceback."""
    done = subprocess.run(
        [sys.executable, MANAGE, *arguments],
        env={**os.environ, "SECRET_KEY": "x" * 50, **variables},
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr.strip()


GIVE = "Give an address such as postgres://user:password@host/name or sqlite:////absolute/file"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DATABASE_URL", "", f"DATABASE_URL is empty. {GIVE}, or leave the variable out."),
        ("DATABASE_URL", "nonsense", f"DATABASE_URL is neither of PostgreSQL nor of SQLite. {GIVE}."),
        ("DATABASE_URL", "mysql://a/b", f"DATABASE_URL is neither of PostgreSQL nor of SQLite. {GIVE}."),
        ("DATABASE_URL", "postgres://a:secret@h:p/x", f"DATABASE_URL: the URL can’t be read. {GIVE}."),
        (
            "DATABASE_REPLICA_URL",
            "x",
            f"DATABASE_REPLICA_URL is neither of PostgreSQL nor of SQLite. {GIVE}.",
        ),
        ("PORT", "abc", "PORT: “abc” isn’t a whole number."),
        ("PORT", "70000", "PORT: 70000 must be from 1 to 65535."),
        ("CASE_DAYS", "two", "CASE_DAYS: “two” isn’t a whole number."),
        ("CASE_DAYS", "-3", "CASE_DAYS: -3 must be at least 0."),
        ("DATABASE_REPLICA_LAG", "nan", "DATABASE_REPLICA_LAG: “nan” isn’t a number."),
        ("MONTHS_PER_OTB_LIST", "3", "MONTHS_PER_OTB_LIST: 3 must be from 1 to 2."),
        ("WEBHOOKS_PORTS", "443,x", "WEBHOOKS_PORTS: “443,x” isn’t a list of whole numbers."),
        ("STAFF_TWO_FACTOR", "ture", "STAFF_TWO_FACTOR: “ture” is neither true nor false."),
        (
            "OTB_REGULATIONS_2024_SINCE",
            "2026",
            "OTB_REGULATIONS_2024_SINCE: “2026” isn’t a day such as 2026-12-01.",
        ),
        ("CACHE_URL", "cache", "CACHE_URL: “cache” isn’t a Redis such as redis://cache.internal:6379/0."),
        ("SITE_URL", "ratings", "SITE_URL: “ratings” isn’t an address such as https://ratings.example."),
        ("WORKER_METRICS", "9101", "WORKER_METRICS: “9101” isn’t an address such as 127.0.0.1:9101."),
        (
            "SENTRY_DSN",
            "sentry",
            "SENTRY_DSN: “sentry” isn’t an address such as https://key@sentry.example/1.",
        ),
        (
            "EMAIL_URL",
            "mail.example",
            "EMAIL_URL: the URL can’t be read. Give an address such as "
            "smtp+tls://user:password@mail.example:587.",
        ),
    ],
)
def test_a_wrong_setting_is_told_with_what_is_expected(name, value, said):
    assert manage("audit", **{name: value}) == (1, "", said)


def test_an_empty_variable_counts_as_not_set(tmp_path):
    empty = dict.fromkeys(
        ("PORT", "CASE_DAYS", "DATABASE_REPLICA_LAG", "HTTPS", "SITE_URL", "UPLOAD_DIR", "EMAIL_URL"), ""
    )
    shown = (
        "from django.conf import settings as s; "
        "print(s.CASE_DAYS, s.DATABASE_REPLICA_LAG, s.HTTPS, s.SITE_URL, bool(s.UPLOAD_DIR), s.EMAIL_IS_SENT)"
    )
    url = f"sqlite:///{tmp_path / 'office.sqlite3'}"
    code, out, _err = manage("shell", "--no-imports", "-c", shown, DATABASE_URL=url, **empty)
    assert (code, out.split()) == (0, ["14", "5.0", "False", "http://127.0.0.1:8000", "True", "False"])


NO_DATABASE = "The database can’t be used (DATABASE_URL): "


@pytest.mark.parametrize("command", ["migrate", "audit"])
def test_a_file_that_cannot_be_opened_is_told(tmp_path, command):
    file = tmp_path / "office.sqlite3"
    file.mkdir()
    code, out, err = manage(command, DATABASE_URL=f"sqlite:///{file}")
    assert (code, out) == (1, "")
    assert err.removeprefix("CommandError: ") == f"{NO_DATABASE}unable to open database file"


def test_a_directory_that_is_missing_is_told_and_not_made(tmp_path):
    missing = tmp_path / "nowhere"
    code, out, err = manage("migrate", DATABASE_URL=f"sqlite:///{missing / 'office.sqlite3'}")
    assert (code, out) == (1, "")
    assert err == f"DATABASE_URL: the directory {missing} doesn’t exist, or this user can’t write to it."
    assert not missing.exists()


def test_a_directory_that_cannot_be_written_to_is_told(tmp_path):
    (tmp_path / "file").touch()
    progress = tmp_path / "file" / "progress"
    url = f"sqlite:///{tmp_path / 'office.sqlite3'}"
    code, _out, err = manage("migrate", DATABASE_URL=url, PROGRESS_DIR=str(progress))
    assert (code, err) == (1, f"{progress} can’t be used: Not a directory.")


@pytest.mark.parametrize(
    "command",
    [("migrate",), ("audit",), ("createsuperuser",), ("check", "--deploy", "--database", "default")],
)
def test_a_server_that_does_not_answer_is_told(command):
    code, out, err = manage(*command, DATABASE_URL="postgres://office:secret@127.0.0.1:1/office")
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.removeprefix("CommandError: ").startswith(f"{NO_DATABASE}connection failed: ")
    assert '"127.0.0.1", port 1 failed: Connection refused' in line
    assert "secret" not in line


@pytest.mark.parametrize("command", ["migrate", "audit", "run_jobs"])
def test_an_option_of_the_url_that_does_not_exist_is_told(command):
    code, out, err = manage(command, DATABASE_URL="postgres://office:secret@127.0.0.1:1/office?colour=red")
    assert (code, out) == (1, "")
    assert err == f'{NO_DATABASE}invalid connection option "colour"'


@pytest.mark.parametrize("url", ["postgres://office:secret@127.0.0.1", "postgres://127.0.0.1/", "sqlite://"])
def test_a_url_without_the_name_of_a_database_is_told(url):
    assert manage("migrate", DATABASE_URL=url) == (
        1,
        "",
        f"DATABASE_URL: the name of the database is missing. {GIVE}.",
    )


def test_streams_of_pages_need_the_room_that_has_them():
    said = "STREAM_PAGES: the streams need the room arena. Add it to ROOMS, or set STREAM_PAGES to false."
    assert manage("audit", STREAM_PAGES="true", ROOMS="desk") == (1, "", said)
