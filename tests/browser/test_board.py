"""The moves of a game, stepped through as people do it."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_game_is_stepped_through_by_buttons_keys_and_clicks(page, live_server, arena, complaints):
    # 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    board = page.locator(".board")
    caption, picture = board.locator("figcaption"), board.get_by_role("img")
    expect(caption).to_have_text("Final position")
    final = picture.get_attribute("aria-label")

    page.get_by_role("button", name="One move back").click()
    expect(caption).to_have_text("5. O-O")
    expect(page.locator(".moves [aria-current]")).to_have_text("O-O")
    page.get_by_role("button", name="To the initial position").click()
    expect(caption).to_have_text("Initial position")
    expect(page.locator(".moves [aria-current]")).to_have_count(0)
    expect(picture).to_have_attribute(
        "aria-label",
        "White: Ke1, Qd1, Ra1, Rh1, Bc1, Bf1, Nb1, Ng1, a2, b2, c2, d2, e2, f2, g2, h2. "
        "Black: Ke8, Qd8, Ra8, Rh8, Bc8, Bf8, Nb8, Ng8, a7, b7, c7, d7, e7, f7, g7, h7.",
    )

    board.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(caption).to_have_text("1… e5")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_have_text("1. e4")
    expect(board.locator("td").nth(36)).to_have_text("♙\ufe0e")  # e4
    expect(board.locator("td").nth(52)).to_be_empty()  # e2

    page.get_by_role("cell", name="Bxc6").click()
    expect(caption).to_have_text("4. Bxc6")
    board.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(caption).to_have_text("5… f6")
    # The server and the script describe the last position alike.
    assert picture.get_attribute("aria-label") == final
    assert not complaints


def test_without_javascript_the_final_position_and_the_moves_are_there(browser, live_server, arena):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    expect(page.locator(".board td", has_text="♔")).to_have_count(1)
    expect(page.get_by_role("cell", name="Bxc6")).to_be_visible()
    expect(page.get_by_role("button", name="One move back")).to_have_count(0)
    context.close()
