"""Lists in the API: what their pages show, and the pages' JSON, which says where it went."""

import json
from datetime import UTC, datetime

import pytest

from members.models import Member
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, rated
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
        ("/ratings/blitz/", "/api/v1/ratings/blitz"),
        ("/lists/", "/api/v1/lists"),
        ("/lists/blitz/compare/", "/api/v1/lists/blitz/compare"),
        pytest.param("/fide/tournaments/", "/api/v1/tournaments", marks=pytest.mark.needs("otb")),
        pytest.param("/fide/otb/", "/api/v1/over-the-board/lists", marks=pytest.mark.needs("otb")),
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


def file_of(client, page, *, goes=True):
    answer = client.get(page)
    assert ("Sunset" in answer) is goes
    return json.loads(answer.getvalue())


def without_pages(answer):
    return {name: value for name, value in answer.items() if name not in ("next", "previous")}


class TestPublished:
    """The file of a published list never changes, so it stays; the API has the same."""

    @pytest.mark.parametrize(
        ("api", "page"),
        [
            ("lists/blitz/2026-04/1/members", "/lists/blitz/2026-04/1/"),
            ("lists/requested/4711/members", "/lists/requested/4711/"),
            ("lists/blitz/2026-04/1/top/NOR", "/lists/blitz/2026-04/1/top/NOR/"),
            ("lists/blitz/2026-04/1/top/active", "/lists/blitz/2026-04/1/top/active/"),
        ],
    )
    def test_the_api_has_what_the_file_has(self, client, visitor, api, page):
        answer = without_pages(visitor.ask("GET", api))
        assert answer == file_of(client, f"{page}?format=json", goes=False)
        assert answer["members"]

    @pytest.mark.parametrize(
        ("page", "api"),
        [
            ("/lists/blitz/2026-04/1/", "/api/v1/lists/blitz/2026-04/1/members"),
            ("/lists/requested/4711/", "/api/v1/lists/requested/4711/members"),
        ],
    )
    def test_json_of_some_of_its_lines_goes(self, client, visitor, page, api):
        some = client.get(f"{page}?format=json&federation=NOR")
        assert some["Link"].startswith(f'<{api}>; rel="successor-version"')
        rows = json.loads(some.getvalue())["members"]
        assert visitor.ask("GET", f"{api.removeprefix('/api/v1/')}?federation=NOR")["members"] == rows
        assert [row["username"] for row in rows] == ["anna"]

    def test_a_group_or_list_that_is_not_there_is_not_found(self, visitor):
        for place in (
            "lists/blitz/2026-04/2/top/women",
            "lists/requested/1/members",
            "lists/rapid/compare",
        ):
            assert visitor.ask("GET", place, status=404)["kind"] == "not-found"
        for group in ("women", "SWE"):
            assert visitor.ask("GET", f"lists/blitz/2026-04/1/top/{group}")["members"] == []


