"""Members as the office keeps them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.web.typed import BaseInlineFormSet, ModelAdmin, TabularInline
from members.models import FullMembership, Member

__all__ = ["MemberAdmin"]

_NEVER_ENDS = datetime.max.replace(tzinfo=UTC)


class _SpansFormSet(BaseInlineFormSet[FullMembership, Member, Any]):
    """Spans entered together do not overlap: the model sees only what is already stored."""

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


class FullMembershipInline(TabularInline[FullMembership, Member]):
    """RBB 2.1: his spans of full membership."""

    model = FullMembership
    formset = _SpansFormSet
    extra = 0


@admin.register(Member)
class MemberAdmin(ModelAdmin[Member]):
    """A person on the books."""

    list_display = ("username", "name", "title", "federation", "fide_id", "birth_year")
    list_display_links = ("username", "name")
    list_filter = ("title", "sex", "federation")
    search_fields = ("username", "name", "fide_id__startswith")
    search_help_text = _("Username, name or FIDE ID")
    show_full_result_count = False
    autocomplete_fields = ("user",)
    list_select_related = ("user",)
    inlines = (FullMembershipInline,)
