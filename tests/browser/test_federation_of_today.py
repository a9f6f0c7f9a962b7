"""A month of a federation under FIDE's regulations of 2024: from three reports to three published lists."""

import re
from datetime import date

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from playwright.sync_api import expect

from ratings.formats.frl import FideControl, FideRating
from ratings.otb.models import OtbListEntry
from tests.browser.conftest import PASSWORD, log_out
from tests.commands import run
from tests.fide.office import in_force, listed, single
from tests.organizers.people import MET
from tests.otb.tournaments import entrant, report

pytestmark = pytest.mark.django_db(transaction=True)

ID = 1_500_000
SEPTEMBER = date(2026, 9, 1)
STANDARD, RAPID, BLITZ = FideControl

# Name, year of birth, K, and the ratings in standard, rapid and blitz.
ON_FIDES_LISTS = {
    1: ("Aas, Berit", 1990, 10, (2660, 2610, 2610)),
    2: ("Bakke, Carl", 1988, 20, (2000, 2000, 2000)),
    3: ("Dahl, Erik", 1991, 20, (1900, None, 1900)),
    4: ("Eide, Frida", 2010, 40, (1800, 1800, 1800)),
    5: ("Foss, Guro", 1985, 20, (1700, 1700, 1700)),
    6: ("Gran, Hans", 1975, 20, (1600, 1600, 1600)),
}
NEWCOMER = 7

# Rating and K on the lists of October, worked out from the articles.
OCTOBER = {
    STANDARD: {
        # 8.3.1: 2660 has no cap, so that 1900 and 1800 are 1.00 each. 1½ of 2: 10 × −0.50.
        1: (2655, 10),
        2: (2000, 20),
        # 1900 has the cap: 0.08 against 2660. A draw: 20 × 0.42 = 8.40.
        3: (1908, 20),
        # 8.3.3: young. 0.64 + 0.08 of 2, and 1 point: 40 × 0.28 = 11.20.
        4: (1811, 40),
        # 0.36 and no point: 20 × −0.36 = −7.20.
        5: (1693, 20),
        6: (1600, 20),
        # 8.2: Ra = (9000 + 3600) ÷ 7 = 1800; p = 4½ ÷ 7 = 0.64, dp 102.
        7: (1902, 40),
    },
    RAPID: {
        1: (2610, 10),
        # 0.64 + 0.76 + 0.85 of 3, and 2 points: 20 × −0.25.
        2: (1995, 20),
        # 7.2.1: begins with 1900, K of a new player. 0.36 + 0.64 + 0.76, and 1½: 40 × −0.26 = −10.40.
        3: (1890, 40),
        # 0.24 + 0.36 + 0.64, and 1½: 40 × 0.26 = 10.40.
        4: (1810, 40),
        # 0.15 + 0.24 + 0.36, and 1: 20 × 0.25.
        5: (1705, 20),
        6: (1600, 20),
    },
    BLITZ: {
        # 7.3.1: 2610 against 2000 isn't rated.
        1: (2610, 10),
        # 0.64 and a point: 20 × 0.36 = 7.20, for both.
        2: (2007, 20),
        3: (1893, 20),
        4: (1800, 40),
        5: (1700, 20),
        6: (1600, 20),
        # Ra = 1800; p = 3 ÷ 7 = 0.43, dp −50.
        7: (1750, 40),
    },
}


def entrants(*numbers):
    """Players of a report in this order, with their standard ratings."""
    known = {**ON_FIDES_LISTS, NEWCOMER: ("Holm, Ida", 2001, None, (None,))}
    return [
        entrant(at, known[one][3][0], ID + one, name=known[one][0], birth=f"{known[one][1]}/00/00")
        for at, one in enumerate(numbers, 1)
    ]


