"""The chart of a member’s history, as people use it."""

import re

import pytest
from playwright.sync_api import expect

from ratings.rbb.models import Rating
from ratings.rules.time_controls import Category

pytestmark = pytest.mark.django_db(transaction=True)


def open_profile(page, live_server, who, query=""):
    """The chart on the page of a member, alive."""
    page.goto(f"{live_server.url}{who.get_absolute_url()}{query}")
    chart = page.locator("#history")
    expect(chart).to_have_attribute("data-alive", "")
    return chart


def point_at(page, share):
    """The mouse on the chart, at a part of its width; the points have come once there is a tip."""
    plot = page.locator(".history-plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    return box


def test_the_pointer_tells_the_change_and_a_click_leads_to_it(page, live_server, arena, complaints):
    chart = open_profile(page, live_server, arena.anna, "?axis=games")
    point_at(page, 0.9)
    expect(chart.locator(".history-plot")).to_have_attribute("aria-busy", "false")
    # Thirty games in turn and one more in blitz: only there is an eleventh.
    point_at(page, 0.999)
    rating = Rating.objects.get(member=arena.anna, category=Category.BLITZ)
    tip = chart.get_by_role("status")
    expect(tip).to_contain_text(f"Blitz {rating.rating} (+8.00)")
    expect(tip).to_contain_text("Lund, Boris")
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(f"{live_server.url}/changes/{rating.last_change_id}/")
    assert not complaints


def test_the_keyboard_moves_from_change_to_change(page, live_server, arena, complaints):
    chart = open_profile(page, live_server, arena.anna)
    chart.locator(".history-plot").focus()
    expect(chart.locator(".history-plot")).to_have_attribute("aria-busy", "false")
    tip = chart.get_by_role("status")
    page.keyboard.press("ArrowRight")
    expect(tip).to_be_visible()
    last = tip.inner_text()
    page.keyboard.press("ArrowLeft")
    expect(tip).not_to_have_text(last)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/changes/[0-9]+/$"))
    assert not complaints


def test_hidden_categories_are_remembered_and_the_grid_fits_the_others(page, live_server, arena, complaints):
    chart = open_profile(page, live_server, arena.anna)
    box = chart.get_by_role("checkbox", name="Bullet")
    line = chart.locator("path.bullet").last
    labels = chart.locator(".history-grid").inner_text()
    expect(line).to_be_visible()
    box.focus()
    page.keyboard.press("Space")
    expect(line).to_be_hidden()
    chart = open_profile(page, live_server, arena.anna)
    expect(chart.get_by_role("checkbox", name="Bullet")).not_to_be_checked()
    chart.get_by_role("checkbox", name="Bullet").check()
    chart.get_by_role("checkbox", name="Rapid").uncheck()
    chart.get_by_role("checkbox", name="Blitz").uncheck()
    expect(chart.locator(".history-grid")).not_to_have_text(labels)
    assert not complaints


def test_the_peak_stays_on_its_line_when_other_categories_are_hidden(page, live_server, arena, complaints):
    chart = open_profile(page, live_server, arena.anna)
    peak = chart.locator(".history-peaks .rapid circle")
    other = chart.locator(".history-peaks .bullet circle")
    expect(other).to_be_visible()
    for name in ("Blitz", "Bullet"):
        chart.get_by_role("checkbox", name=name).uncheck()
    expect(other).to_be_hidden()
    line, mark = (
        one.evaluate("(one) => one.getBoundingClientRect().toJSON()")
        for one in (chart.locator(".history-lines path.rapid"), peak)
    )
    # The highest point of the line alone, to a pixel.
    assert abs((mark["top"] + mark["bottom"]) / 2 - line["top"]) <= 1
    assert not complaints


def test_a_period_is_dragged_and_its_games_are_listed(page, live_server, arena, complaints):
    chart = open_profile(page, live_server, arena.anna)
    box = point_at(page, 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + 10, steps=4)
    page.mouse.up()
    link = chart.get_by_role("link", name=re.compile("^Games from "))
    expect(link).not_to_have_attribute("href", re.compile("since=2026-03-01"))
    link.click()
    expect(page.get_by_text("No rated games match.")).to_be_visible()
    page.get_by_role("link", name="All games", exact=True).click()
    expect(page.get_by_role("heading", name="March 2026")).to_be_visible()
    assert not complaints


def test_periods_are_links_that_change_the_chart_alone(page, live_server, arena, complaints):
    chart = open_profile(page, live_server, arena.anna)
    chart.get_by_role("link", name="3M").click()
    expect(page.locator("#history").get_by_role("link", name="3M")).to_have_attribute("aria-current", "true")
    expect(page.locator("#history")).to_have_attribute("data-alive", "")
    expect(page).to_have_url(re.compile(r"\?span=3m$"))
    assert not complaints


def test_without_javascript_the_chart_is_drawn_and_its_periods_are_links(new_context, live_server, arena):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(live_server.url + arena.anna.get_absolute_url())
    chart = page.locator("#history")
    expect(chart.locator("path.rapid").last).to_be_visible()
    expect(chart.get_by_role("checkbox")).to_have_count(0)
    chart.get_by_role("link", name="1Y").click()
    expect(chart.get_by_role("link", name="1Y")).to_have_attribute("aria-current", "true")


def test_a_chart_whose_points_cannot_be_loaded_stays_as_it_is(page, live_server, arena):
    page.route("**/chart?span=**", lambda route: route.fulfill(status=500, body=""))
    chart = open_profile(page, live_server, arena.anna)
    with page.expect_response(re.compile("/chart\\?span=all$")):
        point_at(page, 0.5)
    expect(chart.locator("path.rapid").last).to_be_visible()
    expect(chart.get_by_role("status")).to_be_hidden()
