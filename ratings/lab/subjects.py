"""Findings of the radar as subjects of cases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ratings.lab.models import Finding
from ratings.office.subjects import Remedy, SubjectKind, register


@register
class FindingSubject(SubjectKind):
    """A finding. Only the office opens cases about it."""

    name = "finding"
    noun = case = _("Radar finding")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        rows = Finding.objects.select_related("member").prefetch_related("others")
        return rows.in_bulk(list(keys))

    def parties(self, what: Any) -> Sequence[Any]:
        """Return everybody in it."""
        return [what.member, *what.others.all()]

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Return links to the members, whose pages lead to all decisions about them."""
        return [
            Remedy(str(one), reverse("admin:members_member_change", args=(one.pk,)), "members.view_member")
            for one in self.parties(what)
        ]
