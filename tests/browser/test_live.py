"""Pages show what goes on while somebody looks at them, without being loaded again."""

from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from playwright.sync_api import expect

from foa.text import signed
from ratings.arena.services import event_streams
from ratings.rbb.models import RatingChange
from ratings.rules.time_controls import Category
from tests.arena import game
from tests.arena.test_streams import serving
from tests.services import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def clock(page):
    """The clock of the browser, which goes as the test says; whole seconds are asked for at once."""
    page.clock.install()
    return page.clock


def polled(response):
    """Whether the page has asked for itself again."""
    return response.request.headers.get("hx-request") == "true"


def played(arena):
    """A game that has just ended."""
    now = timezone.now()
    return game(
        arena.anna,
        arena.boris,
        "1-0",
        started_at=now - timedelta(minutes=5),
        ended_at=now - timedelta(seconds=1),
        termination="resignation",
        pgn="1. e4 e5 1-0",
    )


@pytest.mark.parametrize("shown", ["home", "profile", "list"])
def test_a_page_follows_what_is_played(page, live_server, arena, clock, complaints, shown):
    address, region = {
        "home": ("/", "#example"),
        "profile": (arena.boris.get_absolute_url(), "#latest-changes"),
        "list": ("/ratings/blitz/", "#list"),
    }[shown]
    page.goto(live_server.url + address)
    place = page.locator(region)
    page.evaluate("window.samePage = true")
    before = place.text_content()
    played(arena)
    with page.expect_response(polled):
        clock.run_for(5_000)
    expect(place).not_to_have_text(before)
    assert page.evaluate("window.samePage") is True
    assert not complaints


def test_a_page_is_left_alone_while_nothing_happens(page, live_server, arena, clock):
    page.goto(f"{live_server.url}/ratings/blitz/")
    with page.expect_response(polled) as first:
        clock.run_for(5_000)
    assert first.value.status == 200
    page.evaluate("document.querySelector('#list').dataset.mark = 'mine'")
    with page.expect_response(polled) as second:
        clock.run_for(5_000)
    assert second.value.status == 304
    assert page.evaluate("document.querySelector('#list').dataset.mark") == "mine"


def test_nobody_is_asked_while_the_page_is_hidden(page, live_server, arena, clock):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{live_server.url}/ratings/blitz/")
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    asked.clear()
    clock.run_for(20_000)
    assert asked == []


def test_a_game_in_progress_shows_its_end_and_why_the_ratings_moved(page, live_server, arena, clock):
    now = timezone.now()
    going_on = game(
        arena.anna, arena.boris, "", started_at=now - timedelta(minutes=2), ended_at=None, plies=10
    )
    page.goto(live_server.url + going_on.get_absolute_url())
    expect(page.get_by_text("in progress", exact=True)).to_be_visible()
    going_on.result, going_on.termination, going_on.ended_at = "1-0", "resignation", timezone.now()
    going_on.save()
    clock.run_for(5_000)
    expect(page.get_by_role("heading", level=1)).to_contain_text("1-0")
    expect(page.get_by_role("link", name="Link to this explanation")).to_have_count(2)


def test_a_board_keeps_its_ratings_and_shows_what_the_game_changed_once_it_has_ended(
    page, live_server, arena, clock, complaints
):
    now = timezone.now()
    going_on = game(
        arena.anna, arena.boris, "", started_at=now - timedelta(minutes=2), ended_at=None, pgn="1. e4 e5"
    )
    before = [who.ratings.get(category=Category.BLITZ) for who in (arena.anna, arena.boris)]
    page.goto(live_server.url)
    board = page.locator(f'.board[href="{going_on.get_absolute_url()}"]')
    white, black = board.locator(".strength").last, board.locator(".strength").first
    expect(white).to_have_text(str(before[0].displayed))
    expect(black).to_have_text(str(before[1].displayed))
    going_on.result, going_on.termination, going_on.ended_at = "1-0", "resignation", timezone.now()
    going_on.save()
    clock.run_for(5_000)
    lines = RatingChange.objects.of_game(going_on)
    expect(white).to_have_text(f"{before[0].displayed} {signed(lines[0].change)}")
    expect(black).to_have_text(f"{before[1].displayed} {signed(lines[1].change)}")
    expect(white.locator(".gain")).to_have_text(signed(lines[0].change))
    assert not complaints


@pytest.fixture
def offered(request, settings):
    """Pages name their streams."""
    if request.config.pluginmanager.hasplugin("tests.two_sites"):
        pytest.skip("two sites have settings of their own")
    settings.STREAM_PAGES = True


@pytest.fixture
def streams(page, live_server, offered, monkeypatch):
    """The process for streams at the address of the site, as nginx has it; what the page has asked it."""
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    asked = []
    with serving() as port:

        def lead(route):
            asked.append(route.request.url)
            route.continue_(url=route.request.url.replace(live_server.url, f"http://127.0.0.1:{port}"))

        page.route("**/api/v1/stream/**", lead)
        yield asked
        page.goto("about:blank")


def test_with_streams_a_page_asks_when_something_has_changed_and_not_before(
    page, live_server, arena, clock, streams, complaints
):
    asked = []
    page.on("request", lambda request: asked.append(request.headers.get("hx-request")))
    with page.expect_response(lambda response: "/stream/" in response.url):
        page.goto(live_server.url + arena.boris.get_absolute_url())
    assert streams == [f"{live_server.url}/api/v1/stream/pages?member=boris"]
    wait_until(lambda: event_streams.HUB.followers)
    place = page.locator("#latest-changes")
    before = place.text_content()
    # What has changed between the page and its stream is asked for twice; then it is quiet.
    for _ in range(2):
        with page.expect_response(polled):
            clock.run_for(5_000)
    asked.clear()
    clock.run_for(60_000)
    assert asked == []
    played(arena)
    with page.expect_response(polled):
        wait_until(lambda: clock.run_for(100) or asked)
    expect(place).not_to_have_text(before)
    assert not complaints


@pytest.mark.usefixtures("offered")
def test_without_its_stream_a_page_asks_every_five_seconds(page, live_server, arena, clock):
    page.route("**/api/v1/stream/**", lambda route: route.fulfill(status=503))
    with page.expect_response(lambda response: "/stream/" in response.url):
        page.goto(f"{live_server.url}/ratings/blitz/")
    for _ in range(4):
        with page.expect_response(polled):
            clock.run_for(5_000)
    with page.expect_response(lambda response: "/stream/" in response.url):
        clock.run_for(60_000)
