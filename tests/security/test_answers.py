"""What every answer carries, and what none does."""

import os
import subprocess
import sys

import pytest
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.test import Client

from tests.account.people import account, log_in
from tests.arena import member
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

KINDS = [
    "/",
    "/members/?format=csv",
    "/api/v1/members",
    "/nowhere/",
    "/members/?member=%00",
    "/login/",
    "/robots.txt",
]


@pytest.mark.parametrize("address", KINDS)
def test_each_answer_says_what_it_is_and_where_it_may_be_shown(client, address):
    response = client.get(address)
    response.close()
    headers = response.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Content-Type"].startswith(
        (
            "text/html; charset=utf-8",
            "text/csv; charset=utf-8",
            "application/json",
            "text/plain; charset=utf-8",
        )
    )
    assert not {"Server", "X-Powered-By"} & headers.keys()
    assert ("Access-Control-Allow-Origin" in headers) == address.startswith("/api/")


def test_no_other_site_is_let_in_by_its_origin(client):
    for origin in ("https://evil.example", "null"):
        for address in ("/", "/login/", "/api/v1/changes", "/api/v1/webhooks"):
            assert "Access-Control-Allow-Origin" not in client.get(address, headers={"origin": origin})
        # What everybody may read has one answer for all, without cookies.
        public = client.get("/api/v1/members", headers={"origin": origin})
        assert public["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in public


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "DELETE", "PATCH", "MADEUP"])
@pytest.mark.parametrize("address", ["/", "/login/", "/api/v1/members"])
def test_methods_that_a_page_does_not_have_are_refused(address, method):
    assert Client().generic(method, address).status_code == 405


@pytest.mark.parametrize(
    "address",
    [
        "/account/",
        "/my-ratings/data/",
        pytest.param("/news/mine/", marks=pytest.mark.needs("notices")),
        pytest.param("/cases/", marks=pytest.mark.needs("desk")),
        "/account/password/",
    ],
)
def test_no_browser_stores_a_page_of_ones_own(client, address):
    member("anna", user=account())
    log_in(client)
    response = client.get(address)
    assert (response.status_code, "no-store" in response["Cache-Control"]) == (200, True)
    # As a browser does: a file half made would be given up whenever memory is tidied, in another test.
    assert response.getvalue()


@pytest.mark.parametrize("address", ["/", "/members/", "/members/?format=csv", "/nowhere/"])
def test_no_cache_gives_others_what_somebody_who_is_logged_in_got(client, address):
    account()
    log_in(client)
    response = client.get(address)
    response.close()
    assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    "address", ["/login/", "/account/password/", "/account/sessions/end/", "/account/remove/"]
)
def test_a_form_without_its_token_is_refused(address):
    account()
    client = Client(enforce_csrf_checks=True)
    client.force_login(account("boris"))
    assert client.post(address, {"username": "anna", "password": "x"}).status_code == 403


def test_a_fault_of_the_office_shows_nothing_of_itself(client, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("secret of the office")

    monkeypatch.setattr("ratings.rbb.views.members.MemberListView.get_queryset", fail)
    client.raise_request_exception = False
    response = client.get("/members/")
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "RuntimeError" not in response.text
    assert words(response)


@pytest.mark.parametrize(
    "address", ["/.git/config", "/.env", "/static/", "/static/foa/", "/manage.py", "/foa.sqlite3"]
)
def test_no_file_of_the_checkout_and_no_directory_is_served(client, address):
    assert client.get(address).status_code == 404


def test_each_login_and_each_failed_one_is_noted(client):
    account()
    log_in(client)
    client.post("/login/", {"username": "anna", "password": "wrong"})
    assert [*AccessLog.objects.values_list("username", "ip_address")] == [("anna", "127.0.0.1")]
    (failed,) = AccessAttempt.objects.all()
    assert (failed.username, failed.ip_address, failed.failures_since_start) == ("anna", "127.0.0.1", 1)
    assert "wrong" not in failed.post_data


@pytest.mark.process
def test_without_settings_the_debug_mode_is_off():
    environment = {name: value for name, value in os.environ.items() if name != "DEBUG"}
    program = "from django.conf import settings; print(settings.DEBUG)"
    told = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"DJANGO_SETTINGS_MODULE": "foa.settings"},
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout == "False\n"