class TestLive:
    def test_ranks_follow_displayed_ratings_on_each_page(self, visitor):
        for value in ("1493.20", "1492.51"):
            rated(value)
        rows, address = [], "ratings/blitz?limit=1"
        while address:
            answer = visitor.ask("GET", address)
            rows += answer["members"]
            address = answer["next"] and answer["next"].removeprefix("/api/v1/")
        shown = [(row["rank"], row["rating"], row["exact"]) for row in rows]
        assert shown == [
            (1, 1607, "1607.20"), (2, 1493, "1493.20"), (2, 1493, "1492.80"), (2, 1493, "1492.51"),
        ]  # fmt: skip

    def test_a_filter_leaves_the_rank_among_all(self, visitor):
        (bert,) = visitor.ask("GET", "ratings/blitz?member=vik")["members"]
        assert bert["rank"] == 2

    @pytest.mark.parametrize(
        "moment", ["2026-03-01T00:09:59Z", "2026-03-01T00:10:00Z", "2026-04-02T00:00:00Z"]
    )
    def test_a_moment_shows_the_state_after_its_last_event(self, client, visitor, moment):
        """The last one starts from the list of April."""
        anna, bert = visitor.ask("GET", f"ratings/blitz?as_of={moment}")["members"]
        won = moment != "2026-03-01T00:09:59Z"
        assert (anna["exact"], anna["games"]) == (("1607.20", 1) if won else ("1600.00", 0))
        assert (anna["rank"], bert["rank"]) == (1, 2)
        line = visitor.ask("GET", f"explanations/{anna['last_change']}")
        assert (line["after"], line["occurred_at"]) == (anna["exact"], anna["last_event_at"])
        file = file_of(client, f"/ratings/blitz/?as_of={moment}&format=json")
        answer = visitor.ask("GET", f"ratings/blitz?as_of={moment}")
        assert {name: answer[name] for name in ("category", "as_of", "recalculated_at")} == {
            name: file[name] for name in ("category", "as_of", "recalculated_at")
        }
        assert [{name: row[name] for name in file["members"][0]} for row in answer["members"]] == file[
            "members"
        ]

    def test_pages_at_a_moment_follow_one_another_with_ranks_on_the_first(self, visitor):
        first = visitor.ask("GET", "ratings/blitz?as_of=2026-04-02T00:00:00Z&limit=1")
        second = visitor.ask("GET", first["next"].removeprefix("/api/v1/"))
        assert [(row["username"], row["rank"]) for row in first["members"] + second["members"]] == [
            ("anna", 1), ("bert", None),
        ]  # fmt: skip
        assert second["as_of"] == "2026-04-02T00:00:00Z"
        assert second["next"] is None
        assert (
            visitor.ask("GET", second["previous"].removeprefix("/api/v1/"))["members"][0]["username"]
            == "anna"
        )

    def test_filters_hold_at_a_moment_too(self, visitor):
        def asked(query):
            address = f"ratings/blitz?as_of=2026-03-31T00:00:00Z&{query}"
            return [(one["username"], one["rank"]) for one in visitor.ask("GET", address)["members"]]

        assert asked("federation=NOR") == [("anna", None)]
        assert asked("active=yes") == [("anna", None), ("bert", None)]
        assert asked("games=2") == []

    @pytest.mark.parametrize("moment", ["2026-03-01", "x", "2999-01-01T00:00:00Z"])
    def test_a_moment_that_makes_no_sense_is_named(self, visitor, moment):
        problem = visitor.ask("GET", f"ratings/blitz?as_of={moment}", status=400)
        assert [one["field"] for one in problem["errors"]] == ["as_of"]

    def test_now_is_the_same_until_something_happens(self, visitor):
        answer = visitor.ask("GET", "ratings/blitz")
        assert (answer["as_of"], answer["recalculated_at"]) == (None, None)


class TestCompared:
    @pytest.fixture(autouse=True)
    def _may(self):
        anna, bert = (Member.objects.get(username=name) for name in ("anna", "bert"))
        game(
            bert,
            anna,
            started_at=datetime(2026, 4, 5, tzinfo=UTC),
            ended_at=datetime(2026, 4, 5, 1, tzinfo=UTC),
        )
        rated(1800, minute=60 * 24 * 36)
        may = datetime(2026, 5, 1, tzinfo=UTC)
        publish(category=Category.BLITZ, month=may, at=may)

    @pytest.mark.parametrize("show", ["changed", "gains", "losses", "entered", "left"])
    def test_the_lines_are_those_of_the_page(self, client, visitor, show):
        query = f"from=2026-04&to=2026-05&show={show}"
        answer = visitor.ask("GET", f"lists/blitz/compare?{query}")
        assert (answer["from"], answer["to"], answer["show"]) == ("2026-04.1", "2026-05.1", show)
        rows = file_of(client, f"/lists/blitz/compare/?{query}&format=json")["members"]
        assert answer["members"] == rows
        assert len(rows) == {"changed": 3, "gains": 1, "losses": 1, "entered": 1, "left": 0}[show]

    def test_left_out_they_are_the_last_two_lists_and_the_gains(self, visitor):
        answer = visitor.ask("GET", "lists/blitz/compare")
        assert (answer["from"], answer["to"], answer["show"]) == ("2026-04.1", "2026-05.1", "gains")
        (bert,) = answer["members"]
        assert (bert["username"], bert["before"], bert["change"]) == ("bert", "1492.80", "13.20")

    def test_pages_follow_one_another(self, visitor):
        first = visitor.ask("GET", "lists/blitz/compare?show=changed&limit=2")
        rest = visitor.ask("GET", first["next"].removeprefix("/api/v1/"))
        assert (len(first["members"]), len(rest["members"]), rest["next"]) == (2, 1, None)

    def test_what_makes_no_sense_is_refused(self, visitor):
        for query in ("from=x", "to=2026-13", "show=x", "to=2026-05.x"):
            assert visitor.ask("GET", f"lists/blitz/compare?{query}", status=400)["detail"]
        visitor.ask("GET", "lists/blitz/compare?to=2026-05.9", status=404)
