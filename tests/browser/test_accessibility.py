"""Every kind of page: accessible by every rule that can be checked, nothing refused by the policy."""

import pytest
from playwright.sync_api import expect

from ratings.fide.models import FideList
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.rbb.models import OpeningRating, RatingChange, RatingListEntry
from ratings.rbb.models.fields import EventType, change_id
from tests.account.people import app_of
from tests.browser.conftest import log_out

pytestmark = pytest.mark.django_db(transaction=True)


def public_pages(arena):
    """An address of every kind of public page."""
    line = change_id(EventType.GAME, arena.last.pk)
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
        f"/changes/{RatingChange.objects.of_kind(EventType.OPENING).first().pk}/",
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
        "/leaders/",
        "/leaders/blitz/women/",
        "/leaders/blitz/federations/",
        RatingListEntry.objects.first().get_absolute_url(),
        "/how-ratings-work/",
        "/how-ratings-work/bal/",
        "/calendar/",
        "/api/",
        "/api/try/members/",
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
    return change_set.get_absolute_url(), f"/changes/{change_id(EventType.GAME, game.pk)}/"


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
        "/admin/find/?q=berg",
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
        "/admin/ratings/ratinglist/month/",
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
        "/admin/office/journal/",
        "/admin/office/auditfinding/",
        "/admin/league/season/",
        "/admin/otb/tournament/",
        f"/admin/office/job/{arena.job.pk}/change/",
        f"/admin/ratings/openingrating/{OpeningRating.objects.first().pk}/change/",
        f"/admin/auth/user/{arena.anna.user_id}/change/",
        f"/admin/auth/user/{arena.anna.user_id}/sessions/",
    ]


def test_no_public_page_violates_the_rules_or_is_wider_than_the_window(arena, check):
    for address in public_pages(arena):
        check(address)


def test_no_calculator_violates_the_rules_or_is_wider_than_the_window(arena, check):
    for address in calculator_pages(arena):
        check(address)


def test_no_page_around_requested_lists_violates_the_rules(page, arena, log_in, check, complaints):
    log_in("anna")
    form = "/lists/requested/"
    check("/my-ratings/close/")
    check(form)
    page.get_by_label("Category").select_option("Blitz")
    page.get_by_label("Federation").fill("pol")
    page.get_by_role("button", name="Create the list").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("(POL)")
    expect(page.get_by_role("row")).to_have_count(2)
    check()
    check(form)
    expect(page.get_by_role("heading", name="My requested lists")).to_be_visible()
    page.get_by_role("button", name="Create the list").click()
    expect(page.get_by_role("alert")).to_contain_text("You can request the next one at")
    complaints.clear()
    log_out(page)
    log_in("officer")
    check(form)
    expect(page.get_by_role("heading", level=1)).to_have_text("Full members only (RBB 1.4)")


def test_no_page_of_ones_own_login_violates_the_rules(page, arena, log_in, check):
    log_in("anna")
    for name in ("", "app/", "passkey/", "confirm/", "address/", "password/"):
        check(f"/account/{name}")
    app_of(arena.anna.user)
    check("/account/")
    page.get_by_role("button", name="Create new recovery codes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    check()
    log_out(page)
    log_in("anna")
    check("/login/second-step/")
    expect(page.get_by_label("Code")).to_be_focused()


def test_no_page_of_the_admin_violates_the_rules(arena, log_in, check):
    check("/admin/login/")
    log_in("officer")
    for address in staff_pages(arena):
        check(address)


def test_the_keyboard_alone_leads_from_the_first_page_to_an_explanation(page, live_server, arena, complaints):
    page.goto(live_server.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    while not page.evaluate("document.activeElement.matches('input[type=search]')"):
        page.keyboard.press("Tab")
    page.keyboard.type("berg")
    expect(page.get_by_role("status")).to_have_text("Suggestions below. Use the arrow keys.")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="Berg, Anna", selected=True)).to_be_visible()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none" or page.evaluate(
        "getComputedStyle(document.activeElement).boxShadow"
    ) not in ("", "none")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Berg, Anna")
    assert not complaints
