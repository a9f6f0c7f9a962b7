"""The public pages of ratings, games and the ledger."""

import re
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import Game, RatingChange, TimeControl
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, adjustment, at, game, member, opening, rated
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db

LISTS = ("/games/", "/changes/", "/ratings/rapid/", "/ratings/blitz/", "/ratings/bullet/")


def games_on(client, address):
    """The addresses of the games on a page."""
    return re.findall(r'href="(/games/[0-9]+/)"', client.get(address).content.decode())


@pytest.mark.long
@pytest.mark.parametrize("login", [None, "staff"])
def test_every_page_opens_for_strangers_and_for_staff(client, login, request):
    if login:
        request.getfixturevalue(login)
    played = game(rated(1800), rated(1700))
    ledger_line = f"/changes/{change_id(EventType.GAME, played.pk)}/"
    for address in ("/", *LISTS, played.get_absolute_url(), ledger_line):
        response = client.get(address)
        assert response.status_code == 200
        assert is_friendly(response)
        assert (">Admin<" in response.content.decode()) is bool(login)
        assert "style=" not in response.content.decode()
        assert "<script>" not in response.content.decode()


@pytest.mark.parametrize("address", ["/", *LISTS])
def test_a_page_opens_when_there_is_nothing_to_show(client, address):
    assert client.get(address).status_code == 200


@pytest.mark.parametrize("address", LISTS)
@pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
def test_a_list_answers_a_broken_address_with_a_friendly_page(client, address, query, status):
    response = client.get(f"{address}?{query}")
    assert response.status_code == status
    assert is_friendly(response)


@pytest.mark.parametrize(
    "address",
    [
        "/games/?category=classical",
        "/games/?category=%01",
        "/games/?control=999999999999999999999999",
        "/games/?control=%01",
        "/games/?rated=perhaps",
        "/games/?result=2-0",
        "/games/?since=yesterday",
        "/games/?until=2026-02-30",
        "/games/?player=%01",
        "/games/?player=99999999999999999999",
        "/changes/?kind=bribe",
        "/changes/?category=1",
        "/changes/?since=%01",
        "/changes/?player=nobody",
        "/ratings/blitz/?title=Dr",
        "/ratings/blitz/?federation=Atlantis",
    ],
)
def test_a_filter_that_makes_no_sense_shows_nothing_and_says_so(client, address):
    game(rated(1800), rated(1700))
    response = client.get(address)
    assert response.status_code == 400
    assert "Please correct these filters:" in words(response)
    assert "Nothing found." in words(response)


@pytest.mark.parametrize(
    "query", ["since=0001-01-01&until=9999-12-31", "since=9999-12-31", "until=0001-01-01"]
)
@pytest.mark.parametrize("address", ["/games/", "/changes/"])
def test_dates_at_the_ends_of_the_calendar_are_dates(client, address, query):
    assert client.get(f"{address}?{query}").status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        "/ratings/classical/",
        "/ratings/RAPID/",
        "/ratings/1/",
        "/games/0/",
        "/games/x/",
        "/changes/1/",
        "/games/99999999999999999999999/",
        "/changes/99999999999999999999999/",
        "/%01/",
        "/nowhere/",
    ],
)
def test_what_does_not_exist_is_not_found(client, address):
    response = client.get(address)
    assert response.status_code == 404
    assert is_friendly(response)


def test_a_fault_of_the_site_gives_a_friendly_page(client):
    client.raise_request_exception = False
    with patch("ratings.rbb.views.home.latest_lists", side_effect=RuntimeError):
        response = client.get("/")
    assert response.status_code == 500
    assert is_friendly(response)


@pytest.mark.parametrize("address", LISTS)
@pytest.mark.rendered
def test_a_list_takes_as_many_queries_for_25_games_as_for_5(client, address):
    def play(games, offset=0):
        with deferred():
            for number in range(games):
                category = list(Category)[number % 3]
                game(
                    rated(1800, category),
                    rated(1700, category),
                    minute=10 + offset + number,
                    notation=CONTROL[category],
                )

    play(5)
    few = queries(client, address)
    play(20, offset=5)
    # A list with a further page may look whether it is too long for a kind of file.
    assert queries(client, address) <= few + (address == "/changes/")


