"""A forgotten password: the answer tells nobody whether a mail address is known; a link works once."""

import re
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth import get_user
from django.core.cache import caches
from django.core.checks import run_checks
from django.utils import timezone, translation
from django_tasks_db.models import DBTaskResult

from foa.mails import is_allowed
from foa.models import AskedMails
from ratings.office.upkeep import delete_expired_sessions
from tests.account.people import PASSWORD, account, app_of, log_in
from tests.pages import is_friendly, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

PAGE = "/password/forgotten/"
NEW = "another horse entirely"


def ask(client, email="anna@arena.example"):
    return client.post(PAGE, {"email": email})


def link(mail):
    """The address in a mail, without the site."""
    return re.search(r"http://127.0.0.1:8000(/password/new/\S+)", mail.body)[1]


@pytest.fixture
def anna():
    return account(email="anna@arena.example")


def test_the_login_pages_lead_there(client):
    assert PAGE in client.get("/login/").content.decode()
    assert "/admin/password_reset/" in client.get("/admin/login/").content.decode()
    assert client.get("/admin/password_reset/")["Location"] == PAGE
    assert is_friendly(client.get(PAGE))


def test_the_link_sets_a_new_password_once_and_ends_sessions(
    client, anna, worker, mailoutbox, client_factory
):
    elsewhere = client_factory()
    log_in(elsewhere)
    ask(client)
    worker()
    (mail,) = mailoutbox
    assert mail.to == ["anna@arena.example"]
    form = client.get(link(mail))["Location"]
    assert "Set the password" in words(client.get(form))
    assert client.post(form, {"new_password1": NEW, "new_password2": NEW})["Location"] == "/password/changed/"
    worker()
    assert "The password has changed." in mailoutbox[1].body
    anna.refresh_from_db()
    assert anna.check_password(NEW)
    assert not get_user(elsewhere).is_authenticated
    assert "This link no longer works" in words(client_factory().get(link(mail)))


def test_a_weak_password_is_refused_with_the_reason(client, anna, worker, mailoutbox):
    ask(client)
    worker()
    form = client.get(link(mailoutbox[0]))["Location"]
    assert "too short" in words(client.post(form, {"new_password1": "horse", "new_password2": "horse"}))
    anna.refresh_from_db()
    assert anna.check_password(PASSWORD)


def test_known_and_unknown_addresses_get_the_same_answer(client, anna, worker, mailoutbox):
    known, unknown = ask(client), ask(client, "nobody@arena.example")
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    # The same work, too: how long it takes tells nothing.
    assert DBTaskResult.objects.count() == 2
    worker()
    assert [mail.to for mail in mailoutbox] == [["anna@arena.example"]]


def test_the_queue_keeps_no_mail_address(client, anna):
    ask(client)
    assert "arena.example" not in str(DBTaskResult.objects.values_list("args_kwargs", flat=True))


def test_who_was_locked_out_logs_in_with_the_new_password(client, anna, worker, mailoutbox):
    for _ in range(5):
        client.post("/login/", {"username": "anna", "password": "wrong"})
    assert log_in(client).status_code == 429
    ask(client)
    worker()
    form = client.get(link(mailoutbox[0]))["Location"]
    client.post(form, {"new_password1": NEW, "new_password2": NEW})
    assert not AccessAttempt.objects.exists()
    assert client.post("/login/", {"username": "anna", "password": NEW}).status_code == 302


def test_a_new_password_is_no_way_around_the_second_factor(client, anna, worker, mailoutbox):
    app_of(anna)
    ask(client)
    worker()
    form = client.get(link(mailoutbox[0]))["Location"]
    client.post(form, {"new_password1": NEW, "new_password2": NEW})
    assert not get_user(client).is_authenticated
    client.post("/login/", {"username": "anna", "password": NEW})
    assert client.get("/account/")["Location"] == "/login/second-step/?next=/account/"


def test_nobody_is_flooded_with_mail_and_the_answer_stays_the_same(client, anna, worker, mailoutbox):
    answers = {ask(client, email)["Location"] for email in ["anna@arena.example", "ANNA@arena.example"] * 3}
    assert answers == {"/password/sent/"}
    worker()
    assert len(mailoutbox) == 3


def test_who_asks_for_many_addresses_is_stopped(client):
    for number in range(20):
        assert ask(client, f"{number}@arena.example").status_code == 302
    response = ask(client, "last@arena.example")
    assert response.status_code == 429
    assert "Try again in an hour" in words(response)


def test_the_mail_is_in_the_language_of_who_asked(client, anna, worker, mailoutbox):
    with translation.override("pl"):
        client.post(PAGE, {"email": "anna@arena.example"}, headers={"Accept-Language": "pl"})
    assert DBTaskResult.objects.get().args_kwargs["kwargs"]["language"] == "pl"


@pytest.mark.parametrize("sent", [True, False])
def test_an_operator_who_sends_no_mail_is_warned(settings, sent):
    settings.EMAIL_IS_SENT = sent
    found = [one.id for one in run_checks(include_deployment_checks=True)]
    assert ("foa.W002" in found) != sent


def test_mails_are_counted_for_all_processes_together_and_forgotten_after_an_hour(db):
    """Each process has caches of its own; the database is that of all."""
    assert [is_allowed("password-reset:to", "anna@arena.example", 2) for _ in range(2)] == [True, True]
    for cache in caches.all():
        cache.clear()
    assert not is_allowed("password-reset:to", "anna@arena.example", 2)
    assert is_allowed("password-reset:to", "boris@arena.example", 2)
    assert is_allowed("password-reset:from", "anna@arena.example", 2)
    assert not any("anna" in row.key for row in AskedMails.objects.all())
    AskedMails.objects.update(since=timezone.now() - timedelta(hours=1))
    assert is_allowed("password-reset:to", "anna@arena.example", 2)
    AskedMails.objects.update(since=timezone.now() - timedelta(hours=1))
    delete_expired_sessions(timezone.now())
    assert not AskedMails.objects.exists()
