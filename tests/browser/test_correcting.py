"""An officer corrects a wrong result in one form, the commonest job, and takes the correction back."""

import pytest
from playwright.sync_api import expect

from ratings.rbb.models import Game
from tests.arena import game

pytestmark = pytest.mark.django_db(transaction=True)

PGN = '[Result "1/2-1/2"]\n\n1. e4 e5 {' + "The clocks and comments of a long game. " * 10 + "} 1/2-1/2"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_result_is_corrected_and_the_correction_taken_back(
    page, live_server, arena, log_in, check, complaints, width
):
    page.set_viewport_size({"width": width, "height": 1000})
    played = game(arena.anna, arena.boris, "1/2-1/2", minute=300, pgn=PGN, termination="agreement")
    log_in("officer")
    page.goto(f"{live_server.url}/admin/ratings/game/{played.pk}/change/")
    page.get_by_label("Result").select_option("1-0")
    page.get_by_label("Termination:").select_option("resignation")
    page.get_by_role("button", name="Save", exact=True).click()
    moved, changes = page.locator("#moved"), page.locator("#inputs")
    expect(moved.get_by_role("row")).to_have_count(3)
    expect(changes.get_by_text("result: ½-½ → 1-0")).to_be_visible()
    assert moved.bounding_box()["y"] < changes.bounding_box()["y"]
    expect(changes.locator("pre").first).to_be_hidden()
    changes.get_by_text("Text before and after").click()
    expect(changes.locator("pre").last).to_contain_text("} 1-0")
    check()
    page.get_by_label("Reason shown to members").select_option("result")
    page.get_by_label("Note for staff").fill("Both players wrote.")
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_text("Done:")).to_be_visible()
    played.refresh_from_db()
    assert (played.result, played.termination, played.pgn[-5:]) == ("1-0", "resignation", "} 1-0")
    decision = page.url
    page.goto(f"{live_server.url}/admin/ratings/game/{played.pk}/change/")
    page.get_by_label("Plies").fill("2")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    page.goto(decision)
    page.get_by_role("link", name="Reverse …").click()
    page.get_by_label("Reason shown to members").select_option("error")
    page.get_by_label("Note for staff").fill("They were wrong.")
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_text("Done:")).to_be_visible()
    stored = Game.objects.values_list("result", "termination", "plies", "pgn").get(pk=played.pk)
    assert stored == ("1/2-1/2", "agreement", 2, PGN)
    assert not complaints


@pytest.mark.parametrize("width", [1280, 390])
def test_the_box_for_a_fide_id_shows_nine_digits(page, live_server, arena, log_in, width):
    page.set_viewport_size({"width": width, "height": 1000})
    log_in("officer")
    page.goto(f"{live_server.url}/admin/members/member/{arena.anna.pk}/change/")
    box = page.locator("#id_fide_id")
    box.fill("888888888")
    assert box.evaluate("one => one.scrollWidth <= one.clientWidth && one.clientWidth >= 100")
