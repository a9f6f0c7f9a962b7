"""Jobs: asked for by staff, done by the worker, and what their page says of them."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Permission
from django.core.cache.backends.filebased import FileBasedCache
from django.core.exceptions import ValidationError
from django.db import InterfaceError, OperationalError, ProgrammingError, connections, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext
from django_tasks import task
from django_tasks_db.management.commands import db_worker
from django_tasks_db.models import DBTaskResult

from foa.monitoring.health import give_sign_of_life
from foa.repeatable import repeatable
from members.models import Member
from ratings.office import jobs
from ratings.office.deciding import Proposal, confirm, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import Job
from ratings.rbb.management.commands import run_jobs
from ratings.rbb.models import RatingList
from tests.arena import game, member, rated
from tests.backoffice import admin_page, keeps_the_policy
from tests.commands import run
from tests.pages import queries, words

pytestmark = pytest.mark.django_db

under_way, go_on = Event(), Event()


@task(takes_context=True)
def enter(context, names):
    """A job that makes members, each in a transaction of its own; one without a name is no member."""
    with jobs.running(context) as work:
        for number, name in enumerate(names, 1):
            work.tell(number, len(names), name)
            with transaction.atomic():
                who = member(name)
                work.add(f"{gettext('Member')}: {name}", (name, who.get_absolute_url()))
                if not name:
                    raise ValidationError(["A member has a name.", "Nobody was entered after that."])
                if name == "zero":
                    raise ZeroDivisionError("secret")
                if name == "exit":
                    raise SystemExit(1)


@task(takes_context=True)
@repeatable
def enter_again(context, names):
    """The same, and it may be done twice."""
    enter.func(context, names)


@task()
@repeatable
def enter_quietly(name):
    """No job: nobody watches it."""
    member(name)


@task(takes_context=True)
def hold(context):
    """A job that has the database to itself until it is told to go on."""
    with jobs.running(context) as work, transaction.atomic():
        member("held")
        work.tell(3, 7, "the third of seven")
        under_way.set()
        assert go_on.wait(30)


@pytest.fixture
def ask(staff, django_user_model):
    """Ask for a job."""
    return lambda what, **arguments: jobs.enqueue(
        what, title="Some work", by=django_user_model.objects.get(), **arguments
    )


def page(staff, job):
    response = staff.get(admin_page(job))
    assert response.status_code == 200
    assert keeps_the_policy(response)
    return response


def is_open(response):
    """Whether the page asks again."""
    return re.search(r'<section class="module job" id="job" data-open>', response.text) is not None


def left_behind(job, *, seconds):
    """A worker took this job so long ago, and was killed."""
    Job.objects.filter(pk=job.pk).update(state="running", began_at=timezone.now())
    began = timezone.now() - timedelta(seconds=seconds)
    DBTaskResult.objects.filter(pk=job.task).update(status="RUNNING", started_at=began)
    job.refresh_from_db()


def test_a_job_waits_until_a_worker_takes_it(staff, ask, worker):
    job = ask(enter, names=["anna"])
    shown = page(staff, job)
    assert "Queued; waiting for a worker." in words(shown)
    assert is_open(shown)
    assert (job.state, job.began_at, jobs.progress_of(job)) == ("waiting", None, None)
    worker()
    assert Member.objects.filter(username="anna").exists()


def test_a_job_that_is_done_says_what_came_of_it_with_links(staff, ask, worker):
    job = ask(enter, names=["anna", "<b>"])
    worker()
    job.refresh_from_db()
    anna, other = (Member.objects.get(username=name).get_absolute_url() for name in ("anna", "<b>"))
    assert job.outcome == [
        {"text": "Member: anna", "links": [["anna", anna]]},
        {"text": "Member: <b>", "links": [["<b>", other]]},
    ]
    assert (job.state, job.error, job.asked_by.username) == ("done", "", "registrar")
    assert job.asked_at <= job.began_at <= job.ended_at
    shown = page(staff, job)
    assert "Progress Done. Member: anna anna Member: <b> <b>" in words(shown)
    assert f'<a href="{anna}">anna</a>' in shown.text
    assert not is_open(shown)
    assert jobs.progress_of(job) is None


def test_a_job_speaks_the_language_of_who_asked(ask, worker):
    with translation.override("pl"):
        job = ask(enter, names=["anna"])
    worker()
    job.refresh_from_db()
    assert [line["text"] for line in job.outcome] == ["Członek: anna"]


def test_a_job_that_cannot_be_done_says_why_and_keeps_only_what_was_whole(staff, ask, worker):
    job = ask(enter, names=["anna", "", "carl"])
    worker()
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "A member has a name.\nNobody was entered after that.")
    assert list(Member.objects.values_list("username", flat=True)) == ["anna"]
    assert [line["text"] for line in job.outcome] == ["Member: anna"]
    shown = page(staff, job)
    assert "A member has a name. Nobody was entered after that." in words(shown)
    assert not is_open(shown)


def test_a_fault_is_told_without_its_traceback_which_the_log_has(staff, ask, worker, caplog):
    job = ask(enter, names=["anna", "zero"])
    worker()
    job.refresh_from_db()
    assert (job.state, Member.objects.count(), len(job.outcome)) == ("failed", 1, 1)
    text = words(page(staff, job))
    assert "The job failed. Only what is listed here was stored." in text
    assert "secret" not in text
    assert "ZeroDivisionError: secret" in caplog.text
    assert str(DBTaskResult.objects.get(pk=job.task).status) == "FAILED"


def test_a_worker_that_is_stopped_at_once_says_so_of_the_job_it_was_at(ask, worker):
    job, later = ask(enter, names=["anna", "exit", "carl"]), ask(enter, names=["dora"])
    worker()
    job.refresh_from_db()
    later.refresh_from_db()
    assert job.error.startswith("The worker stopped before the job was finished.")
    assert (job.state, later.state) == ("failed", "done")
    assert set(Member.objects.values_list("username", flat=True)) == {"anna", "dora"}


def test_jobs_are_done_in_the_order_in_which_they_were_asked_for(ask, worker):
    asked = [ask(enter, names=[name]) for name in ("anna", "bob", "carl")]
    worker()
    began = [Job.objects.get(pk=job.pk).began_at for job in asked]
    assert began == sorted(began)
    assert list(Member.objects.order_by("pk").values_list("username", flat=True)) == ["anna", "bob", "carl"]


def test_what_was_asked_for_in_a_transaction_that_is_taken_back_was_never_asked_for(ask, worker):
    with transaction.atomic():
        ask(enter, names=["anna"])
        transaction.set_rollback(True)
    worker()
    assert (Job.objects.count(), DBTaskResult.objects.count(), Member.objects.count()) == (0, 0, 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
def test_progress_is_seen_while_the_job_has_the_database_to_itself(staff, ask, worker, monkeypatch):
    monkeypatch.setattr(jobs, "_BEAT", 0.01)
    under_way.clear()
    go_on.clear()
    job = ask(hold)

    def work():
        try:
            worker()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        assert under_way.wait(30)
        try:
            while (progress := jobs.progress_of(job)).doing == "":
                pass
            assert progress == (3, 7, "the third of seven")
            shown = page(staff, job)
            assert "the third of seven" in words(shown)
            assert '<progress max="7" value="3" aria-label="Progress"></progress>' in shown.text
            assert is_open(shown)
            assert not Member.objects.filter(username="held").exists()
        finally:
            go_on.set()
        done.result()
    assert "Done." in words(page(staff, job))


def test_a_job_whose_worker_was_killed_is_not_running(staff, ask, worker):
    job = ask(enter, names=["anna"])
    left_behind(job, seconds=31)
    shown = page(staff, job)
    assert "The worker stopped before the job was finished." in words(shown)
    assert not is_open(shown)
    assert "Some work failed registrar" in words(staff.get(admin_page(Job)))
    worker()  # with nothing to do
    job.refresh_from_db()
    assert job.state == "running"
    jobs.settle()
    job.refresh_from_db()
    assert (job.state, job.error.partition(".")[0]) == (
        "failed",
        "The worker stopped before the job was finished",
    )
    assert str(DBTaskResult.objects.get().status) == "FAILED"
    assert job.ended_at is not None


def test_a_job_that_may_be_repeated_waits_again_after_its_worker_was_killed(ask, worker):
    job = ask(enter_again, names=["anna"])
    left_behind(job, seconds=31)
    DBTaskResult.objects.update(worker_ids=["one", "two"])
    jobs.settle()
    job.refresh_from_db()
    assert (job.state, job.began_at, job.error) == ("waiting", None, "")
    worker()
    job.refresh_from_db()
    assert (job.state, Member.objects.get().username) == ("done", "anna")
    assert DBTaskResult.objects.get().worker_ids == ["one", "two", "test"]


def test_what_has_ended_three_workers_is_not_tried_again(ask):
    job = ask(enter_again, names=["anna"])
    left_behind(job, seconds=31)
    DBTaskResult.objects.update(worker_ids=["one", "two", "three"])
    jobs.settle()
    job.refresh_from_db()
    assert (job.state, str(DBTaskResult.objects.get().status)) == ("failed", "FAILED")


def test_a_task_without_a_job_is_done_by_another_worker_once_its_own_is_silent(worker):
    enter_quietly.enqueue(name="anna")
    began = timezone.now() - timedelta(seconds=31)
    DBTaskResult.objects.update(status="RUNNING", started_at=began, worker_ids=["there"])
    give_sign_of_life("there")
    jobs.settle()
    assert str(DBTaskResult.objects.get().status) == "RUNNING"
    DBTaskResult.objects.update(worker_ids=["gone"])
    jobs.settle()
    worker()
    assert Member.objects.get().username == "anna"


def test_a_decision_that_a_lost_worker_had_just_applied_is_done_and_not_refused(worker):
    game(rated(1600), rated(1500))
    parameters = {"month": ["2026-04"], "category": ["blitz"]}
    proposal = Proposal(kind=kind_of("publish-lists"), parameters=parameters)
    job = confirm(proposal, preview(proposal).shown()).job
    worker()
    left_behind(job, seconds=31)
    DBTaskResult.objects.filter(pk=job.task).update(worker_ids=["gone"])
    jobs.settle()
    worker()
    job.refresh_from_db()
    assert (job.state, job.error, RatingList.objects.count()) == ("done", "", 1)


def test_a_job_goes_on_and_none_is_lost_while_the_cache_fails(staff, ask, worker, monkeypatch):
    lost, job = ask(enter_again, names=["bob"]), ask(enter, names=["anna"])
    left_behind(lost, seconds=31)

    def fail(*arguments, **options):
        raise ConnectionError("no cache")

    for name in ("get", "set", "set_many", "delete", "delete_many"):
        monkeypatch.setattr(FileBasedCache, name, fail)
    worker()
    job.refresh_from_db()
    lost.refresh_from_db()
    assert (job.state, lost.state) == ("done", "running")
    assert "Some work" in words(page(staff, lost))


def test_the_next_job_settles_what_a_killed_worker_has_left_behind(ask, worker):
    lost = ask(enter, names=["anna"])
    left_behind(lost, seconds=31)
    ask(enter, names=["bob"])
    worker()
    lost.refresh_from_db()
    assert lost.state == "failed"
    assert Member.objects.get().username == "bob"


def test_a_job_that_has_begun_just_now_or_renews_its_note_is_not_lost(staff, ask, worker):
    fresh, slow, waiting = (ask(enter, names=["anna"]) for _ in range(3))
    left_behind(fresh, seconds=20)
    left_behind(slow, seconds=3000)
    work = jobs.Work(slow)
    work.tell(5, doing="five rows")
    work.note()
    jobs.settle()
    assert [jobs.is_lost(job) for job in (fresh, slow, waiting)] == [False, False, False]
    assert set(Job.objects.values_list("state", flat=True)) == {"running", "waiting"}
    shown = page(staff, slow)
    assert "five rows" in words(shown)
    assert '<progress aria-label="Progress">' in shown.text
    assert is_open(page(staff, fresh))


def test_a_job_whose_place_in_the_queue_is_gone_is_lost(ask, worker):
    job = ask(enter, names=["anna"])
    DBTaskResult.objects.all().delete()
    jobs.settle()
    job.refresh_from_db()
    assert job.state == "failed"


def test_the_worker_begins_again_where_somebody_held_the_lock_for_long():
    locked = OperationalError("database is locked")
    with patch.object(db_worker.Command, "handle", side_effect=[locked, locked, None]) as handle:
        assert run("run_jobs", "--batch").code == 0
    assert handle.call_count == 3
    with patch.object(db_worker.Command, "handle", side_effect=OperationalError("no such host")):
        assert "no such host" in run("run_jobs", "--batch").err


def test_the_worker_waits_for_a_database_that_is_down(caplog):
    down = [OperationalError("connection refused"), InterfaceError("connection already closed")]
    with (
        patch.object(db_worker.Command, "handle", side_effect=[*down, None]) as handle,
        patch.object(run_jobs, "_PAUSE", 0),
        # The test has its transaction on this one.
        patch.object(run_jobs, "close_old_connections"),
    ):
        assert run("run_jobs").code == 0
    assert handle.call_count == 3
    assert "The database can’t be used; trying again. connection refused" in caplog.text


def test_a_fault_of_the_office_ends_the_worker():
    with (
        patch.object(db_worker.Command, "handle", side_effect=ProgrammingError("no such column")),
        pytest.raises(ProgrammingError),
    ):
        run("run_jobs")


def test_a_page_of_a_job_takes_few_statements(staff, ask, worker):
    job = ask(enter, names=["anna"])
    assert queries(staff, admin_page(job)) <= 10
    worker()
    assert queries(staff, admin_page(job)) <= 9


def test_a_job_that_waits_is_taken_out_of_the_queue(staff, ask, worker):
    job = ask(enter, names=["anna"])
    assert "Stop this job" in words(page(staff, job))
    assert staff.post(admin_page(job), {"stop": "on"}).status_code == 302
    worker()
    job.refresh_from_db()
    assert (job.state, job.error, Member.objects.count()) == (
        "stopped",
        "The job was stopped before it started.",
        0,
    )
    assert DBTaskResult.objects.count() == 0
    with pytest.raises(ValidationError, match="already ended"):
        jobs.stop(job)


def test_a_running_job_stops_at_the_next_step_and_keeps_what_was_whole(ask, worker, monkeypatch):
    job = ask(enter, names=["anna", "bob"])
    tell = jobs.Work.tell

    def told_after_bob(work, *how_far):
        if how_far[2] == "bob":
            assert jobs.stop(job)
            work.note()
        tell(work, *how_far)

    monkeypatch.setattr(jobs.Work, "tell", told_after_bob)
    worker()
    job.refresh_from_db()
    assert (job.state, [one.username for one in Member.objects.all()]) == ("stopped", ["anna"])
    assert job.error.startswith("The job was stopped.")


def test_a_job_that_failed_is_done_again_once(staff, ask, worker):
    job = ask(enter, names=["anna", ""])
    worker()
    Member.objects.all().delete()
    assert "Try again" in words(page(staff, job))
    answer = staff.post(admin_page(job), {"retry": "on"})
    again = Job.objects.latest("pk")
    assert answer["Location"] == admin_page(again)
    assert (again.title, again.asked_by.username, again.state) == ("Some work", "registrar", "waiting")
    job.refresh_from_db()
    assert job.retried_as == again
    with pytest.raises(ValidationError, match="can’t be restarted"):
        jobs.retry(job, again.asked_by)
    worker()
    assert Member.objects.count() == 1


def test_a_job_whose_file_is_gone_is_not_done_again(ask, worker, django_user_model):
    job = ask(enter, names=[""])
    worker()
    DBTaskResult.objects.update(args_kwargs={"args": [], "kwargs": {"names": [""], "upload": "gone"}})
    with pytest.raises(ValidationError, match="the job needs was deleted"):
        jobs.retry(Job.objects.get(pk=job.pk), django_user_model.objects.get())


def test_nobody_stops_a_job_without_the_right_to(client, django_user_model):
    job = jobs.enqueue(enter, title="Some work", by=None, names=["anna"])
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_job"))
    client.force_login(clerk)
    assert "Stop this job" not in client.get(admin_page(job)).text
    assert client.post(admin_page(job), {"stop": "on"}).status_code == 403
    assert DBTaskResult.objects.count() == 1
