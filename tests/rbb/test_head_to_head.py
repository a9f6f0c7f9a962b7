"""One member against another."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, rated
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db


def page_of(client, who, other):
    """The words of the page of two members."""
    response = client.get(f"/members/{who.pk}/against/{other.pk}/")
    assert response.status_code == 200
    assert is_friendly(response)
    return words(response)


def test_the_score_stands_by_category_and_colour_from_the_side_of_the_first(client):
    who, other = rated(1800), rated(1700)
    for minute, result in enumerate(["1-0", "1-0", "1/2-1/2"], 10):
        game(who, other, result, minute=minute)
    game(other, who, minute=20)
    game(other, who, minute=30, notation=CONTROL[Category.RAPID])
    game(who, rated(1700), minute=40)
    text = page_of(client, who, other)
    # games, won, drawn, lost, score, per cent
    assert "White 3 2 1 0 2½ 83.3 Black 1 0 0 1 0 0.0 both 4 2 1 1 2½ 62.5" in text
    assert "White 0 0 0 0 0 – Black 1 0 0 1 0 0.0 both 1 0 0 1 0 0.0" in text
    # Of all categories together, above the tables.
    assert "2½–2½" in text
    assert text.index("Rapid Colour") < text.index("Blitz Colour")
    assert "Bullet Colour" not in text
    assert "White 1 1 0 0 1 100.0 Black 3 0 1 2 ½ 16.7 both 4 1 1 2 1½ 37.5" in page_of(client, other, who)


def test_their_games_show_what_each_did_to_both(client):
    who, other = rated("1799.60"), rated("1259.60")
    game(who, other, minute=10)  # D 540, PD 0.97
    game(other, who, "1/2-1/2", minute=20)  # 1259.00 and 1800.20: D 541
    game(who, rated(1500), minute=30)
    text = page_of(client, who, other)
    assert (
        "1 Mar 2026, 00:20 Blitz Black 1259 ½ −9.40 1791 +9.40 "
        "1 Mar 2026, 00:10 Blitz White 1260 1 +0.60 1800 −0.60"
    ) in text
    assert "00:30" not in text
    assert "Blitz White 1800 ½ +9.40 1268 −9.40" in page_of(client, other, who)


def test_two_with_different_k_have_different_changes(client):
    new, old = rated(1500, previously_unrated=True, games=6), rated(1500)
    game(new, old, minute=10)
    assert "Blitz White 1500 1 +20.00 1520 −10.00" in page_of(client, new, old)


def test_a_game_that_moved_only_one_of_the_two_shows_that(client):
    who, new = rated(1500), member()
    game(who, new, "1/2-1/2", minute=10)
    assert "Blitz White – ½ 0.00 1500 0.00" in page_of(client, who, new)
    assert "Blitz Black 1500 ½ 0.00 – 0.00" in page_of(client, new, who)


def test_their_games_come_fifty_to_a_page_and_the_score_is_of_all(client):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 61):
        game(who, other, "1/2-1/2", minute=minute)
    address = f"/members/{who.pk}/against/{other.pk}/"
    content = client.get(address).content.decode()
    assert content.count("<time") == 50
    assert "both 51 0 51 0 25½ 50.0" in page_of(client, who, other)
    following = content.split('rel="next" href="')[1].split('"')[0]
    second = client.get(address + following)
    assert second.content.decode().count("<time") == 1
    assert "both 51 0 51 0 25½ 50.0" in words(second)


@pytest.mark.parametrize(
    ("query", "status"), [("after=abc", 400), ("after=0", 404), ("before=" + "9" * 30, 404)]
)
def test_a_page_that_does_not_exist_is_refused(client, query, status):
    who, other = rated(1800), rated(1700)
    game(who, other)
    response = client.get(f"/members/{who.pk}/against/{other.pk}/?{query}")
    assert response.status_code == status
    assert is_friendly(response)


def test_two_who_never_met_have_a_page_that_says_so(client):
    assert "They have not played a rated game against each other." in page_of(client, rated(1800), member())


@pytest.mark.parametrize("pk", ["0", "9" * 30])
def test_an_unknown_member_is_not_found(client, pk):
    who = member()
    for address in (f"{who.pk}/against/{pk}/", f"{pk}/against/{who.pk}/", f"{pk}/against/"):
        response = client.get(f"/members/{address}")
        assert response.status_code == 404
        assert is_friendly(response)


def test_nobody_plays_against_himself(client):
    who = member()
    response = client.get(f"/members/{who.pk}/against/{who.pk}/")
    assert response.status_code == 400
    assert is_friendly(response)
    assert "A member can’t play against themselves. Choose another member." in words(response)


def test_an_opponent_is_found_by_name_username_or_fide_id(client):
    who = member("anna", name="Berg, Anna")
    other = member("boris", name="Berg, Boris", fide_id=1500002, federation="POL", title="IM")
    for text in ("berg", "BORIS", "1500002"):
        response = client.get(f"/members/{who.pk}/against/?member={text}")
        assert response.status_code == 200
        assert f'href="/members/{who.pk}/against/{other.pk}/"' in response.content.decode()
        assert "IM Berg, Boris boris – – –" in words(response)
        assert f"/against/{who.pk}/" not in response.content.decode()
    assert "No members found." in words(client.get(f"/members/{who.pk}/against/?member=zzz"))
    assert "Members found" not in words(client.get(f"/members/{who.pk}/against/?member="))


def test_at_most_twenty_are_shown_and_the_page_says_that_there_are_more(client):
    who = member("first")
    for number in range(20):
        member(f"found{number:02}")
    address = f"/members/{who.pk}/against/?member=found"
    assert "more matches" not in words(client.get(address))
    member("found20")
    text = words(client.get(address))
    assert "There are more matches. Keep typing." in text
    assert "found19" in text
    assert "found20" not in text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("member=" + "x" * 101, 400),
        ("member=%FF%FE", 200),
        ("member=%25_%27%22%3Cb%3E", 200),
    ],
)
def test_a_search_that_makes_no_sense_says_so(client, query, status):
    response = client.get(f"/members/{member().pk}/against/?{query}")
    assert response.status_code == status
    assert is_friendly(response)
    assert ('role="alert"' in response.content.decode()) is (status == 400)


def test_the_ten_most_frequent_opponents_are_offered(client):
    who = rated(1800)
    opponents = [rated(1700) for _ in range(11)]
    for minute, opponent in enumerate([*opponents[1:], *opponents], 10):
        game(who, opponent, minute=minute)
    content = client.get(f"/members/{who.pk}/against/").content.decode()
    shown = [opponent for opponent in opponents if f"/against/{opponent.pk}/" in content]
    assert shown == opponents[1:]


def test_the_pages_take_the_same_few_queries_for_any_number_of_games(client):
    who, other = rated(1800), rated(1700)

    def counts():
        found = []
        for address in (f"/members/{who.pk}/against/", f"/members/{who.pk}/against/{other.pk}/"):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(address).status_code == 200
            found.append(len(captured))
        return found

    game(who, other, minute=10)
    few = counts()
    # The second also asks for the ratings of both.
    assert few == [3, 5]
    for minute in range(11, 30):
        game(who, other, minute=minute)
    assert counts() == few
