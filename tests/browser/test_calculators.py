"""Calculators in a browser: updated in place, and an address that shows anybody the same."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def result_of(page):
    """All that the result says."""
    return page.get_by_role("region", name="Result").inner_text()


def test_an_address_that_is_shared_shows_the_same_result(page, live_server, arena, new_context, complaints):
    page.goto(f"{live_server.url}/calculators/")
    page.get_by_role("link", name="What if?").click()
    # Gone with the next whole page: what follows happens in this one.
    page.evaluate("window.samePage = true")
    page.get_by_label("Member", exact=True).fill("anna")
    page.get_by_label("Games in order, one per line").fill("1850.25 1\nboris 0.5\n- 1")
    page.get_by_role("button", name="Calculate").click()
    expect(page.get_by_role("status")).to_contain_text("The new rating would be ")
    assert page.evaluate("window.samePage") is True
    told = result_of(page)
    assert "Berg, Anna" in told
    assert "Lund, Boris" in told
    other = new_context(java_script_enabled=False).new_page()
    other.goto(page.url)
    assert result_of(other) == told
    assert other.get_by_label("Games in order, one per line").input_value() == "1850.25 1\nboris 0.5\n- 1"
    assert other.get_by_label("Member", exact=True).input_value() == "anna"
    page.get_by_text("1. Anna Berg would ").click()
    page.get_by_text(re.compile("^Show all .* steps$")).first.click()
    expect(page.get_by_text("Ro = ").first).to_be_visible()
    assert not complaints


def test_faults_come_in_place_and_go_again(page, live_server, arena, complaints):
    page.goto(f"{live_server.url}/calculators/fide/")
    page.evaluate("window.samePage = true")
    page.get_by_label("Your rating").fill("1500")
    page.get_by_label("Rated games so far").fill("40")
    games = page.get_by_label("Games in order, one per line")
    games.fill("1500 1\n1400 2")
    page.get_by_role("button", name="Calculate").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(games).to_have_accessible_description(
        re.compile("Line 2: “2” isn’t a valid result. Use win, draw, loss, 1, ½, 0, forfeit or bye.$")
    )
    expect(games).to_have_value("1500 1\n1400 2")
    games.fill("1500 1\n1400 0.5")
    page.get_by_role("button", name="Calculate").click()
    # E = 0.5 and 0.640065…: 20 × (1.5 − 1.140065…)
    expect(page.get_by_role("status")).to_have_text(
        "Your new rating would be 1507 (unrounded: 1507.20). Change: +7.20."
    )
    expect(page.get_by_role("alert")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.evaluate("window.samePage") is True
    assert not [text for text in complaints if "status of 400" not in text]


def test_a_member_is_found_by_words_while_one_types_and_filled_in_by_a_click(
    page, live_server, arena, complaints
):
    page.goto(f"{live_server.url}/calculators/what-if/")
    page.get_by_label("Member", exact=True).press_sequentially("anna be")
    page.get_by_role("option", name="Berg, Anna").click()
    expect(page.get_by_label("Member", exact=True)).to_have_value("anna")
    # A member's rating is known, so none is asked for.
    expect(page.get_by_label("Or a rating")).to_be_hidden()
    games = page.get_by_label("Games in order, one per line")
    games.press_sequentially("1850 win\nboris lu")
    page.get_by_role("option", name="Lund, Boris").click()
    expect(games).to_have_value("1850 win\nboris ")
    games.press_sequentially("½")
    page.get_by_role("button", name="Calculate").click()
    expect(page.get_by_role("status")).to_contain_text("The new rating would be ")
    assert "Lund, Boris" in result_of(page)
    assert not complaints


def test_the_form_asks_only_what_the_chosen_ratings_need(page, live_server, arena):
    page.goto(f"{live_server.url}/calculators/needed/")
    expect(page.get_by_label("Category")).to_be_visible()
    expect(page.get_by_label("K", exact=True)).to_be_hidden()
    page.get_by_label("Rating type").select_option("b02")
    expect(page.get_by_label("K", exact=True)).to_be_visible()
    expect(page.get_by_label("Category")).to_be_hidden()
