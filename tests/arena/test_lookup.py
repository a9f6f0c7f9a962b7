"""Looking many members up in one request."""

import pytest

from ratings.arena.api.lookup import MOST
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, rated
from tests.arena.conftest import statements

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna(db):
    who = member("anna", name="Berg, Anna", fide_id=1500001, federation="NOR", title="WGM")
    opening(who, "1799.60", Category.BLITZ)
    return who


def ask(client, body, status=200):
    """As somebody without a token."""
    answer = client.post("/api/v1/members/lookup", body, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_members_come_by_username_in_any_case_and_by_fide_id_and_the_unknown_are_named(client, anna):
    bert = member("bert")
    found = ask(client, {"usernames": ["bert", "ANNA", "nobody"], "fide_ids": [1500001, 7]})
    assert [(one["asked"], one["username"]) for one in found["members"]] == [
        ("bert", "bert"),
        ("ANNA", "anna"),
        ("1500001", "anna"),
    ]
    assert found["unknown"] == {"usernames": ["nobody"], "fide_ids": [7]}
    assert found["at"] is None
    assert found["members"][0]["standings"] == []
    assert found["members"][1] == {
        "asked": "ANNA",
        "username": "anna",
        "fide_id": 1500001,
        "name": "Berg, Anna",
        "title": "WGM",
        "federation": "NOR",
        "url": anna.get_absolute_url(),
        "standings": client.get("/api/v1/members/anna").json()["standings"],
    }
    assert (found["members"][1]["standings"][0]["rating"], bert.pk) == (1800, bert.pk)


def test_ratings_are_those_of_the_moment(client, anna):
    bert = rated("1799.60")
    game(anna, bert, minute=10)
    game(anna, bert, minute=20)
    # Equal ratings, then D = 20, for which PD is 0.53: K = 20 (RBB 3.9, 4.2).
    told = [(0, "1799.60", 0), (10, "1809.60", 1), (19.9, "1809.60", 1), (25, "1819.00", 2)]
    for minute, exact, games in told:
        sent = {"usernames": ["anna"], "at": at(minute).isoformat()}
        ((standing,),) = [one["standings"] for one in ask(client, sent)["members"]]
        assert (standing["category"], standing["exact"], standing["games"]) == ("blitz", exact, games)
    before = ask(client, {"usernames": ["anna"], "at": at(-1).isoformat()})
    assert [one["standings"] for one in before["members"]] == [[]]
    assert before["at"] == "2026-02-28T23:59:00Z"


def test_somebody_who_lost_the_rating_is_unrated_then(client):
    # RBB 3.3: 104.00 − 20 × 0.50 is under the floor.
    anna, bert = rated("104.00"), rated("104.00")
    game(anna, bert, "0-1", minute=10)
    found = ask(client, {"usernames": [anna.username], "at": at(11).isoformat()})["members"]
    assert (found[0]["standings"][0]["rating"], found[0]["standings"][0]["exact"]) == (None, None)


def test_former_usernames_lead_to_the_member(client, anna):
    anna.username = "anna-berg"
    anna.save()
    (found,) = ask(client, {"usernames": ["anna"]})["members"]
    assert (found["asked"], found["username"]) == ("anna", "anna-berg")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "usernames"),
        ({"usernames": [], "fide_ids": []}, "usernames"),
        ({"usernames": ["a"] * MOST, "fide_ids": [1]}, "usernames"),
        ({"usernames": ["a"] * (MOST + 1)}, "usernames"),
        ({"usernames": "anna"}, "usernames"),
        ({"usernames": ["a" * 151]}, "usernames.0"),
        ({"fide_ids": [0]}, "fide_ids.0"),
        ({"fide_ids": ["x"]}, "fide_ids.0"),
        ({"usernames": ["anna"], "at": "2026-03-01"}, "at"),
        ({"usernames": ["anna"], "at": "2126-03-01T00:00:00Z"}, "at"),
        ({"usernames": ["anna"], "name": "x"}, "name"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_field(client, anna, body, field):
    problem = ask(client, body, status=400)
    assert problem["kind"] == "invalid"
    assert field in [one["field"] for one in problem["errors"]]


def test_a_member_who_is_called_lookup_is_read_and_written_as_any_other(client, api):
    assert client.get("/api/v1/members/lookup").status_code == 404
    api.ask("PUT", "members/lookup", {"name": "Up, Look"}, status=201)
    assert client.get("/api/v1/members/lookup").json()["name"] == "Up, Look"
    assert client.put("/api/v1/members/lookup", {}, content_type="application/json").status_code == 401


def test_hundreds_take_as_many_queries_as_one(client, anna):
    names = [rated("1500.00").username for _number in range(20)]
    sent = {"usernames": names, "at": at(5).isoformat()}
    one = {**sent, "usernames": names[:1]}
    assert statements(lambda: ask(client, sent)) == statements(lambda: ask(client, one))


def test_asking_too_often_is_refused(client, anna, settings):
    settings.API_REQUESTS_OF_VISITOR = 1
    ask(client, {"usernames": ["anna"]})
    ask(client, {"usernames": ["anna"]}, status=429)
