"""Announcing a FIDE list from the admin (RBB 3.15): every member affected is named first; the way back."""

import re
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from django.utils.html import escape

from ratings.fide.models import Announcement, FideList
from ratings.fide.services.announcing import announce
from ratings.office.models import ChangeSet, Job
from ratings.rbb.models import OtbAdjustment
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, points, projections
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import REASONS, decide, look, shown_on
from tests.fide.office import NOVEMBER, OCTOBER, bring_players, listed
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

ANNOUNCE, UNDO = admin_page(FideList, "announce"), admin_page(FideList, "undo")
MONTH = "?period=2025-11"
RAPID, BLITZ, _ = Category


def two_lists():
    """A rated member whom two lists know; another whose ratings the lists leave alone."""
    anna = member("anna", name="Berg, Anna", fide_id=1)
    opening(anna, "1500.55", RAPID)
    opening(anna, "1400.45", BLITZ)
    # Of that day there is no list, so RBB 3.4 gives him nothing.
    other = member("boris", name="Lund, Boris", fide_id=2, full_from=datetime(2025, 9, 1, tzinfo=UTC))
    opening(other, "1700", BLITZ)
    bring_players(OCTOBER, listed(1, rapid=1800, blitz=1700), listed(2, rapid=1900))
    bring_players(NOVEMBER, listed(1, rapid=1812, blitz=1689), listed(2, rapid=1950))
    return anna


@pytest.fixture(scope="class")
def anna(standing):
    return standing(two_lists)


def section(response, name, tag):
    """The rows or items of a section of the preview."""
    found = re.search(rf'<section class="module" id="{name}">.*?</section>', response.text, re.S).group()
    rows = re.findall(rf"<{tag}>(.*?)</{tag}>", found, re.S)
    return [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in rows]


def adjustments(response):
    """Which adjustments it makes or takes away, each between two published ratings."""
    return section(response, "inputs", "li")[1:]


def cells(response):
    """The table of ratings that move."""
    return section(response, "moved", "tr")[1:]


def test_the_preview_names_every_member_affected_and_changes_nothing(officer, worker, anna):
    before = projections()
    response = look(officer, ANNOUNCE + MONTH)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert adjustments(response) == [
        "Berg, Anna (1), Rapid: +12.00 (1812 − 1800)",
        "Berg, Anna (1), Blitz: −11.00 (1689 − 1700)",
        "Lund, Boris (2), Rapid: +50.00 (1950 − 1900)",
    ]
    assert cells(response) == [
        "Berg, Anna Rapid 1500.55 1512.55 +12.00",
        "Berg, Anna Blitz 1400.45 1389.45 −11.00",
    ]
    text = words(response)
    assert "3 adjustments will be made" in text
    assert "Unchanged: 1 unrated, 0 already entered, 0 with a first rating" in text
    assert projections() == before
    assert not any(model.objects.exists() for model in (Announcement, OtbAdjustment, ChangeSet))


