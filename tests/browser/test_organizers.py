"""The way of a report from its organizer to the office, on pages that everybody can use."""

import re

import pytest
from django.core import mail
from playwright.sync_api import expect

from ratings.organizers.models import Scope, Submission
from tests.backoffice import admin_page
from tests.browser.conftest import PASSWORD, log_out
from tests.organizers.people import MET, tournament
from tests.otb.tournaments import FIRST_DAY, everybody_listed, report

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_organizer_is_invited_mends_a_report_and_sends_it_and_the_office_receives_it(
    page, live_server, arena, log_in, worker, check
):
    of = tournament()
    players = everybody_listed(2100, 2000, 1900, 1800)
    content = report(players, MET, days=[FIRST_DAY] * 3)

    log_in("officer")
    check("/admin/organizers/scope/add/")
    page.get_by_label("Email address").fill("olga@example.org")
    page.get_by_role("combobox", name="Tournament").click()
    page.get_by_role("option", name="Fjord Open").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("An invitation is on its way to olga@example.org.")).to_be_visible()
    check()
    check("/admin/organizers/scope/")
    worker()
    (path,) = re.findall(r"(/organizers/invitation/\S+)", mail.outbox[-1].body)
    page.goto(live_server.url)
    log_out(page)

    check(path)
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Set up my login").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My tournaments")
    expect(page.get_by_role("row", name="Fjord Open")).to_contain_text("registered")
    check()

    def upload(what):
        file = {"name": "open.trf", "mimeType": "text/plain", "buffer": what}
        page.get_by_label("File").set_input_files(file)
        page.get_by_role("button", name="Check the file").click()

    page.get_by_role("link", name="Fjord Open").click()
    check()
    upload(content.replace(b"001 ", b"101 ", 1))
    expect(page.get_by_role("alert")).to_contain_text("Nothing was sent.")
    expect(page.get_by_role("alert")).to_contain_text("line ")
    check()
    upload(report(players, MET, days=[FIRST_DAY] * 3, more=[("XXR", "9")]))
    expect(page.get_by_text("the report says that there are 9 rounds")).to_be_visible()
    check()
    upload(content)
    expect(page.get_by_text("No findings.")).to_be_visible()
    page.get_by_role("button", name="Send to the office").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Receipt")
    sent = Submission.objects.get()
    expect(page.get_by_text(sent.sha256)).to_be_visible()
    check()
    log_out(page)

    log_in("officer")
    page.goto(f"{live_server.url}/admin/")
    expect(page.get_by_text("Report received: Fjord Open (14 Mar 2026), open.trf")).to_be_visible()
    check("/admin/organizers/submission/")
    check(admin_page(sent))
    page.get_by_role("button", name="Import …").click()
    page.get_by_role("button", name="Import the report").click()
    expect(page.get_by_text("Report open.trf received.")).to_be_visible()
    check(admin_page(sent))
    check(admin_page(Scope.objects.get()))
    page.goto(live_server.url)
    log_out(page)

    log_in("olga")
    page.get_by_role("link", name="My tournaments").click()
    expect(page.get_by_role("row", name="Fjord Open")).to_contain_text("received")
    of.refresh_from_db()
    assert bytes(of.report.content) == content
