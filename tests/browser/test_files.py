"""A file as a spreadsheet saves it, from the upload to the ledger, on pages that everybody can use."""

import pytest
from playwright.sync_api import expect

from members.models import Member
from ratings.office.models import FileImport
from ratings.rbb.models import OpeningRating
from tests.arena import member
from tests.browser.looking import NARROW
from tests.commands import game_row
from tests.files import games_csv

pytestmark = pytest.mark.django_db(transaction=True)

FILE = (
    "Username;Category;Rating;Effective at\r\n"
    "łucja;blitz;1799,60;01.03.2026\r\n"
    "boris;blitz;1500,00;01.03.2026\r\n"
    "nikt;blitz;1500;01.03.2026\r\n"
)


def test_an_officer_brings_a_file_of_a_spreadsheet_looks_at_it_and_applies_it(
    page, live_server, arena, log_in, worker, check
):
    page.set_viewport_size({"width": NARROW, "height": 900})
    member("łucja")
    openings = OpeningRating.objects.count()

    def bring():
        page.goto(f"{live_server.url}/admin/office/fileimport/")
        check()
        if FileImport.objects.exists():
            page.locator("#bring summary").click()
        page.locator("#bring").get_by_role("link", name="Import starting ratings …").click()
        check()
        content = FILE.encode("cp1250")
        page.get_by_label("File").set_input_files(
            {"name": "ratings.csv", "mimeType": "text/csv", "buffer": content}
        )
        page.get_by_role("button", name="Check the file").click()
        expect(page.locator("#job [role=status]")).to_have_text("Queued; waiting for a worker.")
        check()
        # The page follows by itself.
        worker()
        how = "semicolon-separated, Windows-1250, decimal commas, dates as dd.mm.yyyy"
        expect(page.get_by_text(f"Read as {how}")).to_be_visible()
        looked = "The worker has checked the file. Nothing has been stored yet."
        expect(page.locator("#job [role=status]")).to_have_text(looked)

    log_in("officer")
    bring()
    expect(page.get_by_text("“Effective at” is effective_at")).to_be_visible()
    expect(page.locator("#problems")).to_contain_text("line 4: username: “nikt” is not registered")
    expect(page.locator("#problems")).to_contain_text("line 3: boris already has a starting rating in blitz")
    expect(page.locator("#moved").get_by_role("row", name="łucja")).to_contain_text("1799.60")
    check()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all refused rows as CSV").click()
    assert download.value.suggested_filename == "ratings-refused.csv"
    assert OpeningRating.objects.count() == openings

    page.get_by_role("button", name="Import the starting ratings").click()
    expect(page.locator("#job [role=status]")).to_have_text("Queued; waiting for a worker.")
    worker()
    expect(page.locator("#job [role=status]")).to_have_text("Done.")
    check()
    assert OpeningRating.objects.get(member__username="łucja").games == 0

    bring()
    expect(page.get_by_text("Rows read: 3. New: 0. Already there: 1. Refused: 2.")).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("File discarded. Nothing was stored.")).to_be_visible()
    check()
    assert FileImport.objects.filter(dropped_at=None).count() == 1


def test_unknown_players_are_registered_by_a_button_before_anything_is_stored(
    page, live_server, arena, log_in, worker, check
):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/office/fileimport/bring/import-games/")
    content = games_csv(*(game_row(number, f"new{number}", "anna") for number in (1, 2)))
    page.get_by_label("File").set_input_files(
        {"name": "games.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.get_by_role("button", name="Check the file").click()
    worker()
    expect(page.locator("#problems")).to_contain_text("2 rows: players who are not registered")
    page.get_by_text("Change the options").click()
    page.get_by_text("Which rows?").click()
    check()
    page.get_by_role("button", name="Register 2 members").click()
    worker()
    expect(page.get_by_text("Members registered: 2")).to_be_visible()
    page.get_by_text("Change the options").click()
    expect(page.get_by_label("Register unknown players")).to_be_checked()
    check()
    assert not Member.objects.filter(username__startswith="new").exists()
