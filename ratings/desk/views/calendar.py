"""Pages of the office's public calendar."""

from __future__ import annotations

from datetime import UTC
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views import View
from django.views.generic import TemplateView

from ratings.desk.services.calendar import as_icalendar, span_of
from ratings.office.due import dates_between


class CalendarView(TemplateView):
    """Calendar of publications and closing periods, month by month."""

    template_name = "desk/calendar.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the coming dates by month."""
        today = timezone.now().astimezone(UTC).date()
        coming = dates_between(today, span_of(today)[1])
        months = [
            (month, list(dates)) for month, dates in groupby(coming, lambda one: one.day.replace(day=1))
        ]
        return super().get_context_data(months=months, **kwargs)


class CalendarFileView(View):
    """The calendar as an iCalendar file, for subscriptions."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Include the dates of the last weeks, because a subscription forgets what is missing."""
        now = timezone.now()
        content = as_icalendar(
            dates_between(*span_of(now.astimezone(UTC).date())),
            host=request.get_host(),
            at=now,
            address=request.build_absolute_uri,
        )
        return HttpResponse(content, content_type="text/calendar; charset=utf-8")
