"""Headers of the answers of the API: methods, limits, and who may read them from another site."""

import pytest
from django.test import Client, override_settings

from ratings.arena.api import access
from tests.arena.conftest import ApiClient
from tests.arena.examples import furnish_examples

pytestmark = pytest.mark.django_db

PUBLIC = [
    "members",
    "members/anna",
    "members/anna/history",
    "all-games",
    "all-games/4711",
    "ratings/blitz",
    "lists",
    "lists/blitz/2026-04/1",
    "lists/blitz/2026-04/1/members",
    "explanations/1",
    "schema",
]
OF_SERVERS = {
    "games": "GET, POST, HEAD, OPTIONS",
    "games/4711": "GET, PUT, DELETE, HEAD, OPTIONS",
    "games/4711/presence": "GET, POST, HEAD, OPTIONS",
    "changes": "GET, HEAD, OPTIONS",
    "webhooks": "GET, POST, HEAD, OPTIONS",
    "webhooks/4711": "GET, PATCH, DELETE, HEAD, OPTIONS",
    "webhooks/4711/rotate": "POST, OPTIONS",
    "webhooks/4711/test": "POST, OPTIONS",
}
EXPOSED = [
    "Deprecation", "ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "Sunset", "X-Request-ID",
]  # fmt: skip
"""Headers that scripts of other sites may read."""

OTHER_SITE = {"Origin": "https://elsewhere.example"}


@pytest.fixture
def visitor():
    return Client(headers=OTHER_SITE)


def cors(response):
    """The headers that browsers ask for."""
    return {name for name in response.headers if name.startswith("Access-Control-")}


@pytest.mark.parametrize("address", PUBLIC)
def test_any_site_may_read_what_everybody_may_read(visitor, address):
    furnish_examples()
    for method in ("GET", "HEAD"):
        response = visitor.generic(method, f"/api/v1/{address}")
        assert response.status_code in (200, 404)
        assert response["Access-Control-Allow-Origin"] == "*"
        assert response["Access-Control-Expose-Headers"].split(", ") == EXPOSED
        assert cors(response) == {"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"}
    asked = visitor.options(
        f"/api/v1/{address}",
        headers={"access-control-request-method": "GET", "access-control-request-headers": "if-none-match"},
    )
    assert asked.status_code == 200
    assert asked["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert asked["Access-Control-Allow-Headers"] == "If-Modified-Since, If-None-Match"
    assert asked["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in asked


@pytest.mark.parametrize("address", OF_SERVERS)
def test_no_other_site_may_read_what_needs_a_token(server, visitor, address):
    furnish_examples()
    for client in (visitor, ApiClient(server)):
        for method in ("GET", "OPTIONS", "POST"):
            assert cors(client.generic(method, f"/api/v1/{address}", headers=OTHER_SITE)) == set()


def test_no_other_site_may_write_or_read_pages(visitor, api):
    for response in (
        api.put("/api/v1/members/anna", {}, content_type="application/json", headers=OTHER_SITE),
        visitor.get("/lists/"),
        visitor.get("/api/"),
        visitor.get("/api/v1/nowhere"),
        visitor.post("/oauth/token/"),
        visitor.get("/login/"),
    ):
        assert cors(response) == set()


def test_members_may_be_read_from_everywhere_and_written_only_by_servers(visitor):
    response = visitor.options("/api/v1/members/anna")
    assert "PUT" in response["Allow"]
    assert "PUT" not in response["Access-Control-Allow-Methods"]


@pytest.mark.parametrize("address", OF_SERVERS)
def test_options_names_the_methods_also_to_whoever_has_no_token(server, visitor, address):
    for client in (visitor, ApiClient(server, "read")):
        response = client.options(f"/api/v1/{address}")
        assert response.status_code == 200
        assert set(response["Allow"].split(", ")) == set(OF_SERVERS[address].split(", "))
        assert response.json() == {"schema": "/api/v1/schema"}


def test_options_has_the_parameters_that_a_request_would_have(visitor):
    assert visitor.options("/api/v1/all-games?limit=1").status_code == 200


def test_a_token_that_is_no_longer_good_is_told_also_where_everybody_may_read(visitor):
    refused = visitor.get("/api/v1/members", headers={"Authorization": "Bearer expired"})
    assert (refused.status_code, refused["WWW-Authenticate"].partition(" ")[0]) == (401, "Bearer")
    assert refused.json()["detail"] == "This token is no longer valid. Get a new one at /oauth/token/."
    assert visitor.get("/api/v1/members").status_code == 200


def test_an_answer_says_how_many_requests_may_follow_in_this_minute(api, visitor, monkeypatch):
    # 15.5 seconds into a minute of the clock.
    monkeypatch.setattr(access, "time", lambda: 1_000_000_035.5)
    with override_settings(API_REQUESTS_OF_VISITOR=2, API_REQUESTS_OF_SERVER=5):
        found = [visitor.get("/api/v1/lists") for _ in range(3)]
        assert [one.status_code for one in found] == [200, 200, 429]
        assert {one["RateLimit-Policy"] for one in found} == {'"minute";q=2;w=60'}
        assert [one["RateLimit"] for one in found] == [f'"minute";r={left};t=45' for left in (1, 0, 0)]
        assert found[2]["Retry-After"] == "45"
        refused = api.get("/api/v1/games/4711")
        assert (refused.status_code, refused["RateLimit"]) == (404, '"minute";r=4;t=45')
        assert api.get("/api/v1/changes")["RateLimit"] == '"minute";r=3;t=45'
    # Nothing is counted there.
    for address in ("/api/", "/api/v1/nowhere"):
        assert "RateLimit" not in visitor.get(address)


def test_an_address_with_a_slash_too_many_is_told_so(visitor):
    told = "The API has nothing at this address."
    assert visitor.get("/api/v1/nowhere").json()["detail"] == told
    assert visitor.get("/api/v1/members/").json()["detail"] == f"{told} Remove the slash at the end."
