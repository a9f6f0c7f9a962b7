"""The search of the whole site, and its suggestions while somebody types."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.generic import TemplateView

from foa.web.caching import cached_for_visitors
from ratings.office.search import cleaned, search
from ratings.rbb.searching import members

_ON_A_PAGE: Final = 20
_SUGGESTED: Final = 4
_MEMBERS: Final = 8
"""Number of suggestions where only a member is asked for."""


@method_decorator(cached_for_visitors, name="dispatch")
class SearchView(TemplateView):
    """Results for ``?q=``, by kind."""

    template_name = "ratings/search.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the groups of hits."""
        text = cleaned(self.request.GET.get("q", ""))
        return super().get_context_data(text=text, groups=search(text, _ON_A_PAGE), **kwargs)


@method_decorator(cached_for_visitors, name="dispatch")
class SuggestionsView(View):
    """The first hits for ``?q=``, as options of a list box; with ``?of=members`` only members."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return an HTML fragment, empty without a text."""
        text = cleaned(request.GET.get("q", ""))
        of_members = request.GET.get("of") == "members"
        groups = search(text, _SUGGESTED) if not of_members else [members(text, _MEMBERS)] if text else []
        context = {
            "text": text,
            "groups": [one for one in groups if one.found],
            "guessed": bool(groups) and groups[0].guessed and len(groups) == 1,
            "everything": not of_members,
        }
        return render(request, "ratings/_suggestions.html", context)
