"""GET /api/v1/changes: pages of the change feed over HTTP."""

import json
from threading import BoundedSemaphore
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ratings.arena.api import changes as feed
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.outbox import begin_epoch
from ratings.rbb.models import RatingChange
from tests.arena import game, member, opening, rated
from tests.arena.conftest import ApiClient

pytestmark = pytest.mark.django_db


def answer(api, query="", status=200, **headers):
    """The response to a question, read to its end."""
    response = api.get(f"/api/v1/changes{query}", headers=headers)
    text = response.getvalue().decode()
    assert response.status_code == status, text
    return response, text


def page(api, query=""):
    """The JSON of an answer."""
    return json.loads(answer(api, query)[1])


def faulty_field(api, query):
    """The field that is refused."""
    _response, text = answer(api, query, status=400)
    (fault,) = json.loads(text)["errors"]
    return fault["field"]


@pytest.fixture
def people():
    """Two members of 1600, whose names need care in JSON."""
    found = member('an"na\\'), member("böb<")
    for one in found:
        opening(one, 1600)
    return found


@pytest.fixture
def played(people):
    """A game that White has won."""
    return game(*people)


def test_a_row_says_who_why_from_where_to_where_and_where_it_is_explained(api, people, played):
    anna, _bob = people
    rows = page(api)["changes"]
    line = RatingChange.objects.of_game(played)[0]
    assert rows[2] == {
        "cursor": rows[2]["cursor"],
        "line": line.pk,
        "url": f"/changes/{line.pk}/",
        "member": {"id": anna.pk, "username": 'an"na\\'},
        "opponent": "böb<",
        "category": "blitz",
        "occurred_at": "2026-03-01T00:10:00Z",
        "game": f"/games/{played.pk}/",
        "before": "1600.00",
        "after": "1610.00",
        "change": "10.00",
        "reason": "rated",
        "cause": {"kind": "game", "decision": None},
        "at": rows[2]["at"],
        "gone": False,
    }
    assert (rows[3]["change"], rows[3]["after"]) == ("-10.00", "1590.00")
    assert (rows[0]["before"], rows[0]["opponent"], rows[0]["game"]) == (None, None, None)
    assert rows[2]["at"].endswith("Z")


def test_rows_of_a_decision_name_its_page_and_say_which_lines_are_gone(api, played):
    change_set, _effect = decide_at_once(
        Proposal(kind=kind_of("void-games"), parameters={"game": [str(played.pk)]})
    )
    rows = page(api)["changes"]
    decision = {"kind": "decision", "decision": change_set.get_absolute_url()}
    assert [(row["gone"], row["cause"] == decision) for row in rows] == [(False, False)] * 2 + [
        (True, True)
    ] * 2


def test_pages_of_one_row_are_the_rows_of_one_page(api, played):
    everything = page(api)
    assert (len(everything["changes"]), everything["more"]) == (4, False)
    rows, cursor, more = [], "", True
    while more:
        one = page(api, f"?limit=1&after={cursor}")
        rows += one["changes"]
        cursor, more = one["next"], one["more"]
    assert rows == everything["changes"]
    assert cursor == everything["next"]
    assert page(api, f"?after={cursor}") == {"changes": [], "next": cursor, "more": False}
    assert page(api, f"?after={rows[2]['cursor']}")["changes"] == rows[3:]
    game(rated(1600), rated(1600))
    assert len(page(api, f"?after={cursor}")["changes"]) == 4


@pytest.mark.parametrize("asked", [("?format=ndjson&limit={}", {}), ("?limit={}", {"accept": feed.NDJSON})])
def test_as_ndjson_each_row_is_a_line_and_the_last_line_says_how_to_go_on(api, played, asked):
    query, headers = asked
    rows = page(api)["changes"]
    for limit, more in ((3, True), (4, False)):
        response, text = answer(api, query.format(limit), **headers)
        *lines, last = map(json.loads, text.splitlines())
        assert response["Content-Type"] == "application/x-ndjson"
        assert lines == rows[:limit]
        assert last == {"next": page(api, f"?limit={limit}")["next"], "more": more}
    _response, text = answer(api, f"?format=ndjson&after={last['next']}")
    assert json.loads(text) == last


def test_long_pages_are_cut_into_pieces_nowhere_else_than_between_rows(api, played, monkeypatch):
    whole = page(api)
    monkeypatch.setattr(feed, "_PIECE", 1)
    assert page(api) == whole
    assert [json.loads(line) for line in answer(api, "?format=ndjson")[1].splitlines()[:-1]] == whole[
        "changes"
    ]


