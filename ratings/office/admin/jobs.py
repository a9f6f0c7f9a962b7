"""Admin pages of jobs: the progress and the outcome of each."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_tasks_db.models import DBTaskResult

from ratings.office.admin.base import OfKinds
from ratings.office.jobs import is_lost, retry, standing_of, stop
from ratings.office.models import Job

# The queue shows tracebacks. The worker's log has them, and the job says what people may know.
admin.site.unregister(DBTaskResult)


@admin.register(Job)
class JobAdmin(OfKinds[Job]):
    """A job. Its page refreshes itself until the job has ended."""

    kind_field = "change_set__kind"
    list_display = ("title", "standing", "asked_by", "asked_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("asked_by",)
    sortable_by = ()
    fields = ("asked_by", "asked_at", "began_at", "ended_at", "request_id")
    change_form_template = "admin/office/job/change_form.html"

    @admin.display(description=_("state"))
    def standing(self, job: Job) -> str:
        """Return the state. A job whose worker is gone has failed, even if its row still says “running”."""
        # Only running jobs need the look-up in the cache: there are few of them, but many may wait.
        lost = job.state == Job.State.RUNNING and is_lost(job)
        return str(Job.State.FAILED.label if lost else job.get_state_display())

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the page with the progress of the job. On POST, stop it or repeat it."""
        job = self.get_object(request, object_id)
        if job is not None and self.has_view_permission(request, job):
            may_steer = request.user.has_perm("office.steer_job")
            if {"stop", "retry"} & set(request.POST):
                if not may_steer:
                    raise PermissionDenied
                return self._steer(request, job)
            extra_context = {
                **(extra_context or {}),
                "title": gettext("Job"),
                **standing_of(job),
                "may_steer": may_steer,
                "may_retry": may_steer and job.has_failed and not hasattr(job, "change_set"),
            }
        return super().change_view(request, object_id, form_url, extra_context)

    def _steer(self, request: HttpRequest, job: Job) -> HttpResponse:
        """Stop the job or repeat it."""
        try:
            if "retry" in request.POST:
                job = retry(job, request.user)
            elif stop(job):
                told = gettext("Stopping. The worker will finish its current step first.")
                self.message_user(request, told)
        except ValidationError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
        return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))
