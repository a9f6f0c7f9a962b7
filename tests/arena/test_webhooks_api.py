"""The addresses of webhooks."""

import pytest

from ratings.arena import targets
from ratings.arena.models import Delivery, Webhook
from ratings.arena.services.registering import register_server
from tests.arena.conftest import ApiClient

pytestmark = pytest.mark.django_db

ASKED = {"url": "https://arena.example/hook", "events": ["rating.changed", "game.voided"]}


@pytest.fixture(autouse=True)
def _names(monkeypatch):
    """Names and the addresses that they stand for."""
    known = {"arena.example": ["93.184.216.34"], "inside.example": ["10.0.0.1"]}
    monkeypatch.setattr(targets, "resolve", lambda host, port: known.get(host, []))


@pytest.fixture
def webhook(api):
    """A webhook as its server was told of it."""
    return api.ask("POST", "webhooks", ASKED, status=201)


def test_a_server_subscribes_and_reads_the_secret_once(api, webhook):
    secret = webhook.pop("secret")
    assert secret.startswith("whsec_")
    assert secret == Webhook.objects.get().secret
    assert {name: webhook[name] for name in (*ASKED, "is_active", "stopped_because")} == {
        **ASKED,
        "is_active": True,
        "stopped_because": "",
    }
    assert api.ask("GET", f"webhooks/{webhook['id']}") == webhook
    assert api.ask("GET", "webhooks") == {"webhooks": [webhook]}


def test_a_server_changes_what_it_names_and_nothing_else(api, webhook):
    address = f"webhooks/{webhook.pop('id')}"
    del webhook["secret"]
    changed = api.ask("PATCH", address, {"events": ["member.changed", "member.changed"]})
    assert changed | {"id": 0} == {**webhook, "id": 0, "events": ["member.changed"]}
    paused = api.ask("PATCH", address, {"is_active": False})
    assert paused | {"id": 0} == {**webhook, "id": 0, "events": ["member.changed"], "is_active": False}
    assert api.ask("GET", address) == paused
    moved = api.ask("PATCH", address, {"url": "https://arena.example/other", "is_active": True})
    assert (moved["url"], moved["is_active"]) == ("https://arena.example/other", True)
    assert api.ask("PATCH", address, {}) == moved


def test_a_server_ends_a_webhook(api, webhook):
    address = f"webhooks/{webhook['id']}"
    api.ask("POST", f"{address}/test", status=202)
    api.ask("DELETE", address, status=204)
    assert not Delivery.objects.exists()
    assert api.ask("GET", address, status=404)["kind"] == "not-found"


def test_a_rotation_tells_another_secret(api, webhook):
    rotated = api.ask("POST", f"webhooks/{webhook['id']}/rotate")
    stored = Webhook.objects.get()
    assert (stored.secret, stored.previous_secret) == (rotated["secret"], webhook["secret"])
    assert rotated["secret"] != webhook["secret"]
    assert rotated["previous_secret_until"] is not None


def test_a_test_message_is_left_to_the_worker(api, webhook):
    address = f"webhooks/{webhook['id']}"
    message = api.ask("POST", f"{address}/test", status=202)["message_id"]
    assert (Delivery.objects.get().message_id, Delivery.objects.get().state) == (message, "waiting")
    api.ask("PATCH", address, {"is_active": False})
    assert "isn't active" in api.ask("POST", f"{address}/test", status=422)["detail"]


@pytest.mark.parametrize(
    ("method", "page"), [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test")]
)
def test_the_webhook_of_another_server_is_not_found(webhook, method, page):
    other = ApiClient(register_server("other")[0])
    for key in (webhook["id"], webhook["id"] + 1, 10**30):
        body = {"is_active": False} if method == "PATCH" else None
        assert other.ask(method, f"webhooks/{key}{page}", body, status=404)["status"] == 404
    assert other.ask("GET", "webhooks") == {"webhooks": []}
    assert Webhook.objects.get().is_active


@pytest.mark.parametrize(
    "url", ["https://inside.example/", "https://nowhere.example/", "http://arena.example/"]
)
def test_an_address_where_nothing_may_be_sent_is_refused_at_its_field(api, webhook, url):
    for method, address in (("POST", "webhooks"), ("PATCH", f"webhooks/{webhook['id']}")):
        problem = api.ask(method, address, {**ASKED, "url": url}, status=422)
        assert [fault["field"] for fault in problem["errors"]] == ["url"]
    assert Webhook.objects.get().url == ASKED["url"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "url"),
        ({**ASKED, "url": 5 * ["x"]}, "url"),
        ({**ASKED, "url": "https://arena.example/" + "x" * 500}, "url"),
        ({**ASKED, "events": []}, "events"),
        ({**ASKED, "events": ["rating.changed", "tea.ready"]}, "events.1"),
        ({**ASKED, "events": [{}]}, "events.0"),
        ({**ASKED, "events": "rating.changed"}, "events"),
    ],
)
def test_what_cannot_be_read_is_named(api, body, field):
    problem = api.ask("POST", "webhooks", body, status=400)
    assert field in [fault["field"] for fault in problem["errors"]]
    assert not Webhook.objects.exists()


def test_an_eleventh_webhook_is_refused(api):
    for _ in range(10):
        api.ask("POST", "webhooks", ASKED, status=201)
    problem = api.ask("POST", "webhooks", ASKED, status=422)
    assert problem["errors"] == [{"field": "", "detail": "A server has at most 10 webhooks."}]


def test_webhooks_need_a_token_with_their_scope(server):
    assert ApiClient().ask("GET", "webhooks", status=401)["status"] == 401
    assert ApiClient(server, "games").ask("GET", "webhooks", status=403)["scope"] == "webhooks"