def test_where_nothing_is_new_the_answer_is_304_after_a_few_statements(api, played):
    cursor = page(api)["next"]
    response, _text = answer(api, f"?after={cursor}")
    etag = response["ETag"]
    with CaptureQueriesContext(connection) as captured:
        response, text = answer(api, f"?after={cursor}", 304, if_none_match=etag)
    assert (text, response["ETag"]) == ("", etag)
    # What is committed, the token with its server, and the outbox.
    assert len(captured) <= 3
    game(rated(1600), rated(1600))
    assert len(json.loads(answer(api, f"?after={cursor}", if_none_match=etag)[1])["changes"]) == 4


def test_json_and_ndjson_have_different_etags(api, played):
    etags = {answer(api, query)[0]["ETag"] for query in ("", "?format=ndjson", "?after=1")}
    assert len(etags) == 3


def test_a_long_poll_answers_within_two_seconds_of_a_commit(api, played, monkeypatch):
    naps = []

    def nap(seconds):
        naps.append(seconds)
        if len(naps) == 3:
            game(*map(rated, (1600, 1700)))

    monkeypatch.setattr(feed, "sleep", nap)
    cursor = page(api)["next"]
    assert len(page(api, f"?after={cursor}&wait=20")["changes"]) == 4
    assert naps == [2] * 3


@pytest.fixture
def naps(monkeypatch):
    """The seconds for which a long poll sleeps; nobody waits for them."""
    found = []
    monkeypatch.setattr(feed, "sleep", found.append)
    return found


def test_a_long_poll_answers_at_once_while_there_is_more(api, people, played, naps):
    caught_up = page(api)["next"]
    one, rest = (
        page(api, f"?wait=20&after={after}&limit=1") for after in ("", page(api, "?limit=1")["next"])
    )
    assert [len(found["changes"]) for found in (one, rest)] == [1, 1]
    # The tail of what a page said there is more of, however short.
    assert len(page(api, f"?wait=20&after={one['next']}")["changes"]) == 3
    # Two games make a full page of four lines, and one of three with another after it.
    game(*people, minute=20)
    game(*people, minute=30)
    for limit, more in ((3, True), (4, False)):
        found = page(api, f"?wait=20&after={caught_up}&limit={limit}")
        assert (len(found["changes"]), found["more"]) == (limit, more)
    assert naps == []
    # What isn't a page yet is collected for two seconds.
    assert len(page(api, f"?wait=20&after={caught_up}&limit=5")["changes"]) == 4
    assert naps == [2]


def test_a_full_page_of_one_member_or_category_counts_only_their_rows(api, people, played, naps):
    caught_up = page(api)["next"]
    game(*people, minute=20)
    game(*people, minute=30, notation="60+0")
    asked = f"?wait=20&after={caught_up}&limit=2"
    assert len(page(api, f"{asked}&category=blitz")["changes"]) == 2
    assert len(page(api, f"{asked}&member=B%C3%96B%3C")["changes"]) == 2
    assert naps == []
    assert len(page(api, f"{asked}&category=bullet&member=B%C3%96B%3C")["changes"]) == 1
    assert naps == [2]


def test_a_long_poll_from_the_cursor_of_the_last_row_waits_for_news(api, people, played, monkeypatch):
    naps = []

    def nap(seconds):
        naps.append(seconds)
        if len(naps) == 3:
            game(*people, minute=20)

    monkeypatch.setattr(feed, "sleep", nap)
    last = page(api)["changes"][-1]["cursor"]
    assert len(page(api, f"?wait=20&after={last}")["changes"]) == 2
    assert naps == [2] * 3


def test_a_process_lets_two_wait_and_answers_the_next_at_once_as_if_nothing_came(
    api, people, played, monkeypatch, naps
):
    monkeypatch.setattr(feed, "_waiting", BoundedSemaphore(2))
    cursor = page(api)["next"]
    for _ in range(2):
        assert feed._waiting.acquire(blocking=False)
    game(*people, minute=20)
    response, text = answer(api, f"?after={cursor}&wait=20")
    assert json.loads(text) == {"changes": [], "next": cursor, "more": False}
    assert (response["Retry-After"], response.get("ETag")) == ("20", None)
    # Who doesn't wait, or for whom a page is ready, needs no place, and a place that is free again is taken.
    assert page(api, f"?after={cursor}")["changes"]
    assert page(api, "?wait=20")["changes"]
    assert page(api, f"?after={cursor}&wait=20&limit=1")["changes"]
    assert naps == []
    feed._waiting.release()
    for _ in range(2):
        assert page(api, f"?after={cursor}&wait=20")["changes"]


