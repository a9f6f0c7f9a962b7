"""What the API tells everybody: the rows, filters and order of the pages, and the same figures."""

import json
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from members.models import Member
from ratings.rbb.models import Game, RatingChange, RatingList
from ratings.rbb.models.fields import EventType, change_id
from tests.arena import CONTROL, at, game, member, rated
from tests.arena.conftest import ApiClient, statements
from tests.arena.examples import GAME, furnish_examples
from tests.backoffice import admin_page
from tests.decisions import decide

pytestmark = pytest.mark.django_db

WIN = change_id(EventType.GAME, GAME)
"""Anna's line of her win."""


@pytest.fixture(scope="class")
def arena(standing):
    return standing(furnish_examples)


@pytest.fixture
def visitor():
    return ApiClient()


def pages(visitor, address, noun):
    """The rows of all pages, by following ``next``; going back gives the same."""
    found, before = [], None
    while address:
        page = visitor.ask("GET", address)
        found += page[noun]
        before = page["previous"]
        address = page["next"] and page["next"].removeprefix("/api/v1/")
        if before:
            back = visitor.ask("GET", before.removeprefix("/api/v1/"))
            assert back[noun] == found[-len(page[noun]) - len(back[noun]) : -len(page[noun])]
    return found


class TestFurnished:
    @pytest.fixture(autouse=True)
    def _arena(self, arena):
        """Anna, Bert, their game 4711 and the list of April."""

    def test_the_live_list_has_exact_ratings_and_the_lines_that_explain_them(self, visitor):
        anna, bert = visitor.ask("GET", "ratings/blitz")["members"]
        assert anna == {
            "rank": 1,
            "username": "anna",
            "fide_id": 1500001,
            "name": "Berg, Anna",
            "title": "WFM",
            "federation": "NOR",
            "rating": 1607,
            "games": 1,
            "exact": "1607.20",
            "last_event_at": "2026-03-01T00:10:00Z",
            "last_change": WIN,
        }
        assert (bert["username"], bert["exact"], bert["last_change"]) == ("bert", "1492.80", WIN + 1)
        assert visitor.ask("GET", "ratings/rapid")["members"] == []

    def test_its_filters_are_those_of_the_page(self, visitor):
        def asked(query):
            return [one["username"] for one in visitor.ask("GET", f"ratings/blitz?{query}")["members"]]

        assert asked("federation=nor") == ["anna"]
        assert asked("member=vik") == ["bert"]
        assert asked("title=GM") == []
        assert asked("games=2") == []

    def test_rows_have_the_shape_of_the_files_of_the_pages(self, visitor, client):
        for api, page, noun in (
            ("members", "/members/", "members"),
            ("all-games", "/games/", "games"),
            ("lists", "/lists/", "lists"),
            ("lists/blitz/2026-04/1/members", "/lists/blitz/2026-04/1/", "members"),
        ):
            told = visitor.ask("GET", api)
            file = json.loads(b"".join(client.get(page, {"format": "json"})))
            assert told.pop("next") is None
            assert told.pop("previous") is None
            assert told == file
            assert told[noun]

    @pytest.mark.parametrize(("layout", "last"), [(1, "k"), (2, "earlier_change"), (3, "exact_rating")])
    def test_lines_of_a_list_have_the_columns_it_was_published_with(self, visitor, client, layout, last):
        RatingList.objects.update(layout=layout)
        lines = visitor.ask("GET", "lists/blitz/2026-04/1/members")["members"]
        assert list(lines[0])[-1] == last
        assert (
            lines
            == json.loads(b"".join(client.get("/lists/blitz/2026-04/1/", {"format": "json"})))["members"]
        )

    def test_a_published_list_says_of_itself_what_the_archive_says(self, visitor):
        (row,) = visitor.ask("GET", "lists")["lists"]
        assert visitor.ask("GET", "lists/blitz/2026-04/1") == row
        assert (row["month"], row["members"], row["mean"]) == ("2026-04", 2, "1550.00")
        for place in ("blitz/2026-04/2", "rapid/2026-04/1", "blitz/2026-05/1"):
            for rest in ("", "/members"):
                assert visitor.ask("GET", f"lists/{place}{rest}", status=404)["kind"] == "not-found"

    def test_a_member_is_found_in_any_capitals(self, visitor):
        anna = visitor.ask("GET", "members/ANNA")
        assert (anna["username"], anna["blitz"], anna["rapid"]) == ("anna", 1607, None)
        assert anna["full_member"] is True
        assert anna["url"] == Member.objects.get(username="anna").get_absolute_url()
        assert anna["standings"] == [
            {
                "category": "blitz",
                "rating": 1607,
                "exact": "1607.20",
                "games": 1,
                "last_event_at": "2026-03-01T00:10:00Z",
                "last_change": WIN,
            }
        ]
        assert "nobody" in visitor.ask("GET", "members/nobody", status=404)["detail"]

    def test_a_history_has_a_line_for_each_event_latest_first(self, visitor):
        win, opening = visitor.ask("GET", "members/anna/history")["changes"]
        assert (win["id"], win["kind"], win["opponent"], win["change"]) == (WIN, "game", "bert", "7.20")
        assert (opening["kind"], opening["after"]) == ("opening", "1600.00")
        (only,) = visitor.ask("GET", "members/anna/history?kind=opening")["changes"]
        assert only == opening

    def test_a_game_has_the_lines_that_explain_it(self, visitor):
        white, _black = visitor.ask("GET", f"all-games/{GAME}")["changes"]
        line = visitor.ask("GET", f"explanations/{WIN}")
        assert white["steps"]
        assert {name: line[name] for name in white} == white
        assert visitor.ask("GET", f"all-games/{GAME - 1}", status=404)["kind"] == "not-found"
        assert visitor.ask("GET", "explanations/1", status=404)["kind"] == "not-found"

    def test_games_are_found_by_player_and_control(self, visitor):
        def asked(query):
            return [one["id"] for one in visitor.ask("GET", f"all-games?{query}")["games"]]

        both = Game.objects.values_list("pk", flat=True)
        assert asked("player=BERT") == asked("player=anna") == asked("control=180%2B2") == [*both]
        assert asked("control=180") == []
        assert asked("category=blitz&rated=yes&result=1-0&since=2026-03-01&until=2026-03-01") == [GAME]

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("all-games?category=chess", "category"),
            ("all-games?since=yesterday", "since"),
            ("all-games?limit=0", "limit"),
            ("all-games?limit=1001", "limit"),
            ("all-games?limit=x", "limit"),
            ("all-games?after=x", "after"),
            ("members?before=-1", "before"),
            ("members?username=nobody", "username"),
            ("all-games?player=nobody", "player"),
            ("all-games?control=x", "control"),
            ("all-games?control=%20%C2%AD", "control"),
            ("ratings/blitz?games=1.5", "games"),
            (f"members?member={'x' * 101}", "member"),
        ],
    )
    def test_a_filter_that_makes_no_sense_is_named(self, visitor, query, field):
        problem = visitor.ask("GET", query, status=400)
        assert [fault["field"] for fault in problem["errors"]] == [field]

    def test_a_page_that_began_at_a_row_that_has_gone_is_not_found(self, visitor):
        assert visitor.ask("GET", "members?after=99999999", status=404)["kind"] == "not-found"
        assert visitor.ask("GET", f"members?after={10**18}", status=404)["kind"] == "not-found"


