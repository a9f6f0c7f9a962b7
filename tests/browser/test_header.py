"""The header, the menu and the languages, which every page has."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import faults

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_header_has_one_row_on_a_wide_screen_also_in_polish_and_for_staff(
    page, live_server, arena, log_in
):
    page.set_viewport_size({"width": 1280, "height": 900})
    log_in("officer")
    for language in ("English", "Polski"):
        page.goto(f"{live_server.url}/games/")
        page.get_by_role("button", name=language).click()
        expect(page.get_by_role("button", name=language)).to_have_attribute("aria-current", "true")
        height = page.locator(".site-header").bounding_box()["height"]
        # Two rows of text and their space would need more.
        assert height < 70
        assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_on_a_phone_the_menu_opens_and_closes_by_keyboard_and_leads_on(page, live_server, arena, complaints):
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"{live_server.url}/games/")
    menu, link = page.get_by_role("button", name="Menu"), page.get_by_role("link", name="Calculators")
    expect(link).to_be_hidden()
    menu.press("Enter")
    expect(link).to_be_visible()
    assert not faults(page)
    complaints.clear()
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Enter")
    page.locator("summary", has_text="Ratings").press("Enter")
    page.get_by_role("link", name="Blitz", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Blitz")
    assert not complaints


def test_a_menu_of_the_header_closes_with_escape_and_with_a_click_elsewhere(page, live_server, arena):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{live_server.url}/games/")
    ratings, link = page.locator(".main-menu summary"), page.get_by_role("link", name="Published lists")
    ratings.click()
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    expect(ratings).to_be_focused()
    ratings.click()
    expect(link).to_be_visible()
    page.get_by_role("heading", level=1).click()
    expect(link).to_be_hidden()


def test_without_javascript_the_menu_still_opens_on_a_phone(new_context, live_server, arena):
    page = new_context(java_script_enabled=False, viewport={"width": 390, "height": 800}).new_page()
    page.goto(live_server.url)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Tournaments", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ournaments")


def test_choosing_a_language_stays_on_the_page_and_keeps_its_filters(page, live_server, arena, complaints):
    page.goto(f"{live_server.url}/members/")
    field = page.get_by_role("combobox", name="Member", exact=True)
    field.fill("berg")
    field.press("Enter")
    expect(page).to_have_url(f"{live_server.url}/members/?member=berg")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("button", name="Polski").click()
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    expect(page).to_have_url(f"{live_server.url}/members/?member=berg")
    expect(page.get_by_role("row")).to_have_count(2)
    assert not complaints


def test_the_first_page_moves_nothing_while_it_loads(page, live_server, arena):
    page.add_init_script("""
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shift += entry.value;
        }).observe({type: "layout-shift", buffered: true});
    """)
    page.goto(live_server.url, wait_until="networkidle")
    assert page.evaluate("window.shift") <= 0.02
    assert page.evaluate("document.fonts.check('16px Inter')")
