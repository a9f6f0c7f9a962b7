"""A FIDE list in a browser: uploaded, imported while its page watches, announced after a preview."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from ratings.rules.time_controls import Category
from tests.arena import points
from tests.fide.office import combined, listed

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_list_is_uploaded_and_announced(page, live_server, arena, log_in, worker, complaints):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/fide/fidelist/")
    page.get_by_role("link", name="Import a FIDE list …").click()
    what = combined(listed(1500001, "Berg, Anna", rapid=1815), listed(7, "Lund, Boris"))
    upload = {"name": "list.txt", "mimeType": "text/plain", "buffer": what}
    page.get_by_label("Month").fill("May")
    page.get_by_label("File").set_input_files(upload)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was imported.")
    page.get_by_label("Month").fill("2026-05")
    page.get_by_label("File").set_input_files(upload)
    page.get_by_label("Import despite warnings").check()
    page.get_by_role("button", name="Import").click()
    status = page.locator("#job [role=status]")
    expect(status).to_have_text("Queued; waiting for a worker.")
    worker()
    expect(status).to_have_text("Done.")
    page.locator("#job").get_by_role("link", name="List", exact=True).click()
    page.get_by_role("link", name="Announce …").click()
    expect(status).to_have_text("Queued; waiting for a worker.")
    worker()
    row = page.locator("#moved").get_by_role("row", name="Berg, Anna")
    before = str(points(arena.anna, Category.RAPID))
    expect(row).to_contain_text("+13.00")
    expect(row).to_contain_text(before)
    page.get_by_role("button", name="Announce").click()
    worker()
    expect(status).to_have_text("Done.")
    assert points(arena.anna, Category.RAPID) == Decimal(before) + 13
    page.locator("#job").get_by_role("link", name="Changes").click()
    expect(page.get_by_role("row", name="Berg, Anna")).to_contain_text("+13.00")
    page.goto(f"{live_server.url}/fide/players/?player=berg")
    # The first link is his card over the board, the other one the member.
    page.get_by_role("cell", name="Berg, Anna").get_by_role("link").last.click()
    page.get_by_role("link", name="Over the board", exact=True).click()
    expect(page.get_by_text("Published by FIDE, separate from the arena’s ratings.")).to_be_visible()
    assert not complaints