def test_pages_follow_one_another_with_the_filters_of_the_first(visitor):
    for number in range(7):
        member(f"p{number}", name=f"{number % 3}", federation="NOR" if number else "POL")
    rows = pages(visitor, "members?limit=2&federation=NOR", "members")
    assert [row["username"] for row in rows] == ["p3", "p6", "p1", "p4", "p2", "p5"]


def test_pages_of_games_end_with_those_without_an_end(visitor):
    anna, bert = rated(1600), rated(1500)
    played = [game(anna, bert, minute=minute).pk for minute in (30, 10, 20)]
    going = [game(anna, bert, "", minute=40, ended_at=None).pk for _ in range(2)]
    found = [row["id"] for row in pages(visitor, "all-games?limit=1", "games")]
    assert found == [played[0], played[2], played[1], going[1], going[0]]


def test_games_are_asked_for_by_what_can_be_played_now(visitor):
    anna, bert = rated(1600), rated(1500)
    done = game(anna, bert)
    begun = {"result": "", "ended_at": None}
    # At 3 min + 2 s a game lasts 36 minutes at most: 2 × 3, 600 × 2 s and 10.
    now = game(anna, bert, started_at=timezone.now() - timedelta(minutes=35), **begun)
    forgotten = game(anna, bert, started_at=timezone.now() - timedelta(minutes=37), **begun)
    for state, one in (("finished", done), ("playing", now), ("overdue", forgotten)):
        found = visitor.ask("GET", f"all-games?state={state}")["games"]
        assert [row["id"] for row in found] == [one.pk]
    visitor.ask("GET", "all-games?state=lost", status=400)


