"""A member’s history as numbers for the chart and as a file."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from ratings.rbb.lists.columns import CHANGES
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, START, adjustment, game, member, opening, rated
from tests.pages import is_friendly

pytestmark = pytest.mark.django_db

SECONDS = int(START.timestamp())
NOTHING = {name: [] for name in ("moments", "games", "ratings", "changes", "lines", "opponents")}


def drawn(client, who):
    """The lines of his chart."""
    response = client.get(f"/members/{who.pk}/history/?format=json")
    assert response.status_code == 200
    return response.json()


def test_each_category_has_moments_numbers_of_games_and_ratings_in_hundredths(client):
    who, other = rated("1799.60"), rated("1259.60")
    opening(who, 2000, Category.RAPID, minute=1)
    game(who, other, minute=10)
    game(who, other, "0-1", minute=20)  # 1800.20 against 1259.00: D 541, PD 0.97
    lines = who.rating_changes.filter(category=Category.BLITZ).in_order().values_list("pk", flat=True)
    found = drawn(client, who)
    assert (found["rapid"]["moments"], found["rapid"]["ratings"]) == ([SECONDS + 60], [2000_00])
    assert found["blitz"] == {
        "moments": [SECONDS, SECONDS + 600, SECONDS + 1200],
        "games": [0, 1, 2],
        "ratings": [1799_60, 1800_20, 1780_80],
        "changes": [None, 60, -19_40],
        "lines": list(lines),
        "opponents": [None, other.pk, other.pk],
    }
    assert found["bullet"] == NOTHING
    assert found["names"] == {str(other.pk): str(other)}


def test_a_span_begins_with_the_rating_held_at_its_beginning(client):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)
    now = timezone.now()
    game(who, other, started_at=now - timedelta(days=40), ended_at=now - timedelta(days=40))
    latest = now - timedelta(days=3)
    game(who, other, started_at=latest, ended_at=latest)
    ratings = {
        span: client.get(f"/members/{who.pk}/history/?format=json&span={span}").json()["blitz"]["ratings"]
        for span in ("1m", "3m", "all")
    }
    assert len(ratings["all"]) == 4
    assert ratings["1m"] == ratings["all"][2:]
    assert ratings["3m"] == ratings["all"][1:]
    assert client.get(f"/members/{who.pk}/history/?format=json&span=2w").status_code == 400


def test_a_lost_rating_is_a_gap_until_the_next_first_rating(client):
    who = rated("100.00")
    game(who, rated(100), "0-1", minute=10)
    for minute in range(20, 25):
        game(who, rated(300), "1/2-1/2", minute=minute)
    line = drawn(client, who)["blitz"]
    assert line["ratings"] == [100_00, None, 300_00]
    assert line["games"] == [0, 1, 6]
    assert line["moments"] == [SECONDS, SECONDS + 600, SECONDS + 24 * 60]


def test_a_line_goes_on_to_the_last_event_also_when_the_rating_did_not_move(client):
    who = rated(1500)
    game(who, member(), minute=10)
    game(who, member(), minute=20)
    line = drawn(client, who)["blitz"]
    assert (line["moments"], line["games"]) == ([SECONDS, SECONDS + 1200], [0, 2])
    assert line["ratings"] == [1500_00, 1500_00]


def test_an_adjustment_moves_the_line_and_is_no_game(client):
    who = rated(1500)
    adjustment(who, "-12.50")
    line = drawn(client, who)["blitz"]
    assert (line["games"], line["ratings"]) == ([0, 0], [1500_00, 1487_50])


def test_who_was_never_rated_has_no_line(client):
    who = member()
    game(who, member(), minute=10)
    assert drawn(client, who)["rapid"] == NOTHING
    assert drawn(client, who)["blitz"]["ratings"] == [None]


def test_the_file_is_the_whole_ledger_of_the_member_and_of_nobody_else(client):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other, minute=10)
    game(other, rated(1300), minute=15)
    game(who, other, "0-1", minute=20, notation=CONTROL[Category.RAPID])
    response = client.get(f"/members/{who.pk}/history/?format=csv")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="member-{who.pk}-changes.csv"'
    assert response.streaming
    header, *rows = csv.reader(io.StringIO(b"".join(response.streaming_content).decode(), newline=""))
    assert tuple(header) == CHANGES.names
    assert rows == [
        ["" if cell is None else str(cell) for cell in row]
        for row in CHANGES.of(who.rating_changes.in_order())
    ]
    assert len(rows) == 3
    line = dict(zip(header, rows[1], strict=True))
    assert line["occurred_at"] == "2026-03-01T00:10:00Z"
    assert (line["event"], line["before"], line["after"]) == (str(played.pk), "1799.60", "1800.20")


def test_as_a_page_the_history_is_the_list_of_his_changes(client):
    who = rated(1800)
    response = client.get(f"/members/{who.pk}/history/")
    assert response.status_code == 302
    assert response["Location"] == f"/changes/?player={who.pk}"


@pytest.mark.parametrize(
    "query", ["format=xml", "format=", "format=CSV", "format=%00", "format=json&format=x"]
)
def test_an_unknown_format_is_refused(client, query):
    response = client.get(f"/members/{member().pk}/history/?{query}")
    assert response.status_code == 400
    assert is_friendly(response)


@pytest.mark.parametrize("query", ["", "?format=json", "?format=csv", "?format=xml"])
@pytest.mark.parametrize("pk", ["0", "9" * 30])
def test_nobody_has_no_history(client, pk, query):
    response = client.get(f"/members/{pk}/history/{query}")
    assert response.status_code == 404
    assert response.json()["error"]["status"] == 404 if "json" in query else is_friendly(response)


def test_a_history_takes_the_same_few_queries_however_long(client, django_assert_num_queries):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 30):
        game(who, other, minute=minute)
    # The points: the member, what is kept, the ledger, void games, decisions and the names of the opponents.
    for name, number in (("json", 6), ("json", 3), ("csv", 2)):
        with django_assert_num_queries(number):
            response = client.get(f"/members/{who.pk}/history/?format={name}")
            b"".join(response)
