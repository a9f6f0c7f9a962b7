"""The jobs of questions and of the radar."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext
from django_tasks import TaskContext, task

from foa.repeatable import repeatable
from ratings.lab.extra import MISSING, SchedulerFailed, is_installed
from ratings.lab.models import Run, Sweep
from ratings.lab.running import answer
from ratings.office.jobs import running


@task(takes_context=True)
@repeatable
def replay_variants(context: TaskContext, run: int) -> None:
    """Answer a run, unless it is answered."""
    with running(context) as work:
        asked = Run.objects.get(pk=run)
        if asked.result is None:
            if not is_installed():
                raise ValidationError(str(MISSING))
            from ratings.lab.arrays import read

            reading, replaying = gettext("Reading games."), gettext("Replaying all games.")
            data = read(lambda games: work.tell(games, None, reading))
            names = [gettext("Variant %(number)s") % {"number": n + 1} for n in range(len(asked.variants))]
            try:
                answer(
                    asked,
                    data,
                    names,
                    lambda done, total: work.tell(done, total, replaying),
                    settings.LAB_SCHEDULER,
                )
            except SchedulerFailed as failed:
                raise ValidationError(str(failed)) from failed
        link = (gettext("Answer"), reverse("admin:lab_run_change", args=(run,)))
        work.add(gettext("The question has been answered."), link)


@task(takes_context=True)
@repeatable
def search_games(context: TaskContext, sweep: int) -> None:
    """Run the radar, unless that run is done."""
    with running(context) as work:
        asked = Sweep.objects.get(pk=sweep)
        if asked.result is None:
            if not is_installed():
                raise ValidationError(str(MISSING))
            from ratings.lab.sweeping import sweep_games

            reading, searching = gettext("Reading games."), gettext("Searching all games.")
            sweep_games(
                asked,
                lambda games: work.tell(games, None, reading),
                lambda done, total: work.tell(done, total, searching),
            )
        link = (gettext("Radar findings"), reverse("admin:lab_finding_changelist"))
        # Not how many: nobody learns that one is about themselves.
        work.add(gettext("The radar has searched all games."), link)
