"""What people come for, done as they do it: with mouse, keyboard and eyes, in a browser."""

import csv
import re
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from ratings.rbb.models import RatingChange
from tests.browser.conftest import log_out

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_list_is_filtered_and_downloaded_as_it_stands(page, live_server, arena, complaints):
    page.goto(f"{live_server.url}/members/")
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_text("More filters").click()
    page.get_by_label("Federation").fill("pol")
    page.get_by_label("Federation").press("Enter")
    expect(page.get_by_role("row")).to_have_count(3)
    expect(page).to_have_url(f"{live_server.url}/members/?federation=pol")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    assert download.value.suggested_filename == "members.csv"
    with download.value.path().open(encoding="utf-8", newline="") as file:
        assert [row["username"] for row in csv.DictReader(file)] == ["cecilia", "boris"]
    search = page.get_by_role("combobox", name="Member", exact=True)
    search.press_sequentially("cru")
    search.press("Enter")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_label("Federation").fill("Norway")
    page.get_by_label("Federation").press("Enter")
    expect(page.get_by_role("row").last).to_have_text("Nothing found.")
    page.get_by_role("link", name="Remove all filters").click()
    expect(page.get_by_role("row")).to_have_count(4)
    assert not complaints


def test_leaving_a_search_asks_nothing_so_the_link_that_is_clicked_stays(page, live_server, arena):
    page.goto(f"{live_server.url}/members/")
    search = page.get_by_role("combobox", name="Member", exact=True)
    search.press_sequentially("cru")
    search.press("Enter")
    expect(page.get_by_role("row")).to_have_count(2)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/members/" in request.url else None)
    link = page.get_by_role("row").get_by_role("link", name="Cruz, Cecilia")
    link.hover()
    page.mouse.down()
    expect(search).not_to_be_focused()
    assert not asked
    page.mouse.up()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cruz, Cecilia")


def test_looking_back_keeps_the_filters_and_filtering_keeps_the_moment(page, live_server, arena, complaints):
    address = f"{live_server.url}/ratings/blitz/"
    page.goto(f"{address}?federation=NOR")
    page.get_by_text("Ratings on another date").click()
    page.get_by_label("Date").fill("2026-03-02")
    page.get_by_role("button", name="Show ratings on this date").click()
    expect(page.get_by_role("note")).to_contain_text(
        "These are the ratings on 2 Mar 2026, 00:00 UTC (RBB 1.4), not the live ratings."
    )
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Berg, Anna")
    page.get_by_label("Federation").fill("POL")
    page.get_by_label("Federation").press("Enter")
    expect(rows).to_contain_text("Lund, Boris")
    expect(page).to_have_url(re.compile("federation=POL.*as_of=2026-03-02"))
    page.get_by_role("note").get_by_role("link", name="Live ratings").click()
    expect(page.get_by_text("Updated after every game. Published lists may differ.")).to_be_visible()
    assert not complaints


def test_a_long_list_is_leafed_through_forwards_and_back(page, live_server, arena, complaints):
    page.goto(f"{live_server.url}/changes/")
    first_line = page.locator("tbody tr").first.get_by_role("link").first
    latest = first_line.get_attribute("href")
    page.get_by_role("link", name="Next").click()
    expect(first_line).not_to_have_attribute("href", latest)
    page.get_by_role("link", name="Previous").click()
    expect(first_line).to_have_attribute("href", latest)
    assert not complaints


def test_a_member_logs_in_and_finds_his_own_ratings(page, live_server, arena, log_in, complaints):
    log_in("anna")
    expect(page).to_have_url(f"{live_server.url}/members/{arena.anna.pk}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Berg, Anna")
    page.get_by_role("link", name="Games", exact=True).first.click()
    page.locator(".account summary").click()
    page.get_by_role("link", name="My ratings").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Berg, Anna")
    expect(page.get_by_role("link", name="Admin")).to_have_count(0)
    log_out(page)
    assert not complaints


def test_without_javascript_search_filters_and_history_still_work(new_context, live_server, arena):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(live_server.url)
    page.get_by_role("searchbox", name="Search").fill("berg")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Berg, Anna").click()
    expect(page.get_by_role("table").first).to_be_visible()
    expect(page.locator(".history-lines path.blitz")).to_be_visible()
    page.goto(f"{live_server.url}/members/?federation=pol")
    expect(page.get_by_role("row")).to_have_count(3)
    page.get_by_role("link", name="Name", exact=True).click()
    expect(page).to_have_url(f"{live_server.url}/members/?federation=pol&sort=name")


def test_a_newcomer_finds_a_member_his_chart_his_last_game_and_why_his_rating_moved(
    page, live_server, arena, complaints
):
    page.goto(live_server.url)
    page.get_by_role("combobox", name="Search").press_sequentially("1500001")
    page.locator(".found").get_by_role("option", name="Berg, Anna").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("WGM Berg, Anna")
    expect(page.locator(".history-lines path.blitz")).to_be_visible()
    page.locator(f'a[href="/games/{arena.last.pk}/"]').first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Berg, Anna – Lund, Boris")
    line = RatingChange.objects.of_game(arena.last).first()
    assert (line.before, line.after) == (Decimal("1784.60"), Decimal("1792.60"))
    page.get_by_text("How it was calculated").first.click()
    # RBB 3.9.2: Rn = Ro + K × (score − PD)
    expect(page.get_by_text("Rn = Ro + K × ΔR = 1784.60 + 20 × 0.40 = 1792.60.")).to_be_visible()
    page.get_by_role("link", name="RBB 3.9.2").first.click()
    expect(page).to_have_url(f"{live_server.url}/how-ratings-work/#rbb-3-9-2")
    page.go_back()
    page.get_by_role("link", name="Link to this explanation").first.click()
    expect(page).to_have_url(live_server.url + line.get_absolute_url())
    expect(page.get_by_role("row", name="69–76 0.60 0.40")).to_be_visible()
    assert not complaints


def test_staff_void_a_game_with_a_reason_and_see_the_ratings_move(
    page, live_server, arena, log_in, complaints
):
    log_in("officer")
    page.goto(live_server.url + arena.last.get_absolute_url())
    page.locator(".account summary").click()
    page.get_by_role("link", name="Admin").first.click()
    page.get_by_role("link", name="Void …").click()
    expect(page.get_by_role("heading", name="2 ratings will change")).to_be_visible()
    page.get_by_role("button", name="Void 1 game").click()
    expect(page.get_by_role("heading", name="2 ratings will change")).to_be_visible()
    page.get_by_label("Reason shown to members").select_option("Fair play")
    page.get_by_label("Note for staff").fill("engine use")
    page.get_by_role("button", name="Void 1 game").click()
    expect(page.get_by_role("heading", name="2 ratings changed")).to_be_visible()
    row = page.get_by_role("row", name="Berg, Anna Blitz")
    for text in ("1792.60", "1784.60", "−8.00"):
        expect(row).to_contain_text(text)
    page.goto(live_server.url + arena.last.get_absolute_url())
    expect(page.get_by_role("note")).to_contain_text("Fair play")
    expect(page.get_by_role("main")).not_to_contain_text("engine use")
    page.goto(live_server.url + arena.anna.get_absolute_url())
    expect(page.get_by_role("article").nth(1)).to_contain_text("Unrounded 1784.60")
    assert not complaints
