"""Findings of the radar as subjects of cases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Exists
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ratings.lab.models import Finding
from ratings.office.subjects import Remedy, SubjectKind, register


@register
class FindingSubject(SubjectKind):
    """A finding. Only the office opens cases about it."""

    name = "finding"
    noun = _("Radar finding")
    # Everybody reads this above the public reasons, beside what the decision changed.
    case = _("Review by the office")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        rows = Finding.objects.select_related("member").prefetch_related("others")
        return rows.in_bulk(list(keys))

    def parties(self, what: Any) -> Sequence[Any]:
        """Return everybody in it."""
        return [what.member, *what.others.all()]

    def has_party(self, key: Any, members: Collection[int]) -> Any:
        """Return the condition; one that is gone may have been about anybody."""
        found = Finding.objects.filter(pk=key)
        return Exists(found.about(members)) | ~Exists(found)

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Return links to the members, whose pages lead to all decisions about them."""
        return [
            Remedy(str(one), reverse("admin:members_member_change", args=(one.pk,)), "members.view_member")
            for one in self.parties(what)
        ]
