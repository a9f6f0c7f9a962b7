"""The public pages: the scale month by month, its corrections, and the calibration of table 4.2."""

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
from members.models import Member
from ratings.lab.calibration import HEIGHT, LEAST, WIDTH, calibrations
from ratings.lab.models import Run
from ratings.lab.over_time import COHORT, cohort, lists_of, pictures, scales
from ratings.lab.presenting import behind_of
from ratings.lab.scale import flows
from ratings.office.models import ChangeSet
from ratings.rbb.lists.comparing import corrections_of, decisions_among
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.time_controls import Category


@method_decorator(cached_for_visitors, name="dispatch")
class ScaleView(TemplateView):
    """The change of the sum of all ratings in a month, part by part; without a month, in the last one."""

    template_name = "lab/scale.html"

    def get_context_data(self, month: date | None = None, **kwargs: Any) -> dict[str, Any]:
        """Add the flow of each category, and the months before and after; 404 for a month without ratings."""
        return super().get_context_data(**_month_shown(month), **kwargs)


def _month_shown(month: date | None) -> dict[str, Any]:
    """Return the flow of a month's categories, and its neighbours; raises Http404 without ratings."""
    first = RatingChange.objects.order_by("occurred_at").values_list("occurred_at", flat=True).first()
    this_month = month_of(timezone.now()).date()
    begin = this_month if first is None else min(month_of(first).date(), this_month)
    if month is None:
        month = max(begin, _month_before(this_month))
    if not begin <= month <= this_month:
        raise Http404(gettext("We have no ratings for this month."))
    return {
        "month": month,
        "ends": next_month(month),
        "is_over": month < this_month,
        "flows": flows(month),
        "month_before": _month_before(month) if month > begin else None,
        "month_after": next_month(month) if month < this_month else None,
    }


def _month_before(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)


@method_decorator(cached_for_visitors, name="dispatch")
class CorrectionsView(TemplateView):
    """Members whose ratings corrections have moved on one of a month's two lists, and the decisions."""

    template_name = "lab/corrections.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the most corrected members; 404 for a month without ratings."""
        month, category = kwargs["month"], kwargs["category"]
        flow = next(one for one in _month_shown(month)["flows"] if one.category is category)
        keys = [one.member for one in flow.corrected]
        members = Member.everybody.in_bulk(keys)
        decisions: dict[int, dict[ChangeSet, None]] = {}
        for published in (flow.before.published, flow.after.published):
            if published is not None and keys:
                for member, some in decisions_among(corrections_of(published), published, keys).items():
                    decisions.setdefault(member, {}).update(dict.fromkeys(some))
        rows = [
            (members.get(one.member), one, [cause.beside_names for cause in decisions.get(one.member, ())])
            for one in flow.corrected
        ]
        more = sum(part.number for part in flow.parts if part.reason is None) - len(rows)
        return super().get_context_data(
            flow=flow, ends=(flow.before, flow.after), rows=rows, more=more, **kwargs
        )


@method_decorator(cached_for_visitors, name="dispatch")
class ListsView(TemplateView):
    """Mean, median and quantiles of published lists, one after the other: the arena's, or of another book."""

    template_name = "lab/lists.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the lists of a scale, pictures, and for a category of the arena the cohort; 404 for none."""
        known = list(scales())
        shown = next((one for one in known if one.slug == kwargs.get("slug", known[0].slug)), None)
        if shown is None:
            raise Http404(gettext("These lists don’t exist."))
        lists = list(shown.find())
        category = next((one for one in Category if one.slug == shown.slug), None)
        return super().get_context_data(
            scales=known,
            shown=shown,
            lists=lists[::-1],
            pictures=pictures(lists),
            category=category,
            behind=_last_behind(category),
            cohort=cohort(lists_of(category))[::-1] if category else [],
            least=COHORT,
            **kwargs,
        )


def _last_behind(category: Category | None) -> dict[str, Any] | None:
    """Return the last answer that says who is behind in this category, and when its games were read."""
    if category is None:
        return None
    runs = Run.objects.filter(result__behind__category=category.slug)
    for told, read_at in runs.order_by("-pk").values_list("result__behind", "data_read_at")[:1]:
        return (behind_of({"behind": told}) or {}) | {"read_at": read_at}
    return None


@method_decorator(cached_for_visitors, name="dispatch")
class CalibrationView(TemplateView):
    """Expected and actual scores of favourites, by category, difference and colour."""

    template_name = "lab/calibration.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the calibration of each category."""
        return super().get_context_data(
            calibrations=calibrations(), least=LEAST, width=WIDTH, height=HEIGHT, **kwargs
        )
