"""Lists in the API: what their pages show, and the pages' JSON, which says where it went."""

import pytest

from tests.arena.conftest import ApiClient
from tests.arena.examples import furnish_examples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _furnished():
    furnish_examples()


@pytest.fixture
def visitor():
    return ApiClient()


@pytest.mark.parametrize(
    ("page", "instead"),
    [
        ("/lists/", "/api/v1/lists"),
        ("/fide/tournaments/", "/api/v1/tournaments"),
        ("/fide/otb/", "/api/v1/over-the-board/lists"),
        ("/events/", "/api/v1/events"),
        ("/events/4711/", "/api/v1/events/4711"),
    ],
)
def test_json_of_a_list_that_the_api_has_says_where_and_until_when(client, visitor, page, instead):
    answer = client.get(f"{page}?format=json")
    answer.getvalue()
    assert answer.status_code == 200
    assert answer["Link"].startswith(f'<{instead}>; rel="successor-version"')
    assert answer["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
    visitor.ask("GET", instead.removeprefix("/api/v1/"))
    kept = client.get(f"{page}?format=csv")
    kept.getvalue()
    assert not {"Sunset", "Link"} & kept.headers.keys()
    assert "format=json" not in client.get(page).text
