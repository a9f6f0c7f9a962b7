"""Every kind of page: accessible by every rule that can be checked, nothing refused by the policy."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from ratings.fide.models import FideList
from ratings.models import OpeningRating, RatingChange, RatingListEntry
from ratings.models.keys import Kind, change_id
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.kinds import kind_of
from tests.account.people import app_of
from tests.browser.conftest import log_out

pytestmark = pytest.mark.django_db(transaction=True)


def public_pages(arena):
    """An address of every kind of public page."""
    line = change_id(Kind.GAME, arena.last.pk)
    anna, boris, cecilia = arena.anna.pk, arena.boris.pk, arena.cecilia.pk
    return [
        "/",
        "/members/",
        "/members/?federation=Atlantis",
        f"/members/{anna}/",
        *(f"/members/{anna}/{tab}/" for tab in ("games", "statistics", "titles", "over-the-board")),
        f"/members/{anna}/games/?since=x",
        f"/compare/?members={anna},{boris}",
        "/compare/?member=b",
        f"/members/{cecilia}/",
        f"/members/{cecilia}/first-rating/blitz/",
        f"/members/{anna}/against/",
        f"/members/{anna}/against/{boris}/",
        "/games/",
        arena.last.get_absolute_url(),
        "/changes/",
        f"/changes/{line}/",
        f"/changes/{RatingChange.objects.of_kind(Kind.OPENING).first().pk}/",
        "/ratings/blitz/?as_of=2026-03-02",
        f"/members/{anna}/?as_of=2026-03-02",
        "/ratings/blitz/?as_of=x",
        "/ratings/blitz/",
        "/lists/",
        "/lists/blitz/2026-04/",
        "/lists/blitz/2026-04/1/top/women/",
        "/lists/blitz/2026-04/1/top/POL/",
        "/lists/blitz/2026-04/1/federations/",
        "/lists/blitz/2026-04/1/report/",
        "/lists/blitz/2026-04/1/distribution/?rating=1800",
        f"/ratings/blitz/distribution/?member={anna}",
        "/lists/blitz/compare/",
        "/months/2026-03/",
        "/records/",
        RatingListEntry.objects.first().get_absolute_url(),
        "/how-ratings-work/",
        "/how-ratings-work/bal/",
        "/calendar/",
        "/api/",
        "/login/",
        "/password/forgotten/",
        "/password/sent/",
        "/password/new/MQ/x-y/",
        "/password/changed/",
        "/fide/players/",
        "/fide/players/1500001/",
        "/fide/lists/",
        "/fide/tournaments/",
        "/fide/otb/",
        "/nowhere/",
        "/members/?after=x",
        "/register/",
        *decided(arena),
    ]


def decided(arena):
    """A decision in the register, and a line that it took out of the ledger."""
    game = arena.anna.games_as_white.order_by("ended_at").first()
    proposal = Proposal(kind=kind_of("void-games"), parameters={"game": [str(game.pk)]}, reason="fair-play")
    change_set, _effect = decide_at_once(proposal)
    return change_set.get_absolute_url(), f"/changes/{change_id(Kind.GAME, game.pk)}/"


def calculator_pages(arena):
    """An address of every calculator: empty, with a result, with faults."""
    pages = {
        "fide": "rating=1500&played=10&minutes=10&games=1500+1%0A1433+0.5%0Abye",
        "what-if": "category=blitz&member=cecilia&games=1850.25+1%0A-+0%0Aanna+0.5",
        "needed": "rule_book=rbb&category=blitz&member=anna&opponents=1800&number=10&target=1900",
        "first-rating": "games=1400+0%0A1500+1%0A-+1",
        "tournament": "rule_book=b02&rating=1800&k=15&games=1400+1%0A-+1%0A1600+forfeit",
    }
    return [
        "/calculators/",
        "/calculators/tournament/?rule_book=b02&games=1400+1%0A1500+0%0A2300+0.5",
        "/calculators/what-if/?category=blitz&member=n&rating=-5&games=1850+2",
        # The explanation of an only game is open.
        "/calculators/what-if/?category=blitz&member=cecilia&games=1850.25+1",
        *(f"/calculators/{page}/" for page in pages),
        *(f"/calculators/{page}/?{query}" for page, query in pages.items()),
    ]


def staff_pages(arena):
    """An address of every kind of page in the admin."""
    game, member = arena.last.pk, arena.anna.pk
    return [
        "/admin/",
        "/admin/members/member/",
        f"/admin/members/member/{member}/change/",
        f"/admin/members/member/{member}/history/",
        "/admin/ratings/game/",
        "/admin/ratings/game/add/",
        f"/admin/ratings/game/{game}/change/",
        f"/admin/ratings/game/{game}/delete/",
        "/admin/ratings/ratingchange/",
        "/admin/ratings/rating/",
        "/admin/ratings/ratinglist/",
        "/admin/ratings/ratinglist/publish/?month=2026-03&category=blitz&category=rapid",
        "/admin/ratings/ratinglist/publish/?month=2999-01",
        "/admin/fide/fidelist/",
        "/admin/fide/fidelist/import/",
        "/admin/office/fileimport/",
        "/admin/office/fileimport/bring/import-games/",
        f"/admin/fide/fidelist/{FideList.objects.first().pk}/change/",
        "/admin/fide/fideplayer/",
        "/admin/fide/fidelist/announce/?period=2026-04",
        "/admin/fide/fidelist/announce/?period=2026-03",
        "/admin/fide/fidelist/worklist/",
        "/admin/fide/fidelist/waiting/",
        f"/admin/ratings/game/void/?game={game}",
        "/admin/desk/case/",
        "/admin/desk/case/add/",
        f"/admin/desk/membernote/add/?member={member}",
        "/admin/office/changeset/",
        f"/admin/office/changeset/{arena.decision.pk}/change/",
        "/admin/office/job/",
        f"/admin/office/job/{arena.job.pk}/change/",
        f"/admin/ratings/openingrating/{OpeningRating.objects.first().pk}/change/",
        f"/admin/auth/user/{arena.anna.user_id}/change/",
        f"/admin/auth/user/{arena.anna.user_id}/sessions/",
    ]


# The rows of a table come from one template: six of them stand for all.
ROWS = {"exclude": [["tbody tr:nth-child(n+7)"]]}
# Of these rules alone the answer depends on the colours and the width.
OF_THE_SCHEME = ["color-contrast", "scrollable-region-focusable"]


def broken_rules(page):
    """What axe finds on the page that is open, a line each; in the dark what may differ there."""
    # A click that leads to another page returns while that page is still coming.
    page.wait_for_load_state()
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
        page.add_init_script(AXE_SCRIPT)  # on the pages to come
    options = {"resultTypes": ["violations"], "preload": False}
    if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"):
        options["runOnly"] = OF_THE_SCHEME
    # What is in order on a page is much longer, and nobody reads it.
    violations = page.evaluate(
        "([rows, options]) => axe.run(rows, options).then((found) => found.violations)", [ROWS, options]
    )
    return [
        f"{page.url} {rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in violations
        for node in rule["nodes"]
    ]


def faults(page, address, complaints):
    """What the browser and axe find on a page, a line each."""
    page.goto(address)
    # The browser itself notes that an answer is an error, which some of these are meant to be.
    found = [f"{address} {text}" for text in complaints if "status of 4" not in text]
    found += broken_rules(page)
    # Axe tries out styles in the page, which the policy refuses.
    complaints.clear()
    return found


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_public_page_violates_the_rules_or_is_wider_than_the_window(
    page, live_server, arena, scheme, width, complaints
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = []
    for address in public_pages(arena):
        found += faults(page, live_server.url + address, complaints)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{address} is wider than {width} pixels")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_calculator_violates_the_rules_or_is_wider_than_the_window(
    page, live_server, arena, scheme, width, complaints
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = []
    for address in calculator_pages(arena):
        found += faults(page, live_server.url + address, complaints)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{address} is wider than {width} pixels")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_page_around_requested_lists_violates_the_rules(
    page, live_server, arena, log_in, scheme, width, complaints
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    log_in("anna")
    form = f"{live_server.url}/lists/requested/"
    found = faults(page, form, complaints)
    page.get_by_label("Category").select_option("Blitz")
    page.get_by_label("Federation").fill("pol")
    page.get_by_role("button", name="Make the list").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("(POL)")
    expect(page.get_by_role("row")).to_have_count(2)
    found += faults(page, page.url, complaints)
    found += faults(page, form, complaints)
    expect(page.get_by_role("heading", name="My requested lists")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("button", name="Make the list").click()
    expect(page.get_by_role("alert")).to_contain_text("Ask again at")
    complaints.clear()
    log_out(page)
    log_in("officer")
    found += faults(page, form, complaints)
    expect(page.get_by_role("heading", level=1)).to_have_text("Full members only (RBB 1.4)")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_page_of_ones_own_login_violates_the_rules(
    page, live_server, arena, log_in, scheme, width, complaints
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    log_in("anna")
    found = []
    pages = ("", "app/", "passkey/", "confirm/", "address/", "password/")
    for address in (f"/account/{page_of}" for page_of in pages):
        found += faults(page, live_server.url + address, complaints)
        assert page.evaluate("document.documentElement.scrollWidth") == width, address
    app_of(arena.anna.user)
    found += faults(page, f"{live_server.url}/account/", complaints)
    page.get_by_role("button", name="Make new recovery codes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    found += broken_rules(page)
    complaints.clear()
    log_out(page)
    log_in("anna")
    found += faults(page, f"{live_server.url}/login/second-step/", complaints)
    expect(page.get_by_label("Code")).to_be_focused()
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_the_admin_violates_the_rules(page, live_server, arena, log_in, scheme, complaints):
    page.emulate_media(color_scheme=scheme)
    found = faults(page, f"{live_server.url}/admin/login/", complaints)
    log_in("officer")
    for address in staff_pages(arena):
        found += faults(page, live_server.url + address, complaints)
    assert not found, "\n".join(found)


def test_the_keyboard_alone_leads_from_the_first_page_to_an_explanation(page, live_server, arena, complaints):
    page.goto(live_server.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    while not page.evaluate("document.activeElement.matches('input[type=search]')"):
        page.keyboard.press("Tab")
    page.keyboard.type("berg")
    expect(page.get_by_role("status")).to_have_text("1 member found.")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Berg, Anna").first).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none" or page.evaluate(
        "getComputedStyle(document.activeElement).boxShadow"
    ) not in ("", "none")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Berg, Anna")
    assert not complaints
