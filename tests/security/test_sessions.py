"""Sessions get a new key with each step of logging in, end, and live in cookies of this site alone."""

import os
import subprocess
import sys
from datetime import timedelta
from string import ascii_lowercase, digits

import pytest
from django.conf import settings as of_the_site
from django.contrib.auth import get_user
from django.utils import timezone

from foa.account.sessions import SessionStore
from foa.models import Session
from tests.account.people import PASSWORD, account, app_of, code, log_in

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

NEW = "another horse entirely"


def rotated(client, step):
    """Whether a step gave the session another key, and the old one opens nothing any more."""
    before = client.session.session_key
    step()
    after = client.session.session_key
    return after not in (before, None) and not Session.objects.filter(session_key=before).exists()


def test_logging_in_gives_a_new_key_to_the_session_of_a_visitor(client):
    account()
    session = client.session
    session["before"] = "planted"
    session.save()
    client.cookies[of_the_site.SESSION_COOKIE_NAME] = session.session_key
    assert rotated(client, lambda: log_in(client))


def test_a_session_of_one_login_is_not_handed_on_to_another(client):
    account()
    account("boris")
    log_in(client)
    session = client.session
    session["of"] = "anna"
    session.save()
    assert rotated(client, lambda: log_in(client, "boris"))
    assert "of" not in client.session


def test_the_second_step_gives_a_new_key(client):
    device = app_of(account())
    log_in(client)
    assert rotated(client, lambda: client.post("/login/second-step/", {"code": code(device)}))
    assert client.get("/account/").status_code == 200


def test_a_first_factor_gives_a_new_key(client):
    user = account()
    log_in(client)
    client.get("/account/app/")
    device = user.totpdevice_set.get()
    assert rotated(client, lambda: client.post("/account/app/", {"code": code(device)}))


def test_a_new_password_gives_a_new_key_and_ends_all_other_sessions(client, client_factory):
    account()
    other = client_factory()
    log_in(other)
    log_in(client)
    posted = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert rotated(client, lambda: client.post("/account/password/", posted))
    assert get_user(client).is_authenticated
    assert not get_user(other).is_authenticated


def test_logging_out_ends_the_session_for_whoever_has_copied_its_key(client, client_factory):
    account()
    log_in(client)
    thief = client_factory()
    thief.cookies[of_the_site.SESSION_COOKIE_NAME] = client.session.session_key
    assert get_user(thief).is_authenticated
    client.post("/logout/")
    assert not get_user(thief).is_authenticated


def test_a_key_has_32_random_characters():
    keys = [SessionStore()._get_new_session_key() for _ in range(200)]
    assert {len(key) for key in keys} == {32}
    assert {*"".join(keys)} == {*ascii_lowercase, *digits}
    assert len({*keys}) == 200


@pytest.mark.parametrize(("is_staff", "lasts"), [(True, timedelta(hours=12)), (False, timedelta(days=14))])
def test_a_session_ends_twelve_hours_or_two_weeks_after_logging_in(client, is_staff, lasts):
    account(is_staff=is_staff)
    log_in(client)
    ends = Session.objects.get().expire_date
    assert abs(ends - timezone.now() - lasts) < timedelta(minutes=1)
    # Using it doesn't put that off.
    session = client.session
    session["used"] = True
    session.save()
    assert Session.objects.get().expire_date == ends


def test_cookies_are_for_this_site_alone_and_for_no_script(client, client_factory):
    account()
    client = client_factory(headers={"Accept-Language": "pl"})
    client.get("/login/")
    log_in(client)
    client.post("/language/set/", {"language": "pl", "next": "/"})
    assert {*client.cookies} == {"sessionid", "csrftoken", "django_language", "known_browser"}
    for cookie in client.cookies.values():
        assert (cookie["samesite"], cookie["httponly"], cookie["domain"], cookie["path"]) == (
            "Lax",
            True,
            "",
            "/",
        )


NAMES = """
import django; django.setup()
from django.conf import settings
for name in ("SESSION", "CSRF", "LANGUAGE"):
    print(*(getattr(settings, f"{name}_COOKIE_{what}") for what in ("NAME", "SECURE", "DOMAIN", "PATH")))
"""


@pytest.mark.process
def test_over_tls_their_names_bind_them_to_the_host():
    """A browser takes __Host- only with Secure, the path / and no domain (RFC 6265bis 4.1.3.2)."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "foa.settings", "HTTPS": "true", "SECRET_KEY": "x"}
    told = subprocess.run(
        [sys.executable, "-c", NAMES],
        env=environment,
        cwd=of_the_site.BASE_DIR,
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout.splitlines() == [
        "__Host-sessionid True None /",
        "__Host-csrftoken True None /",
        "django_language True None /",
    ]
