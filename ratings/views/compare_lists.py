"""Any two published lists of a category beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.spreadsheet import Cell
from foa.web.listing import FilteredTableView
from ratings.filters import PublishedListFilter
from ratings.labels import CATEGORY_NAMES
from ratings.models import RatingList, RatingListEntry
from ratings.rules.time_controls import Category
from ratings.services.lists.comparing import COLUMNS, COMPARED, Part, compared, compared_rows
from ratings.tables import ComparedTable
from ratings.views.published import published_list

_PARTS: dict[Part, Promise] = {
    Part.GAINS: _("Gains"),
    Part.LOSSES: _("Losses"),
    Part.ENTERED: _("Entered"),
    Part.LEFT: _("Left"),
}


class CompareListsView(FilteredTableView):
    """``?from=2026-10&to=2026-11&show=gains``: by default the last list and the one before it."""

    template_name = "ratings/compare_lists.html"
    filterset_class = PublishedListFilter
    table_class = ComparedTable
    noun = "members"
    columns = COLUMNS
    category: Category

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        """Raises Http404 for a month without a list and BadRequest for what is no month or part."""
        super().setup(request, *args, **kwargs)
        self.category = category
        later = self._list("to") or RatingList.objects.latest_of(category)
        if later is None:
            raise Http404(gettext("This list was not published."))
        self.later = later
        self.earlier = self._list("from") or self.later.previous or self.later
        try:
            self.part = Part(request.GET.get("show", Part.GAINS.value))
        except ValueError:
            raise BadRequest(gettext("“show” takes gains, losses, entered or left.")) from None

    def get_queryset(self) -> QuerySet[RatingListEntry]:
        return compared(self.earlier, self.later, self.part)

    @property
    def file_name(self) -> str:  # type: ignore[override]  # other pages have one name
        """The category, both months and the part."""
        months = (f"{one.month:%Y-%m}" for one in (self.earlier, self.later) if one.month)
        return "-".join((self.category.slug, *months, self.part.value))

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return compared_rows(queryset)

    def get_title(self) -> str:
        return gettext("Compare %s lists") % CATEGORY_NAMES[self.category]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The months to choose from, the parts, and whether only the first positions are compared."""
        months = RatingList.objects.monthly().filter(category=self.category)
        return super().get_context_data(
            earlier=self.earlier,
            later=self.later,
            parts=[(part.value, name) for part, name in _PARTS.items()],
            part=self.part.value,
            months=sorted(set(months.values_list("month", flat=True)), reverse=True),
            most=COMPARED if max(self.earlier.members, self.later.members) > COMPARED else None,
            **kwargs,
        )

    def _list(self, name: str) -> RatingList | None:
        text = self.request.GET.get(name)
        if text is None:
            return None
        try:
            month = date.fromisoformat(f"{text}-01")
        except ValueError:
            raise BadRequest(
                gettext("“%(text)s” in %(name)s isn’t a month such as 2026-11.")
                % {"text": text[:40], "name": name}
            ) from None
        return published_list(self.category, month)
