"""How passwords are kept, and that older ones are kept better once they are used."""

import pytest
from django.conf import settings as of_the_site
from django.contrib.auth import get_user, get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from foa import settings as written
from tests.account.people import PASSWORD, account, log_in

ARGON2 = "argon2$argon2id$v=19$m=19456,t=2,p=1$"
"""Password Storage Cheat Sheet of OWASP: Argon2id with 19 MiB, 2 passes and 1 lane."""


@pytest.fixture
def _hashers_of_the_site(settings):
    assert of_the_site.PASSWORD_HASHERS != written.PASSWORD_HASHERS, "the tests' fast one"
    settings.PASSWORD_HASHERS = written.PASSWORD_HASHERS


pytestmark = [pytest.mark.django_db, pytest.mark.rendered, pytest.mark.usefixtures("_hashers_of_the_site")]


def old_account(**fields):
    """A login from an earlier version of the office; its many iterations would take half a second."""
    user = account(**fields)
    user.password = PBKDF2PasswordHasher().encode(PASSWORD, salt="q" * 22, iterations=1_000)
    user.save()
    return user


def stored(user):
    return get_user_model().objects.get(pk=user.pk).password


def test_a_new_password_is_kept_as_argon2id_with_the_figures_of_owasp():
    assert stored(account()).startswith(ARGON2)


def test_an_older_one_is_kept_better_once_its_login_is_used(client):
    user = old_account()
    assert stored(user).startswith("pbkdf2_sha256$")
    log_in(client)
    assert stored(user).startswith(ARGON2)
    assert get_user(client) == user
    client.post("/logout/")
    assert log_in(client)["Location"] == "/my-ratings/"


def test_a_wrong_password_stores_nothing(client):
    user = old_account()
    client.post("/login/", {"username": "anna", "password": "wrong"})
    assert stored(user).startswith("pbkdf2_sha256$")


def test_whoever_gives_the_password_again_stays_logged_in(client):
    """It is stored anew then, which would end a session that knows the old form."""
    user = old_account()
    client.force_login(user)
    before = client.session.session_key
    client.post("/account/confirm/", {"password": PASSWORD})
    assert stored(user).startswith(ARGON2)
    assert get_user(client) == user
    assert client.session.session_key != before


def set_password(client, password):
    """Whether a password is taken as the new one of anna, who is logged in."""
    posted = {"old_password": PASSWORD, "new_password1": password, "new_password2": password}
    return client.post("/account/password/", posted).status_code == 302


@pytest.mark.parametrize(
    ("password", "is_taken"),
    [
        ("rook to d7!", False),
        ("rook to d7!!", True),
        ("♔♕♖♗♘♙♚♛♜♝♞♟", True),
        ("a  rook  with  two  blanks", True),
        ("e4 " * 50, True),
        ("tuxedo123456", True),
        ("123456789012", False),
        ("administrator", False),
        ("anna@arena.example", False),
    ],
)
def test_a_new_password_is_long_and_neither_known_nor_of_the_person(client, password, is_taken):
    account(email="anna@arena.example")
    log_in(client)
    assert set_password(client, password) == is_taken


def test_no_character_of_a_long_password_is_left_out(client):
    account()
    log_in(client)
    long = "♔ " + "x" * 126 + "y"
    assert set_password(client, long)
    client.post("/logout/")
    assert client.post("/login/", {"username": "anna", "password": long[:-1]}).status_code == 200
    assert client.post("/login/", {"username": "anna", "password": f" {long}"}).status_code == 200
    assert client.post("/login/", {"username": "anna", "password": long}).status_code == 302


def test_password_managers_find_the_fields(client):
    assert 'autocomplete="current-password"' in client.get("/login/").text
    account()
    log_in(client)
    page = client.get("/account/password/").text
    assert page.count('autocomplete="new-password"') == 2
    assert "onpaste" not in page


def test_two_equal_passwords_are_kept_differently():
    one, other = (stored(account(name)).split("$") for name in ("anna", "boris"))
    assert one[:4] == other[:4]
    assert one[4] != other[4]
    assert one[5] != other[5]


def test_a_new_password_needs_the_old_one(client):
    user = account()
    log_in(client)
    before = stored(user)
    posted = {"old_password": "wrong", "new_password1": "rook to d7!!", "new_password2": "rook to d7!!"}
    assert client.post("/account/password/", posted).status_code == 200
    assert stored(user) == before
