"""A member’s figures in the API, now and at a moment; pages whose JSON says where it went; the calendar."""

from datetime import timedelta

import pytest
from django.utils import timezone

from members.models import Member
from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType
from tests.arena import game, member
from tests.arena.conftest import ApiClient
from tests.arena.examples import GAME, furnish_examples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _furnished():
    furnish_examples()


@pytest.fixture
def visitor():
    return ApiClient()


@pytest.fixture
def line():
    """Anna's line of the game that she won."""
    return RatingChange.objects.of_kind(EventType.GAME).get(member__username="anna")


def test_ratings_are_live_and_published(visitor, line):
    answer = visitor.ask("GET", "members/ANNA/ratings")
    assert (answer["username"], answer["as_of"]) == ("anna", None)
    assert [one["category"] for one in answer["categories"]] == ["rapid", "blitz", "bullet"]
    rapid, blitz, _bullet = answer["categories"]
    # 1600 and 1500: D = 100, PD = .64, K = 20.
    assert blitz == {
        "category": "blitz",
        "rating": 1607,
        "exact": "1607.20",
        "games": 1,
        "games_played": 1,
        "live_rank": 1,
        "last_30_days": "0.00",
        "peak": "1607.20",
        "k": 20,
        "usual_move": None,
        "last_event_at": "2026-03-01T00:10:00Z",
        "last_change": line.pk,
        "published": {
            "list": "/lists/blitz/2026-04/1/",
            "rank": 1,
            "members": 2,
            "rating": 1607,
            "exact": "1607.20",
        },
        "change_since_published": "0.00",
    }
    assert (rapid["rating"], rapid["games"], rapid["last_change"], rapid["published"]) == (
        None,
        0,
        None,
        None,
    )


def test_statistics_have_colours_controls_opponents_months_and_the_place_on_the_list(visitor, line):
    answer = visitor.ask("GET", "members/anna/statistics")
    (blitz,) = answer["categories"]
    won = {"games": 1, "won": 1, "drawn": 0, "lost": 0, "score": "1"}
    assert blitz["all"] == blitz["white"] == {**won, "percent": "100.0"}
    assert (blitz["black"]["games"], blitz["black"]["percent"]) == (0, None)
    assert blitz["time_controls"] == [{"time_control": "180+2", **won, "percent": "100.0"}]
    assert blitz["by_opponents_rating"] == [
        {"lowest": 1400, "highest": 1599, "games": 1, "score": "1", "expected": "0.64"}
    ]
    assert (blitz["best_win"]["change"], blitz["best_win"]["rating"]) == (f"/changes/{line.pk}/", "1500.00")
    assert blitz["records"]["longest_unbeaten_run"]["games"] == 1
    assert (blitz["records"]["largest_gain"], blitz["records"]["winning_run"]) == ("7.20", None)
    assert blitz["percentile"] == 50
    (bert,) = answer["opponents"]
    assert (bert["opponent"]["username"], bert["won"], bert["percent"]) == ("bert", 1, "100.0")
    (march,) = answer["months"]
    assert (march["month"], march["results"]["won"], march["most_frequent_opponent"]) == ("2026-03", 1, None)
    assert march["changes"] == [{"category": "blitz", "change": "7.20"}]
    assert march["best_win"]["opponent"]["username"] == "bert"


def test_the_chart_has_a_point_for_each_event_that_moved_the_rating(visitor, line):
    answer = visitor.ask("GET", "members/anna/chart")
    assert answer["span"] == "all"
    blitz = answer["categories"][1]
    assert (blitz["ratings"], blitz["changes"], blitz["games"]) == ([160_000, 160_720], [None, 720], [0, 1])
    assert blitz["lines"][-1] == line.pk
    (bert,) = answer["players"]
    assert (blitz["opponents"], bert["username"]) == ([None, bert["id"]], "bert")
    # The last point before the span is kept.
    assert visitor.ask("GET", "members/anna/chart?span=1m")["categories"][1]["ratings"] == [160_720]
    problem = visitor.ask("GET", "members/anna/chart?span=2w", status=400)
    assert [one["field"] for one in problem["errors"]] == ["span"]


def test_each_answer_looks_back_to_a_moment(visitor, line):
    def asked(one, moment):
        return visitor.ask("GET", f"members/anna/{one}?as_of={moment}")

    before, after = "2026-03-01T00:09:59Z", "2026-03-01T00:10:00Z"
    assert asked("ratings", before)["as_of"] == before
    found = asked("ratings", before)["categories"][1]
    assert (found["exact"], found["games"], found["live_rank"], found["published"]) == (
        "1600.00",
        0,
        None,
        None,
    )
    assert asked("ratings", after)["categories"][1]["exact"] == "1607.20"
    assert asked("statistics", before)["categories"] == []
    assert len(asked("statistics", after)["categories"]) == 1
    assert asked("titles", before)["categories"][1]["titles"][2]["games_in_a_row"] == 0
    assert asked("chart", before)["categories"][1]["ratings"] == [160_000]
    assert [one["kind"] for one in asked("history", before)["changes"]] == ["opening"]
    assert asked("history", after)["changes"][0]["id"] == line.pk


@pytest.mark.parametrize("one", ["ratings", "statistics", "titles", "chart", "history"])
@pytest.mark.parametrize("moment", ["yesterday", "2026-03-01", "2099-01-01T00:00:00Z"])
def test_a_moment_without_offset_or_ahead_is_refused(visitor, one, moment):
    problem = visitor.ask("GET", f"members/anna/{one}?as_of={moment}", status=400)
    assert [fault["field"] for fault in problem["errors"]] == ["as_of"]


