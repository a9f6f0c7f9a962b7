"""Members as the office keeps them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, cast

from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.web.admin import NamedMoments, TypedFilter
from foa.web.admin_history import HistoryAdmin
from foa.web.typed import BaseInlineFormSet, ModelForm, StackedInline
from members.models import FullMembership, Member
from members.models import MemberQuerySet as Members

_NEVER_ENDS = datetime.max.replace(tzinfo=UTC)


class _SpanForm(ModelForm[FullMembership]):
    """A span among others: one may end earlier while another begins earlier."""

    def _post_clean(self) -> None:
        """Leave comparing them to the formset, which sees all of them as they will be."""
        self.instance.are_compared = True
        super()._post_clean()  # type: ignore[misc]  # django-stubs leave it out


class _SpansFormSet(BaseInlineFormSet[FullMembership, Member, Any]):
    """Spans entered together do not overlap: the model would see only what is already stored."""

    def clean(self) -> None:
        """Raise ValidationError where one span begins before the one before it has ended."""
        super().clean()
        spans = sorted(
            (data["full_from"], data.get("full_until") or _NEVER_ENDS)
            for data in (getattr(form, "cleaned_data", {}) for form in self.forms)
            if data.get("full_from") and not data.get("DELETE")
        )
        if any(later[0] < earlier[1] for earlier, later in pairwise(spans)):
            raise ValidationError(_("Spans of full membership overlap: a member is full once at a time."))


class FullMembershipInline(NamedMoments, StackedInline[FullMembership, Member]):
    """RBB 2.1: his spans of full membership."""

    model = FullMembership
    form = _SpanForm
    formset = _SpansFormSet
    fields = (("full_from", "full_until"),)
    extra = 0


class FederationFilter(TypedFilter):
    """Members of one federation."""

    title = _("federation")
    parameter_name = "federation"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Member]) -> QuerySet[Member]:
        """By FIDE's code, which is stored in capital letters."""
        code = self.value()
        return queryset.filter(federation=code.strip().upper()) if code else queryset


def _rating_column(slug: str, label: Promise) -> Any:
    """His rating in a category as it is shown (RBB 3.12), empty while unrated."""

    def column(member: Member) -> int | None:
        return next((row.displayed for row in member.ratings.all() if row.category.slug == slug), None)

    column.__name__ = slug
    column.short_description = label  # type: ignore[attr-defined]  # where Django looks for it
    return column


class MemberAdmin(HistoryAdmin[Member]):
    """A person on the books. The rating office registers the page: other spans may concern games."""

    list_display = (
        "username",
        "name",
        "title",
        "federation",
        "fide_id",
        "birth_year",
        _rating_column("rapid", _("Rapid")),
        _rating_column("blitz", _("Blitz")),
        _rating_column("bullet", _("Bullet")),
    )
    list_display_links = ("username", "name")
    list_filter = (FederationFilter, "title", "sex")
    sortable_by = ("username", "name", "federation")
    search_fields = ("username", "name", "fide_id")
    search_help_text = _("Part of a username or name, or a FIDE ID")
    autocomplete_fields = ("user",)
    inlines = (FullMembershipInline,)
    history_of = ("full_memberships",)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """With the ratings of the page's members."""
        page = super().get_changelist_instance(request)
        page.result_list = page.result_list.prefetch_related("ratings")
        return page

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Member], search_term: str
    ) -> tuple[QuerySet[Member], bool]:
        """As on the public pages, where indexes answer."""
        return (cast(Members, queryset).matching(search_term) if search_term else queryset), False

    def get_readonly_fields(self, request: HttpRequest, obj: Member | None = None) -> tuple[str, ...]:
        """Only who may look at logins gives one to a member."""
        return () if request.user.has_perm("auth.view_user") else ("user",)
