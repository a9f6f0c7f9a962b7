"""A decided case in the register: what was decided and why, without names."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.decorators import method_decorator

from foa.web.caching import cached_for_visitors
from foa.web.typed import DetailView
from ratings.desk.models import Case


@method_decorator(cached_for_visitors, name="dispatch")
class PublicCaseView(DetailView[Case]):
    """Only what was written for everybody: neither who opened it nor what it is about."""

    template_name = "desk/public_case.html"
    context_object_name = "case"

    def get_queryset(self) -> QuerySet[Case]:
        """404 for all others, as if there were none."""
        return Case.objects.published()
