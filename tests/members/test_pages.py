"""The public pages of members."""

from datetime import UTC, datetime

import pytest

from members.models import FullMembership
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, member, opening, rated
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("login", [None, "staff"])
def test_the_pages_of_members_open_for_strangers_and_for_staff(client, login, request):
    if login:
        request.getfixturevalue(login)
    who = member("anna", name="Berg, Anna")
    for address in ("/members/", who.get_absolute_url()):
        response = client.get(address)
        assert response.status_code == 200
        assert is_friendly(response)
        assert "Berg, Anna" in words(response)
        assert ("/admin/" in response.content.decode()) is bool(login)


@pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
def test_a_list_answers_a_broken_address_with_a_friendly_page(client, query, status):
    member()
    response = client.get(f"/members/?{query}")
    assert response.status_code == status
    assert is_friendly(response)


@pytest.mark.parametrize("query", ["title=Dr", "sex=X", "full=maybe", "federation=NORWAY", "title=%00"])
def test_a_filter_that_makes_no_sense_shows_nothing_and_says_so(client, query):
    member("anna")
    response = client.get(f"/members/?{query}")
    assert response.status_code == 400
    assert "anna" not in words(response)
    assert "A filter makes no sense" in words(response)


def test_the_list_finds_members_by_name_username_fide_id_and_country(client):
    member("anna", name="Berg, Anna", fide_id=1500001, federation="NOR", title="WGM", sex="F")
    member("boris", name="Lund, Boris", fide_id=1500002, federation="POL", full_from=None)
    for query in (
        "member=berg",
        "member=ANNA",
        "member=1500001",
        "federation=nor",
        "title=WGM",
        "sex=F",
        "full=yes",
    ):
        text = words(client.get(f"/members/?{query}"))
        assert "Berg, Anna" in text
        assert "Lund, Boris" not in text
    text = words(client.get("/members/?full=no"))
    assert "Lund, Boris" in text
    assert "Berg, Anna" not in text


def test_equal_names_stand_in_the_order_of_usernames_and_ids(client):
    for username in ("zoe", "adam", "mia"):
        member(username, name="Li, Wei", federation="CHN")
    for query in ("", "?sort=name", "?sort=federation"):
        text = words(client.get(f"/members/{query}"))
        assert text.index("adam") < text.index("mia") < text.index("zoe")
    text = words(client.get("/members/?sort=-username"))
    assert text.index("zoe") < text.index("mia") < text.index("adam")


def test_a_page_has_fifty_rows_and_leads_to_the_next(client):
    for number in range(51):
        member(f"m{number:02}")
    first = client.get("/members/?sort=username")
    assert "m49" in words(first)
    assert "m50" not in words(first)
    assert 'rel="next" href="?sort=username&amp;page=2"' in first.content.decode()
    second = client.get("/members/?sort=username&page=2")
    assert "m50" in words(second)
    assert 'rel="prev"' in second.content.decode()
    assert client.get("/members/?page=3").status_code == 404


def test_a_list_takes_as_many_queries_for_25_members_as_for_5(client):
    def five():
        for _ in range(5):
            rated(1800)

    five()
    few = queries(client, "/members/")
    for _ in range(4):
        five()
    assert queries(client, "/members/") == few


def test_a_member_page_takes_as_many_queries_for_25_games_as_for_5(client):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 15):
        game(who, other, minute=minute)
    few = queries(client, who.get_absolute_url())
    for minute in range(15, 35):
        game(who, other, minute=minute)
    assert queries(client, who.get_absolute_url()) == few


def test_a_member_page_shows_displayed_and_exact_rating_games_and_peak(client):
    who, other = rated("1799.60"), rated("1259.60")
    game(who, other)
    text = words(client.get(who.get_absolute_url()))
    assert "Blitz 1800 exactly 1800.20 Rated games 1 Peak 1800.20" in text
    assert "2026-03-01 00:10:00 UTC" in text


def test_an_unrated_member_has_results_towards_his_first_rating(client):
    who = member()
    game(who, rated(1500), "1/2-1/2", minute=10)
    game(who, rated(1600), "0-1", minute=20)
    text = words(client.get(who.get_absolute_url()))
    assert "Blitz unrated 2 of 5 results" in text
    assert "Rapid unrated 0 of 5 results" in text


def test_a_member_page_shows_spans_of_full_membership(client):
    who = member(full_from=None)
    assert "never: his games cannot be rated (RBB 2.1)" in words(client.get(who.get_absolute_url()))
    FullMembership.objects.create(member=who, full_from=START, full_until=at(60))
    FullMembership.objects.create(member=who, full_from=datetime(2026, 4, 1, tzinfo=UTC))
    text = words(client.get(who.get_absolute_url()))
    assert "2026-03-01 00:00:00 UTC – 2026-03-01 01:00:00 UTC" in text
    assert "2026-04-01 00:00:00 UTC – today" in text


def test_a_member_page_shows_the_last_twenty_lines_and_leads_to_all(client):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 35):
        game(who, other, minute=minute)
    response = client.get(who.get_absolute_url())
    assert response.content.decode().count("Game ") == 20
    assert f"/changes/?player={who.pk}" in response.content.decode()
    assert "2026-03-01 00:34:00 UTC" in words(response)
    assert "2026-03-01 00:10:00 UTC" not in words(response)


def test_a_name_is_escaped(client):
    who = member("x", name="<script>alert(1)</script>")
    for address in ("/members/", who.get_absolute_url(), "/"):
        assert b"<script>" not in client.get(address).content


def test_the_list_shows_the_displayed_rating_of_each_category(client):
    who = member("anna")
    opening(who, "1799.60", Category.RAPID)
    opening(who, "2215.50", Category.BULLET)
    assert "anna anna – – 1800 – 2216" in words(client.get("/members/"))


@pytest.mark.parametrize(
    "address", ["/members/0/", "/members/99999999999999999999999/", "/members/x/", "/members/%00/"]
)
def test_an_unknown_member_is_not_found(client, address):
    response = client.get(address)
    assert response.status_code == 404
    assert is_friendly(response)