def test_pages_of_ratings_are_by_exact_rating(visitor):
    points = ["1500.10", "1500.40", "1499.60", "1500.40"]
    for value in points:
        rated(value)
    found = [row["exact"] for row in pages(visitor, "ratings/blitz?limit=1", "members")]
    assert found == sorted(points, reverse=True)


def test_a_page_takes_as_many_statements_for_many_rows_as_for_one(visitor):
    def asked(address):
        return statements(lambda: visitor.ask("GET", address))

    anna, bert = rated(1600), rated(1500)
    for minute in range(5):
        game(anna, bert, minute=10 + minute)
    for address in ("all-games", "ratings/blitz", "members", f"members/{anna.username}/history"):
        assert asked(f"{address}?limit=1") == asked(address) <= 4


def test_a_line_that_went_away_is_gone_and_says_why(staff, visitor):
    played = game(rated(1600), rated(1500))
    line = RatingChange.objects.of_game(played)[0]
    decide(staff, admin_page(type(played), "void"), {"game": played.pk}, public_reason="fair-play")
    gone = visitor.ask("GET", f"explanations/{line.pk}", status=410)
    assert (gone["gone"], gone["before"], gone["after"]) == (True, "1600.00", "1607.20")
    assert gone["why"] == "Fair play"


def test_reading_needs_no_scope_and_no_token_but_none_that_is_not_good(server, visitor):
    for client in (visitor, ApiClient(server, "webhooks")):
        assert client.get("/api/v1/members").status_code == 200
    assert Client(headers={"authorization": "Bearer no"}).get("/api/v1/members").status_code == 401


@pytest.mark.skipif(connection.vendor == "postgresql", reason="the suite's other workers commit there")
@pytest.mark.django_db(transaction=True)
def test_what_has_not_changed_is_answered_with_304_until_something_is_committed(visitor):
    anna, bert = rated(1600), rated(1500)
    for address in ("/api/v1/ratings/blitz", "/api/v1/all-games", "/api/v1/schema"):
        mark = visitor.get(address)["ETag"]
        again = visitor.get(address, headers={"if-none-match": mark})
        assert (again.status_code, again.content) == (304, b"")
    mark = visitor.get("/api/v1/ratings/blitz")["ETag"]
    game(anna, bert, ended_at=at(10) + timedelta(seconds=1), notation=CONTROL[1])
    game(anna, bert)
    changed = visitor.get("/api/v1/ratings/blitz", headers={"if-none-match": mark})
    assert changed.status_code == 200
    assert changed.json()["members"][0]["exact"] == "1607.20"


def test_addresses_of_pages_are_paths_with_their_query(visitor):
    member("anna", name="Berg, Ånna")
    member("bert", name="Berg, Ånna")
    following = visitor.ask("GET", "members?limit=1&member=%C3%85nn&sex=")["next"]
    assert urlsplit(following).path == "/api/v1/members"
    assert visitor.get(following).json()["members"][0]["username"] == "bert"


def test_the_page_of_the_api_is_in_english_as_a_whole(client):
    page = client.get("/api/", headers={"accept-language": "pl"})
    assert 'lang="en"' in page.text
    assert "Spis treści" not in page.text
    assert "Kalendarz" not in page.text


@pytest.mark.parametrize("query", ["changes?member=", "all-games?player=", "members?username="])
def test_a_username_that_nobody_has_is_refused_alike_by_each_filter(api, query):
    problem = api.ask("GET", f"{query}nobody", status=400)
    (fault,) = problem["errors"]
    assert (problem["kind"], fault["detail"]) == ("invalid", "No member has the username “nobody”.")