def test_what_was_shown_is_done_by_the_worker_once_and_taken_back_only_if_confirmed(officer, worker, anna):
    page = admin_page(FideList.objects.first())
    assert f'href="{ANNOUNCE}{MONTH}"' in officer.get(page).text
    before = projections()
    shown = shown_on(look(officer, ANNOUNCE + MONTH))
    response = officer.post(ANNOUNCE, {"period": "2025-11", "shown": shown})
    job = ChangeSet.objects.get().job
    assert response["Location"] == admin_page(job)
    worker()
    assert (str(points(anna, RAPID)), str(points(anna, BLITZ))) == ("1512.55", "1389.45")
    assert Announcement.objects.get().announced_by.username == "Rating officers"
    told = words(officer.get(admin_page(job)))
    assert "Done. November 2025 is announced: 3 adjustments. Changes Unchanged: 1 unrated" in told

    response = look(officer, ANNOUNCE + MONTH)
    assert "There’s nothing to do." in words(response)
    assert (f'href="{UNDO}{MONTH}"' in response.text, 'id="confirm"' in response.text) == (True, False)
    officer.post(ANNOUNCE, {"period": "2025-11", "shown": shown})
    worker()
    assert "The data has changed since the preview. Nothing was done." in Job.objects.first().error
    assert OtbAdjustment.objects.count() == 3

    announced = ChangeSet.objects.applied().get()
    link = f"{UNDO}{MONTH}&undoes={announced.pk}"
    assert f'href="{escape(link)}"' in officer.get(page).text
    response = look(officer, link)
    assert f"This reverses: #{announced.pk} Announce a FIDE list: November 2025" in words(response)
    assert keeps_the_policy(response)
    assert "3 adjustments will be reversed" in words(response)
    assert adjustments(response) == [
        "Berg, Anna (1), Rapid: +12.00 (1812 − 1800) → –",
        "Berg, Anna (1), Blitz: −11.00 (1689 − 1700) → –",
        "Lund, Boris (2), Rapid: +50.00 (1950 − 1900) → –",
    ]
    assert cells(response) == [
        "Berg, Anna Rapid 1512.55 1500.55 −12.00",
        "Berg, Anna Blitz 1389.45 1400.45 +11.00",
    ]
    for posted in ({}, {"shown": shown}, {"shown": shown, **REASONS}):
        officer.post(UNDO, {"period": "2025-11", **posted})
    worker()
    assert (OtbAdjustment.objects.count(), ChangeSet.objects.count()) == (3, 2)
    decide(officer, UNDO, {"period": "2025-11", "undoes": announced.pk})
    worker()
    assert Job.objects.first().outcome[0]["text"] == (
        "November 2025: 3 adjustments reversed, 2 ratings changed."
    )
    assert projections() == before
    assert announced.undone_by.get().public_reason == REASONS["public_reason"]
    assert f'href="{ANNOUNCE}{MONTH}"' in officer.get(page).text


def test_taking_back_shows_the_ratings_too_that_moved_with_it(officer, worker, anna):
    announce(period=NOVEMBER, at=timezone.now())
    carl = member("carl", name="Cruz, Carl")
    opening(carl, "1389.45", BLITZ, minute=0)
    now = timezone.now()
    game(anna, carl, "1/2-1/2", started_at=now, ended_at=now)
    response = look(officer, UNDO + MONTH)
    assert len(adjustments(response)) == 3
    # With 1400.45, D is 11 and not 0: the draw brings Carl 0.40 at K 20.
    assert "Cruz, Carl Blitz 1389.45 1389.85 +0.40" in cells(response)


@pytest.mark.parametrize(
    ("address", "status", "told"),
    [
        (ANNOUNCE, 400, ""),
        (f"{ANNOUNCE}?period=x", 400, "Write the month like this: 2026-03."),
        (f"{ANNOUNCE}?period=2999-01", 400, "FIDE has not published that month yet."),
        (f"{ANNOUNCE}?period=%00", 400, ""),
        (f"{UNDO}?period=2025-10", 200, "no list of October 2025 was announced."),
        (f"{ANNOUNCE}?period=2025-09", 200, "the rapid list of August 2025 was not imported"),
    ],
)
def test_a_month_that_is_none_or_was_not_imported_is_answered_in_words(
    officer, worker, anna, address, status, told
):
    response = look(officer, address)
    assert response.status_code == status
    assert told in words(response)
    assert 'type="submit" class="default"' not in response.text


def test_a_list_that_is_missing_by_the_time_of_the_job_is_its_answer(officer, worker, anna):
    decide(officer, ANNOUNCE, {"period": "2025-11"})
    FideList.objects.filter(period=OCTOBER).delete()
    worker()
    job = ChangeSet.objects.get().job
    assert (job.state, job.outcome) == ("failed", [])
    assert "the rapid list of October 2025 was not imported" in job.error
    assert ChangeSet.objects.get().state == "refused"


def test_who_may_not_announce_finds_no_link_to_it(clerk, anna):
    assert "/announce/" not in clerk("Auditors").get(admin_page(FideList.objects.first())).text
