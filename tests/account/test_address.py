"""The mail address of a login: a new one counts once its link is opened, and the old one is told."""

import re

import pytest
from django_tasks_db.models import DBTaskResult

from foa.models import LoginSettings
from tests.account.people import PASSWORD, account, log_in
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

PAGE = "/account/address/"


@pytest.fixture
def anna(client):
    user = account(email="old@arena.example")
    log_in(client)
    return user


def ask(client, email="new@arena.example"):
    return client.post(PAGE, {"email": email})


@pytest.fixture
def link(client, anna, worker, mailoutbox):
    """The link that Anna got."""
    ask(client)
    worker()
    (mail,) = mailoutbox
    assert mail.to == ["new@arena.example"]
    mailoutbox.clear()
    return re.search(r"http://127.0.0.1:8000(\S+)", mail.body)[1]


def email_of(user):
    user.refresh_from_db()
    return user.email


def test_the_address_changes_when_the_button_behind_the_link_is_pressed(
    client, anna, link, mailoutbox, client_factory, django_capture_on_commit_callbacks
):
    anywhere = client_factory()
    assert "Use this address" in words(anywhere.get(link))
    assert email_of(anna) == "old@arena.example"
    with django_capture_on_commit_callbacks(execute=True):
        assert "has changed" in words(anywhere.post(link))
    assert email_of(anna) == "new@arena.example"
    (told,) = mailoutbox
    assert told.to == ["old@arena.example"]
    assert "new@arena.example" in told.body


def test_a_link_works_once(client, anna, link):
    client.post(link)
    assert client.get(link).status_code == 410
    assert client.post(link).status_code == 410


def test_a_newer_link_replaces_it(client, anna, link):
    ask(client, "third@arena.example")
    assert client.post(link).status_code == 410
    assert email_of(anna) == "old@arena.example"


def test_a_link_that_was_asked_for_before_the_password_changed_is_dead(client, anna, link):
    new = "another horse entirely"
    posted = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/account/password/", posted)["Location"] == "/account/"
    assert client.post(link).status_code == 410


@pytest.mark.parametrize("token", ["x", "W10:1:x", "a:b:c:d"])
def test_a_made_up_link_does_nothing(client, token):
    assert client.get(f"/account/address/{token}/").status_code == 410


def test_the_queue_keeps_no_mail_address(client, anna):
    ask(client)
    assert "arena.example" not in str(DBTaskResult.objects.values_list("args_kwargs", flat=True))


def test_three_links_an_hour_are_enough(client, anna):
    for number in range(3):
        assert "on its way" in words(ask(client, f"{number}@arena.example"))
    assert "Try again in an hour" in words(ask(client, "last@arena.example"))
    assert LoginSettings.objects.get().new_email == "2@arena.example"


def test_the_page_asks_for_the_password_first(client, anna):
    session = client.session
    session["confirmed_at"] = 0
    session.save()
    assert ask(client)["Location"].startswith("/account/confirm/")


def test_a_new_password_ends_all_other_sessions(client, anna, client_factory):
    elsewhere = client_factory()
    log_in(elsewhere)
    new = "another horse entirely"
    client.post("/account/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    assert "You have been logged out everywhere else" in words(client.get("/account/"))
    assert elsewhere.get("/account/")["Location"] == "/login/?next=/account/"


def test_the_language_is_kept_with_the_login(client, anna, client_factory):
    client.post("/language/set/", {"language": "pl", "next": "/account/"})
    elsewhere = client_factory()
    assert elsewhere.get("/").headers["Content-Language"] == "en"
    log_in(elsewhere)
    assert elsewhere.get("/").headers["Content-Language"] == "pl"
