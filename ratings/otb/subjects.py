"""B.02 0.5: subjects of cases over the board."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.office.subjects import Remedy, SubjectKind, register
from ratings.otb.models import Refusal


@register
class RefusalSubject(SubjectKind):
    """Refusal of a tournament. The office opens the case for organizers without a login."""

    name = "refusal"
    noun = _("Refusal")
    case = _("Appeal against the refusal of a tournament (B.02 0.5)")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        return Refusal.objects.select_related("tournament").in_bulk(list(keys))

    def address(self, what: Any) -> str:
        return str(what.tournament.get_absolute_url())

    def concerned(self, what: Any) -> Sequence[Any]:
        return (what.tournament,)

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Link to the page where the appeal is noted and decided."""
        address = reverse("admin:otb_tournament_judge", args=(what.tournament_id,))
        return (Remedy(gettext("Note or decide the appeal …"), address, "otb.judge_tournament"),)
