"""A member closes their own account: the office's own decision, without touching a game that was played."""

import pytest
from django.contrib.auth import get_user_model

from members.models import AccountClosure
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game, Rating
from tests.arena import game, rated
from tests.pages import words

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
PAGE = "/my-ratings/close/"


@pytest.fixture
def anna(client):
    who = rated(1700, minute=-20)
    who.user = get_user_model().objects.create_user("anna", password=PASSWORD)
    who.save()
    client.post("/login/", {"username": "anna", "password": PASSWORD})
    return who


def test_closing_keeps_games_and_ratings_and_the_register_has_it_without_a_name(anna, client):
    game(anna, rated(1600, minute=-20), minute=10)
    before = Rating.objects.get(member=anna).rating
    assert "Your games will no longer be rated" in words(client.get(PAGE))
    client.post(PAGE)
    closure = AccountClosure.objects.get()
    assert (closure.member, closure.category, closure.closed_until) == (anna, "request", None)
    assert not Game.objects.filter(voided_at__isnull=False).exists()
    assert Rating.objects.get(member=anna).rating == before
    done = ChangeSet.objects.get(kind="close-account")
    assert (done.state, done.proposed_by) == ("applied", anna.user)
    register = words(client.get("/register/"))
    assert "Account closed at the member’s request" in register
    assert str(anna) not in words(client.get(done.get_absolute_url()))


def test_it_is_closed_once(anna, client):
    client.post(PAGE)
    assert "is already closed for rated play" in words(client.get(PAGE))
    client.post(PAGE)
    assert AccountClosure.objects.count() == 1


def test_where_decisions_need_a_second_person_the_office_confirms_it(anna, client, settings):
    settings.SECOND_PERSON_KINDS = ["close-account"]
    page = client.post(PAGE, follow=True)
    assert "We’ll confirm when your account has been closed." in words(page)
    assert not AccountClosure.objects.exists()
    assert ChangeSet.objects.get(kind="close-account").needs_second


def test_the_password_is_asked_again_if_it_was_not_given_lately(anna, client):
    session = client.session
    session["confirmed_at"] = 0
    session.save()
    assert client.get(PAGE)["Location"].startswith("/account/confirm/")
    client.post(PAGE)
    assert not AccountClosure.objects.exists()


def test_a_login_without_a_member_has_no_account_to_close(client):
    get_user_model().objects.create_user("guest", password=PASSWORD)
    client.post("/login/", {"username": "guest", "password": PASSWORD})
    assert client.get(PAGE).status_code == 404
