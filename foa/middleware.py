"""Middleware for every request: language, NUL bytes, caching and compression."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils import translation
from django.utils.translation import gettext


def keep_language_within_request(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer in the language of the request, and reset the thread's language afterwards.

    It runs before others, because Django's LocaleMiddleware leaves the language of a request behind, and
    refusals by middleware outside it would be in the language of an earlier request.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            return get_response(request)

    return middleware


def answer_head_like_get(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer HEAD with the headers of GET, and without its content.

    Django's own views send the content, and leave it to the server to drop it.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD":
            return get_response(request)
        request.method = "GET"
        response = get_response(request)
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = ()
        elif isinstance(response, HttpResponse):
            # The header with the length of the content stays.
            response.content = b""
        return response

    return middleware


def refuse_nul_bytes(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse addresses with a NUL byte (400): PostgreSQL doesn't accept one in text."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest(gettext("The address contains a NUL byte."))
        return get_response(request)

    return middleware


def keep_from_others(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Mark pages that may name the user as private, and make the browser ask each time.

    Pages for one person alone set their own header that forbids storing.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method != "GET" or settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return middleware


class CompressPublicPages(GZipMiddleware):
    """Compress pages and JSON that hold no secret.

    BREACH finds a secret by the length of a compressed page that also repeats what an attacker put into the
    address. So pages for a session and pages that set a cookie, such as forms with a CSRF token, are sent
    uncompressed. Django pads the others by a random length. Files are not compressed: that takes longer than
    reading them from the database.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.streaming or settings.SESSION_COOKIE_NAME in request.COOKIES or response.cookies:
            return response
        return super().process_response(request, response)
