"""What the worker does by itself, hour by hour."""

import errno
from datetime import timedelta
from threading import Event
from threading import enumerate as running_threads

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import InterfaceError, OperationalError
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from foa.monitoring.health import give_sign_of_life
from ratings.office import upkeep
from ratings.office.upkeep import ask_for_upkeep, working_beside

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


def test_beside_the_jobs_what_fails_keeps_nothing_else_from_being_done(monkeypatch, caplog):
    def fails(at):
        raise ValueError("a fault")

    def locked(at):
        raise OperationalError("database is locked")

    done, twice = [], Event()

    def counts(at):
        done.append(at)
        if len(done) == 2:
            twice.set()

    monkeypatch.setattr(upkeep, "_PAUSE", 0.001)

    def lost(at):
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(upkeep, "_BESIDE", [fails, locked, lost, counts])
    with working_beside("one"):
        assert twice.wait(30)
    assert "fails failed" in caplog.text
    assert "locked failed" not in caplog.text
    assert "lost is left for the next time: connection already closed" in caplog.text
    assert "lost failed" not in caplog.text
    assert "beside-jobs" not in [thread.name for thread in running_threads()]


def test_a_full_disk_is_told_once_until_there_is_room_again(monkeypatch, caplog):
    full = True

    def store(*_, **__):
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(caches["progress"]), "set", store)
    monkeypatch.setitem(settings.CACHES["progress"], "LOCATION", "/var/lib/office/progress")
    said = (
        "foa.monitoring.health.give_sign_of_life is left for the next time: /var/lib/office/progress "
        "can’t be written: No space left on device. Free some space, then try again."
    )
    for full, times in ((True, 1), (True, 1), (False, 1), (True, 2)):  # noqa: B007  # store() reads it
        upkeep.do(give_sign_of_life, "one")
        assert caplog.messages == [said] * times


def test_signs_of_life_wait_for_nothing_that_is_done_beside_the_jobs(worker, monkeypatch):
    held, lives = Event(), Event()
    signs = []

    def sign(key, at, timeout):
        signs.append((key, timeout))
        if len(signs) == 4:
            lives.set()

    monkeypatch.setattr(upkeep, "_PAUSE", 0.001)
    monkeypatch.setattr(upkeep, "_BESIDE", [lambda at: held.wait(30)])
    monkeypatch.setattr(type(caches["progress"]), "set", lambda cache, *what, timeout: sign(*what, timeout))
    with working_beside("one"):
        assert lives.wait(30)
        assert not held.is_set()
        held.set()
    assert signs[:4] == [("worker", None), ("workerone", 30)] * 2
