"""Two workers share the queue; when one is killed, the other one does its job where that is safe."""

import signal
from contextlib import closing
from pathlib import Path

import pytest
from django_tasks import task
from redis import Redis

from foa.repeatable import repeatable
from ratings.office import jobs
from tests.machines.conftest import asked, worker
from tests.services import redis, wait_until


@task(takes_context=True)
def enter(context, name):
    """Enter a member, whom nobody can enter twice."""
    from tests.arena import member

    with jobs.running(context):
        member(name)


@task(takes_context=True)
def meet(context, mine, theirs):
    """Wait for the other one, which another worker has to do."""
    with jobs.running(context):
        Path(mine).touch()
        wait_until(Path(theirs).exists)


@task(takes_context=True)
@repeatable
def hang(context, place):
    """Hang the first time, in the middle of a transaction."""
    hang_for_good.func(context, place)


@task(takes_context=True)
def hang_for_good(context, place):
    """The same, and it may not be done twice."""
    from django.db import transaction

    from tests.arena import member

    with jobs.running(context) as work, transaction.atomic():
        member(Path(place).name)
        work.add("entered")
        if not Path(place).exists():
            Path(place).touch()
            signal.pause()


@task(takes_context=True)
def hurry(context):
    """Let the worker that does this look every second for what others have left behind."""
    with jobs.running(context):
        jobs._SETTLE_EVERY = 1


def ask(kind, **arguments):
    """Ask for a job."""
    jobs.enqueue(kind, title=kind.name, by=None, **arguments)


@pytest.fixture(scope="module")
def settings(url):
    with redis() as (address, _):
        yield {"DATABASE_URL": url, "CACHE_URL": address}


def test_each_job_is_done_once_by_one_of_two_workers(settings, url, within, tmp_path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    with within():
        ask(meet, mine=one, theirs=other)
        ask(meet, mine=other, theirs=one)
        for number in range(40):
            ask(enter, name=f"shared{number}")
    with (
        worker(tmp_path, "--worker-id", "first", **settings),
        worker(tmp_path, "--worker-id", "second", **settings),
    ):
        still = "SELECT count(*) FROM ratings_job WHERE state IN ('waiting', 'running')"
        wait_until(lambda: asked(url, still) == [(0,)])
    ended = "SELECT DISTINCT state, error FROM ratings_job WHERE title IN ('meet', 'enter')"
    assert asked(url, ended) == [("done", "")]
    assert asked(url, "SELECT count(*) FROM members_member WHERE username ~ '^shared'") == [(40,)]
    taken = asked(
        url,
        "SELECT worker_ids::text FROM django_tasks_database_dbtaskresult"
        " WHERE task_path ~ 'test_workers.meet'",
    )
    assert sorted(taken) == [('["first"]',), ('["second"]',)]
    by_one = "SELECT DISTINCT jsonb_array_length(worker_ids) FROM django_tasks_database_dbtaskresult"
    assert asked(url, f"{by_one} WHERE task_path ~ 'test_workers.(meet|enter)'") == [(1,)]


def test_what_killed_workers_were_at_is_taken_up_where_that_is_safe(settings, url, within, tmp_path):
    places = {kind.name: tmp_path / kind.name for kind in (hang, hang_for_good)}
    with within():
        for kind in (hang, hang_for_good):
            ask(kind, place=str(places[kind.name]))

    def found(kind):
        return asked(url, "SELECT state, outcome::text FROM ratings_job WHERE title = %s", kind.name)[0]

    with worker(tmp_path, **settings) as first, worker(tmp_path, **settings) as second:
        for place in places.values():
            wait_until(place.exists, first)
        for killed in (first, second):
            killed.kill()
            killed.wait()
    assert [found(kind) for kind in (hang, hang_for_good)] == [("running", "[]")] * 2
    with worker(tmp_path, **settings):
        # It is at work, and has found nothing when it began.
        with within():
            ask(hurry)
        wait_until(lambda: found(hurry)[0] == "done")
        # Half a minute later, the notes of the others are gone.
        asked(
            url,
            "UPDATE django_tasks_database_dbtaskresult SET started_at = started_at - interval '40 seconds'"
            " WHERE status = 'RUNNING'",
        )
        with closing(Redis.from_url(settings["CACHE_URL"])) as cache:
            cache.flushall()
        wait_until(lambda: {found(kind)[0] for kind in (hang, hang_for_good)} <= {"done", "failed"})
    for kind, state, members in ((hang, "done", 1), (hang_for_good, "failed", 0)):
        assert found(kind)[0] == state
        entered = "SELECT count(*) FROM members_member WHERE username = %s"
        assert asked(url, entered, kind.name) == [(members,)]
        assert found(kind)[1].count("entered") == members
