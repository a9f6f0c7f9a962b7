"""Visitors share a page for two seconds; whoever is logged in or sends a token always gets a new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.views.decorators.cache import cache_page
from django.views.decorators.vary import vary_on_cookie

SECONDS: Final = 2
"""Seconds for which a visitor's page is kept."""

View = Callable[..., HttpResponseBase]


def cached_for_visitors(view: View) -> View:
    """Keep a page that is the same for everybody who is not logged in, and has no form with a token.

    Cookies are part of the key: they have the visitor's language, and say who has just written.
    """
    kept: View = cache_page(SECONDS, cache="pages")(vary_on_cookie(view))

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        is_own = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if request.method != "GET" or is_own:
            return view(request, *args, **kwargs)
        response = kept(request, *args, **kwargs)
        if isinstance(response, SimpleTemplateResponse):
            # Nothing is kept that says no-cache, so it is made and kept before that is said.
            response = response.render()
        # A browser asks each time: whoever logs in must not find what they saw as a visitor. A proxy goes by
        # Expires, which is the same however often the page is sent.
        response.headers["Cache-Control"] = "no-cache"
        return response

    return answer
