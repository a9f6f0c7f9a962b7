"""Admin pages of the ratings that lists give FIDE IDs; of several in one list, a decision chooses one."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import NOTHING
from foa.web.admin import ChoiceFilter
from ratings.fide.models import DoubleRating, FideRating
from ratings.office.admin.base import OfFideId, ProjectionAdmin
from ratings.office.decision_types import decision_address, kind_of


@admin.register(FideRating)
class FideRatingAdmin(OfFideId[FideRating], ProjectionAdmin[FideRating]):
    """Admin of members' ratings in FIDE lists."""

    list_display = ("fide_id", "control", "period", "rating", "games")
    list_filter = ("control",)


class UndecidedFilter(ChoiceFilter):
    """Filter for double ratings that wait for a choice."""

    title = _("chosen")
    parameter_name = "undecided"
    options = (("yes", _("nobody has chosen one")),)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep rows of FIDE IDs for which no row is chosen."""
        if self.value() != "yes":
            return queryset
        return queryset.filter(pk__in=DoubleRating.objects.undecided().values("pk"))


@admin.register(DoubleRating)
class DoubleRatingAdmin(OfFideId[DoubleRating], ProjectionAdmin[DoubleRating]):
    """A row of a list with a rating that another row contradicts."""

    list_display = ("fide_id", "name", "fide_list", "control", "rating", "games", "k", "line", "is_chosen")
    export_display = list_display
    list_select_related = ("fide_list",)
    list_filter = (UndecidedFilter, "control")

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add the button for users who may choose."""
        may = request.user.has_perm(kind_of("choose-double-rating").permission)
        return (*self.list_display, "decide") if may else self.list_display

    @admin.display(description=_("decision"))
    def decide(self, row: DoubleRating) -> SafeString | str:
        """Link to the decision that chooses this row, or that undoes the choice."""
        name = "take-back-double-rating" if row.is_chosen else "choose-double-rating"
        address = decision_address(name, {"row": [str(row.pk)]})
        text = gettext("Take back") if row.is_chosen else gettext("Choose")
        return format_html('<a href="{}">{}</a>', address, text) if row.pk else NOTHING
