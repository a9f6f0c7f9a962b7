"""Two or more members side by side."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.formats import date_format

from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, opening, rated
from tests.pages import is_friendly, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


def address(*members, query=""):
    return f"/compare/?members={','.join(str(who.pk) for who in members)}{query}"


def test_members_are_compared_by_rating_against_each_other_and_by_common_opponents(client):
    anna, boris, carl, dora = rated(1800), rated(1700), rated(1600), rated(1500)
    game(anna, boris, minute=10)
    game(boris, anna, "1/2-1/2", minute=20)
    game(anna, carl, minute=30)
    game(boris, carl, "0-1", minute=40)
    game(anna, dora, minute=50)
    found = client.get(address(anna, boris, query="&format=json")).json()
    assert found["category"] == "blitz"
    assert [one["username"] for one in found["members"]] == [anna.username, boris.username]
    assert found["members"][0]["games"] == 4
    mutual = {one["member"]: (one["won"], one["drawn"], one["lost"]) for one in found["head_to_head"]}
    assert mutual == {anna.username: (1, 1, 0), boris.username: (0, 1, 1)}
    (common,) = found["common_opponents"]
    assert common["opponent"] == carl.username
    assert [common["results"][who.username]["score"] for who in (anna, boris)] == ["1", "0"]
    text = words(client.get(address(anna, boris)))
    assert "1½/2 +1 =1 −0" in text
    # Carl lost to 1804.00 (D = 204, 0.24), then beat 1696.00 (D = 101, 0.36): 1600 − 4.80 + 12.80.
    assert f"{carl} 1608 1/1 100.0% 0/1 0.0%" in text


def test_the_category_is_the_one_in_which_all_played_most(client):
    anna, boris = rated(1800), rated(1700)
    for who in (anna, boris):
        opening(who, 1500, Category.RAPID)
    game(anna, boris, minute=10)
    for minute in (20, 30):
        game(anna, boris, minute=minute, notation=CONTROL[Category.RAPID])
    assert client.get(address(anna, boris)).context["category"] == Category.RAPID
    assert client.get(address(anna, boris, query="&category=blitz")).context["category"] == Category.BLITZ


def test_each_member_has_a_line_and_a_way_out(client):
    anna, boris, unrated = rated(1800), rated(1700), member()
    content = client.get(address(anna, boris, unrated, query="&category=blitz")).content.decode()
    assert content.count('<path class="member-') == 2
    assert f'href="/compare/?members={anna.pk},{boris.pk}"' in content
    assert f'href="/compare/?members={boris.pk},{unrated.pk}"' in content


def test_the_chart_is_a_table_too(client):
    anna, boris = rated(1800), rated(1700)
    game(anna, boris, minute=60 * 24 * 40)  # 10 April; D 100, PD 0.64: +7.20
    text = words(client.get(address(anna, boris)))
    april, may = (date_format(datetime(2026, month, 1, tzinfo=UTC)) for month in (4, 5))
    assert f"{may} 1807 1693 {april} 1800 1700" in text


def test_a_member_is_added_by_search(client):
    anna, boris = member("anna", name="Berg, Anna"), member("boris", name="Berg, Boris")
    content = client.get(address(anna, query="&member=berg")).content.decode()
    assert f'href="/compare/?members={anna.pk},{boris.pk}"' in content
    assert "No members found." in words(client.get(address(anna, query="&member=zzz")))
    assert client.get("/compare/").status_code == 200


@pytest.mark.parametrize(
    "query", ["members=x", "members=1,2,3,4,5", "members=0", "members=" + "9" * 30, "category=x"]
)
def test_what_cannot_be_compared_is_refused(client, query):
    response = client.get(f"/compare/?{query}")
    assert response.status_code == 400
    assert is_friendly(response)


def test_a_comparison_takes_the_same_queries_for_any_number_of_games(client):
    anna, boris, carl = rated(1800), rated(1700), rated(1600)

    def play(minutes):
        for minute in minutes:
            game(anna, boris, minute=minute)
            game(anna, carl, minute=minute)
            game(boris, carl, minute=minute)

    def statements():
        client.get(address(anna, boris))
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(anna, boris)).status_code == 200
        return len(captured)

    play(range(10, 12))
    few = statements()
    play(range(20, 30))
    assert statements() == few


def test_a_name_that_is_misspelt_finds_who_may_be_meant(client):
    member("kaminski", name="Kaminski, Jakub")
    text = words(client.get("/compare/?member=kaminsky"))
    assert "No members found. Did you mean: Kaminski, Jakub kaminski" in text
    assert "Did you mean" not in words(client.get("/compare/?member=kaminski"))
