"""The search of the whole site, and its suggestions while somebody types."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.generic import TemplateView

from foa.proxies import origin
from foa.rate_limits import count
from foa.web.caching import cached_for_visitors
from ratings.office.search import cleaned, search, search_in

_ON_A_PAGE: Final = 20
_SUGGESTED: Final = 4
_OF_ONE_KIND: Final = 8
"""Number of suggestions where only one kind is asked for."""
_MOST: Final = 300
"""Maximum number of searches a minute from one network address, with suggestions."""


class _OnlySoOften(View):
    """Base of views that search. Status 429 after too many searches; cached answers don't count."""

    template_name: str

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if count(f"search:{origin(request)}", 60) > _MOST:
            return render(request, self.template_name, {"too_many": True}, status=429)
        return super().dispatch(request, *args, **kwargs)


@method_decorator(cached_for_visitors, name="dispatch")
class SearchView(_OnlySoOften, TemplateView):
    """Results for ``?q=``, by kind."""

    template_name = "ratings/search.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the groups of hits."""
        text = cleaned(self.request.GET.get("q", ""))
        return super().get_context_data(text=text, groups=search(text, _ON_A_PAGE), **kwargs)


@method_decorator(cached_for_visitors, name="dispatch")
class SuggestionsView(_OnlySoOften):
    """The first hits for ``?q=``, as options of a list box; with ``?of=members`` only members, and so on."""

    template_name = "ratings/_suggestions.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return an HTML fragment, empty without a text."""
        text = cleaned(request.GET.get("q", ""))
        of = request.GET.get("of", "")
        groups = search_in(of, text, _OF_ONE_KIND) if of else search(text, _SUGGESTED)
        context = {
            "text": text,
            "groups": groups,
            "guessed": bool(groups) and groups[0].guessed and len(groups) == 1,
            "everything": not of,
        }
        return render(request, self.template_name, context)
