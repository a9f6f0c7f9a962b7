"""The way of a round behind the counter: entered, rated and corrected, on pages that everybody can use."""

import pytest
from playwright.sync_api import expect

from ratings.league.models import Board, CycleList, Match, SquadPlayer
from tests.backoffice import admin_page
from tests.league.office import board, small_season

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_the_round_to_the_correction_every_page_keeps_the_rules(page, live_server, arena, log_in, check):
    season = small_season()
    log_in("officer")
    page.goto(live_server.url + admin_page(Match, "add"))
    page.get_by_label("Round").fill("1")
    page.get_by_label("Home team").select_option("2026: North")
    page.get_by_label("Away team").select_option("2026: South")
    check()
    page.get_by_role("button", name="Save", exact=True).click()
    for place, (home, away, result) in enumerate((("Adams", "Baker", "1-0"), ("Abel", "Boyd", "1/2-1/2"))):
        page.locator(f"#id_boards-{place}-home_player").select_option(home)
        page.locator(f"#id_boards-{place}-away_player").select_option(away)
        page.locator(f"#id_boards-{place}-result").select_option(result)
    check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("listitem").filter(has_text="was changed successfully")).to_be_visible()

    cycle = season.cycles.get(number=1)
    page.goto(live_server.url + admin_page(cycle))
    page.get_by_role("link", name="Close the cycle …").click()
    expect(page.locator("#lines").get_by_role("row", name="Adams")).to_contain_text("1629.09")
    check()
    page.get_by_role("button", name="Close the cycle and publish the list").click()
    expect(
        page.get_by_text("The cycle is closed, and 2026, cycle 1, revision 1 is published.")
    ).to_be_visible()
    check()

    page.goto(live_server.url + admin_page(board(1, 1)))
    page.get_by_role("link", name="Correct …").click()
    expect(page.get_by_role("button", name="Preview")).to_be_visible()
    check()
    page.get_by_label("Result").select_option("0-1")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="2026, cycle 1, revision 2 will be published")).to_be_visible()
    page.get_by_label("Reason shown to members").select_option("Result corrected")
    page.get_by_label("Note for staff").fill("the card was read wrong")
    check()
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_text("2026, cycle 1, revision 2 (2 lines)").first).to_be_visible()
    check()
    assert CycleList.objects.count() == 2

    for what in (
        season,
        season.league,
        cycle,
        board(1, 1),
        Match.objects.get(),
        SquadPlayer.objects.first(),
        SquadPlayer.objects.first().team,
        SquadPlayer.objects.first().player,
        CycleList.objects.first(),
        CycleList.objects.first().results.first(),
    ):
        check(admin_page(type(what)))
        check(admin_page(what))
    for what in (season.league, SquadPlayer.objects.first()):
        check(admin_page(what, "correct"))
    assert Board.objects.count() == 2
