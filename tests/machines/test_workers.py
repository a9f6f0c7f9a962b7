"""Two workers share the queue; when one is killed, the other one does its job where that is safe."""

import signal
from pathlib import Path

import pytest
from django_tasks import task

from foa.repeating import repeatable
from ratings.office import jobs
from tests.machines.conftest import asked, python, worker
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


def ask(kind, **arguments):
    """In a process of its own: ask for a job."""
    jobs.enqueue(globals()[kind], title=kind, by=None, **arguments)


@pytest.fixture(scope="module")
def settings(url):
    with redis() as (address, _):
        yield {"DATABASE_URL": url, "CACHE_URL": address}


def test_each_job_is_done_once_by_one_of_two_workers(settings, url, tmp_path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    python(
        f"from {__name__} import ask\n"
        f"ask('meet', mine={one!r}, theirs={other!r}); ask('meet', mine={other!r}, theirs={one!r})\n"
        "for number in range(40): ask('enter', name=f'shared{number}')",
        **settings,
    )
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


@pytest.mark.parametrize(("kind", "state", "members"), [("hang", "done", 1), ("hang_for_good", "failed", 0)])
def test_what_a_killed_worker_was_at_is_taken_up_where_that_is_safe(
    settings, url, tmp_path, kind, state, members
):
    place = tmp_path / kind
    python(f"from {__name__} import ask; ask({kind!r}, place={str(place)!r})", **settings)
    find = f"SELECT state, outcome::text FROM ratings_job WHERE title = '{kind}'"
    with worker(tmp_path, **settings) as first:
        wait_until(place.exists, first)
        first.kill()
        first.wait()
    assert asked(url, find) == [("running", "[]")]
    with worker(tmp_path, **settings):
        # Half a minute later, its notes are gone.
        asked(
            url,
            "UPDATE django_tasks_database_dbtaskresult SET started_at = started_at - interval '40 seconds'"
            " WHERE status = 'RUNNING'",
        )
        python("from django.core.cache import caches; caches['progress'].clear()", **settings)
        wait_until(lambda: asked(url, find)[0][0] in ("done", "failed"))
    assert asked(url, find)[0][0] == state
    assert asked(url, f"SELECT count(*) FROM members_member WHERE username = '{kind}'") == [(members,)]
    assert asked(url, find)[0][1].count("entered") == members
