"""The moves of a game, stepped through as people do it."""

import pytest
from playwright.sync_api import expect

from ratings.rbb.models import RatingChange

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_game_is_stepped_through_by_buttons_keys_and_clicks(page, live_server, arena, complaints):
    # 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    board = page.locator(".board")
    caption, picture = board.locator("figcaption"), board.locator("svg[role=img]")
    expect(caption).to_have_text("5… f6")
    final = picture.get_attribute("aria-label")

    page.get_by_role("button", name="One move back").click()
    expect(caption).to_have_text("5. O-O")
    expect(page.locator(".moves [aria-current]")).to_have_text("O-O")
    page.get_by_role("button", name="Go to the initial position").click()
    expect(caption).to_have_text("Initial position")
    expect(page.locator(".moves [aria-current]")).to_have_count(0)
    expect(picture).to_have_attribute(
        "aria-label",
        "White: Ke1, Qd1, Ra1, Rh1, Bc1, Bf1, Nb1, Ng1, a2, b2, c2, d2, e2, f2, g2, h2. "
        "Black: Ke8, Qd8, Ra8, Rh8, Bc8, Bf8, Nb8, Ng8, a7, b7, c7, d7, e7, f7, g7, h7.",
    )

    # The keys work wherever the reader is on the page.
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(caption).to_have_text("1… e5")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_have_text("1. e4")
    pawn = '[href$="#wP"]'
    expect(board.locator(f'use{pawn}[x="4"][y="4"]')).to_have_count(1)  # e4
    expect(board.locator('use[x="4"][y="6"]')).to_have_count(0)  # e2
    page.get_by_role("button", name="Flip the board").click()
    expect(board.locator(f'use{pawn}[x="3"][y="3"]')).to_have_count(1)
    expect(board.locator(".coordinates text").first).to_have_text("1")

    page.get_by_role("link", name="Bxc6").click()
    expect(caption).to_have_text("4. Bxc6")
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(caption).to_have_text("5… f6")
    # The server and the script describe the last position alike.
    assert picture.get_attribute("aria-label") == final
    assert not complaints


def test_the_list_of_moves_shows_its_beginning_at_the_initial_position(page, live_server, arena):
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    # So low that five moves don't fit.
    page.locator(".moves").evaluate("list => (list.style.height = '5rem')")
    page.keyboard.press("End")
    expect(page.get_by_role("link", name="f6")).to_be_in_viewport()
    expect(page.get_by_role("link", name="e4")).not_to_be_in_viewport()
    page.keyboard.press("Home")
    expect(page.get_by_role("link", name="e4")).to_be_in_viewport()


def test_keys_of_a_field_and_of_the_browser_leave_the_board_alone(page, live_server, arena):
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    caption = page.locator(".board figcaption")
    field = page.get_by_role("combobox")
    field.fill("berg")
    for key in ("Home", "ArrowRight", "ArrowLeft", "End"):
        page.keyboard.press(key)
    page.locator("h1").click()
    page.keyboard.press("Shift+Home")
    page.get_by_text("PGN", exact=True).first.click()
    page.locator(".pgn").focus()
    page.keyboard.press("Home")
    expect(caption).to_have_text("5… f6")


def test_on_a_phone_outcome_moves_and_explanation_are_under_the_board_and_beside_it_on_a_desk(
    page, live_server, arena
):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")

    def place(what):
        return page.locator(what).bounding_box()

    def end(what):
        return place(what)["y"] + place(what)["height"]

    assert 0 <= place(".in-short")["y"] - end(".game-and-why > .board") < 30
    assert end(".in-short") < place(".moves")["y"] < end(".moves") < place(".why")["y"] < place(".rest")["y"]
    # The first sentence of the explanation is on the second screen.
    assert page.locator(".why .lead").first.bounding_box()["y"] < 2 * 844
    expect(page.locator(".players")).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 720})
    assert abs(place(".why")["y"] - place(".game-and-why > .board")["y"]) < 30
    expect(page.locator(".in-short")).to_be_hidden()
    assert place(".moves")["x"] + place(".moves")["width"] < place(".why")["x"]


def test_a_game_plays_by_itself_and_stops_at_the_end(page, live_server, arena, complaints):
    page.clock.install()
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    caption, play = page.locator(".board figcaption"), page.get_by_role("button", name="Play the moves")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(caption).to_have_text("Initial position")
    page.clock.run_for(2000)
    expect(caption).to_have_text("1… e5")
    play.click()
    page.clock.run_for(5000)
    expect(caption).to_have_text("1… e5")
    play.click()
    page.clock.run_for(20000)
    expect(caption).to_have_text("5… f6")
    expect(play).to_have_attribute("aria-pressed", "false")
    assert not complaints


def test_nothing_plays_by_itself_where_less_motion_is_asked_for(new_context, live_server, arena):
    context = new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    expect(page.get_by_role("button", name="Flip the board")).to_be_visible()
    expect(page.get_by_role("button", name="Play the moves")).to_be_hidden()


def test_the_link_of_an_explanation_is_copied(new_context, live_server, arena):
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    line = RatingChange.objects.of_game(arena.last).first()
    address = live_server.url + line.get_absolute_url()
    page.goto(address)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == address


def test_the_pgn_is_copied_with_its_tags(new_context, live_server, arena):
    page = new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    page.get_by_text("PGN", exact=True).first.click()
    page.get_by_role("button", name="Copy PGN").click()
    expect(page.get_by_text("PGN copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("[Event ")
    assert "1. e4 e5" in copied


def test_a_browser_that_does_not_allow_copying_says_what_to_do(new_context, live_server, arena):
    page = new_context().new_page()
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))"
    )
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Copy the permanent link instead.")).to_be_visible()


def test_without_javascript_the_moves_are_links_to_their_positions(new_context, live_server, arena):
    context = new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")
    expect(page.locator('.board use[href$="#wK"]')).to_have_count(1)
    page.get_by_role("link", name="Bxc6").click()
    expect(page.locator(".board figcaption")).to_have_text("4. Bxc6")
    page.get_by_role("button", name="One move back").click()
    expect(page.locator(".board figcaption")).to_have_text("3… a6")
    expect(page.get_by_role("button", name="Flip the board")).to_be_hidden()


LUMINANCE = """
(one) => {
    const channel = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = getComputedStyle(one).fill.match(/\\d+/g).map((part) => channel(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
"""


def test_squares_are_darker_in_the_dark_and_tell_pieces_and_letters_apart(page, live_server, arena):
    page.goto(f"{live_server.url}/games/{arena.last.pk}/")

    def squares():
        parts = (".light", ".dark", ".coordinates")
        return [page.locator(f".board {part}").first.evaluate(LUMINANCE) for part in parts]

    by_day = squares()
    page.emulate_media(color_scheme="dark")
    light, dark, letters = squares()
    assert light < 0.7 * by_day[0]
    assert dark < by_day[1]
    # The black of pieces, then letters, on the darker squares; the white of pieces on the lighter ones.
    assert (dark + 0.05) / 0.05 > 4.5
    assert (dark + 0.05) / (letters + 0.05) > 4.5
    assert 1.05 / (light + 0.05) > 1.8
