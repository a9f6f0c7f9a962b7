"""Page cache of two seconds for visitors; requests with a session or token always get a new page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.views.decorators.cache import cache_page
from django.views.decorators.vary import vary_on_cookie

from foa.version import version

SECONDS: Final = 2
"""Seconds for which a visitor's page is cached."""

View = Callable[..., HttpResponseBase]


def cached_for_visitors(view: View) -> View:
    """Cache a page that is the same for all visitors and has no form with a CSRF token.

    Cookies are part of the key: they have the visitor's language, and mark who has just written.
    """
    kept: View = cache_page(SECONDS, cache="pages")(vary_on_cookie(view))

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        is_own = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if request.method != "GET" or is_own:
            return view(request, *args, **kwargs)
        response = kept(request, *args, **kwargs)
        if isinstance(response, SimpleTemplateResponse):
            # Rendering stores the page; it must happen before no-cache is set, which prevents storing.
            response = response.render()
        # Browsers ask each time, so that a user who logs in doesn't see a visitor's page. A proxy goes by
        # Expires, which stays the same however often the page is sent.
        response.headers["Cache-Control"] = "no-cache"
        return response

    return answer


def frozen(
    request: HttpRequest, make: Callable[[], HttpResponseBase], *, checksum: str, since: datetime
) -> HttpResponseBase:
    """Return what ``make`` returns, with ETag and Last-Modified, or 304 to a client that has it already.

    ``checksum``: of the content, in whatever form. ``since``: when it was published, or last lost a name.
    """
    # Another version of the site may write the same rows in another way.
    content = (version(), request.get_full_path(), checksum, since.isoformat())
    etag = f'"{sha256(repr(content).encode()).hexdigest()[:32]}"'
    changed = int(since.timestamp())
    response = get_conditional_response(request, etag, changed) or make()
    if response.status_code in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
        response.headers["ETag"] = etag
        response.headers["Last-Modified"] = http_date(changed)
    return response
