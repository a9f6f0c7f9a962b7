"""Pages that never change are made once a minute for all who are not logged in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.views.decorators.cache import cache_page

SECONDS: Final = 60
"""So late at most a visitor learns what changes on such a page: that a correction has come after it."""

View = Callable[..., HttpResponseBase]


def cached_for_visitors(view: View) -> View:
    """Keep the page by address and language; whoever has a session gets one of his own."""
    cached = cache_page(SECONDS)(view)

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            return view(request, *args, **kwargs)
        response = cached(request, *args, **kwargs)
        if isinstance(response, SimpleTemplateResponse):
            # Once it is kept here: one marked so before would not be.
            response.add_post_render_callback(_not_in_the_browser)
        return response

    return answer


def _not_in_the_browser(response: HttpResponseBase) -> None:
    """Whoever logs in must not find the page that he saw as a visitor."""
    response.headers["Cache-Control"] = "no-cache"
