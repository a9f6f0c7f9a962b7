"""What a page adapts to whoever reads it: their time zone, and the theme that they choose."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from ratings.rbb.models import RatingChange

pytestmark = pytest.mark.django_db(transaction=True)


HALF_PAST_FIVE = timedelta(hours=5, minutes=30)


def opened(new_context, live_server, path, **how):
    page = new_context(**how).new_page()
    page.goto(live_server.url + path)
    return page


def test_moments_are_those_of_the_readers_time_zone_and_utc_for_whoever_points_at_one(
    new_context, live_server, arena
):
    """Kolkata is 5:30 ahead of UTC all year."""
    end = f"{arena.last.ended_at:%-d %b %Y, %H:%M}"
    address = arena.last.get_absolute_url()
    at_home = opened(new_context, live_server, address, timezone_id="UTC")
    expect(at_home.get_by_text(f"{end} UTC").last).to_be_visible()
    far = opened(new_context, live_server, address, timezone_id="Asia/Kolkata")
    shown = far.locator(f"time[datetime='{arena.last.ended_at.isoformat()}']").last
    expect(shown).to_have_attribute("title", f"{end} UTC")
    expect(shown).not_to_contain_text("UTC")
    assert shown.inner_text().endswith(f"{(arena.last.ended_at + HALF_PAST_FIVE):%H:%M}")
    expect(far.get_by_text("Times are in your time zone, Asia/")).to_be_visible()
    games = opened(new_context, live_server, "/games/", timezone_id="Asia/Kolkata")
    expect(games.get_by_role("columnheader", name="Ended", exact=True)).to_be_visible()


def test_a_theme_is_chosen_and_kept_on_this_device(new_context, live_server, arena):
    page = opened(new_context, live_server, "/", color_scheme="light")
    ink = "getComputedStyle(document.body).color"
    light = page.evaluate(ink)
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(ink)
    assert dark != light
    page.goto(live_server.url + "/games/")
    assert page.evaluate(ink) == dark
    page.get_by_role("button", name="System").click()
    assert page.evaluate(ink) == light


def test_paper_has_all_rows_of_a_list_and_says_where_they_are_from(page, live_server, arena):
    page.goto(f"{live_server.url}/changes/")
    rows = page.locator("#list tbody tr")
    expect(rows).to_have_count(50)
    expect(page.locator(".printed")).to_be_hidden()
    page.pdf()
    assert rows.count() == RatingChange.objects.count() > 60
    page.emulate_media(media="print")
    expect(page.locator(".printed")).to_contain_text("FIDE Online Arena")
    expect(page.locator(".printed")).to_contain_text(f"{live_server.url}/changes/")


def test_without_scripts_a_link_leads_to_all_rows(new_context, live_server, arena):
    page = opened(new_context, live_server, "/changes/", java_script_enabled=False)
    page.get_by_role("link", name="Print all rows").click()
    expect(page.locator("#list tbody tr")).to_have_count(RatingChange.objects.count())
    expect(page.get_by_role("link", name="Print all rows")).to_have_count(0)
