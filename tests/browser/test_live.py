"""Pages show what goes on while somebody looks at them, without being loaded again."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.arena import game

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
