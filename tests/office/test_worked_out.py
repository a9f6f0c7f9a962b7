"""Previews that may take long: the worker makes them, and only who asked sees them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from ratings.office.models import ChangeSet, Job, Rehearsal
from ratings.office.rehearsing import forget_rehearsals
from ratings.rbb.models import RatingChange, RatingList
from tests.arena import game, rated
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import confirmed_on, look, page_of, shown_on, staff_login
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("worker")]

PUBLISH = admin_page(RatingList, "publish")
APRIL = {"month": "2026-04", "category": ["blitz"]}


@pytest.fixture
def officer():
    game(rated(1600), rated(1600), minute=10)
    return staff_login("officer", "publish-lists")


def asked(client):
    """The address that waits for the worker."""
    answer = client.get(PUBLISH, APRIL)
    assert answer.status_code == 302
    return answer["Location"]


def test_the_page_waits_for_the_worker_and_then_shows_what_it_found_out(officer, worker):
    address = asked(officer)
    waiting = officer.get(address)
    assert "Queued; waiting for a worker." in words(waiting)
    assert 'id="job" data-open' in waiting.text
    assert 'name="shown"' not in waiting.text
    assert keeps_the_policy(waiting)
    worker()
    found = officer.get(address)
    assert "Blitz It will be published. 2 2 0 0 1 1600.00 –" in words(found)
    assert 'value="Publish 1 list"' in found.text
    assert 'id="job"' not in found.text
    assert keeps_the_policy(found)
    assert not RatingList.objects.exists()


def test_whoever_opens_the_page_again_while_the_worker_is_busy_waits_for_the_same(officer, worker):
    first = asked(officer)
    assert asked(officer) == first
    worker()
    assert asked(officer) != first, "what was found out is as old as the question"


def test_nobody_else_sees_it(officer):
    address = asked(officer)
    other = staff_login("other", "publish-lists")
    assert other.get(address).status_code == 404
    assert asked(other) != address


def test_a_preview_whose_worker_died_is_asked_for_again_by_a_button(officer, worker):
    address = asked(officer)
    Job.objects.update(state=Job.State.FAILED, error="The worker stopped.")
    page = officer.get(address)
    assert "The worker stopped." in words(page)
    assert 'value="Try again"' in page.text
    again = officer.post(PUBLISH, APRIL)["Location"]
    assert again != address
    worker()
    assert 'value="Publish 1 list"' in officer.get(again).text


def test_missing_reasons_show_the_same_preview_without_another_job(officer):
    row = RatingChange.objects.filter(game__isnull=False)[0]
    RatingChange.objects.filter(pk=row.pk).update(after=171000)
    mender = staff_login("mender", "replay-ledger")
    address, parameters = page_of("replay-ledger"), {"category": ["blitz"]}
    looked = look(mender, address, parameters)
    jobs = Job.objects.count()
    (rehearsal,) = Rehearsal.objects.all()
    page = mender.post(address, {**parameters, "shown": shown_on(looked), "rehearsal": rehearsal.pk})
    assert "This field is required." in words(page)
    assert "Blitz: 1 row of ledger and ratings changes" in words(page)
    assert Job.objects.count() == jobs


def test_a_second_person_sees_what_the_first_one_saw(officer, settings):
    settings.SECOND_PERSON_KINDS = ["publish-lists"]
    confirmed_on(officer, look(officer, PUBLISH, APRIL))
    (waiting,) = ChangeSet.objects.decided()
    other = staff_login("other", "publish-lists")
    text = words(other.get(admin_page(waiting)))
    assert "Blitz It will be published. 2 2 0 0 1 1600.00 –" in text
    assert Rehearsal.objects.get().change_set == waiting


def test_what_nobody_decided_is_forgotten_after_a_day(officer, settings):
    settings.SECOND_PERSON_KINDS = ["publish-lists"]
    confirmed_on(officer, look(officer, PUBLISH, APRIL))
    address = asked(officer)
    forget_rehearsals(timezone.now())
    assert Rehearsal.objects.count() == 2
    forget_rehearsals(timezone.now() + timedelta(days=2))
    assert Rehearsal.objects.get().change_set is not None
    assert officer.get(address).status_code == 404