def reports():
    """A standard Swiss, a rapid round robin and a blitz Swiss."""
    everybody = entrants(1, 2, 3, 4, 5, 6, 7)
    slow = [
        {(2, 7): "1", (1, 3): "=", (4, 5): "1"},
        {(3, 7): "=", (1, 4): "1"},
        {(4, 7): "0"},
        {(5, 7): "0"},
        {(6, 7): "0"},
    ]
    fast = [
        {(2, 7): "1", (1, 3): "1"},
        {(3, 7): "1", (1, 2): "1"},
        {(4, 7): "="},
        {(5, 7): "="},
        {(6, 7): "0"},
    ]
    fast[2] |= {(2, 3): "1"}
    return {
        STANDARD: report(
            everybody,
            slow,
            name="Bergen Open",
            kind="Swiss",
            control="5400+30",
            first_day=date(2026, 9, 5),
        ),
        RAPID: report(
            entrants(2, 3, 4, 5),
            MET,
            name="Oslo Rapid",
            kind="Individual: Round-Robin",
            control="900+10",
            first_day=date(2026, 9, 12),
        ),
        BLITZ: report(
            everybody,
            fast,
            name="Fjord Blitz",
            kind="Swiss",
            control="180+2",
            first_day=date(2026, 9, 19),
        ),
    }


def import_list(control, period, content, directory):
    path = directory / f"{control}-{period}.txt"
    path.write_bytes(content)
    # The list of September comes first; that of October changes so many of so few.
    return run("import_frl", str(path), "--period", period, "--control", control, "--force").out


@pytest.fixture
def office(settings, tmp_path, live_server):
    """An office with a superuser and FIDE's lists of September, and nothing else."""
    settings.OTB_REGULATIONS_2024_SINCE = None
    get_user_model().objects.create_superuser("officer", password=PASSWORD)
    for at, control in enumerate(FideControl):
        rows = [
            listed(ID + one, name, birth_year=born)._replace(**{control: FideRating(ratings[at], 5, k)})
            for one, (name, born, k, ratings) in ON_FIDES_LISTS.items()
            if ratings[at]
        ]
        assert "0 refused" in import_list(control, "2026-09", single(control, SEPTEMBER, *rows), tmp_path)


def become_organizer(page, live_server, log_in, worker):
    """The officer invites a federation; its organizer sets up a login."""
    log_in("officer")
    page.goto(f"{live_server.url}/admin/organizers/scope/add/")
    page.get_by_label("Email address").fill("olga@example.org")
    page.get_by_label("Federation:").fill("NOR")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("An invitation is on its way to olga@example.org.")).to_be_visible()
    worker()
    page.goto(live_server.url)
    log_out(page)
    (path,) = re.findall(r"(/organizers/invitation/\S+)", mail.outbox[-1].body)
    page.goto(live_server.url + path)
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Set up my login").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My tournaments")


def send_reports(page, check, sent):
    """Two reports with faults are checked and mended; the three good ones are sent."""
    page.get_by_role("link", name="Report another tournament from this federation").click()
    new_one = page.url

    def upload(content):
        page.goto(new_one)
        file = {"name": "open.trf", "mimeType": "text/plain", "buffer": content}
        page.get_by_label("File").set_input_files(file)
        page.get_by_role("button", name="Check the file").click()

    upload(sent[STANDARD].replace(b"001 ", b"101 ", 1))
    expect(page.get_by_role("alert")).to_contain_text("looks like a player, but isn’t a record 001")
    upload(sent[BLITZ].replace(b"222 180+2", b"222 180"))
    expect(page.get_by_text("the games are neither standard, rapid nor blitz")).to_be_visible()
    check()
    for control, name in ((STANDARD, "Bergen Open"), (RAPID, "Oslo Rapid"), (BLITZ, "Fjord Blitz")):
        upload(sent[control])
        expect(page.locator("dt:text-is('Rating type') + dd")).to_have_text(control)
        if control == RAPID:
            expect(page.get_by_text("the standard rating on that day, 1900, is used")).to_be_visible()
        page.get_by_role("button", name="Send to the office").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Receipt")
        expect(page.locator("hgroup")).to_contain_text(name)
    page.get_by_role("link", name="My tournaments").first.click()
    expect(page.get_by_role("row", name="Oslo Rapid")).to_contain_text("sent")
    check()


