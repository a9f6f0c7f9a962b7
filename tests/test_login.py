"""Members and staff log in; a stranger who guesses is stopped."""

import pytest
from axes.models import AccessAttempt
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from tests.arena import member
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


def account(name="anna", **fields):
    return get_user_model().objects.create_user(name, password=PASSWORD, **fields)


def log_in(client, name="anna", password=PASSWORD):
    return client.post("/login/", {"username": name, "password": password})


def test_a_member_who_logs_in_comes_to_his_own_ratings(client):
    who = member(user=account())
    member(user=account("boris"))
    assert log_in(client)["Location"] == "/my-ratings/"
    assert client.get("/my-ratings/")["Location"] == who.get_absolute_url()


def test_a_login_without_a_member_is_told_what_to_do(client):
    account()
    log_in(client)
    text = words(client.get("/my-ratings/"))
    assert "The login anna isn’t linked to a member." in text
    assert "ask us to link this login to you" in text


def test_staff_see_links_into_the_admin_and_members_do_not(client):
    account("officer", is_staff=True).groups.add(Group.objects.get(name="Registrars"))
    account()
    log_in(client, "officer")
    assert 'href="/admin/members/member/"' in client.get("/members/").content.decode()
    assert 'href="/admin/"' in client.get("/").content.decode()
    client.post("/logout/")
    log_in(client)
    assert "/admin/" not in client.get("/members/").content.decode()


def test_my_ratings_ask_a_stranger_to_log_in(client):
    response = client.get("/my-ratings/")
    assert response["Location"] == "/login/?next=/my-ratings/"
    assert is_friendly(client.get(response["Location"]))


def test_a_wrong_password_says_so_and_keeps_the_name(client):
    account()
    response = log_in(client, password="wrong")
    assert response.status_code == 200
    assert "Please enter a correct username and password." in words(response)
    assert 'value="anna"' in response.content.decode()


def test_the_sixth_attempt_is_not_even_heard(client):
    account()
    for _ in range(5):
        log_in(client, password="wrong")
    response = log_in(client)
    assert response.status_code == 429
    assert "Too many attempts" in words(response)
    assert client.get("/my-ratings/").status_code == 302


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_a_login_of_any_length_is_only_a_wrong_one(client, page):
    response = client.post(page, {"username": "x" * 5000, "password": "wrong"})
    assert response.status_code == 200
    assert AccessAttempt.objects.get().username == "x" * 255


def test_nobody_is_sent_to_another_site_after_logging_in(client):
    account()
    response = client.post(
        "/login/", {"username": "anna", "password": PASSWORD, "next": "https://elsewhere.example/"}
    )
    assert response["Location"] == "/my-ratings/"


def test_log_out_needs_a_form_and_leads_home(client):
    account()
    log_in(client)
    assert client.get("/logout/")["Location"] == "/account/"
    assert client.get("/admin/logout/")["Location"] == "/admin/"
    assert client.get("/account/").status_code == 200
    assert client.post("/logout/")["Location"] == "/"


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/account/recovery-codes/", "/account/"),
        ("/account/remove/", "/account/"),
        ("/account/sessions/end/", "/account/"),
        ("/account/arena/link/", "/account/#login"),
        ("/account/arena/unlink/", "/account/#login"),
        ("/members/privacy/", "/account/#privacy"),
        pytest.param("/news/choices/", "/account/#news", marks=pytest.mark.needs("notices")),
        pytest.param("/news/feed/new/", "/account/#news", marks=pytest.mark.needs("notices")),
        pytest.param("/news/following/1/", "/news/following/", marks=pytest.mark.needs("notices")),
        ("/admin/office/auditfinding/run/", "/admin/office/auditfinding/"),
    ],
)
def test_who_sends_a_form_after_the_session_ended_logs_in_and_is_on_its_page(client, address, page):
    member(user=account(is_staff=True, is_superuser=True))
    asked = client.post(address)["Location"]
    assert asked.endswith(f"login/?next={address}")
    assert client.get(address)["Location"] == asked
    answer = client.post(asked, {"username": "anna", "password": PASSWORD, "next": address})
    assert answer["Location"] == address
    assert client.get(address)["Location"] == page
    assert client.head(address)["Location"] == page
    assert client.get(page).status_code == 200


def test_the_language_is_that_of_the_browser_until_one_is_chosen(client):
    assert '<html lang="pl">' in client.get("/", headers={"Accept-Language": "pl"}).content.decode()
    assert '<html lang="en">' in client.get("/", headers={"Accept-Language": "fr"}).content.decode()
    assert "Polski" in words(client.get("/members/"))
    client.post("/language/set/", {"language": "pl", "next": "/"})
    assert '<html lang="pl">' in client.get("/").content.decode()


@pytest.mark.parametrize("typed", ["anna@example.com", "ANNA@Example.com"])
def test_a_login_is_also_known_by_its_address(client, typed):
    account(email="anna@example.com")
    assert log_in(client, typed)["Location"] == "/my-ratings/"


def test_an_address_that_two_logins_have_says_no_more_than_a_wrong_password(client):
    account(email="both@example.com")
    account("boris", email="both@example.com")
    for typed in ("both@example.com", "nobody@example.com"):
        response = log_in(client, typed)
        assert response.status_code == 200
        assert "Please enter a correct username and password." in words(response)


def test_guesses_by_address_and_by_name_are_guesses_at_one_login(client):
    account(email="anna@example.com")
    for number in range(5):
        log_in(client, "anna@example.com" if number % 2 else "anna", password="wrong")
    assert set(AccessAttempt.objects.values_list("username", flat=True)) == {"anna"}
    assert log_in(client).status_code == 429


def test_a_name_that_looks_like_an_address_is_first_of_all_a_name(client):
    account("anna@example.com")
    account("boris", email="anna@example.com")
    log_in(client, "anna@example.com")
    assert client.get("/account/").context["user"].get_username() == "anna@example.com"
