"""Public pages of FIDE's lists and players."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.files import TableFile
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import SORTED_AT_MOST, FilteredTableView
from members.models import Member
from ratings.fide.models import Announcement, FideList, FidePlayer
from ratings.fide.services.lists import in_force
from ratings.fide.tables import FideListFilter, FideListTable, FidePlayerFilter, FidePlayerTable


class PlayerListView(FilteredTableView):
    """The players of the FIDE list in force, by name; members are marked."""

    queryset = FidePlayer.objects.order_by("folded", "pk")
    filterset_class = FidePlayerFilter
    table_class = FidePlayerTable
    template_name = "fide/players.html"
    tie_break = ("folded", "pk")
    title = _("FIDE players")
    file_name = "fide-players"
    noun = "players"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:fide_players")

    def file(self, queryset: QuerySet[Any]) -> TableFile:
        """Return the file by name, however the page is sorted."""
        return super().file(queryset.order_by(*self.tie_break))

    def get_table_kwargs(self) -> dict[str, Any]:
        """Count the rows that match the filters, as far as it matters: two million match without any."""
        return {"length": self.object_list.order_by()[: SORTED_AT_MOST + 1].count()}

    def get_table(self, **kwargs: Any) -> Any:
        """Add the members among the page's players."""
        table = super().get_table(**kwargs)
        ids = [player.pk for player in table.page.rows]
        table.members = Member.objects.in_bulk(ids, field_name="fide_id")
        return table

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the lists in force, each once, and what to search for if nobody was found."""
        lists = {one.pk: one for one in in_force().values() if one is not None}
        context = super().get_context_data(lists=list(lists.values()), **kwargs)
        if self.request.GET.get("player"):
            context["empty"] = gettext(
                "Nothing found. Search for a family name or its beginning, a full name such as “Anna Berg”, "
                "or a FIDE ID."
            )
        return context


class FideListView(FilteredTableView):
    """The imported FIDE lists, with what each changed; those in force are marked."""

    queryset = FideList.objects.order_by("-period", "-pk")
    filterset_class = FideListFilter
    table_class = FideListTable
    template_name = "fide/lists.html"
    title = _("FIDE rating lists")
    intro = _(
        "FIDE lists that we have imported. New members’ starting ratings come from them (RBB 3.4), and "
        "changes from one FIDE list to the next are added to members’ rapid and blitz ratings here (RBB "
        "3.15)."
    )
    file_name = "fide-lists"
    noun = "lists"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:fide_lists")

    def get_table(self, **kwargs: Any) -> Any:
        """Add the lists in force and the announcements of the page's months."""
        table = super().get_table(**kwargs)
        periods = {fide_list.period for fide_list in table.page.rows}
        table.in_force = in_force()
        table.announcements = Announcement.objects.in_bulk(periods, field_name="period")
        return table
