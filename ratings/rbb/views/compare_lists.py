"""Comparison of two published lists of a category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_tables2 import Table

from foa.text import number_in
from foa.web.deprecation import JSON_GOES, Deprecation
from ratings.rbb.filters import PublishedListFilter
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.lists.comparing import COMPARED, ComparedPart, compared, decisions_between
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rbb.tables import ComparedTable
from ratings.rbb.views.member_lists import MemberFilteredView
from ratings.rbb.views.published import published_list
from ratings.rules.time_controls import Category

_PARTS: Final[dict[ComparedPart, Promise]] = {
    ComparedPart.CHANGED: _("All changes"),
    ComparedPart.GAINS: _("Gains"),
    ComparedPart.LOSSES: _("Losses"),
    ComparedPart.ENTERED: _("New on the list"),
    ComparedPart.LEFT: _("No longer listed"),
}

_FIGURES: Final = 4
"""Maximum number of digits of a revision."""


class Comparison(NamedTuple):
    """Two lists of a category, and the part of their lines to show."""

    earlier: RatingList
    later: RatingList
    part: ComparedPart

    @property
    def are_revisions(self) -> bool:
        """True for two revisions of one list."""
        return self.earlier != self.later and self.earlier.month == self.later.month


def comparison(category: Category, parameters: Mapping[str, str]) -> Comparison:
    """Return what ``from``, ``to`` and ``show`` ask for: by default the last list and the previous one.

    Raises Http404 for a month without a list, BadRequest for invalid values.
    """
    later = _list(category, "to", parameters) or RatingList.objects.latest_of(category)
    if later is None:
        raise Http404(gettext("This list was not published."))
    earlier = _list(category, "from", parameters) or later.previous or later
    found = Comparison(earlier, later, ComparedPart.GAINS)
    try:
        part = ComparedPart(parameters.get("show") or ("changed" if found.are_revisions else "gains"))
    except ValueError:
        raise BadRequest(gettext("“show” can be changed, gains, losses, entered or left.")) from None
    return found._replace(part=part)


def _list(category: Category, name: str, parameters: Mapping[str, str]) -> RatingList | None:
    text = parameters.get(name)
    if not text:
        return None
    month, dot, number = text.partition(".")
    try:
        day = date.fromisoformat(f"{month}-01")
        revision = number_in(number, _FIGURES)
        if dot and revision is None:
            raise ValueError
    except ValueError:
        raise BadRequest(
            gettext("“%(text)s” in %(name)s isn’t a list such as 2026-11, or 2026-11.1 for revision 1.")
            % {"text": text[:40], "name": name}
        ) from None
    return published_list(category, day, revision)


class CompareListsView(MemberFilteredView):
    """The page ``?from=2026-10&to=2026-11&show=gains``: by default the last list and the previous one.

    ``2026-11.1`` is the first revision of a list. Between two revisions all changes are shown, with their
    causes.
    """

    template_name = "ratings/compare_lists.html"
    filterset_class = PublishedListFilter
    table_class = ComparedTable
    noun = "members"
    category: Category

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        """Read the address; raises Http404 for a month without a list, BadRequest for invalid values."""
        super().setup(request, *args, **kwargs)
        self.category = category
        self.earlier, self.later, self.part = asked = comparison(category, request.GET)
        self.are_revisions = asked.are_revisions

    def json_deprecated(self) -> Deprecation:
        """Return the address of the comparison in the API."""
        return Deprecation(*JSON_GOES, "arena:compare_lists", {"category": self.category.slug})

    def get_queryset(self) -> QuerySet[RatingListEntry]:
        return compared(self.earlier, self.later, self.part)

    def complete(self, table: Table, rows: Sequence[Any]) -> None:
        """Add the decisions that changed these lines between two revisions."""
        if self.are_revisions:
            table.decisions, table.is_late = decisions_between(
                self.earlier, self.later, [row.member_id for row in rows]
            )
        else:
            table.columns.hide("causes")
        if self.part is not ComparedPart.CHANGED:
            table.columns.hide("games")

    @property
    def file_name(self) -> str:  # type: ignore[override]  # other pages have one name
        """The category, both lists and the part."""
        lists = (self.address_value(one).replace(".", "-") for one in (self.earlier, self.later))
        return "-".join((self.category.slug, *lists, self.part.value))

    def address_value(self, published: RatingList) -> str:
        """Return a list's name in addresses: its month, with the revision if it isn't the last."""
        revision = f".{published.revision}" if published.superseded else ""
        return f"{published.month:%Y-%m}{revision}"

    def get_title(self) -> str:
        return gettext("Compare %s lists") % str(CATEGORY_NAMES[self.category]).lower()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the lists to choose from, the parts, and whether only the first positions are compared."""
        lists = list(RatingList.objects.of(self.category))
        last = {one.month: one.pk for one in reversed(lists)}
        choices = [
            (f"{one.month:%Y-%m}" + ("" if last[one.month] == one.pk else f".{one.revision}"), one)
            for one in lists
        ]
        return super().get_context_data(
            earlier=self.earlier,
            later=self.later,
            parts=[(part.value, name) for part, name in _PARTS.items()],
            part=self.part.value,
            choices=choices,
            from_value=self.address_value(self.earlier),
            to_value=self.address_value(self.later),
            are_revisions=self.are_revisions,
            most=COMPARED if max(self.earlier.members, self.later.members) > COMPARED else None,
            **kwargs,
        )
