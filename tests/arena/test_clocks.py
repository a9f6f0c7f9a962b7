"""PUT /api/v1/games/{id}/clocks: the clocks and a draw offer of a game in progress, and its board."""

from datetime import timedelta

import pytest
from django.utils import timezone

from ratings.arena.upkeep import forget_clocks
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import Game, RunningClocks
from tests.arena import at
from tests.arena.conftest import ApiClient
from tests.pages import words

pytestmark = pytest.mark.django_db

CLOCKS = {"white": 93_500, "black": 5_450, "at": "2026-03-01T00:07:00.250Z", "draw_offer": "black"}


@pytest.fixture
def game(api, begun):
    """A game that has begun just now, so that it can be going on."""
    started = timezone.now() - timedelta(minutes=3)
    sent = {**begun, "started_at": started.isoformat(), "pgn": "1. e4 {[%clk 0:02:58]} e5 {[%clk 0:02:50]}"}
    return api.ask("PUT", "games/1", sent, status=201)


def told(minutes=1, **said):
    moment = timezone.now() - timedelta(minutes=minutes)
    return {**CLOCKS, "at": moment.isoformat(), **said}


def test_clocks_are_stored_and_told(api, begun):
    api.ask("PUT", "games/1", begun, status=201)
    answer = {**CLOCKS, "at": "2026-03-01T00:07:00.250000Z"}
    assert api.ask("PUT", "games/1/clocks", CLOCKS, status=201) == answer
    assert api.ask("GET", "games/1/clocks") == answer
    without = {name: CLOCKS[name] for name in ("white", "black", "at")}
    assert api.ask("PUT", "games/1/clocks", without) == {**answer, "draw_offer": None}


def test_of_two_messages_the_one_of_the_later_moment_stays(api, begun):
    api.ask("PUT", "games/1", begun, status=201)
    late = {"white": 1, "black": 2, "at": "2026-03-01T00:06:59Z"}
    api.ask("PUT", "games/1/clocks", CLOCKS, status=201)
    assert api.ask("PUT", "games/1/clocks", late)["white"] == CLOCKS["white"]
    assert api.ask("PUT", "games/1/clocks", {**late, "at": CLOCKS["at"]})["white"] == 1


def test_the_board_shows_clocks_and_the_offer_after_the_last_move(api, game, client):
    api.ask("PUT", "games/1/clocks", told(), status=201)
    page = client.get(game["url"])
    html = page.content.decode()
    assert 'data-clock="white">1:33</span>' in html
    assert 'data-clock="black">0:05.4</span>' in html
    assert 'data-white-left="1:33" data-black-left="0:05.4"' in html
    assert html.count("offers a draw") == 1
    assert "Clocks White 1:33, Black 0:05.4 (" in words(page)
    assert "Draw offer Black" in words(page)
    earlier = client.get(f"{game['url']}?ply=1").content.decode()
    assert 'data-clock="white">2:58</span>' in earlier


def test_with_other_clocks_the_page_is_another_and_followers_hear_of_it(api, game, client):
    from ratings.arena.services.event_streams import _boards

    seen = []
    for said in (told(2), told(1), told(1, draw_offer=None)):
        api.ask("PUT", "games/1/clocks", said, status=201 if not seen else 200)
        seen.append((client.get(game["url"])["ETag"], _boards()[game["id"]]))
    assert len({etag for etag, _board in seen}) == 3
    assert seen[0][1] != seen[1][1] != seen[2][1]


@pytest.mark.parametrize("end", ["result", "void"])
def test_clocks_are_gone_when_the_game_ends(api, game, begun, client, end):
    api.ask("PUT", "games/1/clocks", told(), status=201)
    if end == "void":
        void_games(games=[Game.objects.get()], by=None, reason="error", at=at(60))
    else:
        now = timezone.now().isoformat()
        over = {**begun, "started_at": game["started_at"], "result": "1-0", "ended_at": now, "plies": 40}
        api.ask("PUT", "games/1", over)
    page = client.get(game["url"]).content.decode()
    assert "offers a draw" not in page
    assert "0:05.4" not in page
    api.ask("GET", "games/1/clocks", status=404)
    problem = api.ask("PUT", "games/1/clocks", told(), status=422)
    assert problem["detail"] == "The game has ended, so no clock is running."
    forget_clocks(timezone.now())
    assert not RunningClocks.objects.exists()


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"white": -1}, 400, "white"),
        ({"white": "5"}, 400, "white"),
        ({"black": 14 * 24 * 3600 * 1000 + 1}, 400, "black"),
        ({"at": "2026-03-01T00:07:00"}, 400, "at"),
        ({"draw_offer": "anna"}, 400, "draw_offer"),
        ({"draw_offer": ""}, 400, "draw_offer"),
        ({"moves": 3}, 400, "moves"),
        ({"at": "2999-01-01T00:00:00Z"}, 422, "at"),
        ({"at": "2026-03-01T00:04:59Z"}, 422, "at"),
    ],
)
def test_what_cannot_be_is_refused_by_field(api, begun, change, status, field):
    api.ask("PUT", "games/1", begun, status=201)
    problem = api.ask("PUT", "games/1/clocks", {**CLOCKS, **change}, status=status)
    assert [one["field"] for one in problem["errors"]] == [field]
    assert not RunningClocks.objects.exists()


def test_clocks_are_for_the_server_of_the_game_with_its_scope(api, other, server, begun):
    api.ask("PUT", "games/1", begun, status=201)
    assert other.ask("PUT", "games/1/clocks", CLOCKS, status=404)["kind"] == "not-found"
    assert ApiClient(server, "read").ask("PUT", "games/1/clocks", CLOCKS, status=403)["scope"] == "games"
    assert api.ask("GET", "games/1/clocks", status=404)["kind"] == "not-found"


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(0, "0:00.0"), (9_999, "0:09.9"), (10_000, "0:10"), (3_599_999, "59:59"), (5_400_000, "1:30:00")],
)
def test_a_clock_is_shown_as_players_read_it(milliseconds, shown):
    assert RunningClocks(white=milliseconds).white_left == shown
