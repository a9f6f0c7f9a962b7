"""Pages without secrets are compressed; those with a session or a token never are (BREACH)."""

import gzip

import pytest
from django.test import Client

from tests.arena import rated

pytestmark = pytest.mark.django_db

BROWSER = {"accept-encoding": "gzip, deflate, br"}
REFLECTED = "?member=reflected"


@pytest.fixture
def visitor():
    return Client(headers=BROWSER)


def test_a_visitors_page_is_compressed_and_says_so(visitor):
    rated(1600)
    response = visitor.get(f"/ratings/blitz/{REFLECTED}")
    assert response["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response["Vary"]
    assert int(response["Content-Length"]) == len(response.content)
    page = gzip.decompress(response.content)
    assert b"reflected" in page
    assert b"csrfmiddlewaretoken" not in page
    assert len(response.content) < len(page) / 2


def test_the_length_of_a_compressed_page_is_padded(visitor):
    assert len({len(visitor.get("/").content) for _ in range(20)}) > 1


def test_whoever_takes_no_gzip_gets_the_page_as_it_is():
    response = Client().get("/")
    assert "Content-Encoding" not in response
    assert "Accept-Encoding" in response["Vary"]
    assert b"<h1>" in response.content


def test_a_page_for_a_session_is_not_compressed(staff):
    response = staff.get(f"/ratings/blitz/{REFLECTED}", headers=BROWSER)
    assert "Content-Encoding" not in response
    assert b"reflected" in response.content
    assert b"csrfmiddlewaretoken" in response.content


def test_a_page_with_a_token_is_not_compressed_with_or_without_a_cookie_from_before(visitor):
    for _ in range(2):
        response = visitor.get("/login/?next=/reflected/")
        assert b"csrfmiddlewaretoken" in response.content
        assert "Content-Encoding" not in response


def test_a_file_streams_as_it_is(visitor):
    rated(1600)
    response = visitor.get("/ratings/blitz/?format=csv")
    assert response.streaming
    assert "Content-Encoding" not in response
    assert b"".join(response.streaming_content).startswith(b"rank,username")


def test_json_is_compressed_and_the_policy_stays(visitor):
    change = rated(1600).rating_changes.get()
    response = visitor.get(f"/api/v1/explanations/{change.pk}")
    assert response["Content-Encoding"] == "gzip"
    assert gzip.decompress(response.content).startswith(b"{")
    assert "default-src 'self'" in visitor.get("/")["Content-Security-Policy"]
