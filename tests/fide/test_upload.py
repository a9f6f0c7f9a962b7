"""Importing a FIDE list from the admin: uploaded, kept for the worker alone, imported by a job or refused."""

import io
import os
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from foa import uploads
from ratings.fide.models import FideList, FidePlayer
from ratings.fide.tasks import import_list
from ratings.office.jobs import enqueue, settle
from ratings.office.models import Job
from ratings.office.uploads import discard_leftovers, keep, taken
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import look
from tests.fide.office import NOVEMBER, OCTOBER, bring_players, combined, everything, in_force, listed, single
from tests.files import brought_files
from tests.pages import words

pytestmark = pytest.mark.django_db

LISTS, IMPORT = admin_page(FideList), admin_page(FideList, "import")
ANNA, BORIS = listed(1, "Berg, Anna", rapid=1800), listed(2, "Lund, Boris", blitz=1700)


def posted(what, **changes):
    file = SimpleUploadedFile(changes.pop("name", "list.txt"), what)
    return {"file": file, "month": "2025-11", "control": "", **changes}


def kept(settings):
    """The files that are kept for the worker."""
    return brought_files()


def packed(what, name="list.txt"):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, what)
    return stream.getvalue()


def test_the_lists_lead_to_the_form_for_who_may_import(clerk):
    officer, auditor = map(clerk, ("Rating officers", "Auditors"))
    assert f'href="{IMPORT}"' in officer.get(LISTS).text
    response = officer.get(IMPORT)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert IMPORT not in auditor.get(LISTS).text


@pytest.mark.parametrize("make", [bytes, packed])
def test_an_uploaded_list_is_kept_for_the_office_alone_imported_by_the_worker_and_then_deleted(
    officer, worker, settings, make
):
    response = officer.post(IMPORT, posted(make(combined(ANNA, BORIS))))
    job = Job.objects.get()
    assert response["Location"] == admin_page(job)
    assert job.title == "Import the November 2025 FIDE list: list.txt"
    (file,) = kept(settings)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert "list" not in file.name
    assert not FideList.objects.exists()
    worker()
    assert kept(settings) == []
    (archive,) = settings.UPLOAD_DIR.glob("fide-lists/*")
    assert (archive.stat().st_mode & 0o777, archive.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert archive.name == f"{FideList.objects.get().sha256}.zip"
    with zipfile.ZipFile(archive) as opened:
        assert opened.read(opened.namelist()[0]) == combined(ANNA, BORIS)
    assert in_force() == {1: ("Berg, Anna", None, 1800, None), 2: ("Lund, Boris", None, None, 1700)}
    fide_list = FideList.objects.get()
    assert (fide_list.period, fide_list.source, fide_list.imported_by.username) == (
        NOVEMBER,
        "list.txt",
        "Rating officers",
    )
    page = officer.get(admin_page(job))
    text = words(page)
    assert "Done. November 2025 FIDE rating list: rows read: 2, players: 2, rows refused: 0." in text
    assert "In force now for standard, rapid, blitz. Players added: 2, changed: 0, removed: 0." in text
    assert "Next: first ratings for members who are waiting, then the month’s over-the-board changes." in text
    announce = f"{admin_page(FideList, 'announce')}?period=2025-11"
    waiting = admin_page(FideList, "waiting")
    for link in (admin_page(fide_list), "/fide/lists/", "/fide/players/", waiting, announce):
        assert f'href="{link}"' in page.text
        assert look(officer, link).status_code == 200


def test_the_job_names_a_hundred_refused_rows_with_line_and_reason_and_how_many_more(officer, worker):
    bad = [listed(number, standard=1900) for number in range(10, 115)]
    officer.post(IMPORT, posted(combined(ANNA, *bad).replace(b"1900", b"9900"), force="on"))
    worker()
    told = Job.objects.get().outcome[-1]["text"].split("\n")
    assert len(told) == 102
    assert told[0] == "105 rows were refused:"
    assert told[1].startswith("line 3: ")
    assert told[-1] == "… and 5 more."
    assert FidePlayer.objects.count() == 1


def test_the_job_names_a_hundred_remarks_on_rows_that_were_taken_and_how_many_more(officer, worker):
    text = combined(*(listed(number) for number in range(10, 115))).replace(b"NOR F", b"*   F")
    officer.post(IMPORT, posted(text))
    worker()
    told = Job.objects.get().outcome[-1]["text"].split("\n")
    assert len(told) == 102
    assert told[0] == "105 remarks on accepted rows:"
    assert told[1] == "line 2: federation: “*” isn’t three capital letters; left blank (Berg, Anna, 10)"
    assert told[-1] == "… and 5 more."
    assert FidePlayer.objects.count() == 105


def test_a_doubtful_list_changes_nothing_and_the_job_says_why_and_one_forced_is_imported(
    officer, worker, settings
):
    bring_players(OCTOBER, ANNA, BORIS, listed(3))
    before = everything()
    officer.post(IMPORT, posted(combined(ANNA)))
    worker()
    assert (everything(), kept(settings)) == (before, [])
    job = Job.objects.get()
    assert (job.state, job.outcome) == ("failed", [])
    assert "The list was refused, and nothing was stored: it has 1 player" in job.error
    assert "less than 90% of the 3 in force" in job.error
    assert job.error.endswith("tick “Import despite warnings”.")
    assert "The list was refused" in words(officer.get(admin_page(job)))
    officer.post(IMPORT, posted(combined(ANNA), force="on"))
    worker()
    assert Job.objects.first().state == "done"
    assert set(in_force()) == {1}


def test_rows_of_the_same_fide_id_are_named_in_the_job_and_one_is_kept(officer, worker):
    officer.post(IMPORT, posted(combined(ANNA, listed(2), listed(2, rapid=1700), listed(2))))
    worker()
    told = " ".join(one["text"] for one in Job.objects.get().outcome)
    assert "rows read: 4, players: 2, rows refused: 2." in told
    assert "2 of the refused rows repeat the FIDE ID of a row that was kept." in told
    assert "line 3: FIDE ID 2 is also on line 4; that row is kept, because it comes later" in told
    assert "line 5: FIDE ID 2 is also on line 4; that row is kept, because it has a rating" in told
    assert in_force()[2] == ("Berg, Anna", None, 1700, None)


def test_a_list_that_is_refused_names_the_rows_that_could_not_be_read(officer, worker, settings):
    officer.post(IMPORT, posted(combined(ANNA, listed(2, standard=1900)).replace(b"1900", b"9900")))
    worker()
    job = Job.objects.get()
    assert "1 of its 2 rows are refused, more than 1 in 1,000" in job.error
    assert "line 3: standard rating: 9900 is above 3500" in job.outcome[0]["text"]
    assert (everything(), kept(settings)) == ([[], [], []], [])


def test_the_same_file_again_is_nothing_to_do(officer, worker):
    for _ in range(2):
        officer.post(IMPORT, posted(combined(ANNA)))
        worker()
    assert "this file was already imported" in Job.objects.first().outcome[0]["text"]
    assert FideList.objects.count() == 1


def test_a_list_of_one_control_is_imported_as_that(officer, worker):
    bring_players(OCTOBER, listed(1, "Berg, Anna", rapid=1800, blitz=1700))
    what = single("rapid", NOVEMBER, listed(1, "Berg, Anna", rapid=1850))
    officer.post(IMPORT, posted(what, control="rapid", force="on"))
    worker()
    assert Job.objects.get().title == "Import the November 2025 FIDE list, rapid: list.txt"
    assert in_force() == {1: ("Berg, Anna", None, 1850, 1700)}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"month": "November"}, "Write the month like this: 2026-03."),
        ({"month": "2999-01"}, "FIDE has not published that month yet."),
        ({"month": "1500-01"}, "FIDE has not published that month yet."),
        ({"month": "9" * 30}, "at most 10 characters"),
        ({"control": "bullet"}, "bullet is not one of the available choices"),
        ({"file": ""}, "This field is required."),
        ({"file": SimpleUploadedFile("x.txt", b"no list at all\r\n")}, "Nothing was imported."),
        ({"file": SimpleUploadedFile("x.xml", b"<!DOCTYPE x><playerslist/>")}, "Nothing was imported."),
        ({"file": SimpleUploadedFile("x.zip", b"PK\x03\x04broken")}, "Nothing was imported."),
        ({"file": SimpleUploadedFile("x.txt", b"")}, "The submitted file is empty."),
        ({"control": "rapid"}, "Nothing was imported."),
    ],
)
def test_what_is_no_list_is_refused_on_the_page_and_no_job_begins(officer, worker, settings, changes, told):
    response = officer.post(IMPORT, posted(combined(ANNA)) | changes)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert told in words(response)
    assert (Job.objects.count(), kept(settings)) == (0, [])


