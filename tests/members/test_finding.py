"""The search that finds a member while somebody types."""

import pytest

from tests.arena import member, opening
from tests.pages import words

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize("text", ["berg", "ANN", "1500001", " anna "])
def test_a_member_is_found_by_name_username_or_fide_id(client, text):
    anna = member("anna", name="Berg, Anna", fide_id=1500001, title="WGM", federation="NOR")
    opening(anna, "1799.60")
    member("boris", name="Lund, Boris")
    response = client.get("/members/find/", {"member": text}, headers=HTMX)
    assert words(response) == (
        "1 member found. Live ratings: rapid · blitz · bullet WGM Berg, Anna anna · NOR – · 1800 · –"
    )
    assert f'href="/members/{anna.pk}/"' in response.content.decode()


def test_at_most_eight_are_shown_by_name_and_it_says_that_there_are_more(client):
    for number in range(9):
        member(f"m{number}", name=f"Li, {number}")
    text = words(client.get("/members/find/", {"member": "li"}, headers=HTMX))
    assert text.startswith("More than these are found.")
    assert "Li, 7" in text
    assert "Li, 8" not in text


@pytest.mark.parametrize(("text", "answer"), [("", ""), ("  ", ""), ("nobody", "Nobody is found.")])
def test_nothing_typed_finds_nothing(client, text, answer):
    member("anna")
    assert words(client.get("/members/find/", {"member": text}, headers=HTMX)) == answer


@pytest.mark.parametrize("text", ["\x01", "x" * 5000, "%", "_", "\\", "'; drop table", "9" * 40, "\ud800"])
def test_strange_text_finds_nobody_and_does_no_harm(client, text):
    member("anna")
    response = client.get("/members/find/", {"member": text.encode("utf-8", "replace")}, headers=HTMX)
    assert response.status_code == 200
    assert "anna" not in words(response)


def test_without_javascript_the_search_opens_the_list(client):
    response = client.get("/members/find/", {"member": "a&b"})
    assert response.status_code == 302
    assert response["Location"] == "/members/?member=a%26b"
