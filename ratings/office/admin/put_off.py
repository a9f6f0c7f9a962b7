"""The page on which a task of “What is due” is put off until a day, or taken up again."""

from __future__ import annotations

from datetime import UTC, date, timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from foa.web.days import DayInput
from ratings.office.due import Due, due_and_put_off
from ratings.office.models import PutOff

LONGEST: Final = timedelta(days=366)
"""Maximum time for which a task is put off."""


class PutOffForm(forms.Form):
    """Form for the day and the reason."""

    until = forms.DateField(
        label=_("Put off until"), widget=DayInput(), help_text=_("On this day it is due again.")
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=255, help_text=_("Colleagues read it. Never public.")
    )

    def clean_until(self) -> date:
        """Require a day after today, and not in a far future."""
        until: date = self.cleaned_data["until"]
        today = timezone.now().astimezone(UTC).date()
        if not today < until <= today + LONGEST:
            told = gettext("Choose a day after today, by %(last)s.")
            raise ValidationError(told % {"last": date_text(today + LONGEST)})
        return until


def put_off_view(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Ask until when and why; posted, put the task off, or take it up again.

    Only tasks that are due for this person, and not for them alone. All others are not found.
    """
    key, now = request.GET.get("key", ""), timezone.now()
    due, put_off = due_and_put_off(request.user, now)
    index = HttpResponseRedirect(reverse("admin:index"))
    if "again" in request.POST:
        if key in {one.identity for one, _row in put_off}:
            PutOff.objects.filter(key=key).delete()
            messages.success(request, gettext("It is due again."))
        return index
    found: Due | None = next((one for one in due if one.identity == key and not one.mine), None)
    if found is None:
        raise Http404(gettext("This task isn't due any more, or somebody has put it off."))
    form = PutOffForm(request.POST or None)
    if form.is_valid():
        facts = {**form.cleaned_data, "by": request.user, "at": now}
        PutOff.objects.update_or_create(key=key, defaults=facts)
        told = gettext("Put off until %(day)s.") % {"day": date_text(form.cleaned_data["until"])}
        messages.success(request, told)
        return index
    context |= {"title": gettext("Put off a task"), "form": form, "task": found}
    return TemplateResponse(request, "admin/office/put_off.html", context)