def test_no_form_takes_more_than_its_limit(officer, client, worker):
    with patch.object(uploads, "MOST_OTHERWISE", 2_000), patch.object(uploads, "MOST_OF_A_LIST", 4_000):
        asked = (
            (1_000, "/login/", client, 200),
            (2_500, "/login/", client, 400),
            (4_500, IMPORT, officer, 400),
        )
        for size, address, visitor, status in asked:
            assert visitor.post(address, posted(b"x" * size)).status_code == status
        assert officer.post(IMPORT, posted(b"x" * 2_500)).status_code == 200


def test_what_a_killed_worker_or_an_upload_without_job_left_behind_is_deleted_with_the_next_job(
    settings, worker, django_user_model
):
    waiting, gone, recent = (keep([b"x"]) for _ in range(3))
    by = django_user_model.objects.create_superuser("officer")
    asked = {"source": "x", "month": "2025-11-01", "control": "", "force": False}
    enqueue(import_list, title="Import", by=by, upload=waiting, **asked)
    long_ago = time.time() - 4_000
    for name in (waiting, gone):
        os.utime(Path(settings.UPLOAD_DIR) / name, (long_ago, long_ago))
    settle()
    assert {file.name for file in kept(settings)} == {waiting, recent}
    worker()
    assert {file.name for file in kept(settings)} == {recent}
    discard_leftovers()


def test_a_file_is_deleted_even_if_its_job_is_stopped(settings, worker):
    name = keep([b"ab", b"c"])
    with suppress(KeyboardInterrupt), taken(name) as stream:
        assert stream.read() == b"abc"
        raise KeyboardInterrupt
    assert kept(settings) == []


def test_an_upload_that_breaks_off_leaves_nothing(settings, worker):
    def chunks():
        yield b"x"
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011  of any kind
        keep(chunks())
    assert kept(settings) == []
