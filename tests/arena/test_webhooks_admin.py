"""Webhooks behind the counter."""

import re

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from ratings.arena.models import Attempt, Delivery, Webhook
from ratings.arena.services.webhooks import send_test
from tests.arena.receiving import subscribe
from tests.backoffice import admin_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_two_hosts")]

URL = "https://arena.example/hook"


@pytest.fixture
def webhook(server):
    return subscribe(server, url=URL, events=["rating.changed"], at=timezone.now())


@pytest.fixture
def given_up(webhook):
    """A message that nobody tries any more."""
    delivery = send_test(webhook, at=timezone.now())
    Attempt.objects.create(
        delivery=delivery, at=timezone.now(), status=500, milliseconds=12, answer="<b>down</b>"
    )
    Delivery.objects.update(state=Delivery.State.DEAD, attempts=11, next_attempt_at=None)
    return delivery


@pytest.fixture
def clerk(client, django_user_model):
    """Log somebody of a group in."""

    def of(group):
        user = django_user_model.objects.create_user(group, is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client.force_login(user)
        return client

    return of


@pytest.fixture
def officer(clerk):
    return clerk("Rating officers")


def test_a_new_webhook_shows_its_secret_once(staff, server):
    form = {"server": server.pk, "url": URL, "events": ["rating.changed"], "is_active": "on"}
    page = staff.post(admin_page(Webhook, "add"), form, follow=True).content.decode()
    webhook = Webhook.objects.get()
    assert re.findall(r"whsec_[\w+/]+=", page) == [webhook.secret]
    for address in (admin_page(Webhook), admin_page(webhook), admin_page(webhook, "history")):
        assert "whsec_" not in staff.get(address).content.decode()


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"url": "https://inside.example/", "events": ["rating.changed"]}, "isn’t public"),
        ({"url": URL, "events": ["tea.ready"]}, "tea.ready is not one of the available choices"),
        ({"url": URL}, "This field is required"),
    ],
)
def test_what_is_wrong_with_a_new_webhook_is_said_in_the_form(staff, server, form, told):
    page = staff.post(admin_page(Webhook, "add"), {"server": server.pk, "is_active": "on", **form})
    assert told in page.content.decode()
    assert not Webhook.objects.exists()


def test_an_officer_changes_events_and_keeps_the_place_in_the_outbox(officer, webhook):
    Webhook.objects.update(position=5)
    form = {
        "events": ["rating.changed", "list.published"],
        "is_active": "on",
        "url": "https://other.example/",
    }
    assert officer.post(admin_page(webhook), form).status_code == 302
    changed = Webhook.objects.get()
    assert (changed.events, changed.position) == (["rating.changed", "list.published"], 5)
    assert (changed.url, changed.secret) == (URL, webhook.secret)


def test_an_officer_stops_a_webhook(officer, webhook):
    officer.post(admin_page(Webhook), {"action": "deactivate", "_selected_action": [webhook.pk]})
    assert not Webhook.objects.get().is_active


def test_the_page_of_a_message_shows_each_attempt(officer, given_up):
    page = officer.get(admin_page(given_up)).content.decode()
    assert "&lt;b&gt;down&lt;/b&gt;" in page
    assert given_up.message_id in page
    assert "webhook.test" in page


@pytest.mark.parametrize(("group", "state"), [("Rating officers", "waiting"), ("Auditors", "dead")])
def test_an_officer_has_a_message_sent_again_and_an_auditor_may_not(clerk, given_up, group, state):
    clerk(group).post(admin_page(Delivery), {"action": "send_again", "_selected_action": [given_up.pk]})
    assert Delivery.objects.get().state == state
