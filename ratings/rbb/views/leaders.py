"""The leaders of a category now: an overview of its groups, and the first hundred of each."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.generic import TemplateView

from foa.web.caching import cached_for_visitors
from ratings.rbb.lists.leaders import LEADERS, first_leaders, leaders, leading_federations
from ratings.rbb.lists.top_lists import EVERYBODY, OF_THE_AVERAGE, Group
from ratings.rbb.lists.trends import last_lists
from ratings.rbb.models import RatingList
from ratings.rbb.tables import ActiveLeaderTable, FederationTable, ImprovedLeaderTable, LiveRatingTable
from ratings.rbb.views.published import HEADINGS, address_of_top, heading_of, intro_of, set_trends
from ratings.rules.time_controls import Category

_SHOWN: Final = 5
"""Number of members and federations of each group on the overview."""

_INTROS: Final[dict[str, Promise]] = {
    "juniors": _("Born in %(junior)d or later: 20 or younger at the end of the year."),
    "seniors": _("Born in %(senior)d or earlier: 50 or older at the end of the year."),
    "improved": _(
        "The biggest gains in the last 30 days, among members who already had a rating and have played a "
        "rated game in that time."
    ),
    "active": _("Most rated games in the last 30 days."),
}
_TABLES: Final = {"improved": ImprovedLeaderTable, "active": ActiveLeaderTable}


@method_decorator(cached_for_visitors, name="dispatch")
class OfCategoryView(TemplateView):
    """A page about the leaders of a category."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the categories, and the latest published list of this one."""
        category: Category = kwargs["category"]
        return super().get_context_data(
            categories=list(Category), published=RatingList.objects.latest_of(category), **kwargs
        )


class LeadersView(OfCategoryView):
    """The first of every group."""

    template_name = "ratings/leaders.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        category: Category = kwargs["category"]
        now = timezone.now()
        found = first_leaders(category, LEADERS.values(), now, _SHOWN)
        groups = [
            (slug, HEADINGS[slug], intro_of(LEADERS[slug], now.year, _INTROS), rows)
            for slug, rows in found.items()
        ]
        return super().get_context_data(
            groups=groups, leading=leading_federations(category, now)[:_SHOWN], **kwargs
        )


class GroupLeadersView(OfCategoryView):
    """The first hundred of a group, or of a federation."""

    template_name = "ratings/leaders_of.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the table; 404 for a federation without rated members in the category."""
        category: Category = kwargs["category"]
        group: Group = kwargs["group"]
        now = timezone.now()
        rows = leaders(category, group, now)
        if not rows and group.slug not in LEADERS:
            raise Http404(gettext("This federation has no rated members."))
        table = _TABLES.get(group.slug, LiveRatingTable)(rows)
        set_trends(table, rows, last_lists(category))
        context = super().get_context_data(
            title=heading_of(group), intro=intro_of(group, now.year, _INTROS), table=table, **kwargs
        )
        published: RatingList | None = context["published"]
        # A federation may have had nobody on the list.
        if published is not None and (group.slug in LEADERS or group.lines(published).exists()):
            is_whole = group is EVERYBODY
            context["of_month"] = (
                published.get_absolute_url() if is_whole else address_of_top(published, group.slug)
            )
        return context


class FederationLeadersView(OfCategoryView):
    """The federations by the average of their ten best members."""

    template_name = "ratings/leaders_of.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        category: Category = kwargs["category"]
        found = leading_federations(category, timezone.now())
        best_of = partial(_address_of, category)
        context = super().get_context_data(
            title=_("Federations"),
            intro=gettext(
                "Ranked by the average rating of their top ten players. Federations with fewer than %d "
                "rated members come last."
            )
            % OF_THE_AVERAGE,
            table=FederationTable(found, best_of),
            federations=True,
            **kwargs,
        )
        published: RatingList | None = context["published"]
        if published is not None:
            place = (category.slug, published.month, published.revision)
            context["of_month"] = reverse("ratings:federations", args=place)
        return context


def _address_of(category: Category, code: str) -> str:
    return reverse("ratings:leaders_of", args=(category.slug, code))
