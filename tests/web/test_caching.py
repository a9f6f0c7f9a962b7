"""Published lists never change: visitors get a page that was made within the last minute."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ratings.rules.time_controls import Category
from ratings.services.lists.publishing import publish
from tests.arena import game, rated

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

MAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def published():
    """A list of two members."""
    game(rated(1600), rated(1500))
    return publish(category=Category.BLITZ, month=MAY, at=MAY)[0]


def asked(client, address):
    """How many statements a page takes, and the page."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
    assert response.status_code == 200
    return len(captured), response


def test_the_second_visitor_of_a_published_list_costs_the_database_nothing(published):
    address = published.get_absolute_url()
    made, first = asked(Client(), address)
    kept, second = asked(Client(), address)
    assert made > 0
    assert kept == 0
    assert first.content == second.content
    assert first["Cache-Control"] == second["Cache-Control"] == "no-cache"


def test_each_address_and_each_language_has_a_page_of_its_own(published):
    address = published.get_absolute_url()
    english = asked(Client(), address)[1].content
    count, polish = asked(Client(headers={"accept-language": "pl"}), address)
    assert count > 0
    assert polish.content != english
    assert asked(Client(), f"{address}?sex=F")[1].content != english


def test_who_is_logged_in_gets_a_page_of_his_own(published, staff):
    address = published.get_absolute_url()
    visitor = asked(Client(), address)[1]
    count, own = asked(staff, address)
    assert count > 0
    assert "Log out" in own.text
    assert "Log out" not in visitor.text
    assert "Log out" not in asked(Client(), address)[1].text


def test_a_download_and_a_wrong_address_are_not_kept(published):
    address = published.get_absolute_url()
    for query, status in (("format=csv", 200), ("position=x", 400)):
        for _ in range(2):
            with CaptureQueriesContext(connection) as captured:
                response = Client().get(f"{address}?{query}")
                b"".join(response)
            assert response.status_code == status
            assert captured.captured_queries
