"""Announcing a FIDE list from the admin (RBB 3.15): every member affected is named first; the way back."""

import re

import pytest
from django.utils import timezone

from ratings.fide.models import Announcement, FideList
from ratings.models import OtbAdjustment
from ratings.office.models import Job
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, points, projections
from tests.backoffice import admin_page, keeps_the_policy
from tests.fide.office import NOVEMBER, OCTOBER, bring_players, listed
from tests.pages import words

pytestmark = pytest.mark.django_db

ANNOUNCE, UNDO = admin_page(FideList, "announce"), admin_page(FideList, "undo")
MONTH = "?period=2025-11"
RAPID, BLITZ, _ = Category


@pytest.fixture
def anna():
    """A rated member whom two lists know; another whose ratings the lists leave alone."""
    anna = member("anna", name="Berg, Anna", fide_id=1)
    opening(anna, "1500.55", RAPID)
    opening(anna, "1400.45", BLITZ)
    other = member("boris", name="Lund, Boris", fide_id=2)
    opening(other, "1700", BLITZ)
    bring_players(OCTOBER, listed(1, rapid=1800, blitz=1700), listed(2, rapid=1900))
    bring_players(NOVEMBER, listed(1, rapid=1812, blitz=1689), listed(2, rapid=1950))
    return anna


def cells(response):
    """The rows of the table of members affected."""
    table = re.search(r'id="preview".*?</section>', response.text, re.S).group()
    return [
        " ".join(re.sub(r"<[^>]*>", " ", row).split())
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    ]


def test_the_preview_names_every_member_affected_and_changes_nothing(officer, anna):
    before = projections()
    response = officer.get(ANNOUNCE + MONTH)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert cells(response) == [
        "Berg, Anna 1 Rapid 1800 1812 +12.00 1500.55 1512.55",
        "Berg, Anna 1 Blitz 1700 1689 −11.00 1400.45 1389.45",
    ]
    text = words(response)
    assert "Announce the FIDE list of 2025-11 2 adjustments will be made" in text
    assert "Left as they are: 1 unrated, 0 entered before, 0 with a first rating" in text
    assert projections() == before
    assert not any(model.objects.exists() for model in (Announcement, OtbAdjustment, Job))


def test_what_was_promised_is_done_by_the_worker_once_and_taken_back_only_if_confirmed(officer, worker, anna):
    page = admin_page(FideList.objects.first())
    assert f'href="{ANNOUNCE}{MONTH}"' in officer.get(page).text
    before = projections()
    response = officer.post(ANNOUNCE, {"period": "2025-11"})
    assert response["Location"] == admin_page(Job.objects.get())
    worker()
    assert (str(points(anna, RAPID)), str(points(anna, BLITZ))) == ("1512.55", "1389.45")
    assert Announcement.objects.get().announced_by.username == "Rating officers"
    told = words(officer.get(admin_page(Job.objects.get())))
    assert "It is done. 2025-11 is announced: 2 adjustments. Changes Left as they are: 1 unrated" in told

    assert "there is nothing to do." in words(officer.get(ANNOUNCE + MONTH))
    officer.post(ANNOUNCE, {"period": "2025-11"})
    worker()
    assert ": nothing to do." in Job.objects.first().outcome[0]["text"]
    assert OtbAdjustment.objects.count() == 2

    assert f'href="{UNDO}{MONTH}"' in officer.get(page).text
    response = officer.get(UNDO + MONTH)
    assert keeps_the_policy(response)
    assert cells(response) == [
        "Berg, Anna 1 Rapid 1800 1812 +12.00 1512.55 1500.55",
        "Berg, Anna 1 Blitz 1700 1689 −11.00 1389.45 1400.45",
    ]
    response = officer.post(UNDO, {"period": "2025-11"})
    assert "Nothing was taken back: please confirm it below." in words(response)
    assert (OtbAdjustment.objects.count(), Job.objects.count()) == (2, 2)
    officer.post(UNDO, {"period": "2025-11", "confirm": "yes"})
    worker()
    assert Job.objects.first().outcome[0]["text"] == (
        "2025-11: 2 adjustments were taken back, and 2 ratings moved."
    )
    assert projections() == before


def test_taking_back_shows_the_ratings_too_that_moved_with_it(officer, worker, anna):
    officer.post(ANNOUNCE, {"period": "2025-11"})
    worker()
    carl = member("carl", name="Cruz, Carl")
    opening(carl, "1389.45", BLITZ, minute=0)
    now = timezone.now()
    game(anna, carl, "1/2-1/2", started_at=now, ended_at=now)
    response = officer.get(UNDO + MONTH)
    assert len(cells(response)) == 2
    # With 1400.45, D is 11 and not 0: the draw brings Carl 0.40 at K 20.
    assert "because games came after" in words(response)
    assert "Cruz, Carl Blitz 1389.45 1389.85" in words(response)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (ANNOUNCE, 400),
        (f"{ANNOUNCE}?period=x", 400),
        (f"{ANNOUNCE}?period=2999-01", 400),
        (f"{ANNOUNCE}?period=%00", 400),
        (f"{UNDO}?period=2025-10", 404),
        (f"{ANNOUNCE}?period=2025-09", 200),
    ],
)
def test_a_month_that_is_none_or_was_not_imported_is_answered_in_words(officer, anna, address, status):
    response = officer.get(address)
    assert response.status_code == status
    if status == 200:
        assert "the rapid list of 2025-08 was not imported" in words(response)
        assert 'type="submit" class="default"' not in response.text


def test_a_list_that_is_missing_by_the_time_of_the_job_is_its_answer(officer, worker, anna):
    officer.post(ANNOUNCE, {"period": "2025-09"})
    worker()
    job = Job.objects.get()
    assert (job.state, job.outcome) == ("failed", [])
    assert "the rapid list of 2025-08 was not imported" in job.error


def test_nobody_but_an_officer_announces_or_takes_back(clerk, worker, anna):
    for group in ("Auditors", "Registrars"):
        other = clerk(group)
        if group == "Auditors":
            assert "/announce/" not in other.get(admin_page(FideList.objects.first())).text
        for address in (ANNOUNCE, UNDO):
            assert other.get(address + MONTH).status_code == 403
            assert other.post(address, {"period": "2025-11", "confirm": "yes"}).status_code == 403
    assert not Job.objects.exists()
