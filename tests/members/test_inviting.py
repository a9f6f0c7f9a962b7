"""Invitations: a member makes a login with a link that came by mail, once."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from members.invitations import VALID
from members.inviting import PER_ADDRESS, accept, forget_invitations, invitation_of, invite, token_of
from members.models import Invitation, Member
from tests.arena import member
from tests.pages import words

pytestmark = pytest.mark.django_db

NOW = timezone.now()
GOOD = {"username": "anna", "password": "correct horse", "again": "correct horse"}


def invited(who=None, email="anna@arena.example", by="office", at=NOW):
    return invite(member=who or member("anna", name="Berg, Anna"), email=email, by=by, language="en", at=at)


def page(invitation):
    return f"/members/invitation/{token_of(invitation)}/"


def test_the_mail_leads_to_a_page_that_makes_the_login(client, worker, mailoutbox):
    invited()
    worker()
    (mail,) = mailoutbox
    assert mail.to == ["anna@arena.example"]
    link = re.search(r"http://127.0.0.1:8000(\S+)", mail.body)[1]
    assert "Set up a login for Berg, Anna" in words(client.get(link))
    assert client.post(link, GOOD)["Location"] == "/account/"
    user = Member.objects.get().user
    assert (user.username, user.email, user.is_staff) == ("anna", "anna@arena.example", False)
    assert get_user(client) == user


def test_it_works_once(client):
    invitation = invited()
    client.post(page(invitation), GOOD)
    assert client.get(page(invitation)).status_code == 410
    assert client.post(page(invitation), {**GOOD, "username": "other"}).status_code == 410


def test_a_login_that_the_office_gives_them_meanwhile_stays(django_user_model):
    invitation = invited()
    given = django_user_model.objects.create_user("given")
    Member.objects.update(user=given)
    with pytest.raises(ValidationError, match="already has a login, or has left"):
        accept(invitation, username="anna", password="correct horse")
    assert Member.objects.get().user == given
    assert not django_user_model.objects.filter(username="anna").exists()


def test_it_works_for_a_week():
    invitation = invited()
    token = token_of(invitation)
    assert invitation_of(token, NOW + VALID - timedelta(seconds=1)) == invitation
    assert invitation_of(token, NOW + VALID) is None


def test_a_newer_invitation_replaces_it(client):
    anna = member("anna")
    earlier = invited(anna, at=NOW - timedelta(hours=1))
    later = invited(anna, "new@arena.example")
    assert client.get(page(earlier)).status_code == 410
    assert client.get(page(later)).status_code == 200


@pytest.mark.parametrize("token", ["x", "W10:x", "a:b:c"])
def test_a_made_up_link_opens_nothing(client, token):
    invited()
    assert client.get(f"/members/invitation/{token}/").status_code == 410


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"again": "correct horsf"}, "The passwords differ."),
        ({"password": "anna", "again": "anna"}, "too short"),
        ({"username": "TAKEN"}, "is taken. Please choose another one."),
        ({"username": "with space"}, "Enter a valid username"),
        ({"username": "ａnna"}, "Write it as “anna”."),
    ],
)
def test_what_is_wrong_is_said_and_the_invitation_stays(client, django_user_model, wrong, said):
    django_user_model.objects.create_user("taken")
    invitation = invited()
    assert said in words(client.post(page(invitation), GOOD | wrong))
    assert Invitation.objects.get() == invitation
    assert Member.objects.get().user is None


def test_who_has_a_login_or_has_left_is_not_invited(django_user_model):
    with pytest.raises(ValidationError, match="already has a login"):
        invited(member("boris", user=django_user_model.objects.create_user("boris")))
    with pytest.raises(ValidationError, match="already has a login, or has left"):
        invited(member("clara", withdrawn_at=NOW))


def test_nobody_is_flooded_with_invitations():
    anna = member("anna")
    invited(anna)
    with pytest.raises(ValidationError, match="a few minutes ago"):
        invited(anna)
    for number in range(PER_ADDRESS - 1):
        invited(member(f"child{number}"))
    with pytest.raises(ValidationError, match="Too many invitations to"):
        invited(member("last"))
    invited(member("last2"), at=NOW + timedelta(days=1, seconds=1))


def test_what_nobody_accepts_is_forgotten():
    invited()
    forget_invitations(NOW + VALID)
    assert Invitation.objects.exists()
    forget_invitations(NOW + VALID + timedelta(seconds=1))
    assert not Invitation.objects.exists()


def test_the_queue_keeps_no_mail_address():
    invited()
    assert "arena.example" not in str(DBTaskResult.objects.values_list("args_kwargs", flat=True))


def test_staff_invite_from_the_page_of_the_member(staff):
    anna = member("anna", name="Berg, Anna")
    address = f"/admin/members/member/{anna.pk}/invite/"
    assert address in staff.get(f"/admin/members/member/{anna.pk}/change/").text
    staff.post(address, {"email": "anna@arena.example", "language": "pl"})
    invitation = Invitation.objects.get()
    assert (invitation.email, invitation.language, invitation.by) == ("anna@arena.example", "pl", "registrar")
    again = staff.post(address, {"email": "anna@arena.example", "language": "pl"})
    assert "a few minutes ago" in words(again)


def test_the_command_invites(capsys):
    member("anna")
    call_command("invite_member", "anna", "anna@arena.example", language="pl")
    assert "on its way to anna@arena.example" in capsys.readouterr().out
    assert Invitation.objects.get().language == "pl"
    with pytest.raises(CommandError, match="There’s no member called"):
        call_command("invite_member", "nobody", "anna@arena.example")
    with pytest.raises(CommandError, match="valid email"):
        call_command("invite_member", "anna", "not an address")


def test_members_hide_their_birth_year_and_sex(client, django_user_model):
    anna = member("anna", user=django_user_model.objects.create_user("anna"))
    client.force_login(anna.user)
    client.post("/members/privacy/", {"hides_birth": "on"})
    anna.refresh_from_db()
    assert anna.hides_birth
    assert "checked" in client.get("/account/").text
    client.post("/members/privacy/")
    anna.refresh_from_db()
    assert not anna.hides_birth
