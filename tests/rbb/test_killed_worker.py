"""kill -9 in the middle of a publication: none of its lists is there, and the job fails."""

import signal
from pathlib import Path

from django_tasks import task
from django_tasks_db.models import DBTaskResult

from ratings.office.deciding import Proposal, apply_change_set, confirm, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import Job
from ratings.rbb.decisions import lists
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, opening, rated
from tests.commands import manage
from tests.rbb.workers import WORKER, half_a_minute_later, kill_half_way, read


@task(takes_context=True)
def stop_half_way(context, marker, change_set):
    """Apply it as the office does, and hang when the second list is written and not yet committed."""

    def hang(**options):
        result = publish(**options)
        if options["category"] is Category.BLITZ:
            Path(marker).touch()
            signal.pause()
        return result

    lists.publish = hang
    apply_change_set.func(context, change_set=change_set)


def ask(marker):
    """An arena, and two jobs for its worker, of which the first will hang."""
    anna, bob = rated(1600), rated(1700)
    for category in (Category.RAPID, Category.BULLET):
        opening(anna, 1500, category)
    game(anna, bob)
    parameters = {"month": ["2026-04"], "category": ["rapid", "blitz", "bullet"]}
    proposal = Proposal(kind=kind_of("publish-lists"), parameters=parameters)
    first = confirm(proposal, preview(proposal).shown())
    # The worker takes this in place of the job that was requested.
    DBTaskResult.objects.all().delete()
    Job.objects.filter(pk=first.job_id).update(
        title="Stops half way", task=stop_half_way.enqueue(marker=marker, change_set=first.pk).id
    )
    confirm(proposal, preview(proposal).shown())


LISTS = """
SELECT category, members, (SELECT COUNT(*) FROM ratings_ratinglistentry WHERE rating_list_id = list.id)
FROM ratings_ratinglist AS list ORDER BY category
"""
STATES = "SELECT state FROM office_changeset ORDER BY id"
JOBS = "SELECT title, state, error <> '' FROM ratings_job ORDER BY id"


def test_a_killed_publication_leaves_no_list_and_its_job_fails_at_the_next_start(office, within, tmp_path):
    marker = tmp_path / "half-way"
    with within():
        ask(str(marker))
    kill_half_way(office, marker, *WORKER)
    assert read(office, LISTS) == []
    assert read(office, JOBS) == [
        ("Stops half way", "running", 0),
        ("Publish rating lists: April 2026 (rapid, blitz, bullet)", "waiting", 0),
    ]

    half_a_minute_later(office)
    assert manage(office, *WORKER).code == 0
    assert read(office, JOBS) == [
        ("Stops half way", "failed", 1),
        ("Publish rating lists: April 2026 (rapid, blitz, bullet)", "done", 0),
    ]
    assert read(office, LISTS) == [(1, 1, 1), (2, 2, 2), (3, 1, 1)]
    assert read(office, STATES) == [("queued",), ("applied",)]
