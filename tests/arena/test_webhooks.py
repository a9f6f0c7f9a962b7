"""Webhooks: from an entry of the outbox to the receiver."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, connections
from django.utils import timezone
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from foa.monitoring.metrics import SENT
from foa.text import utc_text
from ratings.arena import targets, upkeep
from ratings.arena.models import Attempt, Delivery, Webhook
from ratings.arena.services import delivering, webhooks
from ratings.arena.services.delivering import (
    LEASE,
    WAITS,
    Outcome,
    attempt,
    claim,
    deliver,
    note,
    note_deliveries,
    start_sending,
)
from ratings.arena.services.registering import register_server
from ratings.arena.services.webhooks import change_webhook, rotate, send_again, send_test
from ratings.office.models import ChangeSet, OutboxEntry
from ratings.office.outbox import begin_epoch, record_event
from ratings.office.upkeep import Lanes
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.arena.receiving import certificate_for, receiving, subscribe

pytestmark = pytest.mark.django_db

EVENT = OutboxEntry.Event
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
APRIL = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def receiver(settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def webhook(server, receiver):
    """A webhook of ``server`` that is told everything."""
    return subscribe(server, url=receiver.url, events=EVENT.values, at=NOON)


def send(webhook, at=NOON):
    """Do what the worker does, at a moment that stands still."""
    note_deliveries(at)
    deliver(webhook.pk, lambda: at)


def tell(webhook, at=NOON):
    """Let a rating change, and do what the worker does."""
    record_event(EVENT.RATING_CHANGED, cause="game")
    send(webhook, at)


def test_a_message_comes_once_and_its_signature_can_be_verified(webhook, receiver):
    record_event(EVENT.RATING_CHANGED, cause="game")
    now = timezone.now()
    send(webhook, now)
    send(webhook, now)
    [(headers, body)] = receiver.received
    delivery = Delivery.objects.get()
    assert Verifier(webhook.secret).verify(body, headers) == json.loads(delivery.body)
    assert (headers["webhook-id"], headers["content-type"]) == (delivery.message_id, "application/json")
    assert delivery.message_id.startswith("msg_")
    assert receiver.paths == ["/hook?of=ratings"]
    assert (delivery.state, delivery.attempts) == (Delivery.State.DELIVERED, 1)
    with pytest.raises(WebhookVerificationError):
        Verifier(webhook.secret).verify(body + " ", headers)


def test_each_webhook_gets_what_it_asked_for_from_its_beginning_on(server, receiver):
    record_event(EVENT.RATING_CHANGED, cause="game")
    lists = subscribe(server, url=receiver.url, events=[EVENT.LIST_PUBLISHED], at=NOON)
    both = subscribe(server, url=receiver.url, events=[EVENT.LIST_PUBLISHED, EVENT.RATING_CHANGED], at=NOON)
    first = record_event(EVENT.LIST_PUBLISHED, 0)
    second = record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    note_deliveries(NOON)
    found = [(one.webhook_id, one.entry_id) for one in Delivery.objects.order_by("pk")]
    assert found == [(lists.pk, first.pk), (both.pk, first.pk), (both.pk, second.pk)]
    second.refresh_from_db()
    assert set(Webhook.objects.values_list("position", flat=True)) == {second.position}


def test_more_entries_than_are_noted_at_once_are_all_noted(webhook, monkeypatch):
    monkeypatch.setattr(delivering, "_ENTRIES", 2)
    entries = [record_event(EVENT.RATING_CHANGED, cause="game").pk for _ in range(5)]
    note_deliveries(NOON)
    assert list(webhook.deliveries.order_by("pk").values_list("entry", flat=True)) == entries


def test_a_message_of_ratings_has_the_rows_of_the_feed(webhook, api):
    played = game(rated(1600), rated(1500))
    note_deliveries(NOON)
    delivery = webhook.deliveries.filter(event=EVENT.RATING_CHANGED).latest("pk")
    position = delivery.entry.position
    feed = f"/api/v1/changes?after={position - 1}"
    rows = json.loads(api.get(feed).getvalue())["changes"]
    assert [row["game"] for row in rows] == [played.get_absolute_url()] * 2
    assert json.loads(delivery.body) == {
        "type": "rating.changed",
        "timestamp": utc_text(delivery.entry.at),
        "data": {"position": position, "epoch": "", "changes": rows, "more": False, "feed": feed},
    }


def test_after_a_restore_messages_name_the_epoch_and_lead_into_its_feed(webhook, api):
    epoch = begin_epoch().name
    game(rated(1600), rated(1500))
    note_deliveries(NOON)
    body = json.loads(webhook.deliveries.filter(event=EVENT.RATING_CHANGED).latest("pk").body)
    assert body["data"]["epoch"] == epoch
    assert json.loads(api.get(body["data"]["feed"]).getvalue())["changes"] == body["data"]["changes"]


def test_a_message_of_many_ratings_has_the_first_and_leads_to_all(webhook, monkeypatch):
    monkeypatch.setattr(webhooks, "LINES", 1)
    game(rated(1600), rated(1500))
    note_deliveries(NOON)
    data = json.loads(webhook.deliveries.filter(event=EVENT.RATING_CHANGED).latest("pk").body)["data"]
    assert (len(data["changes"]), data["more"]) == (1, True)


def test_messages_of_lists_games_and_members_name_them(server, receiver):
    anna, bert = rated(1600), rated(1500)
    games = [game(anna, bert, external_id="arena/4711"), game(anna, bert, minute=20, external_id="else/4712")]
    published, _new = publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    void_games(games=games, by=None, reason="error", at=APRIL)
    subscribe(server, url=receiver.url, events=EVENT.values, at=NOON)
    entries = [
        record_event(EVENT.LIST_PUBLISHED, published.pk),
        *(record_event(EVENT.GAME_VOIDED, one.pk) for one in games),
        record_event(EVENT.MEMBER_CHANGED, anna.pk),
        record_event(EVENT.GAME_VOIDED, 0),
    ]
    note_deliveries(NOON)
    facts = [json.loads(Delivery.objects.get(entry=entry).body)["data"] for entry in entries]
    for one in facts:
        del one["position"], one["epoch"]
    of_games = [
        {"external_id": own, "url": one.get_absolute_url(), "reason": "Entered in error"}
        for one, own in zip(games, ("4711", None), strict=True)
    ]
    assert facts == [
        {
            "category": "blitz",
            "month": "2026-04",
            "revision": 1,
            "url": published.get_absolute_url(),
        },
        *of_games,
        {"username": anna.username, "url": anna.get_absolute_url()},
        {},
    ]


def test_messages_of_periods_and_tournaments_tell_what_their_room_says(webhook):
    closed = {"rule_book": "fide", "chapter": "rapid", "revision": 2, "url": "/over-the-board/lists/"}
    rated_ = {"tournament": 7, "name": "Spring Open", "url": "/over-the-board/tournaments/7/"}
    for event, said in ((EVENT.PERIOD_CLOSED, closed), (EVENT.TOURNAMENT_RATED, rated_)):
        entry = record_event(event, 7, **said)
        note_deliveries(NOON)
        message = json.loads(Delivery.objects.get(entry=entry).body)
        entry.refresh_from_db()
        assert message["type"] == event
        assert message["data"] == {**said, "position": entry.position, "epoch": message["data"]["epoch"]}


def test_a_message_leads_to_the_decision_only_if_members_may_read_it(webhook):
    decisions = [
        ChangeSet.objects.create(
            kind=kind, parameters={}, state="applied", proposed_at=NOON, applied_at=NOON, staff_note="private"
        )
        for kind in ("void-games", "accept-findings")
    ]
    entries = [record_event(EVENT.RATING_CHANGED, cause="game") for _ in decisions]
    for entry, decision in zip(entries, decisions, strict=True):
        OutboxEntry.objects.filter(pk=entry.pk).update(change_set=decision)
    note_deliveries(NOON)
    public, private = webhook.deliveries.order_by("pk")
    assert json.loads(public.body)["data"]["decision"] == f"/register/{decisions[0].pk}/"
    assert "decision" not in private.body
    assert "private" not in public.body


def test_after_a_failure_the_same_message_is_sent_again_later_and_later_for_a_day(
    webhook, receiver, monkeypatch
):
    monkeypatch.setattr(delivering, "uniform", lambda least, most: most)
    receiver.answers = [500] * 11
    record_event(EVENT.RATING_CHANGED, cause="game")
    at, waited = NOON, []
    for _ in range(10):
        send(webhook, at)
        delivery = Delivery.objects.get()
        waited.append((delivery.next_attempt_at - at) / 1.1)
        send(webhook, delivery.next_attempt_at - timedelta(microseconds=1))
        assert (delivery.state, delivery.last_error) == (Delivery.State.WAITING, "Status 500")
        at = delivery.next_attempt_at
    assert waited == list(WAITS)
    assert timedelta(hours=23) < sum(waited, timedelta()) < timedelta(hours=25)
    send(webhook, at)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.next_attempt_at) == (Delivery.State.DEAD, 11, None)
    send(webhook, at + timedelta(days=1))
    assert receiver.ids == [delivery.message_id] * 11
    assert len({body for _headers, body in receiver.received}) == 1


def test_what_was_given_up_is_sent_again_under_its_id_if_staff_ask_for_it(webhook, receiver):
    record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    Delivery.objects.update(state=Delivery.State.DEAD, attempts=11, next_attempt_at=None)
    assert send_again(Delivery.objects.all(), at=NOON) == 1
    assert send_again(Delivery.objects.all(), at=NOON) == 0
    send(webhook)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts, receiver.ids) == ("delivered", 1, [delivery.message_id])


def test_attempts_are_counted_by_what_became_of_the_message(
    webhook, receiver, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(delivering, "WAITS", (timedelta(minutes=1),))
    outcomes = ("delivered", "failed", "dead")
    before = [SENT.labels(outcome)._value.get() for outcome in outcomes]
    receiver.answers = [500, 500]
    record_event(EVENT.RATING_CHANGED, cause="game")
    with django_capture_on_commit_callbacks(execute=True):
        send(webhook)
        send(webhook, NOON + timedelta(minutes=2))
        send_again(Delivery.objects.all(), at=NOON)
        send(webhook)
    after = [SENT.labels(outcome)._value.get() for outcome in outcomes]
    assert [one - other for one, other in zip(after, before, strict=True)] == [1, 1, 1]


def test_after_a_failure_the_other_messages_wait_for_the_next_turn(webhook, receiver):
    receiver.answers = [503]
    for _ in range(3):
        record_event(EVENT.RATING_CHANGED, cause="game")
    send(webhook)
    assert len(receiver.received) == 1
    send(webhook)
    assert sorted(Delivery.objects.values_list("state", flat=True)) == ["delivered", "delivered", "waiting"]


def test_a_redirect_is_a_failure_and_not_followed(webhook, receiver):
    def elsewhere(handler):
        handler.send_response(302)
        handler.send_header("Location", receiver.url)
        handler.end_headers()

    receiver.answers = [elsewhere]
    tell(webhook)
    assert len(receiver.received) == 1
    assert Delivery.objects.get().last_error == "Status 302"


def test_410_ends_the_webhook(webhook, receiver):
    receiver.answers = [410]
    tell(webhook)
    tell(webhook)
    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.stopped_because) == (False, "The receiver answered 410 Gone.")
    assert Delivery.objects.get().state == Delivery.State.DEAD
    change_webhook(webhook, is_active=True)
    send(webhook)
    assert (len(receiver.received), webhook.stopped_because) == (1, "")
    tell(webhook)
    assert len(receiver.received) == 2


def test_of_a_server_whose_access_is_closed_nothing_is_noted_or_sent(webhook, server, receiver):
    record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    server.is_active = False
    server.save()
    tell(webhook)
    assert (Delivery.objects.count(), receiver.received) == (1, [])


def test_each_attempt_is_kept_with_how_the_answer_begins(webhook, receiver):
    def tells(handler):
        handler.send_response(500)
        handler.end_headers()
        handler.wfile.write(b"\0\xff" + b"x" * 100_000)

    receiver.answers = [tells]
    tell(webhook)
    one = Attempt.objects.get()
    assert (one.at, one.status, one.error) == (NOON, 500, "")
    assert one.answer == "\N{REPLACEMENT CHARACTER}" * 2 + "x" * 498


def test_a_receiver_that_is_gone_is_an_error_in_words(server, settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiving() as gone:
        webhook = subscribe(server, url=gone.url, events=EVENT.values, at=NOON)
    tell(webhook)
    one = Attempt.objects.get()
    assert one.status is None
    assert "refused" in one.error


def test_a_receiver_that_answers_one_byte_after_the_other_is_cut_off(webhook, receiver, monkeypatch):
    monkeypatch.setattr(delivering, "_SECONDS", 0.2)
    cut_off = Event()

    def dribbles(handler):
        handler.wfile.write(b"HTTP/1.1 200 O")
        while not cut_off.wait(0.01):
            handler.wfile.write(b"K")

    receiver.answers = [dribbles]
    record_event(EVENT.RATING_CHANGED, cause="game")
    try:
        send(webhook)
    finally:
        cut_off.set()
    assert Delivery.objects.get().last_error == "TimeoutError: no complete response within 0.2 seconds"
    assert Attempt.objects.get().status is None


def test_a_port_that_is_no_longer_allowed_is_not_asked(webhook, receiver, settings, monkeypatch):
    settings.WEBHOOKS_PRIVATE = False
    Webhook.objects.update(url="https://arena.example:9443/")
    monkeypatch.setattr(targets, "resolve", lambda host, port: ["8.8.8.8"])
    tell(webhook)
    assert Delivery.objects.get().last_error == "We can’t send to port 9443. Use one of these: 443, 8443."


def test_an_address_that_has_become_private_is_not_asked(webhook, receiver, settings, monkeypatch):
    settings.WEBHOOKS_PRIVATE = False
    settings.WEBHOOKS_PORTS = [urlsplit(receiver.url).port]
    Webhook.objects.update(url=receiver.url.replace("http://127.0.0.1", "https://arena.example"))
    monkeypatch.setattr(targets, "resolve", lambda host, port: ["127.0.0.1"])
    tell(webhook)
    assert receiver.received == []
    assert Delivery.objects.get().last_error == (
        "The host arena.example has an address that isn’t public. We don’t send anything there."
    )


def test_the_name_is_looked_up_once_and_the_address_that_was_checked_is_asked(webhook, receiver, monkeypatch):
    asked = []

    def resolve(host, port):
        asked.append(host)
        return ["127.0.0.1"]

    monkeypatch.setattr(targets, "resolve", resolve)
    Webhook.objects.update(url=receiver.url.replace("127.0.0.1", "arena.example"))
    tell(webhook)
    [(headers, _body)] = receiver.received
    assert asked == ["arena.example"]
    assert headers["host"].startswith("arena.example:")


@pytest.mark.parametrize("named", ["arena.example", "other.example"])
def test_a_certificate_must_be_that_of_the_name_in_the_address(
    server, settings, monkeypatch, tmp_path, named
):
    settings.WEBHOOKS_PRIVATE = True
    monkeypatch.setattr(targets, "resolve", lambda host, port: ["127.0.0.1"])
    with receiving(certificate_for("arena.example", tmp_path)) as receiver:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
        url = receiver.url.replace("http://127.0.0.1", f"https://{named}")
        webhook = subscribe(server, url=url, events=EVENT.values, at=NOON)
        tell(webhook)
    fits = named == "arena.example"
    assert len(receiver.received) == fits
    assert (Attempt.objects.get().status == 204) == fits
    assert ("CERTIFICATE_VERIFY_FAILED" in Attempt.objects.get().error) != fits


def test_each_replaced_secret_signs_for_a_day_from_its_replacement(webhook, receiver):
    secrets = [webhook.secret]
    for hour in (0, 1, 5):
        secrets.insert(0, rotate(webhook, at=NOON + timedelta(hours=hour)).secret)
    assert len(set(secrets)) == 4
    assert secrets[0].startswith("whsec_")
    minute = timedelta(minutes=1)
    ends = [NOON + timedelta(days=1, hours=hours) for hours in (0, 1, 5)]
    moments = {
        ends[0] - minute: 4,
        ends[0]: 3,
        ends[1] - minute: 3,
        ends[1]: 2,
        ends[2] - minute: 2,
        ends[2]: 1,
    }
    for at in moments:
        tell(webhook, at)
    for (headers, body), number in zip(receiver.received, moments.values(), strict=True):
        at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
        signatures = [Verifier(one).sign(headers["webhook-id"], at, body) for one in secrets[:number]]
        assert headers["webhook-signature"].split(" ") == signatures


def test_ten_secrets_sign_at_most_and_another_is_refused_until_one_has_ended(webhook):
    for minute in range(9):
        webhook = rotate(webhook, at=NOON + timedelta(minutes=minute))
    with pytest.raises(ValidationError, match=r"^\['10 secrets .* after 2026-11-23T12:00:00Z\.'\]$"):
        rotate(webhook, at=NOON + timedelta(hours=23))
    assert len(webhook.secrets(NOON + timedelta(hours=23))) == 10
    assert rotate(webhook, at=NOON + timedelta(days=1)).secret != webhook.secret


def test_a_worker_killed_between_sending_and_noting_sends_the_same_message_again(webhook, receiver):
    record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    assert attempt(claim(webhook.pk, NOON), NOON).is_success
    # Here it is killed: nothing is noted.
    send(webhook, NOON + LEASE - timedelta(microseconds=1))
    assert len(receiver.received) == 1
    send(webhook, NOON + LEASE)
    delivery = Delivery.objects.get()
    assert receiver.ids == [delivery.message_id] * 2
    assert delivery.state == Delivery.State.DELIVERED


def test_a_failure_that_is_noted_late_leaves_a_delivered_message_alone(webhook):
    record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    slow = claim(webhook.pk, NOON)
    note(slow, Outcome(204, "", 5), NOON)
    note(slow, Outcome(500, "", 5), NOON)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.next_attempt_at, delivery.last_error) == ("delivered", None, "")


def test_a_webhook_deleted_while_its_message_is_sent_leaves_nothing(webhook):
    record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    delivery = claim(webhook.pk, NOON)
    webhook.delete()
    note(delivery, Outcome(204, "", 5), NOON)
    assert not Attempt.objects.exists()


def test_a_test_message_carries_no_fact(webhook, receiver):
    delivery = send_test(webhook, at=NOON)
    send(webhook)
    [(headers, body)] = receiver.received
    assert headers["webhook-id"] == delivery.message_id
    assert json.loads(body) == {"type": "webhook.test", "timestamp": "2026-11-22T12:00:00Z", "data": {}}


def test_a_server_has_at_most_ten_webhooks_and_another_one_its_own(server, receiver):
    for _ in range(10):
        subscribe(server, url=receiver.url, events=EVENT.values, at=NOON)
    with pytest.raises(ValidationError, match="at most 10"):
        subscribe(server, url=receiver.url, events=EVENT.values, at=NOON)
    other, _credentials = register_server("other")
    assert subscribe(other, url=receiver.url, events=EVENT.values, at=NOON).pk


def test_deliveries_are_deleted_with_their_attempts_after_two_weeks(webhook, receiver):
    tell(webhook)
    upkeep.forget_deliveries(NOON + upkeep.KEPT)
    assert Attempt.objects.count() == 1
    upkeep.forget_deliveries(NOON + upkeep.KEPT + timedelta(microseconds=1))
    assert not Delivery.objects.exists()
    assert not Attempt.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_worker_sends_in_threads_one_for_each_webhook(webhook, server, receiver):
    other = subscribe(server, url=receiver.url, events=EVENT.values, at=NOON)
    for _ in range(3):
        record_event(EVENT.RATING_CHANGED, cause="game")
    note_deliveries(NOON)
    lanes = Lanes("webhooks", 8)
    start_sending(lanes, NOON)
    start_sending(lanes, NOON)
    lanes._pool.shutdown()
    assert set(Delivery.objects.values_list("webhook", "state")) == {
        (one.pk, Delivery.State.DELIVERED) for one in (webhook, other)
    }
    assert len(set(receiver.ids)) == len(receiver.ids) == 6


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_two_workers_at_once_note_and_send_each_message_once(webhook, receiver):
    for _ in range(20):
        record_event(EVENT.RATING_CHANGED, cause="game")

    def work(_number):
        try:
            send(webhook)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))
    assert Delivery.objects.filter(state=Delivery.State.DELIVERED).count() == 20
    assert len(set(receiver.ids)) == len(receiver.ids) == 20


def test_the_worker_asks_nothing_more_where_nobody_wants_to_know(django_assert_num_queries):
    record_event(EVENT.RATING_CHANGED, cause="game")
    with django_assert_num_queries(1):
        upkeep.tell_webhooks(NOON)
    assert OutboxEntry.objects.filter(position=None).exists()
