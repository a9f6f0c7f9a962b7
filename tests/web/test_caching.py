"""Visitors share a page for two seconds. Nobody else gets a page that was kept."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.http import parse_http_date

from members.models import Member
from ratings.arena.services.registering import register_server
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingChange
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.arena.conftest import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("pages_kept")]

MAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def played():
    """A rated game of two members."""
    return game(rated(1600), rated(1500))


@pytest.fixture
def published(played):
    """A list of two members."""
    return publish(category=Category.BLITZ, month=MAY, at=MAY)[0]


def asked(client, address):
    """How many statements a page takes, and the page."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
    assert response.status_code == 200
    return len(captured), response


def rename(played):
    Member.objects.filter(pk=played.white_id).update(name="Another, Name")


def test_the_second_visitor_costs_the_database_nothing(played, published):
    line = RatingChange.objects.filter(game=played)[0]
    addresses = [
        "/",
        "/ratings/blitz/",
        "/members/",
        "/games/",
        "/changes/",
        "/lists/",
        "/register/",
        "/api/v1/members",
        played.get_absolute_url(),
        line.get_absolute_url(),
        f"/api/v1/explanations/{line.pk}",
        played.white.get_absolute_url(),
        published.get_absolute_url(),
        f"/search/?q={played.white.username}",
        f"/search/suggestions/?q={played.white.username}",
        "/leaders/blitz/",
        "/about/",
        "/news/atom.xml",
    ]
    for address in addresses:
        made, first = asked(Client(), address)
        kept, second = asked(Client(), address)
        # Of a published list and its pages it is always asked whether it is there.
        assert (made > kept, kept) == (True, int(address.startswith("/lists/blitz/"))), address
        assert first.content == second.content
        assert first["Cache-Control"] == second["Cache-Control"] == "no-cache"
        assert "Cookie" in second["Vary"]
        assert first["ETag"] == second["ETag"]
        assert first["X-Request-ID"] != second["X-Request-ID"]
        assert "default-src 'self'" in second["Content-Security-Policy"]


def test_a_page_is_kept_for_two_seconds_from_when_it_was_made(played, monkeypatch):
    """A proxy goes by Expires, so what it has is no older than that."""
    clock = 1_800_000_000
    monkeypatch.setattr("time.time", lambda: clock)
    first = Client().get("/members/")
    rename(played)
    clock += 1
    second = Client().get("/members/")
    assert second.content == first.content
    assert parse_http_date(second["Expires"]) == parse_http_date(first["Expires"]) == 1_800_000_002
    clock += 1
    assert "Another, Name" in Client().get("/members/").text


def test_a_browser_that_has_the_page_gets_304(played):
    first = Client().get("/members/", headers={"accept-encoding": "gzip"})
    assert first["Content-Encoding"] == "gzip"
    again = Client(headers={"if-none-match": first["ETag"], "accept-encoding": "gzip"}).get("/members/")
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "no-cache"


def test_a_page_made_again_is_not_modified_if_it_says_the_same(played):
    """Compressing adds a random length; the mark is that of the page before."""
    browser = {"accept-encoding": "gzip"}
    first = Client().get("/members/", headers=browser)
    caches["pages"].clear()
    again = Client(headers={**browser, "if-none-match": first["ETag"]}).get("/members/")
    assert (again.status_code, again.content) == (304, b"")
    caches["pages"].clear()
    rename(played)
    changed = Client(headers={**browser, "if-none-match": first["ETag"]}).get("/members/")
    assert changed.status_code == 200


def test_each_address_language_host_and_scheme_has_a_page_of_its_own(published, settings):
    settings.ALLOWED_HOSTS = ["testserver", "other.example"]
    address = published.get_absolute_url()
    english = asked(Client(), address)[1].content
    for other in (
        {"headers": {"accept-language": "pl"}},
        {"headers": {"host": "other.example"}},
        {"secure": True},
        {"data": {"sex": "F"}},
    ):
        assert Client().get(address, **other).content != english
    assert asked(Client(), address)[1].content == english


def test_a_visitor_who_chooses_a_language_gets_the_page_in_it(played):
    visitor = Client()
    english = visitor.get("/").text
    visitor.post("/language/set/", {"language": "pl", "next": "/"})
    assert 'lang="pl"' in visitor.get("/").text
    assert Client().get("/").text == english


def test_json_and_page_of_one_address_are_two(played):
    address = played.white.get_absolute_url()
    assert Client().get(address)["Content-Type"].startswith("text/html")
    asks_for_json = Client(headers={"accept": "application/json"})
    assert asks_for_json.get(address).json()["member"]["id"] == played.white.pk
    assert Client().get(address)["Content-Type"].startswith("text/html")


def test_whoever_is_logged_in_gets_a_new_page_of_their_own(played):
    own = Client()
    own.force_login(get_user_model().objects.create_user("anna"))
    visitor = Client().get("/members/")
    page = own.get("/members/", headers={"if-none-match": visitor["ETag"]})
    assert page.status_code == 200
    assert "Log out" in page.text
    assert page["Cache-Control"] == "private, no-cache"
    assert "Expires" not in page
    rename(played)
    assert "Another, Name" in own.get("/members/").text
    assert Client().get("/members/").content == visitor.content


def test_whoever_logs_in_or_out_gets_no_page_from_before(played):
    get_user_model().objects.create_user("anna", password="correct horse battery")
    client = Client()
    assert "Log out" not in client.get("/").text
    client.post("/login/", {"username": "anna", "password": "correct horse battery"})
    assert "Log out" in client.get("/").text
    client.post("/logout/")
    assert "Log out" not in client.get("/").text


def test_a_program_with_a_token_sees_what_it_has_just_sent(played):
    server = ApiClient(register_server("arena", trusted=True)[0])
    assert ApiClient().ask("GET", "members")["members"][0]["name"] != "Another, Name"
    before = server.ask("GET", "members")
    server.ask("PUT", "members/dora", {}, status=201)
    assert len(server.ask("GET", "members")["members"]) == len(before["members"]) + 1


def test_a_download_a_wrong_address_and_a_missing_page_are_not_kept(published):
    address = published.get_absolute_url()
    wrong = (f"{address}?format=csv", 200), (f"{address}?position=x", 400), ("/members/0/", 404)
    for one, status in wrong:
        for _ in range(2):
            with CaptureQueriesContext(connection) as captured:
                response = Client().get(one)
                response.getvalue()
            assert (response.status_code, len(captured) > 0) == (status, True)
            assert "Expires" not in response


def test_pages_with_forms_are_not_kept():
    first, second = (Client().get("/login/") for _ in range(2))
    assert first.cookies["csrftoken"].value != second.cookies["csrftoken"].value
