"""The public pages: the scale month by month, and the calibration of table 4.2."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.generic import TemplateView

from foa.moments import month_of
from foa.web.caching import cached_for_visitors
from ratings.lab.calibration import HEIGHT, LEAST, WIDTH, calibrations
from ratings.lab.scale import flows
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.models.ledger import RatingChange


@method_decorator(cached_for_visitors, name="dispatch")
class ScaleView(TemplateView):
    """The change of the sum of all ratings in a month, part by part; without a month, in the last one."""

    template_name = "lab/scale.html"

    def get_context_data(self, month: date | None = None, **kwargs: Any) -> dict[str, Any]:
        """Add the flow of each category, and the months before and after; 404 for a month without ratings."""
        first = RatingChange.objects.order_by("occurred_at").values_list("occurred_at", flat=True).first()
        this_month = month_of(timezone.now()).date()
        begin = this_month if first is None else min(month_of(first).date(), this_month)
        if month is None:
            month = max(begin, _month_before(this_month))
        if not begin <= month <= this_month:
            raise Http404(gettext("There are no ratings of this month."))
        return super().get_context_data(
            month=month,
            is_over=month < this_month,
            flows=flows(month),
            month_before=_month_before(month) if month > begin else None,
            month_after=next_month(month) if month < this_month else None,
            **kwargs,
        )


def _month_before(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)


@method_decorator(cached_for_visitors, name="dispatch")
class CalibrationView(TemplateView):
    """Expected and actual scores of favourites, by category, difference and colour."""

    template_name = "lab/calibration.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the calibration of each category."""
        return super().get_context_data(
            calibrations=calibrations(), least=LEAST, width=WIDTH, height=HEIGHT, **kwargs
        )
