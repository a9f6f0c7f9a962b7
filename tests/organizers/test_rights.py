"""Who of the office may do what with organizers and sent files, and what is kept of people."""

import csv
import io
import os
import subprocess
import sys
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from ratings.organizers.models import Scope, Submission
from ratings.rbb.personal import erase_member, export_pieces
from tests.arena import member
from tests.migrated import ROOT
from tests.organizers.people import check, good_report, organizer, page_of, sent, tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    client, client.scope = organizer(tournament=tournament())
    client.sent = sent(client.scope, good_report())
    return client


@pytest.fixture
def clerk(client):
    """Logs in somebody with a role of the office, or none."""

    def log_in(role):
        user = User.objects.create_user("clerk", is_staff=role != "member")
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
        return client

    return log_in


@pytest.mark.parametrize(
    ("role", "looks", "invites", "returns", "receives"),
    [
        ("Over the board", True, True, True, True),
        ("Rating officers", True, True, True, True),
        ("League", True, True, False, False),
        ("Auditors", True, False, False, False),
        ("Registrars", False, False, False, False),
        ("Fair play", False, False, False, False),
        ("member", False, False, False, False),
    ],
)
def test_each_role_does_its_part(olga, clerk, role, looks, invites, returns, receives):
    client, of = clerk(role), f"/admin/organizers/submission/{olga.sent.pk}"
    opens = {
        f"{of}/change/": looks,
        f"{of}/file/": looks,
        f"/admin/organizers/scope/{olga.scope.pk}/change/": looks,
        "/admin/organizers/scope/add/": invites,
        f"{of}/return/": returns,
    }
    assert {page: client.get(page).status_code == 200 for page in opens} == opens
    assert (client.post(f"{of}/receive/").get("Location", "").startswith("/admin/otb/")) == receives
    ended = client.post(f"/admin/organizers/scope/{olga.scope.pk}/end/")
    olga.scope.refresh_from_db()
    assert (olga.scope.ended_at is not None) == invites == ("/login/" not in ended.get("Location", "/login/"))


@pytest.mark.parametrize("model", ["scope", "submission"])
def test_no_form_of_the_admin_changes_what_is_stored(olga, officer, model):
    row = olga.scope if model == "scope" else olga.sent
    page = f"/admin/organizers/{model}/{row.pk}/"
    before = type(row).objects.filter(pk=row.pk).values().get()
    posted = officer.post(f"{page}change/", {"source": "x", "federation": "SWE", "email": "x@example.org"})
    assert posted.status_code == 403
    assert officer.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert type(row).objects.filter(pk=row.pk).values().get() == before


def test_the_journal_says_what_organizers_did(olga, officer):
    olga.post(olga.sent.get_absolute_url(), {"withdraw": ""})
    journal = officer.get("/admin/office/journal/").text
    assert "Sent." in journal
    assert "Withdrawn." in journal


def test_findings_are_read_in_the_language_of_the_reader(olga):
    olga.post("/language/set/", {"language": "pl"})
    page = check(olga, page_of(olga.scope), good_report(more=[("XXR", "9")]))
    assert '<html lang="pl">' in page.text
    assert "Wyniki mają 3 rundy, a według sprawozdania rund jest 9." in page.text


def test_a_member_gets_what_is_stored_of_their_reporting(olga):
    who = member("olga", user=olga.scope.user)
    archive = ZipFile(io.BytesIO(b"".join(export_pieces(who, for_staff=False))))
    (reporting,) = csv.DictReader(io.StringIO(archive.read("reporting.csv").decode("utf-8-sig")))
    (report,) = csv.DictReader(io.StringIO(archive.read("sent-reports.csv").decode("utf-8-sig")))
    assert reporting["tournament_name"] == "Fjord Open"
    assert (report["sha256"], report["state"]) == (olga.sent.sha256, "sent")


def test_an_erased_member_reports_nothing_and_their_file_stays_without_them(olga):
    who = member("olga", user=olga.scope.user)
    erase_member(member=who, at=timezone.now())
    olga.sent.refresh_from_db()
    assert (olga.sent.sent_by, olga.sent.scope, olga.sent.state) == (None, None, "sent")
    assert not Scope.objects.exists()


def test_a_deleted_login_leaves_its_files(olga):
    olga.scope.user.delete()
    assert Submission.objects.get().sent_by is None


@pytest.mark.process
@pytest.mark.parametrize(
    ("rooms", "told"),
    [("otb,organizers", "ROOMS: organizers needs otb and league."), ("otb,league,organizers", "")],
)
def test_the_room_needs_those_that_it_reports_to(rooms, told):
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, "ROOMS": rooms},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0, told in done.stderr) == (bool(told), True)
