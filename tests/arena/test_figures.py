"""Distributions, months and records in the API: the figures of the pages, whose JSON says where they went."""

import pytest

from ratings.rbb.lists.report import keep_reviews
from tests.arena.conftest import ApiClient
from tests.arena.examples import furnish_examples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _furnished():
    furnish_examples()


@pytest.fixture
def visitor():
    return ApiClient()


def test_a_distribution_has_bands_and_tells_the_place_of_a_rating(visitor):
    answer = visitor.ask("GET", "ratings/blitz/distribution?rating=1600")
    assert (answer["category"], answer["members"], answer["median"]) == ("blitz", 2, 1493)
    assert [band["members"] for band in answer["bands"]] == [1, 0, 0, 1]
    assert (answer["rating"], answer["percentile"]) == (1600, 50)
    problem = visitor.ask("GET", "ratings/blitz/distribution?rating=high", status=400)
    assert [one["field"] for one in problem["errors"]] == ["rating"]


def test_a_published_distribution_says_of_which_list(visitor):
    answer = visitor.ask("GET", "lists/blitz/2026-04/1/distribution")
    assert (answer["month"], answer["revision"], answer["members"]) == ("2026-04", 1, 2)
    assert visitor.ask("GET", "lists/blitz/2026-05/1/distribution", status=404)["kind"] == "not-found"


def test_a_month_comes_with_the_list_that_ends_it(visitor):
    answer = visitor.ask("GET", "months/2026-03")
    (blitz,) = answer["categories"]
    assert (answer["games"], blitz["category"], blitz["games"], blitz["new"]) == (1, "blitz", 1, 2)
    assert visitor.ask("GET", "months/2026-04", status=404)["kind"] == "not-found"


def test_leaders_have_ranks_in_their_group(visitor):
    everybody = visitor.ask("GET", "leaders/blitz/top")["leaders"]
    assert [(one["rank"], one["member"]["username"]) for one in everybody] == [(1, "anna"), (2, "bert")]
    (norwegian,) = visitor.ask("GET", "leaders/blitz/NOR")["leaders"]
    assert (norwegian["rank"], norwegian["federation"], norwegian["change"]) == (1, "NOR", None)


@pytest.mark.parametrize(
    ("address", "rows"),
    [
        ("leaders/blitz/ZZZ", "leaders"),
        ("lists/blitz/2026-04/1/top/ZZZ", "members"),
        ("ratings/blitz?federation=ZZZ", "members"),
        ("lists/blitz/2026-04/1/members?federation=ZZZ", "members"),
        ("members?federation=ZZZ", "members"),
        ("tournaments?federation=ZZZ", "tournaments"),
        ("fide/players?federation=ZZZ", "players"),
        ("over-the-board/lists/standard/2026-04-01/1/players?federation=ZZZ", "players"),
        ("over-the-board/lists/standard/2026-04-01/1/top?federation=ZZZ", "players"),
    ],
)
def test_a_federations_code_that_nobody_has_finds_nothing_and_another_word_is_refused(visitor, address, rows):
    assert visitor.ask("GET", address)[rows] == []
    if "?" in address:
        (fault,) = visitor.ask("GET", address.replace("ZZZ", "XX"), status=400)["errors"]
        assert fault == {
            "field": "federation",
            "detail": "No federation is called “XX”. Use its name or FIDE’s code, such as NOR.",
        }
    else:
        # No such address.
        visitor.ask("GET", address.replace("ZZZ", "XX"), status=404)


def test_titles_tell_the_games_in_a_row(visitor):
    answer = visitor.ask("GET", "members/anna/titles")
    assert [one["category"] for one in answer["categories"]] == ["rapid", "blitz", "bullet"]
    rows = [(one["rating"], one["games_in_a_row"]) for one in answer["categories"][1]["titles"]]
    # 1600.00 and a win.
    assert rows == [("2000.00", 0), ("1700.00", 0), ("1400.00", 1), ("1100.00", 1)]


def test_records_name_members_and_months(visitor):
    keep_reviews()
    (blitz,) = visitor.ask("GET", "records")["categories"]
    assert [one["member"]["username"] for one in blitz["highest"]] == ["anna", "bert"]
    assert [(one["member"]["username"], one["games"]) for one in blitz["active"]] == []
    assert blitz["months"] == [{"month": "2026-03", "games": 1}]


@pytest.mark.parametrize(
    ("page", "instead"),
    [
        ("/ratings/blitz/distribution/", "/api/v1/ratings/blitz/distribution"),
        ("/lists/blitz/2026-04/1/distribution/", "/api/v1/lists/blitz/2026-04/1/distribution"),
        ("/months/2026-03/", "/api/v1/months/2026-03"),
        ("/records/", "/api/v1/records"),
    ],
)
def test_json_of_a_page_that_the_api_has_says_where_and_until_when(client, page, instead):
    answer = client.get(f"{page}?format=json")
    assert answer.status_code == 200
    assert answer["Link"].startswith(f'<{instead}>; rel="successor-version"')
    assert answer["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
