"""The whole way in, behind a real gunicorn on a unix socket that is asked as a proxy asks it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from tests import migrated
from tests.account.people import PASSWORD
from tests.services import temporary_directory

pytestmark = [pytest.mark.process, pytest.mark.pure]

ANNA, BORIS = "198.51.100.1", "198.51.100.2"


class Browser:
    """What comes through the proxy, from an address: it keeps cookies as a browser does."""

    def __init__(self, path, address):
        self.path, self.address, self.cookies = path, address, SimpleCookie()

    def ask(self, method, address, form=None, **headers):
        """Status, headers and text of an answer."""
        connection = HTTPConnection("ratings.example")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        with closing(connection):
            connection.sock.connect(self.path)
            sent = {
                "X-Forwarded-For": f"192.0.2.99, {self.address}",
                "X-Forwarded-Proto": "https",
                "Referer": "https://ratings.example/login/",
                "Cookie": "; ".join(f"{name}={one.value}" for name, one in self.cookies.items()),
                "Content-Type": "application/x-www-form-urlencoded",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            }
            body = form if isinstance(form, bytes) else form and urlencode(form)
            connection.request(method, address, body, sent)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie", []):
                self.cookies.load(cookie)
            return answer.status, answer.headers, answer.read().decode()

    def log_in(self, password):
        """The status of the answer to a password of anna."""
        page = self.ask("GET", "/login/")[2]
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        return self.ask(
            "POST", "/login/", {"username": "anna", "password": password, "csrfmiddlewaretoken": token}
        )[0]


def old_password():
    """The password of anna as an earlier version stored it."""
    return PBKDF2PasswordHasher().encode(PASSWORD, "salt" * 6, 1000)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """An office in which anna has a login from an earlier version."""
    path = tmp_path_factory.mktemp("office") / "foa.sqlite3"
    shutil.copy(migrated.sqlite(), path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO auth_user (username, password, email, first_name, last_name, is_active, is_staff, "
            "is_superuser, date_joined) VALUES ('anna', ?, '', '', '', 1, 0, 0, '2026-01-01 00:00:00')",
            [old_password()],
        )
    return path


@pytest.fixture(scope="module")
def gunicorn(database):
    """The path of the socket, and the log of a site with TLS behind a proxy."""
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{database}",
        "DJANGO_SETTINGS_MODULE": "foa.settings",
        "SECRET_KEY": "gunicorn" * 8,
        "ALLOWED_HOSTS": "ratings.example",
        "HTTPS": "true",
        "TRUSTED_PROXIES": "unix",
    }
    with temporary_directory("gunicorn") as directory:
        path, log = directory / "socket", directory / "log"
        serving = f"-m gunicorn foa.wsgi --bind unix:{path} --threads 4 --preload --log-level info"
        with log.open("wb") as written:
            process = subprocess.Popen(
                [sys.executable, *serving.split()], cwd=settings.BASE_DIR, env=environment, stderr=written
            )
            try:
                while "Listening at" not in log.read_text():
                    with pytest.raises(subprocess.TimeoutExpired):
                        process.wait(0.05)
                yield str(path), log
            finally:
                process.terminate()
                process.wait(30)


def stored(database):
    """The password of anna as it is kept."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT password FROM auth_user WHERE username = 'anna'").fetchone()[0]


def test_wrong_guesses_of_one_visitor_stop_that_visitor_alone(gunicorn, database):
    path, _log = gunicorn
    # Whoever logged in before has left a new one.
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE auth_user SET password = ? WHERE username = 'anna'", [old_password()])
    boris, anna = Browser(path, BORIS), Browser(path, ANNA)
    assert [boris.log_in("wrong") for _ in range(5)] == [200, 200, 200, 200, 429]
    assert boris.log_in(PASSWORD) == 429
    assert stored(database).startswith("pbkdf2_sha256$")
    assert anna.log_in(PASSWORD) == 302
    assert stored(database).startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
    for name in ("__Host-sessionid", "__Host-csrftoken"):
        cookie = anna.cookies[name]
        assert (
            cookie["secure"],
            cookie["httponly"],
            cookie["samesite"],
            cookie["path"],
            cookie["domain"],
        ) == (
            True,
            True,
            "Lax",
            "/",
            "",
        )
    page = anna.ask("GET", "/account/")[2]
    assert ANNA in page
    assert "192.0.2.99" not in page


def test_answers_carry_the_headers_of_a_site_with_tls(gunicorn):
    path, _log = gunicorn
    _status, headers, _page = Browser(path, ANNA).ask("GET", "/")
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert {*headers["Content-Security-Policy"].split("; ")} == {
        "default-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_a_request_without_tls_is_sent_to_it(gunicorn):
    path, _log = gunicorn
    status, headers, _page = Browser(path, ANNA).ask("GET", "/members/", X_Forwarded_Proto="http")
    assert (status, headers["Location"]) == (301, "https://ratings.example/members/")


def test_no_other_host_is_served_or_repeated(gunicorn):
    path, _log = gunicorn
    browser = Browser(path, ANNA)
    status, _headers, page = browser.ask("GET", "/", Host="evil.example")
    assert status == 400
    assert "evil.example" not in page
    _status, _headers, page = browser.ask("GET", "/members/?of=host", X_Forwarded_Host="evil.example")
    assert "evil.example" not in page
    assert "evil.example" not in browser.ask("GET", "/members/?of=host")[2]


def test_no_password_and_no_session_is_in_the_log(gunicorn):
    path, log = gunicorn
    anna = Browser(path, "198.51.100.3")
    assert anna.log_in("a wrong password") == 200
    assert anna.log_in(PASSWORD) == 302
    assert anna.ask("GET", "/account/")[0] == 200
    assert anna.ask("GET", "/nowhere/")[0] == 404
    written = log.read_text()
    assert "/nowhere/" in written
    for secret in (PASSWORD, "a wrong password", anna.cookies["__Host-sessionid"].value, "anna"):
        assert secret not in written
