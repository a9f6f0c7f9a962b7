"""A link to a line of the ledger is permanent: one that went says why, and what follows."""

import pytest

from ratings.office.models import ChangeSet
from ratings.rbb.models import RatingChange
from tests.arena import game, rated
from tests.backoffice import admin_page
from tests.decisions import decide
from tests.pages import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines():
    """Anna beats Bob, then Carl; the lines of Anna."""
    anna, bob, carl = rated(1600), rated(1600), rated(1600)
    games = [game(anna, bob, minute=10), game(anna, carl, minute=20)]
    first, second = RatingChange.objects.filter(member=anna, game__isnull=False).in_order()
    return games, first, second


def test_a_line_of_a_void_game_is_gone_and_says_why_and_what_follows(staff, client, lines):
    games, first, second = lines
    address = first.get_absolute_url()
    decide(
        staff,
        admin_page(type(games[0]), "void"),
        {"game": games[0].pk},
        public_reason="fair-play",
        staff_note="x5",
    )
    response = client.get(address)
    assert response.status_code == 410
    text = words(response)
    assert "1600.00 → 1610.00 (+10.00)" in text
    assert "1 game voided (Fair play)" in text
    assert "1600.00 → 1610.00" in text.partition("Next change")[2]
    assert "x5" not in text
    assert second.get_absolute_url() in response.content.decode()


def test_the_same_as_json(staff, client, lines):
    games, first, second = lines
    decide(staff, admin_page(type(games[0]), "void"), {"game": games[0].pk}, public_reason="fair-play")
    response = client.get(f"/api/v1/explanations/{first.pk}")
    data = response.json()
    assert response.status_code == 410
    assert (data["gone"], data["before"], data["after"], data["why"]) == (
        True,
        "1600.00",
        "1610.00",
        "Fair play",
    )
    assert data["next"] == second.get_absolute_url()
    assert client.get(data["decision"]).status_code == 200


def test_a_line_that_moved_names_the_decision_and_what_it_said_before(staff, client, lines):
    games, _first, second = lines
    decide(staff, admin_page(type(games[0]), "void"), {"game": games[0].pk}, public_reason="duplicate")
    text = words(client.get(second.get_absolute_url()))
    assert "1 game voided (Duplicate). Before: 1610.00 → 1619.80" in text
    (told,) = client.get(f"/api/v1/explanations/{second.pk}").json()["recalculated"]
    assert (told["before"], told["after"], told["why"]) == ("1610.00", "1619.80", "Duplicate")


def test_a_line_comes_back_with_its_game(staff, client, lines):
    games, first, _second = lines
    page = type(games[0])
    decide(staff, admin_page(page, "void"), {"game": games[0].pk})
    decide(staff, admin_page(page, "reinstate"), {"game": games[0].pk})
    assert client.get(first.get_absolute_url()).status_code == 200


def test_a_line_of_a_game_that_went_without_a_decision_leads_to_its_entry_of_the_register(client, lines):
    games, first, _second = lines
    games[0].delete()
    response = client.get(first.get_absolute_url())
    assert response.status_code == 410
    assert ChangeSet.objects.get(kind="late-facts").get_absolute_url() in response.text


def test_a_key_that_never_was_a_line_is_not_found(client, lines):
    assert client.get("/changes/12345/").status_code == 404


def test_late_facts_lead_to_their_entry_from_the_lines_they_move(client, lines):
    games, _first, second = lines
    game(games[1].white, rated(1600), "0-1", minute=15)
    (told,) = client.get(f"/api/v1/explanations/{second.pk}").json()["recalculated"]
    assert told["decision"] == ChangeSet.objects.get(kind="late-facts").get_absolute_url()
