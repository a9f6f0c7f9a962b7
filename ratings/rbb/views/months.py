"""Pages of the arena's months and records, from the reviews of the published lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final

from django.http import Http404
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.generic import TemplateView

from foa.text import month_text
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import Negotiated
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.lists.report import CategoryRecords, ListReport, all_records, reports
from ratings.rbb.models import RatingChange, RatingList, RatingListEntry
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category

_SHOWN: Final = 5
"""Maximum number of members shown in a group for each category; the list's page has more."""


@dataclass(frozen=True, slots=True)
class InCategory:
    """The events of a category up to a list; ``games``: those that ended in the month."""

    published: RatingList
    report: ListReport
    games: int


class MonthView(Negotiated, TemplateView):
    """The review of a month, for each category with a list of the following month."""

    template_name = "ratings/month.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the lists at the end of the month, and the adjacent months; 404 before the first list."""
        month: date = kwargs["month"]
        ended_by = next_month(month)
        categories = month_in_review(month)
        lists = RatingList.objects.monthly()
        earlier = lists.before(ended_by).first()
        later = lists.after(ended_by).first()
        return super().get_context_data(
            categories=categories,
            shown=_SHOWN,
            games=sum(one.games for one in categories),
            month_before=earlier and _last_month(earlier),
            month_after=later and _last_month(later),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        return {
            "month": f"{context['month']:%Y-%m}",
            "games": context["games"],
            "categories": {one.published.category.slug: _json(one) for one in context["categories"]},
        }

    def json_deprecated(self) -> Deprecation:
        """Return that the API has it."""
        return Deprecation(*JSON_GOES, "arena:month", {"month": self.kwargs["month"]})


def month_in_review(month: date) -> list[InCategory]:
    """Return the month in each category with a list at its end; raises Http404 if there is none yet."""
    ended_by = next_month(month)
    found = [
        published
        for category in Category
        if (published := RatingList.objects.select_related("previous").latest_of(category, ended_by))
    ]
    if not found:
        raise Http404(
            gettext("The review of %(month)s will be published with the %(next)s lists.")
            % {"month": month_text(month), "next": month_text(ended_by)}
        )
    return [_in_month(*both, month) for both in zip(found, reports(found), strict=True)]


class RecordsView(Negotiated, TemplateView):
    """The arena's records up to the last published lists."""

    template_name = "ratings/records.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the records of each category."""
        return super().get_context_data(title=_("Records"), records=all_records(), **kwargs)

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        found: list[CategoryRecords] = context["records"]
        return {
            one.category.slug: {
                "highest": [
                    {"member": row.member.get_absolute_url(), "rating": displayed(to_hundredths(row.peak))}
                    for row in one.highest
                ],
                "upsets": [_upset(line) for line in one.upsets],
                "months": [
                    {"month": f"{month:%Y-%m}", "games": games} for month, games, _listed in one.months
                ],
                "busiest": one.busiest and {"day": one.busiest[0].isoformat(), "games": one.busiest[1]},
            }
            for one in found
        }

    def json_deprecated(self) -> Deprecation:
        """Return that the API has it."""
        return Deprecation(*JSON_GOES, "arena:records")


def _in_month(published: RatingList, found: ListReport, month: date) -> InCategory:
    """Return the part of a list's report about this month: its period may include earlier months."""
    if published.previous is None or published.previous.month != month:
        found = replace(
            found,
            active=[],
            upsets=[line for line in found.upsets if line.occurred_at.date() >= month],
            busiest=found.busiest if found.busiest and found.busiest[0] >= month else None,
        )
    return InCategory(published, found, found.months.get(month, 0))


def _json(found: InCategory) -> dict[str, Any]:
    report, published = found.report, found.published
    return {
        "list": published.get_absolute_url(),
        "members": published.members,
        "games": found.games,
        "new": report.new.count,
        "left": report.left.count,
        "gains": [_moved(entry) for entry in report.risers],
        "losses": [_moved(entry) for entry in report.fallers],
        "active": [{**_of(entry), "games": entry.period_games} for entry in report.active],
        "upsets": [_upset(line) for line in report.upsets],
        "busiest": report.busiest and {"day": report.busiest[0].isoformat(), "games": report.busiest[1]},
    }


def _of(entry: RatingListEntry) -> dict[str, Any]:
    return {"member": entry.member.get_absolute_url(), "rating": entry.displayed}


def _moved(entry: RatingListEntry) -> dict[str, Any]:
    return {**_of(entry), "change": entry.change}


def _upset(line: RatingChange) -> dict[str, Any]:
    return {
        "change": line.get_absolute_url(),
        "member": line.member.get_absolute_url(),
        "rating": line.before,
        "opponent": line.opponent.get_absolute_url() if line.opponent else None,
        "opponent_rating": line.opponent_rating,
        "difference": line.difference,
    }


def _last_month(published: RatingList) -> date:
    """Return the month that ended with this monthly list."""
    month: date = published.month  # type: ignore[assignment]  # only lists of months have reviews
    return (month - timedelta(days=1)).replace(day=1)
