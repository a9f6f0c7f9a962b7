"""Whoever has a login is told by mail what has changed about it (ASVS 2.2.3)."""

import pytest
from django.core import mail
from django_otp.plugins.otp_totp.models import TOTPDevice

from foa.account.factors import remove_all
from foa.account.notify import LoginChange, notify_user
from tests.account.people import PASSWORD, account, app_of, code, log_in

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

NEW = "another horse entirely"


@pytest.fixture
def anna():
    return account(email="anna@arena.example")


@pytest.fixture
def told(worker):
    """What the worker writes to Anna, a sentence each."""

    def told():
        worker()
        assert {one.subject for one in mail.outbox} <= {"The way you log in has changed"}
        assert {address for one in mail.outbox for address in one.to} <= {"anna@arena.example"}
        return [one.body.split("\n\n")[1] for one in mail.outbox]

    return told


def test_a_mail_says_what_to_do(anna, told):
    notify_user(anna, LoginChange.PASSWORD)
    assert told() == ["The password has changed."]
    assert mail.outbox[0].body == (
        "This is about your login anna at the rating office.\n\nThe password has changed.\n\n"
        "If this wasn’t you, contact us, and set a new password here:\n"
        "http://127.0.0.1:8000/password/forgotten/\n\n"
    )


def test_each_change_is_told(client, anna, told):
    log_in(client)
    client.get("/account/app/")
    client.post("/account/app/", {"code": code(TOTPDevice.objects.get())})
    client.post("/account/recovery-codes/")
    client.post("/account/remove/", {"factor": TOTPDevice.objects.get().persistent_id})
    client.post("/account/password/", {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW})
    assert told() == [
        "An authenticator app or a passkey was added to it.",
        "New recovery codes were created. The old ones no longer work.",
        "An authenticator app or a passkey was removed from it.",
        "The password has changed.",
    ]


def test_what_staff_remove_is_told_too(anna, told):
    app_of(anna)
    remove_all(anna)
    assert told() == ["An authenticator app or a passkey was removed from it."]


def test_logins_without_an_address_are_told_nothing(told):
    boris = account("boris")
    app_of(boris)
    remove_all(boris)
    assert told() == []
