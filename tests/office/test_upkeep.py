"""What the worker does by itself, hour by hour."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from ratings.office import upkeep
from ratings.office.upkeep import ask_for_upkeep

pytestmark = pytest.mark.django_db


def test_it_is_asked_for_once_done_and_asked_for_again_an_hour_later(worker, monkeypatch):
    done = []
    monkeypatch.setattr(upkeep, "_DUE", [done.append])
    ask_for_upkeep()
    ask_for_upkeep()
    before = timezone.now()
    worker()
    worker()
    assert len(done) == 1
    assert before <= done[0] <= timezone.now()
    next_time = DBTaskResult.objects.get(status="READY")
    assert timedelta(minutes=59) < next_time.run_after - before < timedelta(minutes=61)


def test_what_fails_keeps_nothing_else_from_being_done(worker, monkeypatch, caplog):
    def fails(at):
        raise ValueError("a fault")

    done = []
    monkeypatch.setattr(upkeep, "_DUE", [fails, done.append])
    ask_for_upkeep()
    worker()
    assert len(done) == 1
    assert "fails failed" in caplog.text
    assert DBTaskResult.objects.filter(status="READY").count() == 1


def test_results_of_earlier_times_are_not_kept(worker, monkeypatch):
    monkeypatch.setattr(upkeep, "_DUE", [])
    for _time in range(3):
        ask_for_upkeep()
        worker()
        DBTaskResult.objects.filter(status="READY").update(run_after=timezone.now())
    assert DBTaskResult.objects.count() <= 2
