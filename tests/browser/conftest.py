"""A real browser before a real server, on a small arena in which everything has happened once."""

from __future__ import annotations

import os
import threading
from copy import deepcopy
from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest
from django.contrib.auth import get_user_model
from django.db import connections
from playwright.sync_api import expect

from members.models import Member
from ratings.office.deciding import Proposal, confirm, preview
from ratings.office.decision_types import kind_of
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, game, member, opening
from tests.browser.looking import faults_in_both_views
from tests.conftest import restore_tables, rows_of, tables_with_rows
from tests.fide.office import bring_players, listed
from tests.services import program

# Playwright runs an event loop in the thread of the test, which also looks into the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# On a busy machine a page takes its time; one that never comes still ends the test.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)

PASSWORD = "correct horse battery"
PGN = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 1-0"


@pytest.fixture(scope="session")
def browser_type_launch_args():
    """Debian's Chromium, asking nobody in the world for anything.

    Without a window it takes three fifths of the processor time; what it makes of a page is the same.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return {
        "executable_path": program(*names),
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            # What V8 optimizes on one page is gone with it, and took longer than it saved.
            "--js-flags=--no-opt --no-maglev",
        ],
    }


@pytest.fixture(scope="session")
def live_server(request):
    """The server, which ends only when all that it was asked has been answered; or tests/two_sites.py."""
    if request.config.pluginmanager.hasplugin("tests.two_sites"):
        yield request.getfixturevalue("sites")
        return
    yield request.getfixturevalue("live_server")
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:
            thread.join(timeout=5)


@pytest.fixture
def worker(request, live_server, settings):
    """The worker, or one for each site: called, they do all jobs that wait."""
    if not request.config.pluginmanager.hasplugin("tests.two_sites"):
        return request.getfixturevalue("worker")
    settings.UPLOAD_DIR = live_server.uploads
    settings.CACHES = {**settings.CACHES, "progress": live_server.progress}
    return live_server.worker


@pytest.fixture(scope="session")
def browser(live_server, browser):
    """The browser, which is closed before the server: so no connection of it is left open."""
    yield browser
    # While Playwright's event loop runs, Django keeps a set of database connections for it, apart from the
    # others of this thread: only here they can be closed.
    connections.close_all()


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """English, whatever the machine speaks."""
    return {**browser_context_args, "locale": "en-GB"}


@pytest.fixture
def new_context(new_context, monkeypatch):
    """Opens what a test has its pages in, patient. All are closed with the test.

    A page that stays open goes on asking for what is new, in the middle of other tests.
    """
    # A connection of the browser keeps its own to the database, as in production, until it ends.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 600)

    def patient(**how):
        context = new_context(**how)
        context.set_default_timeout(PATIENCE)
        return context

    return patient


@pytest.fixture(scope="session")
def arena_and_rows():
    """The arena of the first test that asked for one, and the rows of all tables with it."""
    return []


@pytest.fixture
def arena(live_server, arena_and_rows):
    """Members with ratings, games of every kind, a published list and two logins."""
    if arena_and_rows:
        made, rows = arena_and_rows
        restore_tables(rows)
    else:
        made = made_arena()
        arena_and_rows[:] = made, {table: rows_of(table) for table in tables_with_rows()}
    return deepcopy(made)


def made_arena():
    """Build it, as the office itself stores it."""
    users = get_user_model().objects
    anna = member(
        "anna",
        name="Berg, Anna",
        federation="NOR",
        title="WGM",
        fide_id=1500001,
        user=users.create_user("anna", password=PASSWORD),
    )
    boris = member("boris", name="Lund, Boris", federation="POL")
    cecilia = member("cecilia", name="Cruz, Cecilia", federation="POL")
    for who, points in ((anna, "1799.60"), (boris, "1700.00")):
        for category in Category:
            opening(who, points, category)
    for minute in range(10, 40):
        category = list(Category)[minute % 3]
        game(
            anna, boris, ("1-0", "0-1", "1/2-1/2")[minute % 4 % 3], minute=minute, notation=CONTROL[category]
        )
    game(cecilia, boris, "1/2-1/2", minute=50)
    last = game(anna, boris, "1-0", minute=60, pgn=PGN, plies=10, termination="checkmate")
    for category in Category:
        publish(category=category, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
    bring_players(date(2026, 3, 1), listed(1500001, "Berg, Anna", rapid=1790), listed(7, "Lund, Boris"))
    bring_players(date(2026, 4, 1), listed(1500001, "Berg, Anna", rapid=1802), listed(7, "Lund, Boris"))
    officer = users.create_superuser("officer", password=PASSWORD)
    proposal = Proposal(
        kind=kind_of("publish-lists"), parameters={"month": ["2026-03"], "category": ["bullet"]}, by=officer
    )
    decision = confirm(proposal, preview(proposal).shown())
    return SimpleNamespace(
        anna=anna,
        boris=boris,
        cecilia=cecilia,
        last=last,
        members=Member.objects,
        decision=decision,
        job=decision.job,
    )


@pytest.fixture
def complaints(page):
    """What the browser had to complain of: faults of scripts, and all that the policy (CSP) has refused."""
    heard: list[str] = []

    def hear(message):
        # A newer search takes the place of one under way: htmx notes that as an error, and it is none.
        replaced = message.text.startswith(("htmx:afterRequest", "htmx:sendAbort"))
        if message.type in ("error", "warning") and not replaced:
            heard.append(f"{message.text} {message.location['url']}")

    page.on("console", hear)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


@pytest.fixture
def check(page, live_server, complaints):
    """Looks at the page that is open, or first opens an address; says in the end what was wrong with any."""
    found: list[str] = []

    def check(address=""):
        if address:
            page.goto(live_server.url + address)
        # The browser itself notes that a page is an error, which some of these are meant to be.
        found.extend(
            f"{page.url} {text}"
            for text in complaints
            if not ("status of 4" in text and text.endswith(f" {page.url}"))
        )
        found.extend(faults_in_both_views(page))
        # Axe tries out styles in the page, which the policy refuses.
        complaints.clear()

    yield check
    assert not found, "\n".join(found)


def log_out(page):
    """By the menu of the login, on the page that is open."""
    page.locator(".account summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in")).to_be_visible()


@pytest.fixture
def log_in(page, live_server):
    """Log in by the form of the site."""

    def log_in(name):
        page.goto(f"{live_server.url}/login/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page).not_to_have_url(f"{live_server.url}/login/")

    return log_in
