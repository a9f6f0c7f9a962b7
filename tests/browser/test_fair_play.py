"""An officer closes the account of somebody who has cheated in 420 games, and takes it back."""

import pytest
from playwright.sync_api import expect

from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import Game
from tests.arena import at, control, opening, projections

pytestmark = pytest.mark.django_db(transaction=True)

NUMBER = 420


@pytest.fixture
def cheat(arena):
    """Cecilia, who has beaten Anna and Boris 210 times each."""
    who = arena.cecilia
    opening(who, 1500, minute=90)
    blitz = control("180+2")
    with deferred():
        Game.objects.bulk_create(
            [
                Game(
                    white=who,
                    black=(arena.anna, arena.boris)[number % 2],
                    time_control=blitz,
                    result="1-0",
                    started_at=at(100 + 10 * number),
                    ended_at=at(105 + 10 * number),
                )
                for number in range(NUMBER)
            ]
        )
    return who


def test_an_account_of_420_games_is_closed_its_opponents_read_why_and_reopening_gives_all_back(
    page, live_server, arena, cheat, log_in, check, complaints
):
    before = projections()
    log_in("officer")
    page.goto(f"{live_server.url}/admin/members/member/{cheat.pk}/change/")
    check()
    page.get_by_role("link", name="Close account …").click()
    expect(page.get_by_text("Cruz, Cecilia (cecilia)")).to_be_visible()
    page.get_by_label("Reason shown to members").select_option("Fair play")
    page.get_by_label("Void all of them from a given day on").check()
    page.get_by_label("From:", exact=True).fill("2026-03-01")
    check()
    page.get_by_role("button", name="Preview").click()
    # The draw from before counts as one of her games, too.
    button = page.get_by_role("button", name=f"Close the account and void {NUMBER + 1} games")
    expect(button).to_be_visible()
    moved = page.locator("#moved")
    expect(moved.get_by_role("row", name="Berg, Anna Blitz")).to_be_visible()
    expect(moved.get_by_role("row", name="Lund, Boris Blitz")).to_be_visible()
    assert projections() == before
    page.get_by_label("Note for staff").fill("The engine agrees with every move.")
    button.click()
    expect(page.get_by_text("Done:")).to_be_visible()
    assert Game.objects.filter(voided_at__isnull=False).count() == NUMBER + 1

    page.goto(f"{live_server.url}/members/{arena.anna.pk}/")
    page.get_by_text("Corrections to past ratings").click()
    page.get_by_role("link", name="Games of a closed account voided").click()
    expect(page.get_by_text("Members aren’t named here.")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("Cruz")
    check()
    page.goto(f"{live_server.url}/members/{cheat.pk}/")
    expect(page.get_by_role("region", name="About")).to_contain_text("Closed for rated play")

    page.goto(f"{live_server.url}/admin/members/accountclosure/")
    page.get_by_role("link", name="Cruz, Cecilia").click()
    expect(page.get_by_role("link", name="Reopen …")).to_be_visible()
    check()
    page.get_by_role("link", name="Reopen …").click()
    page.get_by_label("Reason shown to members").select_option("Entered in error")
    page.get_by_label("Note for staff").fill("Another engine doesn't.")
    page.get_by_role("button", name=f"Reopen the account and reinstate {NUMBER + 1} games").click()
    expect(page.get_by_text("Done:")).to_be_visible()
    assert projections() == before
    assert not Game.objects.filter(voided_at__isnull=False).exists()
    assert not complaints