def test_a_username_with_a_slash_is_found(visitor):
    member("old/anna")
    for one in ("ratings", "statistics", "titles", "chart"):
        assert visitor.ask("GET", f"members/old/anna/{one}")["username"] == "old/anna"
    assert visitor.ask("GET", "members/nobody/ratings", status=404)["kind"] == "not-found"


def test_a_members_games_are_lines_with_the_game_and_the_colour(visitor, line):
    (row,) = visitor.ask("GET", "members/bert/history?kind=game")["changes"]
    assert (row["game"], row["colour"], row["opponent"], row["change"]) == (GAME, "black", "anna", "-7.20")
    (opening,) = visitor.ask("GET", "members/bert/history?kind=opening")["changes"]
    assert (opening["game"], opening["colour"]) == (None, None)


def test_lines_of_all_members_are_listed_with_the_filters_of_the_page(visitor, client):
    rows = visitor.ask("GET", "explanations")["changes"]
    assert [row["username"] for row in rows] == ["bert", "anna", "bert", "anna"]
    page = client.get("/changes/?format=json").getvalue().decode()
    assert [row["change"] for row in rows[:2]] == ["-7.20", "7.20"]
    assert page.count('"username"') == len(rows)
    of_anna = visitor.ask("GET", "explanations?player=anna&kind=game")["changes"]
    assert [row["change"] for row in of_anna] == ["7.20"]
    assert visitor.ask("GET", "explanations?player=nobody", status=400)["errors"][0]["field"] == "player"


def test_the_calendar_has_days_from_today_in_order(visitor, client):
    dates = visitor.ask("GET", "calendar")["dates"]
    today = timezone.now().date()
    days = [one["day"] for one in dates]
    assert days == sorted(days)
    assert days[0] >= today.isoformat()
    assert days[-1] <= (today + timedelta(days=366)).isoformat()
    assert dates[: len(client.get("/?format=json").json()["dates"])] == [
        {**one, "key": two["key"]}
        for one, two in zip(client.get("/?format=json").json()["dates"], dates, strict=False)
    ]


def test_over_the_board_each_room_says_what_it_knows(visitor):
    answer = visitor.ask("GET", "members/bert/over-the-board")
    assert answer == {"username": "bert", "fide": None, "league": None, "otb": None}
    anna = visitor.ask("GET", "members/anna/over-the-board")
    assert (anna["otb"]["rating"], anna["otb"]["list_day"]) == (2000, "2026-04-01")
    assert anna["otb"]["url"] == "/fide/players/1500001/"


@pytest.mark.parametrize(
    ("page", "instead"),
    [
        ("", ["ratings", "history"]),
        ("games/", ["history", "statistics"]),
        ("statistics/", ["statistics"]),
        ("titles/", ["titles"]),
        ("over-the-board/", ["over-the-board"]),
        ("history/", ["chart"]),
    ],
)
def test_json_of_a_members_page_says_where_it_went_also_for_a_past_moment(client, visitor, page, instead):
    anna = Member.objects.get(username="anna")
    address = f"{anna.get_absolute_url()}{page}?format=json"
    for answer in (client.get(address), client.get(f"{address}&as_of=2026-03-02")):
        assert answer.status_code == 200
        assert answer["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
        links = [f'</api/v1/members/anna/{one}>; rel="successor-version"' for one in instead]
        assert answer["Link"] == ", ".join([*links, '</api/>; rel="deprecation"'])
    for one in instead:
        visitor.ask("GET", f"members/anna/{one}")


@pytest.mark.parametrize(
    ("page", "instead"),
    [
        ("/", ["leaders/rapid/top", "lists", "calendar"]),
        ("/members/", ["members"]),
        ("/games/", ["all-games"]),
        ("/changes/", ["explanations"]),
    ],
)
def test_json_of_home_and_of_the_long_lists_says_where_it_went(client, visitor, page, instead):
    answer = client.get(f"{page}?format=json")
    b"".join(answer)
    links = [f'</api/v1/{one}>; rel="successor-version"' for one in instead]
    assert answer["Link"] == ", ".join([*links, '</api/>; rel="deprecation"'])
    for one in instead:
        visitor.ask("GET", one)
    assert "format=json" not in client.get(page).text


@pytest.mark.parametrize("one", ["ratings", "statistics", "titles", "chart", "history", "over-the-board"])
def test_what_has_not_changed_is_answered_with_304(visitor, one):
    first = visitor.get(f"/api/v1/members/anna/{one}")
    again = visitor.get(f"/api/v1/members/anna/{one}", headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


def test_the_page_and_the_api_have_the_same_figures(client, visitor):
    anna, bert = Member.objects.get(username="anna"), Member.objects.get(username="bert")
    game(bert, anna, "1/2-1/2", minute=60)
    page = client.get(f"{anna.get_absolute_url()}statistics/?format=json").json()["statistics"]["blitz"]
    (blitz,) = visitor.ask("GET", "members/anna/statistics")["categories"]
    for name, colour in (("all", "all"), ("white", "white"), ("black", "black")):
        assert page["results"][name] == blitz[colour]
    assert page["time_controls"] == {one.pop("time_control"): one for one in blitz["time_controls"]}
    assert page["percentile"] == blitz["percentile"]
