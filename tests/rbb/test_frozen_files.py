"""What never changes once published needs to be loaded once: ETag, Last-Modified and 304."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foa.web import caching
from members.models import Member
from ratings.rbb.lists.files import LIST_FORMATS
from ratings.rbb.lists.publishing import publish
from ratings.rbb.personal import erase_member
from ratings.rules.time_controls import Category
from tests.arena import game, rated

pytestmark = pytest.mark.django_db

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
AT_FIVE = "Wed, 01 Apr 2026 05:00:00 GMT"


@pytest.fixture
def people():
    found = rated(1600), rated(1500)
    Member.objects.filter(pk=found[0].pk).update(federation="NOR", sex="F", fide_id=1500001)
    game(*found)
    return found


@pytest.fixture
def published(people):
    """Their list of April, published at five in the morning."""
    return publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=5))[0]


def validators(response):
    assert response.status_code == 200
    assert response.getvalue()
    return response["ETag"], response["Last-Modified"]


@pytest.mark.parametrize("part", ["", "top/women/", "top/NOR/"])
@pytest.mark.parametrize("name", LIST_FORMATS)
def test_whoever_has_a_file_of_a_published_list_gets_304_and_no_line_is_read(client, published, part, name):
    address = f"{published.get_absolute_url()}{part}?format={name}"
    etag, since = validators(client.get(address))
    assert since == AT_FIVE
    for known in (
        {"if-none-match": etag},
        {"if-none-match": f'"other", W/{etag}'},
        {"if-modified-since": since},
        # The ETag decides where both are sent.
        {"if-none-match": etag, "if-modified-since": "Wed, 01 Apr 2026 04:59:59 GMT"},
    ):
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address, headers=known)
        assert (response.status_code, response.getvalue()) == (304, b"")
        assert (response["ETag"], response["Last-Modified"]) == (etag, since)
        assert response["Cache-Control"] == "no-cache"
        if not part:
            assert not [one for one in captured if "ratings_ratinglistentry" in one["sql"]]
    for known in (
        {"if-none-match": '"other"'},
        {"if-modified-since": "Wed, 01 Apr 2026 04:59:59 GMT"},
        {"if-none-match": '"other"', "if-modified-since": since},
    ):
        assert validators(client.get(address, headers=known)) == (etag, since)


def test_each_format_part_and_list_has_an_etag_of_its_own(client, people, published):
    later = publish(category=Category.BLITZ, month=datetime(2026, 5, 1, tzinfo=UTC), at=timezone.now())[0]
    addresses = [
        f"{one.get_absolute_url()}{part}?format={name}"
        for one in (published, later)
        for part in ("", "top/women/")
        for name in LIST_FORMATS
    ]
    assert len({validators(client.get(address))[0] for address in addresses}) == len(addresses)


def test_the_part_of_a_list_that_filters_by_todays_names_leave_may_change(client, people, published):
    for query in ("format=csv&member=player", "format=csv&federation=NOR", "sort=-rating&format=csv"):
        response = client.get(
            f"{published.get_absolute_url()}?{query}", headers={"if-modified-since": AT_FIVE}
        )
        assert response.status_code == 200
        assert response.getvalue()
        assert "ETag" not in response
        assert "Last-Modified" not in response


def test_an_unknown_format_is_refused_also_to_who_asks_what_has_changed(client, published):
    address = f"{published.get_absolute_url()}?format=exe"
    assert client.get(address, headers={"if-modified-since": AT_FIVE}).status_code == 400


def test_a_list_from_which_a_member_was_erased_is_another_file(client, people, published):
    address = f"{published.get_absolute_url()}?format=csv"
    etag, since = validators(client.get(address))
    erase_member(member=people[0], at=APRIL + timedelta(days=90))
    for known in ({"if-none-match": etag}, {"if-modified-since": since}):
        response = client.get(address, headers=known)
        assert people[0].username not in response.getvalue().decode()
        assert response["ETag"] != etag
        assert response["Last-Modified"] == "Tue, 30 Jun 2026 00:00:00 GMT"


def test_another_version_of_the_office_may_write_a_list_in_another_way(client, published, monkeypatch):
    address = f"{published.get_absolute_url()}?format=xml"
    etag, _since = validators(client.get(address))
    monkeypatch.setattr(caching, "version", lambda: "99.0.0")
    assert validators(client.get(address, headers={"if-none-match": etag}))[0] != etag


@pytest.mark.usefixtures("pages_kept")
def test_nobody_gets_the_304_of_somebody_else(published):
    address = f"{published.get_absolute_url()}?format=csv"
    etag, _since = validators(Client().get(address))
    assert Client().get(address, headers={"if-none-match": etag}).status_code == 304
    validators(Client().get(address))
