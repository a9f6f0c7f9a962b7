"""News for everybody: new rating lists and the decisions of the office."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.generic import TemplateView

from foa.web.caching import cached_for_visitors
from ratings.office.models import ChangeSet
from ratings.rbb.models import RatingList

_LISTS: Final = 12
_DECISIONS: Final = 30


class Told(NamedTuple):
    """A public piece of news: when (UTC), what, and the reason if somebody decided it."""

    at: datetime
    title: str
    address: str
    why: str = ""


@method_decorator(cached_for_visitors, name="dispatch")
class PublicNewsView(TemplateView):
    """The latest rating lists and decisions. The register names nobody suspected of foul play."""

    template_name = "notices/public.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add lists and decisions, latest first."""
        lists = RatingList.objects.monthly().order_by("-published_at", "category")[:_LISTS]
        told = [
            Told(
                one.published_at, gettext("New rating list: %(list)s") % {"list": one}, one.get_absolute_url()
            )
            for one in lists
        ]
        told += [
            Told(one.applied_at, str(one), one.get_absolute_url(), str(one.public_why))
            for one in ChangeSet.objects.public()[:_DECISIONS]
            if one.applied_at is not None
        ]
        return super().get_context_data(told=sorted(told, key=attrgetter("at"), reverse=True), **kwargs)
