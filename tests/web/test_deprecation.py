"""Answers that will go say since when, until when, and what is instead (RFC 9745, RFC 8594)."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import pytest

from tests.arena import member

pytestmark = pytest.mark.django_db

CALCULATED = "rating=1500&k=20&games=1500%201"


@pytest.mark.parametrize(
    ("address", "instead"),
    [
        ("/compare/?members={}", "/api/v1/compare"),
        (f"/calculators/fide/?{CALCULATED}", "/api/v1/calculators/fide"),
        ("/calculators/what-if/?category=blitz&rating=1500&games=1500%201", "/api/v1/calculators/what-if"),
    ],
)
def test_json_of_a_page_that_the_api_has_says_when_it_goes(client, address, instead):
    address = address.format(f"{member().pk},{member().pk}")
    answers = (
        client.get(f"{address}&format=json"),
        client.get(address, headers={"accept": "application/json"}),
    )
    for answer in answers:
        assert answer.status_code == 200
        assert answer["Deprecation"] == f"@{int(datetime(2026, 12, 1, tzinfo=UTC).timestamp())}"
        assert parsedate_to_datetime(answer["Sunset"]) == datetime(2027, 6, 1, tzinfo=UTC)
        assert answer["Link"] == f'<{instead}>; rel="successor-version", </api/>; rel="deprecation"'
    assert not {"Deprecation", "Sunset", "Link"} & client.get(address).headers.keys()


def test_errors_say_so_too_and_json_that_stays_does_not(client):
    refused = client.get("/compare/?members=x&format=json")
    assert (refused.status_code, "Sunset" in refused) == (400, True)
    kept = client.get("/how-ratings-work/?format=json")
    assert (kept.status_code, "Sunset" in kept) == (200, False)
