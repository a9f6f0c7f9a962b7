"""The base of lists with a filter for members."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from foa.web.listing import FilteredTableView
from members.models import Member
from ratings.rbb.searching import who_is_meant

_SUGGESTED: Final = 5


class MemberFilteredView(FilteredTableView):
    """List page with a filter ``member``: if nobody has the name, it says who may be meant."""

    def get_filterset_kwargs(self, filterset_class: type[Any]) -> dict[str, Any]:
        """Let a typed name replace the member to whom the list was limited."""
        kwargs: dict[str, Any] = super().get_filterset_kwargs(filterset_class)
        if kwargs["data"] and kwargs["data"].get("member", "").strip():
            kwargs["data"] = kwargs["data"].copy()
            kwargs["data"].pop("player", None)
        return kwargs

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the members of this list who may be meant, each with the address of the list for them."""
        context = super().get_context_data(**kwargs)
        text = self.request.GET.get("member", "")[:100].strip()
        if text and self.filterset.is_valid() and not len(context["table"].rows):
            shown = Exists(self.of(self._without_name(), OuterRef("pk")))
            found, _guessed = who_is_meant(text, _SUGGESTED, among=Member.objects.filter(shown))
            context["meant"] = [(one, self.address_for(one)) for one in found]
        return context

    def of(self, rows: QuerySet[Any], key: OuterRef) -> QuerySet[Any]:
        """Return the rows of the member with this key."""
        return rows.filter(member=key)

    def _without_name(self) -> QuerySet[Any]:
        """Return the list as the other filters have it."""
        kwargs = self.get_filterset_kwargs(self.filterset_class)
        data = self.request.GET.copy()
        for name in ("member", "player"):
            data.pop(name, None)
        found: QuerySet[Any] = self.filterset_class(**{**kwargs, "data": data}).qs
        return found

    def address_for(self, member: Member) -> str:
        """Return the address of the list for exactly this member, with the other filters."""
        query = self.request.GET.copy()
        for name in ("member", "after", "before"):
            query.pop(name, None)
        query["player"] = str(member.pk)
        return f"?{query.urlencode()}"
