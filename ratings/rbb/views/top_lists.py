"""The top hundred of each group on a published list, and its federations."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from django.http import Http404, HttpRequest
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.files import file_response, format_asked_for
from foa.web.caching import cached_for_visitors
from ratings.rbb.lists.top_lists import (
    GROUPS,
    JUNIOR_AGE,
    OF_THE_AVERAGE,
    SENIOR_AGE,
    TOP_FORMATS,
    Group,
    federations,
    top_list,
    top_list_file,
)
from ratings.rbb.tables import FederationTable, MostImprovedTable, TopListTable
from ratings.rbb.views.published import OfListView, frozen_with, lists_before
from ratings.rbb.views.trends import set_trends

_HEADINGS: Final[dict[str, Promise]] = {
    "women": _("Top 100 women"),
    "juniors": _("Top 100 juniors"),
    "seniors": _("Top 100 seniors"),
    "improved": _("Most improved"),
}
_INTROS: Final[dict[str, Promise]] = {
    "juniors": _("Born in %(junior)d or later: they do not turn 21 in the year of the list."),
    "seniors": _("Born in %(senior)d or earlier: they turn at least 50 in the year of the list."),
    "improved": _(
        "By the exact change since the list before, of those who rose and played a rated game in the period."
    ),
}


@method_decorator(cached_for_visitors, name="dispatch")
class TopListView(OfListView):
    """The top of a group on a list, as a page or a file."""

    template_name = "ratings/top_list.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return the page or the file; 404 for a federation without members on the list."""
        group: Group = kwargs["group"]
        name = format_asked_for(request, TOP_FORMATS)
        ranked = top_list(self.published, group)
        if not ranked and group.slug not in GROUPS:
            raise Http404(gettext("Nobody from this federation is on the list."))
        if name is not None:
            make = partial(
                file_response, top_list_file(self.published, group, ranked), name, TOP_FORMATS[name]
            )
            return frozen_with(request, make, self.published)
        return super().get(request, *args, ranked=ranked, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the group's members, and its description."""
        group: Group = kwargs["group"]
        year = self.published.as_of.year
        intro = str(_INTROS.get(group.slug, "")) % {"junior": year - JUNIOR_AGE, "senior": year - SENIOR_AGE}
        heading = _HEADINGS.get(group.slug) or gettext("Top 100 of %s") % group.slug
        table = (MostImprovedTable if group.slug == "improved" else TopListTable)(kwargs["ranked"])
        set_trends(table, [entry for _rank, entry in kwargs["ranked"]], lists_before(self.published))
        return super().get_context_data(
            title=heading, intro=intro, table=table, formats=list(TOP_FORMATS), **kwargs
        )


@method_decorator(cached_for_visitors, name="dispatch")
class FederationsView(OfListView):
    template_name = "ratings/top_list.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        intro = gettext("By the average of the ten best; federations with fewer than %d members come last.")
        return super().get_context_data(
            title=_("Federations"),
            intro=intro % OF_THE_AVERAGE,
            table=FederationTable(self.published, federations(self.published)),
            **kwargs,
        )
