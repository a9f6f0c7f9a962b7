"""Whoever has a second factor is asked for it at both login pages, before anything else opens."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from foa.account.factors import new_recovery_codes
from tests.account.people import PASSWORD, account, app_of, code, log_in, wrong
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

STEP = "/login/second-step/"


def confirmed_again(client):
    """Pretend that the password was given an hour ago."""
    session = client.session
    session["confirmed_at"] -= 3600
    session.save()


@pytest.fixture
def app():
    return app_of(account(is_staff=True, is_superuser=True))


@pytest.mark.parametrize("form", ["/login/", "/admin/login/"])
def test_after_the_password_nothing_opens_before_the_second_step(client, app, form):
    log_in(client, page=form)
    for address in (
        "/admin/",
        "/my-ratings/",
        "/members/",
        "/account/",
        "/account/app/",
        "/password/forgotten/",
    ):
        response = client.get(address)
        assert response["Location"] == f"{STEP}?next={address}", address
    assert client.post("/account/recovery-codes/")["Location"] == STEP
    assert client.post("/login/passkey/registration/begin/")["Location"] == STEP


def test_the_right_code_opens_the_page_that_was_asked_for(client, app):
    log_in(client, page="/admin/login/", next="/admin/")
    assert client.get("/admin/")["Location"] == f"{STEP}?next=/admin/"
    key = client.session.session_key
    assert client.post(STEP, {"code": code(app), "next": "/admin/"})["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert client.session.session_key != key


def test_spaces_in_a_code_do_not_matter(client, app):
    log_in(client)
    shown = code(app)
    assert client.post(STEP, {"code": f" {shown[:3]} {shown[3:]} "}).status_code == 302


@pytest.mark.parametrize("typed", ["", "abc", "12345", "１２３４５６", "x" * 5000, "\0"])
def test_a_wrong_code_is_refused_and_said_so(client, app, typed):
    log_in(client)
    response = client.post(STEP, {"code": typed})
    assert response.status_code == 200
    assert 'class="fault"' in response.content.decode()
    assert client.get("/admin/").status_code == 302


def test_a_code_works_once(client, app):
    log_in(client)
    shown = code(app)
    client.post(STEP, {"code": shown})
    client.post("/logout/")
    log_in(client)
    response = client.post(STEP, {"code": shown})
    assert "Each code works once" in words(response)
    assert client.get("/admin/").status_code == 302


def test_after_wrong_codes_the_right_one_has_to_wait(client, app):
    TOTPDevice.objects.update(throttling_failure_count=10, throttling_failure_timestamp=timezone.now())
    log_in(client)
    response = client.post(STEP, {"code": code(app)})
    assert "Too many wrong codes. Try again after" in words(response)
    TOTPDevice.objects.update(throttling_failure_timestamp=timezone.now() - timedelta(seconds=513))
    assert client.post(STEP, {"code": code(app)}).status_code == 302


def test_each_wrong_code_doubles_the_wait(client, app):
    log_in(client)
    client.post(STEP, {"code": wrong(app)})
    app.refresh_from_db()
    assert app.throttling_failure_count == 1


def test_a_recovery_code_works_once_in_any_case(client, app):
    recovery = new_recovery_codes(app.user)[0]
    log_in(client)
    assert client.post(STEP, {"code": f"{recovery[:4].upper()}-{recovery[4:]}"}).status_code == 302
    client.post("/logout/")
    log_in(client)
    assert client.post(STEP, {"code": recovery}).status_code == 200
    assert StaticToken.objects.count() == 9


def test_a_code_of_somebody_else_is_wrong(client, app):
    other = app_of(account("boris"))
    log_in(client)
    assert client.post(STEP, {"code": code(other)}).status_code == 200


def test_the_second_step_leads_to_no_other_site(client, app):
    log_in(client)
    response = client.post(STEP, {"code": code(app), "next": "https://elsewhere.example/"})
    assert response["Location"] == "/my-ratings/"


def test_without_a_second_factor_the_password_is_enough(client):
    account()
    assert log_in(client)["Location"] == "/my-ratings/"
    assert client.get("/account/").status_code == 200
    assert client.get(STEP)["Location"] == "/my-ratings/"


def test_an_app_is_set_up_with_its_first_code_and_ends_other_sessions(client, client_factory):
    user, elsewhere = account(), client_factory()
    log_in(client)
    log_in(elsewhere)
    page = client.get("/account/app/").content.decode()
    device = TOTPDevice.objects.get(user=user)
    assert re.search(r'src="data:image/svg', page)
    assert client.post("/account/app/", {"code": wrong(device)}).status_code == 200
    device.refresh_from_db()
    assert not device.confirmed
    TOTPDevice.objects.update(throttling_failure_timestamp=None)
    response = client.post("/account/app/", {"code": code(device)})
    codes = list(StaticToken.objects.values_list("token", flat=True))
    assert len(codes) == 10
    assert all(one in words(response) for one in codes)
    assert get_user(client).is_authenticated
    assert not get_user(elsewhere).is_authenticated
    assert client.get("/account/").status_code == 200


def test_a_key_that_was_shown_before_is_replaced(client):
    account()
    log_in(client)
    client.get("/account/app/")
    before = TOTPDevice.objects.get().key
    client.get("/account/app/")
    assert TOTPDevice.objects.get().key != before


@pytest.mark.parametrize("address", ["/account/app/", "/account/passkey/"])
def test_a_session_left_open_is_asked_for_the_password_before_factors_change(client, address):
    account()
    log_in(client)
    confirmed_again(client)
    ask = client.get(address)["Location"]
    assert ask == f"/account/confirm/?next={address}"
    assert "This password isn’t right." in words(client.post(ask, {"password": "wrong"}))
    assert client.get(address).status_code == 302
    assert client.post(ask, {"password": PASSWORD})["Location"] == address
    assert client.get(address).status_code == 200


def test_a_session_left_open_adds_no_passkey_and_removes_nothing(client):
    app = app_of(account())
    log_in(client)
    client.post(STEP, {"code": code(app)})
    confirmed_again(client)
    assert client.post("/login/passkey/registration/begin/").status_code == 403
    assert client.post("/account/remove/", {"factor": app.persistent_id})["Location"].startswith(
        "/account/confirm/"
    )
    assert client.post("/account/recovery-codes/")["Location"].startswith("/account/confirm/")
    assert TOTPDevice.objects.filter(confirmed=True).exists()


def test_wrong_passwords_of_the_confirmation_are_counted_like_those_of_the_login(client):
    account()
    log_in(client)
    for _ in range(5):
        response = client.post("/account/confirm/", {"password": "wrong"})
    assert response.status_code == 429


def test_with_the_last_factor_its_recovery_codes_go(client):
    app = app_of(account())
    new_recovery_codes(app.user)
    log_in(client)
    client.post(STEP, {"code": code(app)})
    client.post("/account/remove/", {"factor": app.persistent_id})
    assert not StaticToken.objects.exists()
    assert client.get("/account/").status_code == 200
    client.post("/logout/")
    assert log_in(client)["Location"] == "/my-ratings/"
    assert client.get("/account/").status_code == 200


def test_nobody_removes_the_factor_of_somebody_else(client):
    app = app_of(account("boris"))
    account()
    log_in(client)
    client.post("/account/remove/", {"factor": app.persistent_id})
    assert TOTPDevice.objects.filter(pk=app.pk).exists()


class TestStaffWhoNeedASecondFactor:
    @pytest.fixture(autouse=True)
    def _needed(self, settings):
        settings.STAFF_TWO_FACTOR = True

    @pytest.mark.parametrize("address", ["/admin/", "/admin/members/member/", "/admin/ratings/game/void/"])
    def test_without_one_they_are_led_to_set_it_up(self, client, address):
        account(is_staff=True, is_superuser=True)
        log_in(client)
        assert client.get(address)["Location"] == "/account/"
        assert "Staff can only open the admin with a second factor." in words(client.get("/account/"))
        assert client.get("/").status_code == 200

    def test_with_one_the_admin_opens_after_the_second_step(self, client, app):
        log_in(client, next="/admin/")
        assert client.get("/admin/")["Location"] == f"{STEP}?next=/admin/"
        client.post(STEP, {"code": code(app)})
        assert client.get("/admin/").status_code == 200

    def test_an_app_set_up_now_opens_the_admin_at_once(self, client):
        account(is_staff=True, is_superuser=True)
        log_in(client)
        client.get("/account/app/")
        client.post("/account/app/", {"code": code(TOTPDevice.objects.get())})
        assert client.get("/admin/").status_code == 200

    def test_a_session_from_before_the_factor_takes_the_second_step(self, client, app):
        client.force_login(app.user)
        session = client.session
        del session["second_step_due"]
        session.save()
        assert client.get("/admin/")["Location"] == f"{STEP}?next=/admin/"

    def test_members_are_not_asked(self, client):
        account()
        assert log_in(client)["Location"] == "/my-ratings/"
        assert "The admin opens" not in words(client.get("/account/"))
