"""The chart of a member's history, as people use it."""

import re

import pytest
from playwright.sync_api import expect

from ratings.models import Rating
from ratings.rules.time_controls import Category

pytestmark = pytest.mark.django_db(transaction=True)


def picture(page):
    """What is drawn now."""
    return page.locator(".history-canvas canvas").evaluate("canvas => canvas.toDataURL()")


def expect_picture(page, other_than=None, same_as=None):
    """Wait until the chart is drawn anew, or again as it was."""
    page.wait_for_function(
        """([other, same]) => {
            const drawn = document.querySelector(".history-canvas canvas").toDataURL();
            return same ? drawn === same : drawn !== other;
        }""",
        arg=[other_than, same_as],
    )


def point_at_the_end(page):
    """The mouse on the last moment or game of the chart."""
    plot = page.locator(".history-canvas .u-over")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)


def test_the_chart_names_the_ratings_under_the_cursor(page, live_server, arena, complaints):
    page.goto(live_server.url + arena.anna.get_absolute_url())
    chart = page.locator(".history-chart")
    expect(chart).to_be_visible()
    point_at_the_end(page)
    for category in Category:
        rating = Rating.objects.get(member=arena.anna, category=category).rating
        label = chart.locator("label", has=page.locator(f"input[name={category.slug}]"))
        expect(label).to_contain_text(f"{category.slug.capitalize()} {rating}")
    expect(chart.locator(".history-place")).to_have_text("2026-03-01 01:00:00 UTC")
    page.get_by_label("Number of the game").check()
    # Thirty games in turn and one more in blitz: only there is an eleventh.
    point_at_the_end(page)
    expect(chart.locator(".history-place")).to_have_text("11")
    expect(chart.locator("label", has=page.locator("input[name=rapid]"))).to_have_text(
        re.compile(r"^\s*Rapid\s*$")
    )
    page.mouse.move(0, 0)
    expect(chart.locator(".history-place")).to_be_empty()
    assert not complaints


def test_a_category_is_hidden_and_shown_by_the_keyboard(page, live_server, arena, complaints):
    page.goto(live_server.url + arena.anna.get_absolute_url())
    box = page.locator(".history-chart input[name=bullet]")
    # Until the ratings have come the chart is hidden, and nothing in it takes the focus.
    expect(box).to_be_visible()
    box.focus()
    drawn = picture(page)
    page.keyboard.press("Space")
    expect(box).not_to_be_checked()
    expect_picture(page, other_than=drawn)
    page.keyboard.press("Space")
    expect_picture(page, same_as=drawn)
    assert not complaints


def test_the_chart_follows_the_colours_and_the_width_of_the_window(page, live_server, arena, complaints):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(live_server.url + arena.anna.get_absolute_url())
    canvas = page.locator(".history-canvas canvas")
    expect(canvas).to_be_visible()
    light = picture(page)
    page.emulate_media(color_scheme="dark")
    expect_picture(page, other_than=light)
    page.set_viewport_size({"width": 390, "height": 900})
    expect(canvas).to_have_attribute("width", re.compile("^3[0-9]{2}$"))
    assert not complaints


def test_without_javascript_there_is_the_table_and_no_chart(browser, live_server, arena):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(live_server.url + arena.anna.get_absolute_url())
    expect(page.locator(".history-chart")).to_be_hidden()
    expect(page.get_by_role("region", name="Latest lines of the ledger")).to_be_visible()


def test_a_chart_that_cannot_be_loaded_says_so(page, live_server, arena):
    page.route("**/history/?format=json", lambda route: route.fulfill(status=500, body=""))
    page.goto(live_server.url + arena.anna.get_absolute_url())
    expect(page.get_by_role("alert")).to_have_text("The chart could not be loaded.")
    expect(page.locator(".history-chart input")).to_have_count(0)
