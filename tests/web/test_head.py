"""HEAD: the headers of GET, without the content."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from foa import files
from ratings.arena.services.registering import register_server
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.arena.conftest import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.needs("arena")]

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
LIST = "/lists/blitz/2026-04/1/"
OF_THE_MOMENT = {"X-Request-ID", "RateLimit", "Expires"}


def headers(response):
    """The headers that two answers share. Pages and errors also say what is true of the moment."""
    is_page = response["Content-Type"].startswith("text/html") or response.status_code >= 400
    own = OF_THE_MOMENT | ({"ETag", "Content-Length"} if is_page else set())
    return {name: value for name, value in response.headers.items() if name not in own}


@pytest.fixture
def published():
    game(rated(1600), rated(1500))
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)


@pytest.mark.parametrize(
    "address",
    [
        "/ratings/blitz/",
        LIST,
        *(f"{LIST}?format={name}" for name in ("csv", "xlsx", "json", "txt", "xml")),
        f"{LIST}?format=exe",
        "/ratings/blitz/?format=csv",
        "/games/?format=json",
        "/nowhere/",
        "/login/",
        "/api/",
        "/api/v1/lists",
        "/api/v1/members/nobody",
        "/api/v1/webhooks",
        "/healthz/live",
    ],
)
def test_head_has_the_headers_of_get_and_no_content(published, address):
    got = Client().get(address)
    assert got.getvalue()
    asked = Client().head(address)
    assert asked.status_code == got.status_code
    assert headers(asked) == headers(got)
    assert asked.getvalue() == b""
    # A file that HEAD has begun keeps nobody from having one.
    assert files._places._value == files.AT_ONCE


def test_head_of_what_needs_a_token_is_answered_to_who_has_one():
    response = ApiClient(register_server("arena")[0]).head("/api/v1/changes")
    assert (response.status_code, response.getvalue()) == (200, b"")
    assert response["ETag"]


def test_head_of_an_address_that_only_takes_posts_is_refused_like_get():
    response = ApiClient(register_server("arena")[0]).head("/api/v1/webhooks/1/test")
    assert (response.status_code, response["Allow"]) == (405, "POST, OPTIONS")
