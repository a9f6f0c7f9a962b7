"""What the worker does for the office."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django_tasks import TaskContext, task

from ratings.office.deciding import StaleError, apply_waiting
from ratings.office.effects import Effect
from ratings.office.jobs import running
from ratings.office.models import ChangeSet


@task(takes_context=True)
def apply_change_set(context: TaskContext, change_set: int) -> None:
    """Apply a change set as it was shown, or not at all."""
    with running(context) as work:
        waiting = ChangeSet.objects.filter(pk=change_set).first()
        if waiting is None:
            raise ValidationError(gettext("The change set no longer exists."))

        def tell(effect: Effect) -> None:
            for text, links in effect.outcome:
                work.add(text, *links)

        try:
            apply_waiting(waiting, work.tell, tell)
        except StaleError as stale:
            differing = [
                gettext("%(label)s: shown %(shown)s, now %(now)s")
                % {"label": one.label, "shown": one.shown or "–", "now": one.now or "–"}
                for one in stale.differs
            ]
            raise ValidationError([str(stale), *differing]) from stale
