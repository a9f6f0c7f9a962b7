"""Correcting what closed cycles were rated with: first which lines of lists change, then it is done."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError, connection, transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.models import Cycle, CycleList
from ratings.league.services.corrections import ChangedLine, changed_lines
from ratings.league.services.cycles import NotClosed
from ratings.league.services.locks import lock_league

_LONGEST_REASON: Final = 255
"""So much of a reason the history keeps."""

M = TypeVar("M", bound=Model)


class CorrectionForm(forms.ModelForm):  # type: ignore[type-arg]  # Django refuses one at run time
    """What is corrected, and why."""

    reason = forms.CharField(
        label=_("Reason"), max_length=_LONGEST_REASON, widget=AdminTextareaWidget(attrs={"rows": 2}),
        help_text=_("It stands in the history."),
    )  # fmt: skip

    def clean(self) -> dict[str, Any] | None:
        """Something is corrected."""
        if not set(self.changed_data) - {"reason"}:
            raise ValidationError(_("Nothing was changed."))
        return super().clean()


class CorrectableAdmin(LeagueInputAdmin[M]):
    """Pages of what is edited until a closed cycle has been rated with it, and from then on corrected."""

    correction_form: ClassVar[type[CorrectionForm]]

    @abstractmethod
    def rated_in(self, obj: M) -> Cycle | None:
        """The first closed cycle that was rated with it."""

    @abstractmethod
    def correct(self, obj: M, *, at: datetime, by: Any, reason: str) -> list[CycleList]:
        """Store it as the form left it, and rate again; the new revisions."""

    def may_correct(self, request: HttpRequest) -> bool:
        """Whether this login may change what is still open, and so correct the rest."""
        return super().has_change_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Not of what a closed cycle was rated with."""
        return super().has_change_permission(request, obj) and (obj is None or self.rated_in(obj) is None)

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Not of what a closed cycle was rated with."""
        return super().has_delete_permission(request, obj) and (obj is None or self.rated_in(obj) is None)

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages the one that corrects."""
        view = self.admin_site.admin_view(self.correct_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_correct"
        return [path("<int:pk>/correct/", view, name=name), *super().get_urls()]

    def render_change_form(
        self,
        request: HttpRequest,
        context: Any,
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: M | None = None,
    ) -> HttpResponse:
        """The page, with a button for who may correct what is no longer edited."""
        context["may_correct"] = self.may_correct(request) and obj is not None and bool(self.rated_in(obj))
        return super().render_change_form(request, context, add, change, form_url, obj)

    def correct_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for what is right, and why; posted, show what changes; confirmed, do it."""
        if not self.may_correct(request):
            raise PermissionDenied
        try:
            with transaction.atomic():
                lock_league(connection)
                page = self._correction(request, get_object_or_404(self.model, pk=pk))
                if not page.get("done"):
                    transaction.set_rollback(True)
        except OperationalError:
            # SQLite has one writer, and taking back is writing.
            told = gettext("The database is busy with other work. Try again in a while.")
            self.message_user(request, told, messages.ERROR)
            page = {}
        if "form" not in page:
            return HttpResponseRedirect(reverse(f"admin:league_{self.opts.model_name}_change", args=(pk,)))
        return TemplateResponse(request, "admin/league/correction.html", {
            **self.admin_site.each_context(request),
            "title": gettext("Correct: %(object)s") % {"object": page["original"]},
            "opts": self.opts,
            **page,
        })  # fmt: skip

    def _correction(self, request: HttpRequest, obj: M) -> dict[str, Any]:
        """What the page shows; ``done`` where it is to stay. Nothing for what is still edited."""
        if self.rated_in(obj) is None:
            return {}
        title = str(obj)
        posted = request.method == "POST"
        form = self.correction_form(request.POST if posted else None, instance=obj)
        page: dict[str, Any] = {"form": form, "original": title, "object": obj}
        if not (posted and form.is_valid()):
            return page
        reason = form.cleaned_data["reason"]
        try:
            with transaction.atomic():
                revised = self.correct(form.instance, at=timezone.now(), by=request.user, reason=reason)
        except (NotClosed, ValidationError) as refusal:
            form.add_error(None, refusal.messages if isinstance(refusal, ValidationError) else f"{refusal}.")
            return page
        lists: list[tuple[CycleList, list[ChangedLine]]] = [(one, changed_lines(one)) for one in revised]
        done = "confirm" in request.POST
        if done:
            told = gettext("Corrected: %(reason)s") % {"reason": reason}
            LogEntry.objects.log_actions(request.user.pk, [obj], CHANGE, change_message=told)  # type: ignore[arg-type]
        return {**page, "lists": lists, "done": done, "previewed": not done}
