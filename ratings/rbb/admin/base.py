"""Base classes of the admin pages of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Final, TypeVar

from django.contrib import messages
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from foa.web.admin_history import HistoryAdmin
from members.models import Member
from ratings.office.admin.deciding import DecisionPages
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.labels import doubt_text
from ratings.rbb.ledger import replay
from ratings.rbb.ledger.plausibility import doubts_of

_LOOKED_FOR: Final = 100
"""Maximum number of matching members whose rows a search looks up."""

M = TypeVar("M", bound=Model)


class OfMembers(OfficeAdmin[M]):
    """Admin list of members' rows. Its search finds the members first, then their rows by index."""

    search_fields: ClassVar[tuple[str, ...]] = ("member",)
    search_help_text = _("Part of a member’s name or username, or a FIDE ID")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """Return the rows of the members that match the text, unless too many members match."""
        if not search_term:
            return queryset, False
        matching = Member.objects.matching(search_term).order_by().values_list("pk", flat=True)
        members = list(matching[: _LOOKED_FOR + 1])
        if len(members) > _LOOKED_FOR:
            told = gettext("Over %d members match. Type more of the name.")
            self.message_user(request, told % _LOOKED_FOR, messages.WARNING)
            members = []
        return queryset.filter(self.found(search_term, members)), False

    def found(self, text: str, members: list[int]) -> Q:
        """Return the condition for the rows of the members that match a text."""
        return Q(*((f"{column}__in", members) for column in self.search_fields), _connector=Q.OR)


class _DecisionNeeded(Exception):
    """Raised if a posted form needs a decision; has the decision's page and the values of its form."""

    def __init__(self, page: str, parameters: Mapping[str, list[str]]) -> None:
        super().__init__(page)
        self.page = page
        self.parameters = parameters


@contextmanager
def _decided_by(page: str, parameters: Mapping[str, list[str]]) -> Iterator[None]:
    """Raise _DecisionNeeded, and store nothing, if ratings before the newest ones would change."""
    try:
        with replay.newest_alone():
            yield
    except replay.NotNewestError as not_newest:
        raise _DecisionNeeded(page, parameters) from not_newest


class InputAdmin(DecisionPages, HistoryAdmin[M]):
    """Admin pages of inputs. A change that moves earlier ratings needs a decision.

    ``decisions`` has the pages "enter", "correct" and "remove". ``takes_newest``: True if a row that changes
    only the newest ratings is entered without a decision.
    """

    takes_newest: ClassVar[bool] = False
    entered: ClassVar[tuple[str, ...]]
    """Fields in the forms of these decisions."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show or store the form, or show the decision that it needs."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except _DecisionNeeded as decision:
            return self.show_decision(request, decision.page, decision.parameters)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask whether to delete the row; a rated one is deleted by a decision."""
        obj: Any = self.get_object(request, object_id)
        if obj is not None and obj.place is not None and self.has_delete_permission(request, obj):
            return self.show_decision(request, "remove", self._keys([obj]))
        try:
            return super().delete_view(request, object_id, extra_context)
        except _DecisionNeeded as decision:
            return self.show_decision(request, decision.page, decision.parameters)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the row and rate the events after it, unless that needs a decision."""
        page, parameters = "enter", parameters_of(obj, self.entered)
        is_decision = not self.takes_newest
        if change:
            page, parameters = "correct", {**self._keys([obj]), **parameters}
            is_decision = obj.as_loaded().place is not None and self.moves_ratings(form)
        if is_decision:
            raise _DecisionNeeded(page, parameters)
        with _decided_by(page, parameters):
            super().save_model(request, obj, form, change)
        for doubtful in doubts_of(obj):
            self.message_user(request, doubt_text(doubtful.doubt, doubtful.words), messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        """Delete a row that isn't in a ledger."""
        with _decided_by("remove", self._keys([obj])):
            super().delete_model(request, obj)

    def moves_ratings(self, form: Any) -> bool:
        """Return whether a form changes a field that affects ratings."""
        return not self.model.RATING_FIELDS.isdisjoint(form.changed_data)

    def response_action(self, request: HttpRequest, queryset: QuerySet[M], *args: Any) -> Any:
        """Run an action; deleting rated rows leads to a decision."""
        try:
            return super().response_action(request, queryset, *args)
        except _DecisionNeeded as decision:
            return self.show_decision(request, decision.page, decision.parameters)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        """Delete the chosen rows, if none of them was rated."""
        rows: list[Any] = list(queryset)
        if any(row.place is not None for row in rows):
            raise _DecisionNeeded("remove", self._keys(rows))
        with _decided_by("remove", self._keys(rows)), replay.deferred():
            super().delete_queryset(request, queryset)

    def _keys(self, rows: Iterable[M]) -> dict[str, list[str]]:
        return {str(self.opts.model_name): [str(row.pk) for row in rows]}
