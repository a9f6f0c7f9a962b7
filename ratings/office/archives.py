"""Archives of published lists: each list in its last revision, or in all of them if somebody asks."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter

from foa.web.listing import FilteredTableView

# django_filters has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


class RevisionFilter(ChoiceFilter):  # type: ignore[misc]
    """A choice of all revisions, which the page makes: without it, a list is shown in its last one."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Revisions"), empty_label=_("latest only"), choices=[("all", _("all"))], method=_as_it_is
        )


def _as_it_is(queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
    return queryset


class ArchiveView(FilteredTableView):
    """Page of published lists. Its files have all revisions, as mirrors ask for them."""

    def get_queryset(self) -> QuerySet[Any]:
        lists = super().get_queryset()
        is_whole = self.request.GET.get("revisions") == "all" or "format" in self.request.GET
        found: QuerySet[Any] = lists if is_whole else lists.last_revisions()
        return found
