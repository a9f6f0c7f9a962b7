"""The way of a tournament behind the counter: reported, judged and rated, on pages that everybody can use."""

from datetime import date

import pytest
from playwright.sync_api import expect

from ratings.otb.models import Tournament
from tests.backoffice import admin_page
from tests.otb.tournaments import everybody_listed, report, round_robin

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_the_report_to_the_closing_of_the_period_every_page_keeps_the_rules(
    page, live_server, arena, log_in, worker, check
):
    players = everybody_listed(2000, 1900, 1800, 1700, period=date(2026, 4, 1))
    players[0] = players[0]._replace(rating=2050)
    content = report(players, round_robin("*111", "0*11", "00*1", "000*"))
    log_in("officer")
    tournaments = "/admin/otb/tournament/"
    check(f"{tournaments}receive/")

    def upload(what):
        page.goto(f"{live_server.url}{tournaments}receive/")
        file = {"name": "open.trf", "mimeType": "text/plain", "buffer": what}
        page.get_by_label("File").set_input_files(file)
        page.get_by_role("button", name="Preview").click()

    upload(content.replace(b"001 ", b"101 ", 1))
    expect(page.get_by_role("alert")).to_contain_text("Nothing was stored.")
    check()
    upload(content)
    remarks = page.get_by_role("region", name="Remarks on the report")
    expect(remarks).to_contain_text("rated 2050 in the report, but 2000")
    check()
    page.get_by_role("button", name="Import the report").click()
    expect(page.get_by_text("Report open.trf received.")).to_be_visible()
    check()
    judge = admin_page(Tournament.objects.get(), "judge")
    check(admin_page(Tournament.objects.get()))
    check(judge)
    page.get_by_label("Why it is accepted:").fill("The storm")
    page.get_by_role("button", name="Accept those with a reason …").click()
    expect(page.get_by_role("button", name="Accept", exact=True)).to_be_visible()
    check()
    page.get_by_role("button", name="Accept", exact=True).click()
    expect(
        page.get_by_text("Accepted (B.02 0.4, registered less than a month ahead): The storm")
    ).to_be_visible()
    page.goto(live_server.url + judge)
    expect(page.get_by_text("Nothing prevents the tournament from being rated.")).to_be_visible()
    page.get_by_label("Reasons").fill("No arbiter.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("button", name="Refuse")).to_be_visible()
    check()
    lists = "/admin/otb/otblist/"
    check(f"{lists}close/?until=2026-04-24")
    worker()
    expect(page.get_by_role("region", name="All players with a rated game")).to_contain_text("+11.25")
    page.get_by_role("button", name="Close the period and publish the list").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Job")
    for address in (lists, tournaments, f"{lists}close/?until=2999-01-01"):
        check(address)