def test_a_long_poll_in_vain_ends_after_as_many_seconds_as_were_asked_for(api, played, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(feed, "monotonic", lambda: now[0])
    monkeypatch.setattr(feed, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    cursor = page(api)["next"]
    etag = answer(api, f"?after={cursor}")[0]["ETag"]
    # What is told of members is no row of this feed, and moves the cursor on.
    member()
    assert page(api, f"?after={cursor}&wait=7")["changes"] == []
    assert now == [7.0]
    etag = answer(api, f"?after={cursor}")[0]["ETag"]
    answer(api, f"?after={cursor}&wait=3", 304, if_none_match=etag)
    assert now == [10.0]


def test_rows_of_a_member_or_a_category_are_asked_for_by_name(api, people, played):
    game(people[0], rated(1700), minute=20, notation="60+0")
    rows = page(api)["changes"]
    mine = [row for row in rows if row["member"]["id"] == people[1].pk]
    assert page(api, "?member=B%C3%96B%3C")["changes"] == mine
    assert [row["category"] for row in page(api, "?category=bullet")["changes"]] == ["bullet"] * 2


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?after=nonsense", "after"),
        ("?after=-1", "after"),
        ("?after=1-2-3", "after"),
        ("?after=01", "after"),
        ("?after=1234567890123456789", "after"),
        ("?after=1-%D9%A1", "after"),
        ("?after=.1", "after"),
        ("?after=0123abc.1", "after"),
        ("?after=0123abcd.", "after"),
        ("?limit=0", "limit"),
        ("?limit=50001", "limit"),
        ("?limit=many", "limit"),
        ("?wait=21", "wait"),
        ("?wait=-1", "wait"),
        ("?format=xml", "format"),
        ("?member=nobody", "member"),
        ("?category=classical", "category"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused_by_its_name(api, query, field):
    assert faulty_field(api, query) == field


def gone(api, cursor):
    """The problem of a cursor that leads nowhere any more; it isn’t waited for."""
    problem = json.loads(answer(api, f"?after={cursor}&wait=20", 410)[1])
    assert (problem["kind"], problem["begin"]) == ("cursor-gone", "/api/v1/changes")
    return problem


def test_a_cursor_ahead_of_the_office_is_gone_and_not_waited_for(api, played, monkeypatch):
    monkeypatch.setattr(feed, "sleep", None)
    gone(api, 999999)


def test_after_a_restore_every_earlier_cursor_is_gone_however_far_the_office_has_come_since(
    api, played, monkeypatch
):
    monkeypatch.setattr(feed, "sleep", None)
    before = page(api)
    begin_epoch()
    game(*map(rated, (1600, 1700)))
    for cursor in (before["next"], before["changes"][0]["cursor"], "0"):
        gone(api, cursor)
    second = page(api)
    # Who begins anew reads all, and cursors of this epoch lead on as ever.
    assert len(second["changes"]) == 8
    assert page(api, f"?after={second['changes'][4]['cursor']}")["changes"] == second["changes"][5:]
    assert page(api, f"?after={second['next']}")["changes"] == []
    begin_epoch()
    for cursor in (before["next"], second["next"], second["changes"][0]["cursor"]):
        gone(api, cursor)


def test_before_the_first_restore_cursors_are_as_they_were_in_earlier_versions(api, played):
    found = page(api)
    assert found["next"].isdigit()
    assert found["changes"][0]["cursor"].replace("-", "").isdigit()


def test_an_etag_of_another_epoch_is_none_of_this_one(api, played):
    etag = answer(api)[0]["ETag"]
    answer(api, status=304, if_none_match=etag)
    begin_epoch()
    answer(api, if_none_match=etag)


def test_only_a_token_with_the_scope_read_follows(server, played):
    answer(ApiClient(server, "read"))
    assert json.loads(answer(ApiClient(server, "games"), status=403)[1])["scope"] == "read"
    answer(Client(), status=401)


def test_a_page_whose_first_row_cannot_be_read_is_a_problem(api):
    def lost(*_, **__):
        raise OperationalError("the connection is lost")
        yield

    api.raise_request_exception = False
    with patch("ratings.arena.api.changes.rows_after", lost):
        response = api.get("/api/v1/changes?format=ndjson")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Content-Type"] == "application/problem+json"
