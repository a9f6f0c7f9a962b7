"""Cycles of leagues and their lists in the API: what pages and files say, whose JSON says where it went."""

import json

import pytest

from ratings.league.models import CycleList
from tests.arena.conftest import ApiClient
from tests.league.test_pages import corrected, list_address

pytestmark = pytest.mark.needs("arena")


@pytest.fixture
def visitor():
    return ApiClient()


def file_of(client, page, instead):
    answer = client.get(f"{page}?format=json")
    assert answer["Link"].startswith(f'</api/v1/{instead}>; rel="successor-version"')
    return json.loads(answer.getvalue())


def test_cycles_have_their_last_list_or_none(client, season, visitor):
    corrected()
    rows = visitor.ask("GET", "league/cycles")["cycles"]
    last = CycleList.objects.get(revision=2)
    assert {row.pop("season_id") for row in rows} == {season.pk}
    assert rows == file_of(client, "/league/", "league/cycles")["cycles"]
    assert [(row["season"], row["cycle"], row["last_round"], row["revision"]) for row in rows] == [
        ("2026", 1, 2, 2), ("2026", 2, 3, None), ("2026", 3, 4, None),
    ]  # fmt: skip
    assert (rows[0]["sha256"], rows[1]["closed_at"]) == (last.checksum, None)
    assert len(visitor.ask("GET", "league/cycles?season=2026")["cycles"]) == 3
    assert visitor.ask("GET", "league/cycles?season=2027")["cycles"] == []


def test_the_lines_of_a_list_are_by_rating_with_the_unrated_last(client, season, visitor):
    address = f"league/seasons/{season.pk}/cycles/1/1/players"
    answer = visitor.ask("GET", address)
    published = CycleList.objects.get()
    assert (answer["season"], answer["cycle"], answer["checksum"]) == ("2026", 1, published.checksum)
    rows = answer["players"]
    assert rows == file_of(client, list_address(season), address)["players"]
    assert [(rows[0][name]) for name in ("name", "old", "adjusted", "new")] == [
        "Cruz", "2095.00", "7.42", "2102.42",
    ]  # fmt: skip
    assert (rows[-1]["name"], rows[-1]["new"]) == ("Brook", None)
    found, page = [], address + "?limit=4"
    while page:
        part = visitor.ask("GET", page)
        found += part["players"]
        page = part["next"] and part["next"].removeprefix("/api/v1/")
    assert found == rows


@pytest.mark.parametrize(
    ("query", "names"), [("name=ad", ["Adams"]), ("team=north", ["Abel", "Adams", "Avery"]), ("team=x", [])]
)
def test_lines_are_found_by_player_and_by_team(season, visitor, query, names):
    rows = visitor.ask("GET", f"league/seasons/{season.pk}/cycles/1/1/players?{query}")["players"]
    assert [row["name"] for row in rows] == names


def test_a_list_that_was_not_published_is_not_found(season, visitor):
    for place in (
        f"{season.pk}/cycles/1/2",
        f"{season.pk}/cycles/2/1",
        "999/cycles/1/1",
        f"{'9' * 19}/cycles/1/1",
    ):
        visitor.ask("GET", f"league/seasons/{place}/players", status=404)
