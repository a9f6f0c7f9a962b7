"""Pages that are JSON tell their errors as JSON, too (docs/json.md)."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    [
        "/members/9999999/?format=json",
        "/fide/tournaments/9999999/crosstable.json",
        "/lists/blitz/1999-01/1/?format=json",
        "/nothing/here/?format=json",
    ],
)
def test_what_does_not_exist_is_told_as_json(client, address):
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    error = answer.json()["error"]
    assert error["status"] == 404
    assert error["message"]


def test_a_filter_that_makes_no_sense_is_told_with_its_field(client):
    answer = client.get("/games/?format=json&player=x")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/json")
    assert list(answer.json()["error"]["fields"]) == ["player"]


def test_an_unknown_format_is_told_in_html_and_an_unknown_address_as_it_is_asked_for(client):
    assert client.get("/games/?format=yaml")["Content-Type"].startswith("text/html")
    answer = client.get("/nothing/", headers={"Accept": "application/json"})
    assert answer.json() == {"error": {"status": 404, "message": "There’s nothing at this address."}}


def test_people_still_get_pages(client):
    answer = client.get("/nothing/")
    assert (answer.status_code, answer["Content-Type"]) == (404, "text/html; charset=utf-8")
