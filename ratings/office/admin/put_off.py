"""The page on which a task of “What is due” is put off until a day, or taken up again."""

from __future__ import annotations

from collections.abc import Mapping
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
        label=_("Put off until"), widget=DayInput(), help_text=_("The task will be due again on this day.")
    )
    reason = forms.CharField(label=_("Reason"), max_length=255, help_text=_("For colleagues. Never public."))

    def clean_until(self) -> date:
        """Require a day after today, and not in a far future."""
        until: date = self.cleaned_data["until"]
        today = timezone.now().astimezone(UTC).date()
        if not today < until <= today + LONGEST:
            told = gettext("Choose a day after today, no later than %(last)s.")
            raise ValidationError(told % {"last": date_text(today + LONGEST)})
        return until


def put_off_view(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Ask until when and why; posted, put the task off, or take it up again.

    Only tasks that are due for this person, and not for them alone. All others are not found. What a
    colleague has put off is only replaced by somebody who has seen their reason.
    """
    key, now = request.GET.get("key", ""), timezone.now()
    due, put_off = due_and_put_off(request.user, now)
    index = HttpResponseRedirect(reverse("admin:index"))
    if "again" in request.POST:
        if key in {one.identity for one, _row in put_off}:
            PutOff.objects.filter(key=key).delete()
            messages.success(request, gettext("The task is due again."))
        return index
    tasks: list[Due] = [*due, *(one for one, _row in put_off)]
    found = next((one for one in tasks if one.identity == key and not one.mine), None)
    if found is None:
        raise Http404(gettext("This task isn’t due any more."))
    form = PutOffForm(request.POST or None)
    if form.is_valid():
        facts = {**form.cleaned_data, "by": request.user, "at": now}
        if _is_put_off(key, facts, seen=request.POST.get("seen", "")):
            told = gettext("Put off until %(day)s.") % {"day": date_text(form.cleaned_data["until"])}
            messages.success(request, told)
            return index
    earlier = PutOff.objects.at(now.astimezone(UTC).date()).filter(key=key).first()
    context |= {"title": gettext("Put off a task"), "form": form, "task": found, "earlier": earlier}
    return TemplateResponse(request, "admin/office/put_off.html", context)


def _is_put_off(key: str, facts: Mapping[str, Any], *, seen: str) -> bool:
    """Put a task off; return False if somebody has done so and the page hasn't shown it.

    ``seen``: when the row that the page has shown was stored.
    """
    row, is_new = PutOff.objects.get_or_create(key=key, defaults=facts)
    if is_new:
        return True
    if row.until > facts["at"].astimezone(UTC).date() and row.at.isoformat() != seen:
        return False
    return bool(PutOff.objects.filter(pk=row.pk, at=row.at).update(**facts))
