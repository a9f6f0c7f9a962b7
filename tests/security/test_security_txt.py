"""Whoever finds a weakness is told whom to tell (RFC 9116)."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

PAGE = "/.well-known/security.txt"


def test_without_a_contact_there_is_none(client):
    assert client.get(PAGE).status_code == 404


def test_it_names_the_contacts_and_ends_a_month_later(client, settings, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 24, 8, 30, tzinfo=UTC))
    settings.SECURITY_CONTACT = ["security@ratings.example", "https://ratings.example/report"]
    settings.SITE_URL = "https://ratings.example"
    response = client.get(PAGE)
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.text.split("\r\n") == [
        "Contact: mailto:security@ratings.example",
        "Contact: https://ratings.example/report",
        "Expires: 2026-12-24T00:00:00Z",
        "Preferred-Languages: en, pl",
        "Canonical: https://ratings.example/.well-known/security.txt",
        "",
    ]
    assert client.post(PAGE).status_code == 405
