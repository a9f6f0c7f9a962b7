"""What the admin pages of ratings share."""

from __future__ import annotations

from typing import Any, ClassVar, Final, TypeVar

from django.contrib import messages
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from foa.web.admin_history import HistoryAdmin
from members.models import Member
from ratings.admin.moved import whose_ratings_moved
from ratings.services.ledger import replay

_LOOKED_FOR: Final = 100
"""So many members a search in a list of theirs looks for."""

M = TypeVar("M", bound=Model)


class OfMembers(OfficeAdmin[M]):
    """A list of what members have. Its search finds the members first, then by index what is theirs."""

    search_fields: ClassVar[tuple[str, ...]] = ("member",)
    search_help_text = _("Part of a member's name or username, or his FIDE ID")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """What those members have whom the text matches, unless these are too many to look for."""
        if not search_term:
            return queryset, False
        matching = Member.objects.matching(search_term).order_by().values_list("pk", flat=True)
        members = list(matching[: _LOOKED_FOR + 1])
        if len(members) > _LOOKED_FOR:
            told = gettext("More than %d members match: write more of the name. Nothing of theirs is listed.")
            self.message_user(request, told % _LOOKED_FOR, messages.WARNING)
            members = []
        return queryset.filter(self.found(search_term, members)), False

    def found(self, text: str, members: list[int]) -> Q:
        """What a text finds that matches these members."""
        return Q(*((f"{column}__in", members) for column in self.search_fields), _connector=Q.OR)


class InputAdmin(HistoryAdmin[M]):
    """A page of what people enter. Ratings follow, with one replay, and the page says whose moved."""

    def save_model(self, request: HttpRequest, obj: M, form: Any, change: bool) -> None:
        """Store it and rate what follows."""
        with replay.deferred() as work:
            super().save_model(request, obj, form, change)
        self._tell(request, work.summary)

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        """Delete it and rate what followed."""
        with replay.deferred() as work:
            super().delete_model(request, obj)
        self._tell(request, work.summary)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        """Delete the chosen rows with one replay at the end."""
        with replay.deferred() as work:
            super().delete_queryset(request, queryset)
        self._tell(request, work.summary)

    def _tell(self, request: HttpRequest, summary: replay.ReplaySummary) -> None:
        if summary.moved:
            self.message_user(request, whose_ratings_moved(summary.moved), messages.SUCCESS)
