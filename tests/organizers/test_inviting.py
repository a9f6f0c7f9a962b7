"""Invitations: an officer gives an address what it may report; the link works once, for seven days."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.utils import timezone

from foa.account.language import language_of
from ratings.organizers.models import Scope
from ratings.organizers.services import inviting
from ratings.organizers.services.inviting import (
    end_scope,
    forget_invitations,
    give_scope,
    invite_again,
    token_of,
)
from tests.organizers.people import organizer, page_of, tournament

pytestmark = pytest.mark.django_db

LOGIN = {"username": "olga", "password": "correct horse battery", "again": "correct horse battery"}


@pytest.fixture
def by(django_user_model):
    return django_user_model.objects.create_superuser("inviter")


@pytest.fixture
def invited(by):
    """An invitation of today, and its link."""
    scope = give_scope(
        email="olga@example.org", language="pl", by=by, at=timezone.now(), tournament=tournament()
    )
    return scope, f"/organizers/invitation/{token_of(scope)}/"


def moved_back(scope, by):
    """The same invitation, so much older, and its link."""
    scope.invited_at -= by
    scope.save()
    return f"/organizers/invitation/{token_of(scope)}/"


def test_an_officer_invites_and_the_mail_has_the_link(officer, worker):
    of = tournament()
    posted = {
        "email": "olga@example.org",
        "language": "en",
        "tournament": of.pk,
        "federation": "",
        "team": "",
    }
    answer = officer.post("/admin/organizers/scope/add/", posted, follow=True)
    assert "An invitation is on its way to olga@example.org." in answer.text
    scope = Scope.objects.get()
    assert (scope.tournament, scope.given_by, scope.user) == (of, officer.user, None)
    worker()
    (message,) = mail.outbox
    assert message.subject == "Invitation to report: Fjord Open (14 Mar 2026)"
    assert f"/organizers/invitation/{token_of(scope)}/" in message.body


@pytest.mark.parametrize("known", [True, False])
def test_the_officer_reads_the_same_whether_the_address_has_a_login(officer, known, django_user_model):
    if known:
        django_user_model.objects.create_user("olga", email="olga@example.org")
    posted = {
        "email": "olga@example.org",
        "language": "en",
        "tournament": "",
        "federation": "nor",
        "team": "",
    }
    answer = officer.post("/admin/organizers/scope/add/", posted, follow=True)
    assert "An invitation is on its way to olga@example.org." in answer.text
    assert Scope.objects.get().federation == "NOR"


@pytest.mark.parametrize(
    ("chosen", "field", "told"),
    [
        ({}, "__all__", "Choose exactly one: a tournament, a federation or a team."),
        ({"tournament": "1", "federation": "NOR"}, "__all__", "Choose exactly one"),
        ({"federation": "XXX"}, "federation", "No FIDE federation has this code."),
        (
            {"federation": "NOR", "as_administrator": "on"},
            "as_administrator",
            "No rating administrator of this federation",
        ),
    ],
)
def test_what_cannot_be_given_is_said_at_its_field_and_the_address_stays(officer, chosen, field, told):
    of = tournament()
    posted = {"email": "a@example.org", "language": "en", "federation": "", "team": "", **chosen}
    if "tournament" in posted:
        posted["tournament"] = of.pk
    answer = officer.post("/admin/organizers/scope/add/", posted)
    errors = answer.context["adminform"].form.errors
    assert list(errors) == [field]
    assert told in errors[field][0]
    assert 'value="a@example.org"' in answer.text
    assert not Scope.objects.exists()


def test_the_invited_sets_a_password_and_reports(invited, client):
    scope, link = invited
    assert "Fjord Open (14 Mar 2026)" in client.get(link).text
    assert client.post(link, LOGIN)["Location"] == "/organizers/"
    scope.refresh_from_db()
    assert (scope.user.username, scope.user.email, scope.email) == ("olga", "olga@example.org", "")
    assert (scope.user.is_staff, language_of(scope.user)) == (False, "pl")
    assert client.get(page_of(scope)).status_code == 200


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ({"password": "12345678", "again": "12345678"}, "too common"),
        ({"again": "other"}, "The passwords differ."),
    ],
)
def test_the_passwords_of_the_site_hold_here(invited, client, posted, told):
    assert told in client.post(invited[1], {**LOGIN, **posted}).text
    assert Scope.objects.get().user is None


def test_a_used_link_is_gone(invited, client, django_user_model):
    scope, link = invited
    client.post(link, LOGIN)
    client.logout()
    assert client.get(link).status_code == 410
    with pytest.raises(ValidationError, match="This invitation was used or replaced"):
        inviting.accept_new(scope, username="other", password=LOGIN["password"])
    assert not django_user_model.objects.filter(username="other").exists()


def test_a_link_works_for_seven_days(invited, client):
    scope, _link = invited
    assert client.get(moved_back(scope, timedelta(days=6, hours=23))).status_code == 200
    assert client.get(moved_back(scope, timedelta(hours=2))).status_code == 410


@pytest.mark.parametrize("token", ["x-y", "WzEsMV0:1abc:def"])
def test_a_made_up_link_is_gone(client, token):
    assert client.get(f"/organizers/invitation/{token}/").status_code == 410


def test_the_next_mail_replaces_the_link(invited, client, by):
    scope, _link = invited
    earlier = moved_back(scope, timedelta(hours=1))
    invite_again(scope, by=by, at=timezone.now())
    scope.refresh_from_db()
    assert client.get(earlier).status_code == 410
    assert client.get(f"/organizers/invitation/{token_of(scope)}/").status_code == 200


def test_two_mails_have_ten_minutes_between_them(invited, by):
    with pytest.raises(ValidationError, match="An email was sent a few minutes ago"):
        invite_again(invited[0], by=by, at=timezone.now())


def test_an_invitation_that_was_taken_back_is_gone(invited, client, by):
    scope, link = invited
    end_scope(scope, by=by, at=timezone.now())
    assert client.get(link).status_code == 410
    scope.refresh_from_db()
    assert scope.email == ""


def test_a_login_with_the_address_gets_the_scope_after_logging_in(invited, client, django_user_model):
    scope, link = invited
    user = django_user_model.objects.create_user("anna", email="OLGA@example.org")
    page = client.get(link)
    assert f'href="/login/?next={link}"'.replace(":", "%3A") in page.text.replace(":", "%3A")
    assert client.post(link, LOGIN).status_code == 409
    client.force_login(user)
    assert "Accept as anna" in client.get(link).text
    assert client.post(link)["Location"] == "/organizers/"
    scope.refresh_from_db()
    assert scope.user == user


def test_a_login_of_staff_reports_nothing(invited, officer):
    _scope, link = invited
    answer = officer.post(link)
    assert answer.status_code == 409
    assert "This login belongs to a member of staff. Accept with a different login." in answer.text
    assert Scope.objects.get().user is None


def test_an_address_of_an_expired_invitation_is_not_kept(invited):
    scope, _link = invited
    moved_back(scope, timedelta(days=7, seconds=1))
    forget_invitations(timezone.now())
    scope.refresh_from_db()
    assert (scope.email, scope.ended_at is None) == ("", False)


def test_too_many_invitations_to_one_address_are_refused(invited, by, monkeypatch):
    monkeypatch.setattr(inviting, "PER_ADDRESS", 1)
    with pytest.raises(ValidationError, match="Too many invitations to"):
        give_scope(email="Olga@example.org", language="en", by=by, at=timezone.now(), federation="NOR")


def test_an_officer_ends_what_a_login_may_report(officer):
    olga, scope = organizer(tournament=tournament())
    answer = officer.post(f"/admin/organizers/scope/{scope.pk}/end/", follow=True)
    assert "Ended." in answer.text
    scope.refresh_from_db()
    assert (scope.ended_by, olga.get("/organizers/").status_code) == (officer.user, 404)
    assert "already ended" in officer.post(f"/admin/organizers/scope/{scope.pk}/end/", follow=True).text
    assert "Ended." in officer.get("/admin/office/journal/").text


def test_an_officer_sends_the_invitation_again(officer, invited, worker):
    scope, _link = invited
    moved_back(scope, timedelta(hours=1))
    answer = officer.post(f"/admin/organizers/scope/{scope.pk}/again/", follow=True)
    assert "The invitation is on its way again." in answer.text


def test_the_mail_of_an_invitation_is_in_its_language_and_only_while_it_waits(invited, worker, by):
    scope, _link = invited
    end_scope(scope, by=by, at=timezone.now())
    worker()
    assert mail.outbox == []
