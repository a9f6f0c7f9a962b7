"""Every list as a file: exactly the rows that the filters leave."""

import csv
import io
from datetime import UTC, datetime

import pytest

from members.exporting import MEMBERS
from ratings.rbb.lists.columns import CHANGES, GAMES, LIST_COLUMNS
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingListEntry
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, rated

pytestmark = pytest.mark.django_db


def rows(client, address):
    """The file at an address, line by line as dictionaries."""
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"].startswith('attachment; filename="')
    text = b"".join(response.streaming_content).decode()
    assert text.count("\r\n") == text.count("\n")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    ("address", "name", "columns"),
    [
        ("/members/", "members", MEMBERS.names),
        ("/games/", "games", GAMES.names),
        ("/changes/", "rating-changes", CHANGES.names),
        ("/ratings/bullet/", "bullet-ratings", LIST_COLUMNS),
    ],
)
def test_an_empty_list_is_a_file_with_its_header(client, address, name, columns):
    response = client.get(f"{address}?format=csv")
    assert b"".join(response.streaming_content).decode() == ",".join(columns) + "\r\n"
    assert response["Content-Disposition"] == f'attachment; filename="{name}.csv"'


def test_members_come_with_their_displayed_ratings_and_without_birth_year_and_sex(client):
    who = member("anna", name="Berg, Anna", fide_id=1500001, federation="NOR", sex="F", birth_year=1990)
    opening(who, "1799.60", Category.RAPID)
    opening(who, "2215.50", Category.BULLET)
    member("=1+1", federation="POL")
    assert rows(client, "/members/?federation=nor&format=csv") == [
        {
            "username": "anna",
            "name": "Berg, Anna",
            "fide_id": "1500001",
            "federation": "NOR",
            "title": "",
            "rapid": "1800",
            "blitz": "",
            "bullet": "2216",
        }
    ]
    assert rows(client, "/members/?federation=pol&format=csv")[0]["username"] == "'=1+1"


def test_a_file_has_all_rows_not_only_those_of_a_page(client):
    for number in range(120):
        member(f"m{number:03}")
    names = [row["username"] for row in rows(client, "/members/?format=csv&sort=-username")]
    assert names == [f"m{number:03}" for number in range(119, -1, -1)]


def test_games_come_with_what_they_are_and_why_they_do_not_count(client):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10, external_id="g1")
    void = game(who, other, "0-1", minute=20, voided_at=at(30), void_reason="engine use")
    latest, first = rows(client, f"/games/?player={who.pk}&format=csv")
    assert first == {
        "id": first["id"],
        "external_id": "g1",
        "white": who.username,
        "black": other.username,
        "time_control": "180+2",
        "category": "blitz",
        "rated": "yes",
        "result": "1-0",
        "termination": "normal",
        "started_at": "2026-03-01T00:05:00Z",
        "ended_at": "2026-03-01T00:10:00Z",
        "voided_at": "",
        "not_counted_because": "",
        "event_id": "",
        "round": "",
        "arena_url": "",
        "variant": "standard",
    }
    assert latest["id"] == str(void.pk)
    assert (latest["voided_at"], latest["not_counted_because"]) == ("2026-03-01T00:30:00Z", "engine use")


def test_changes_are_those_of_the_filter(client):
    who, other = rated("1799.60"), rated("1259.60")
    game(who, other)
    (row,) = rows(client, f"/changes/?player={who.pk}&kind=game&format=csv")
    assert (row["before"], row["after"], row["k"]) == ("1799.60", "1800.20", "20")
    assert row["reason"] == "3.9 game between two rated players"


def test_live_ratings_are_ranked_among_those_that_the_filters_leave(client):
    for name, points, country in (("Adam", 1900, "POL"), ("Berg", 1800, "NOR"), ("Cruz", "1799.60", "NOR")):
        opening(member(name=name, federation=country), points)
    ranked = [
        (row["rank"], row["name"], row["rating"])
        for row in rows(client, "/ratings/blitz/?federation=NOR&format=csv")
    ]
    assert ranked == [("1", "Berg", "1800"), ("1", "Cruz", "1800")]


def test_a_published_list_keeps_its_ranks_and_never_follows_a_later_game(client):
    best, second = rated(1900), member("second", name="Zorn, Z", federation="NOR")
    opening(second, 1800)
    month = datetime(2026, 4, 1, tzinfo=UTC)
    published, _ = publish(category=Category.BLITZ, month=month, at=month)
    game(best, second, "0-1", minute=60 * 24 * 40)
    address = published.get_absolute_url()
    assert address == "/lists/blitz/2026-04/1/"
    (row,) = rows(client, f"{address}?federation=NOR&format=csv")
    assert (row["rank"], row["username"], row["rating"]) == ("2", "second", "1800")
    response = client.get(address)
    assert response.status_code == 200
    assert [entry.rank for entry in response.context["table"].page.rows] == [1, 2]
    assert RatingListEntry.objects.count() == 2


@pytest.mark.parametrize(
    "address",
    ["/lists/blitz/2026-05/", "/lists/blitz/2026-13/", "/lists/classical/2026-04/", "/lists/blitz/"],
)
def test_a_list_that_was_not_published_is_not_found(client, address):
    assert client.get(address).status_code == 404


def test_a_filter_that_makes_no_sense_gives_no_file(client):
    rated(1800)
    response = client.get("/ratings/blitz/?title=Dr&format=csv")
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/html")
