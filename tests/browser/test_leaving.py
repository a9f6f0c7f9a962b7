"""A member leaves: an officer hands out what is stored of them and erases them."""

from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_officer_exports_and_erases_a_leaver(page, live_server, arena, log_in, check, complaints):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/members/member/{arena.anna.pk}/change/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export all stored data").click()
    with ZipFile(download.value.path()) as archive:
        assert "Berg, Anna" in archive.read("member.csv").decode()
    page.get_by_role("link", name="Erase …").click()
    expect(page.get_by_text("This erases Berg, Anna (anna).")).to_be_visible()
    expect(page.get_by_text("This can’t be undone.")).to_be_visible()
    check()
    page.get_by_label("Note for staff").fill("Berg, Anna wrote.")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("Don’t name the member in the note")).to_be_visible()
    check()
    page.goto(f"{live_server.url}/admin/members/member/erase/?member={arena.anna.pk}")
    page.get_by_label("Note for staff").fill("Asked by mail on 5 November.")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("Done:")).to_be_visible()
    check()
    page.goto(f"{live_server.url}{arena.anna.get_absolute_url()}")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Withdrawn member {arena.anna.pk}")
    expect(page.get_by_text("Berg")).to_have_count(0)
    check()
    page.goto(f"{live_server.url}/lists/blitz/2026-04/1/")
    check()
    assert complaints == []