def receive_reports(page, live_server, check):
    """The office receives what is due."""
    for name in ("Bergen Open", "Oslo Rapid", "Fjord Blitz"):
        page.goto(f"{live_server.url}/admin/")
        due = page.get_by_role("listitem").filter(has_text=f"Report received: {name}")
        due.get_by_role("link", name="Review it").click()
        page.get_by_role("button", name="Import …").click()
        page.get_by_role("button", name="Import the report").click()
        expect(page.get_by_text("Report open.trf received.")).to_be_visible()
    check()


def close_periods(page, live_server, worker, check):
    """What is due leads to the preview of each chapter's list, which is then published."""
    for chapter in ("", "rapid ", "blitz "):
        page.goto(f"{live_server.url}/admin/")
        due = page.get_by_role("listitem").filter(has_text=f"Over-the-board {chapter}list of 1 Oct 2026")
        due.get_by_role("link", name="Close the period").click()
        worker()
        published = f"Over-the-board {chapter}list 1 Oct 2026, revision 1"
        expect(page.get_by_text(f"{published} will be published")).to_be_visible()
        if not chapter:
            check()
        page.get_by_role("button", name="Close the period and publish the list").click()
        expect(page.locator("#job [role=status]")).to_be_visible()
        worker()
        expect(page.get_by_text(f"{published} is published.")).to_be_visible()
    page.goto(f"{live_server.url}/admin/")
    expect(page.get_by_text("the period has ended")).to_have_count(0)


def look_at_explanations(page, live_server, check):
    """How a rated player, a new one and one with a standard rating got their figures."""

    def explained(tournament, player, *steps):
        page.goto(f"{live_server.url}/fide/tournaments/")
        page.get_by_role("link", name=tournament).click()
        page.get_by_role("link", name=player).first.click()
        for step in steps:
            expect(page.locator(".steps")).to_contain_text(step)

    explained("Bergen Open", "Aas, Berit", "For players rated 2650 or more", "2660 + (−5.00) = 2655.00")
    expect(page.get_by_role("row", name="Dahl, Erik")).to_contain_text("760")
    explained("Bergen Open", "Holm, Ida", "Ra = (9000 + 3600) ÷ 7 = 1800", "Ru = Ra + dp = 1902")
    check()
    explained(
        "Oslo Rapid",
        "Dahl, Erik",
        "The standard rating on that day, 1900, is used. (B.02 RB (2024) 7.2.1)",
        "K = 40, as for a player new to the list.",
        "1900 + (−10.40) = 1889.60",
    )
    check()


def bring_to_another_office(page, live_server, tmp_path):
    """The file of each list is what the command writes, and what another office imports as FIDE's."""
    for column, control in enumerate(FideControl, 1):
        page.goto(f"{live_server.url}/fide/otb/")
        row = page.get_by_role("row").filter(has_text="1 Oct 2026")
        row.get_by_role("cell").nth(column).get_by_role("link").click()
        page.locator("summary", has_text="Download").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="TXT").first.click()
        content = download.value.path().read_bytes()
        assert content == run("export_frl", "--chapter", control).out.encode()
        assert f"{len(OCTOBER[control])} players, 0 refused" in import_list(
            control, "2026-10", content, tmp_path
        )
    assert [
        {who - ID: ratings[at] for who, ratings in in_force().items() if ratings[at] is not None}
        for at in (1, 2, 3)
    ] == [{who: rating for who, (rating, _k) in expected.items()} for expected in OCTOBER.values()]


def test_a_federation_reports_a_month_and_the_office_publishes_its_three_lists(
    page, live_server, office, log_in, worker, check, tmp_path
):
    sent = reports()
    become_organizer(page, live_server, log_in, worker)
    send_reports(page, check, sent)
    log_out(page)
    log_in("officer")
    receive_reports(page, live_server, check)
    close_periods(page, live_server, worker, check)
    for control, expected in OCTOBER.items():
        entries = OtbListEntry.objects.filter(otb_list__chapter=[*FideControl].index(control) + 1)
        of_october = entries.filter(otb_list__list_day=date(2026, 10, 1))
        assert {one.fide_id - ID: (one.rating, one.k) for one in of_october} == expected
    look_at_explanations(page, live_server, check)
    bring_to_another_office(page, live_server, tmp_path)
    assert "no open findings" in run("audit").out
