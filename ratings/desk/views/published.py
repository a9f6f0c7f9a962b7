"""Page of a decided case in the register: the decision and its reasons, without names."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from django.views.generic import DetailView

from foa.web.caching import cached_for_visitors
from ratings.desk.models import Case


@method_decorator(cached_for_visitors, name="dispatch")
class PublicCaseView(DetailView[Case]):
    """The public part of a case, without who opened it and what it is about."""

    template_name = "desk/public_case.html"
    context_object_name = "case"

    def get_queryset(self) -> QuerySet[Case]:
        """Return published cases; all others give 404, as if they didn't exist."""
        return Case.objects.published()
