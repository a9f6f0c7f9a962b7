"""The base of lists with a filter for members."""

from __future__ import annotations

from typing import Any, Final

from foa.web.listing import FilteredTableView
from members.models import Member
from ratings.rbb.searching import who_is_meant

_SUGGESTED: Final = 5


class MemberFilteredView(FilteredTableView):
    """List page with a filter ``member``: if nobody has the name, it says who may be meant."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the members who may be meant, each with the address of the list for them."""
        context = super().get_context_data(**kwargs)
        text = self.request.GET.get("member", "")[:100].strip()
        is_empty = not len(context["table"].rows)
        if text and is_empty and not Member.objects.matching(text).order_by().exists():
            found, _guessed = who_is_meant(text, _SUGGESTED)
            context["meant"] = [(one, self.address_for(one)) for one in found]
        return context

    def address_for(self, member: Member) -> str:
        """Return the address of the list for this member, with the other filters."""
        query = self.request.GET.copy()
        for name in ("member", "after", "before"):
            query.pop(name, None)
        field = self.filterset.form.fields["member"]
        pick = field.widget.attrs.get("data-pick")
        query[pick or "member"] = str(member.pk) if pick else member.username
        return f"?{query.urlencode()}"