def test_the_first_page_shows_five_leaders(client):
    for number in range(6):
        rated(2000 + number, minute=number)
    text = words(client.get("/"))
    assert "2005" in text
    assert "2001" in text
    assert "2000 " not in text


def test_the_first_page_looks_for_members(client):
    content = client.get("/").content.decode()
    assert 'action="/search/"' in content
    assert 'name="q"' in content
    assert 'data-suggest="/search/suggestions/"' in content


def test_equal_ratings_stand_in_the_order_of_names(client):
    for name in ("Zorn, Z", "Adam, A", "Mill, M"):
        opening(member(name=name), "1800.00")
    opening(member(name="Best, B"), "1800.01")
    text = words(client.get("/ratings/blitz/"))
    assert text.index("Best, B") < text.index("Adam, A") < text.index("Mill, M") < text.index("Zorn, Z")
    for query in ("sort=rating", "sort=-rating"):
        text = words(client.get(f"/ratings/blitz/?{query}"))
        assert text.index("Adam, A") < text.index("Mill, M") < text.index("Zorn, Z")


def test_a_rating_list_shows_who_is_rated_in_that_category_and_nobody_else(client):
    opening(member("rapid-only", federation="NOR", title="GM", sex="F"), "2215.50", Category.RAPID)
    opening(member("elsewhere", federation="POL", sex="M"), "1500", Category.RAPID)
    opening(member("blitz-only"), 1500, Category.BLITZ)
    game(member("unrated"), rated(1500, Category.RAPID), "1/2-1/2", notation="900+0")
    text = words(client.get("/ratings/rapid/"))
    assert "1 GM rapid-only NOR 2216 0 2215.50" in text
    assert "blitz-only" not in text
    assert "unrated" not in text
    for query in ("federation=nor", "title=GM", "sex=F", "member=rapid"):
        text = words(client.get(f"/ratings/rapid/?{query}"))
        assert "rapid-only" in text
        assert "elsewhere" not in text


def test_games_are_found_by_member_category_control_result_and_day(client):
    anna, boris = member("anna"), member("boris")
    opening(anna, 1800)
    opening(boris, 1800)
    kept = game(anna, boris, minute=10)
    for minute in (20, 1500):
        game(member(), member(), "0-1", notation="900+0", minute=minute)
    blitz = TimeControl.objects.get(initial=180, increment=2)
    for query in (
        "member=ANN",
        f"player={anna.pk}",
        f"player={boris.pk}",
        "category=blitz",
        f"control={blitz.pk}",
        "result=1-0",
        "until=2026-03-01&category=blitz",
    ):
        assert games_on(client, f"/games/?{query}") == [kept.get_absolute_url()]
    assert kept.get_absolute_url() not in games_on(client, "/games/?since=2026-03-02")


def test_the_list_of_games_reads_no_moves_and_no_game_again(client):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)
    game(who, other, minute=20, voided_at=at(30), void_reason="engine")
    game(who, other, minute=40, rated=False)
    game(who, other, "", minute=50, rated=False, termination="aborted")
    for begun in (at(0), timezone.now()):
        game(who, other, "", started_at=begun, ended_at=None)
    with CaptureQueriesContext(connection) as captured:
        assert len(games_on(client, "/games/")) == 6
    asked = [query["sql"] for query in captured.captured_queries]
    assert not [sql for sql in asked if '"pgn"' in sql or 'WHERE "ratings_game"."id" = ' in sql]


