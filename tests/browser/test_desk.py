"""The officer's day, in a browser: what is due is done from the first page of the admin."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_officer_publishes_a_month_from_the_list_of_the_day_and_it_is_gone_from_it(
    page, live_server, arena, log_in, worker, check
):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/")
    expect(page.get_by_role("heading", name="What is due")).to_be_visible()
    due = page.locator("section[aria-labelledby=due-heading] li")
    first = due.filter(has_text=" rating lists: ").first
    text = first.locator("p").inner_text()
    first.get_by_role("link", name="Publish").click()
    expect(page.locator("#job [role=status]")).to_have_text("Queued; waiting for a worker.")
    worker()
    page.get_by_role("button", name="Publish 3 lists").click()
    expect(page.locator("#job [role=status]")).to_have_text("Queued; waiting for a worker.")
    worker()
    expect(page.locator("#job [role=status]")).to_have_text("Done.")
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="What is due")).to_be_visible()
    expect(due.filter(has_text=text)).to_have_count(0)
    check()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_desk_and_the_calendar_fit_the_window(page, live_server, arena, log_in, width):
    page.set_viewport_size({"width": width, "height": 900})
    log_in("officer")
    for address in ("/admin/", "/calendar/"):
        page.goto(live_server.url + address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_a_page_of_the_admin_has_the_whole_width_of_a_phone(page, live_server, arena, log_in):
    log_in("officer")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/admin/otb/tournament/")
    assert page.locator("#content-start").bounding_box()["width"] == 390


def test_an_officer_finds_who_changed_a_game_last_march(page, live_server, arena, log_in, check):
    changed = arena.last
    changed._history_user = User.objects.get(username="officer")
    changed.termination = "resignation"
    changed.save()
    changed.history.update(history_date=datetime(2026, 3, 12, 9, 30, tzinfo=UTC))
    log_in("officer")
    page.goto(f"{live_server.url}/admin/")
    page.locator(".menu").get_by_role("link", name="Journal", exact=True).click()
    page.get_by_label("Kind").select_option("Game")
    page.get_by_label("From").fill("2026-03-01")
    page.get_by_label("Until").fill("2026-03-31")
    page.get_by_role("button", name="Show").click()
    line = page.locator("#content-main tbody tr")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("12 Mar 2026, 09:30 UTC officer")
    expect(line).to_contain_text("resignation")
    check()
