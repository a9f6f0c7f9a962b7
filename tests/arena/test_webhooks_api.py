"""The addresses of webhooks."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from ratings.arena.models import Delivery, KeptAnswer, Webhook
from ratings.arena.upkeep import forget_kept_answers
from tests.arena.conftest import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_two_hosts")]

ASKED = {"url": "https://arena.example/hook", "events": ["rating.changed", "game.voided"]}


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
    assert "isn’t active" in api.ask("POST", f"{address}/test", status=422)["detail"]


@pytest.mark.parametrize(
    ("method", "page"), [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test")]
)
def test_the_webhook_of_another_server_is_not_found(other, webhook, method, page):
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
    assert problem["errors"] == [{"field": "", "detail": "A server can have at most 10 webhooks."}]


def test_webhooks_need_a_token_with_their_scope(server):
    assert ApiClient().ask("GET", "webhooks", status=401)["status"] == 401
    assert ApiClient(server, "games").ask("GET", "webhooks", status=403)["scope"] == "webhooks"


KEY = {"Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}


def test_a_request_that_comes_again_with_its_key_makes_no_second_webhook(api):
    first = api.ask("POST", "webhooks", ASKED, status=201, **KEY)
    for key in (KEY["Idempotency-Key"], KEY["Idempotency-Key"].strip('"')):
        assert api.ask("POST", "webhooks", ASKED, status=201, **{"Idempotency-Key": key}) == first
    assert Webhook.objects.get().secret == first["secret"]
    # Without a key each request makes one, as ever.
    api.ask("POST", "webhooks", ASKED, status=201)
    assert Webhook.objects.count() == 2


def test_a_rotation_that_comes_again_with_its_key_gives_the_same_secret(api, webhook):
    address = f"webhooks/{webhook['id']}/rotate"
    first = api.ask("POST", address, **KEY)
    assert api.ask("POST", address, **KEY) == first
    assert Webhook.objects.get().secrets(timezone.now()) == [first["secret"], webhook["secret"]]
    assert api.ask("POST", address, **{"Idempotency-Key": "another"})["secret"] != first["secret"]


def test_the_tenth_webhook_is_answered_again_although_an_eleventh_is_refused(api):
    for number in range(10):
        asked = {"Idempotency-Key": str(number)}
        answer = api.ask("POST", "webhooks", ASKED, status=201, **asked)
    assert api.ask("POST", "webhooks", ASKED, status=201, **asked) == answer


def test_a_key_with_another_request_is_refused_and_nothing_is_done(api, webhook):
    api.ask("POST", "webhooks", ASKED, status=201, **KEY)
    others = [
        ("webhooks", {**ASKED, "events": ["list.published"]}),
        (f"webhooks/{webhook['id']}/rotate", None),
    ]
    for address, body in others:
        problem = api.ask("POST", address, body, status=422, **KEY)
        assert problem["kind"] == "idempotency-key-reused"
    assert Webhook.objects.count() == 2


def test_a_refused_request_is_not_kept_under_its_key(api):
    api.ask("POST", "webhooks", {**ASKED, "url": "https://inside.example/"}, status=422, **KEY)
    assert api.ask("POST", "webhooks", ASKED, status=201, **KEY)["url"] == ASKED["url"]


def test_a_key_is_of_one_server_and_of_one_day(api, other, webhook):
    first = api.ask("POST", "webhooks", ASKED, status=201, **KEY)
    assert other.ask("POST", "webhooks", ASKED, status=201, **KEY)["id"] != first["id"]
    forget_kept_answers(timezone.now())
    assert KeptAnswer.objects.count() == 2
    KeptAnswer.objects.update(at=timezone.now() - timedelta(days=1))
    assert api.ask("POST", "webhooks", ASKED, status=201, **KEY)["id"] != first["id"]
    forget_kept_answers(timezone.now())
    assert KeptAnswer.objects.count() == 1


@pytest.mark.parametrize("key", ["", '""', "a b", '"a', "ä", "a" * 101, "a\\b"])
def test_a_key_that_cannot_be_one_is_refused_by_its_name(api, key):
    problem = api.ask("POST", "webhooks", ASKED, status=400, **{"Idempotency-Key": key})
    assert [fault["field"] for fault in problem["errors"]] == ["Idempotency-Key"]
    assert not Webhook.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_with_one_key_make_one_webhook(api):
    def ask(_number):
        try:
            return api.ask("POST", "webhooks", ASKED, status=201, **KEY)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, range(2))
    assert first == second
    assert Webhook.objects.get().secret == first["secret"]