def test_games_without_an_end_come_last_and_are_told_apart_by_what_can_be_played_now(client):
    """At 3 min + 2 s a game lasts 36 minutes at most: 2 × 3, 600 × 2 s and 10."""
    who, other = rated(1800), rated(1700)
    forgotten = game(who, other, "", started_at=at(0), ended_at=None)
    playing = game(who, other, "", started_at=timezone.now(), ended_at=None)
    ended = [game(who, other, minute=minute) for minute in (20, 10)]
    in_order = [one.get_absolute_url() for one in (*ended, playing, forgotten)]
    assert games_on(client, "/games/") == in_order
    assert games_on(client, "/games/?sort=-ended_at")[:2] == in_order[:2]
    assert games_on(client, "/games/?sort=ended_at")[2:] == in_order[1::-1]
    assert games_on(client, "/games/?state=finished") == in_order[:2]
    assert games_on(client, "/games/?state=playing") == [in_order[2]]
    assert games_on(client, "/games/?state=overdue") == [in_order[3]]
    # Filters say “in progress” twice and “no result received” once.
    page = words(client.get("/games/"))
    told = ("in progress", " live ", "no result received")
    assert tuple(map(page.count, told)) == (2, 1, 1 + 1)


def test_games_that_count_and_games_that_do_not_are_told_apart(client):
    who, other = rated(1800), rated(1700)
    counts = game(who, other, minute=10)
    void = game(who, other, minute=20, voided_at=at(30), void_reason="engine")
    friendly = game(who, other, minute=40, rated=False)
    playing = game(who, other, "", minute=50, ended_at=None)
    yes = games_on(client, "/games/?rated=yes")
    no = games_on(client, "/games/?rated=no")
    assert counts.get_absolute_url() in yes
    assert counts.get_absolute_url() not in no
    for entry in (void, friendly, playing):
        assert entry.get_absolute_url() not in yes
        assert entry.get_absolute_url() in no


def test_the_ledger_shows_every_number_of_a_change(client):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other)
    text = words(client.get(f"/changes/?player={who.pk}&kind=game"))
    assert f"Blitz {other} 1259.60 · Game {played.pk} 1 540 0.97 20 1799.60 +0.60 1800.20" in text
    assert f"Showing only {who}." in text


def test_changes_are_found_by_member_category_kind_and_day(client):
    anna = member("anna")
    opening(anna, 1800)
    adjustment(anna, -12, minute=1500, source="FIDE list April")
    game(anna, rated(1500), minute=3000)
    rows = {row.kind: f'href="/changes/{row.pk}/"' for row in RatingChange.objects.filter(member=anna)}
    for query, kinds in (
        ("member=anna", list(EventType)),
        ("member=anna&kind=opening", [EventType.OPENING]),
        ("member=anna&kind=adjustment", [EventType.ADJUSTMENT]),
        ("member=anna&kind=game", [EventType.GAME]),
        ("category=rapid", []),
        ("since=2026-03-02&until=2026-03-02", [EventType.ADJUSTMENT]),
        (f"player={anna.pk}&since=2026-03-03", [EventType.GAME]),
    ):
        content = client.get(f"/changes/?{query}").content.decode()
        assert [kind for kind, link in rows.items() if link in content] == sorted(kinds, reverse=True), query
    assert "FIDE list April" in words(client.get("/changes/?kind=adjustment"))


def test_a_list_can_be_left_by_the_address_that_made_it(client):
    who = rated(1800)
    for minute in range(10, 62):
        game(who, rated(1700), minute=minute)
    last_of_it = Game.objects.order_by("ended_at")[2].pk
    content = client.get(f"/games/?player={who.pk}&category=blitz").content.decode()
    assert f'href="?player={who.pk}&amp;category=blitz&amp;after={last_of_it}"' in content
    assert f'<input type="hidden" name="player" value="{who.pk}"' in content


@pytest.mark.rendered
def test_the_menu_says_which_link_leads_here_or_above(client):
    def marked(address: str) -> list[str]:
        return re.findall(
            r'<li><a href="([^"]+)" aria-current="(page|true)">', client.get(address).content.decode()
        )

    assert marked("/ratings/blitz/") == [("/ratings/blitz/", "page")]
    assert marked("/ratings/blitz/distribution/") == [("/ratings/blitz/", "true")]
    assert marked("/login/") == [("/login/", "page")]
    assert marked("/") == []
