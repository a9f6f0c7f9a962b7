"""FIDE's lists and players in the API: the rows and filters of their pages, whose JSON says where it went."""

import json

import pytest

from tests.arena.conftest import ApiClient
from tests.fide.office import OCTOBER, bring_players, listed

pytestmark = [pytest.mark.django_db, pytest.mark.needs("arena")]


@pytest.fixture
def visitor():
    bring_players(
        OCTOBER,
        listed(1, "Berg, Anna", standard=1900, rapid=1850),
        listed(20, "Åberg, Nils", blitz=2100, federation="SWE", title="IM"),
        listed(3, "Zorn, Emil", federation="SWE"),
    )
    return ApiClient()


@pytest.mark.parametrize("name", ["players", "lists"])
def test_rows_are_those_of_the_page_whose_json_goes(client, visitor, name):
    told = visitor.ask("GET", f"fide/{name}")
    assert told.pop("next") is told.pop("previous") is None
    page = client.get(f"/fide/{name}/?format=json")
    assert page["Link"].startswith(f'</api/v1/fide/{name}>; rel="successor-version"')
    assert told == json.loads(page.getvalue())
    assert told[name]


def test_a_player_has_the_three_ratings(visitor):
    nils, anna, emil = visitor.ask("GET", "fide/players")["players"]
    assert (nils["fide_id"], nils["title"], nils["blitz"], nils["standard"]) == (20, "IM", 2100, None)
    assert (anna["standard"], anna["rapid"], anna["birth_year"]) == (1900, 1850, 1990)
    assert emil["name"] == "Zorn, Emil"


@pytest.mark.parametrize(
    ("query", "found"),
    [("player=berg", [1]), ("player=3", [3]), ("federation=SWE", [20, 3]), ("federation=SWE&player=z", [3])],
)
def test_players_are_found_as_on_the_page(visitor, query, found):
    answer = visitor.ask("GET", f"fide/players?{query}")
    assert [row["fide_id"] for row in answer["players"]] == found


def test_players_come_page_by_page_by_name(visitor):
    first = visitor.ask("GET", "fide/players?limit=2")
    rest = visitor.ask("GET", first["next"].removeprefix("/api/v1/"))
    assert [row["fide_id"] for row in first["players"] + rest["players"]] == [20, 1, 3]


def test_a_list_is_found_by_its_control(visitor):
    (combined,) = visitor.ask("GET", "fide/lists?control=rapid")["lists"]
    assert (combined["period"], combined["control"], combined["rows"]) == ("2025-10", "", 3)
    visitor.ask("GET", "fide/lists?control=bullet", status=400)
