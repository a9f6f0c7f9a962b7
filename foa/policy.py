"""The content security policy: browsers report what it has stopped, and the log says so, naming nobody."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from foa.limits import count
from foa.proxies import origin

ENDPOINT: Final = "csp"
"""The name by which ``report-to`` of the policy calls the address of reports."""

_LONGEST: Final = 16 * 1024
"""Bytes of a body: a report has some 2 KB, and a browser may send a few together."""

_MOST: Final = 10
"""Reports of one body that are logged."""

_AN_HOUR: Final = 60
"""Bodies from one address, as each process counts them."""

_DIRECTIVE: Final = re.compile(r"[a-z-]{1,40}")
_HOST: Final = re.compile(r"[a-z0-9.:-]{1,253}|\[[0-9a-f:.]{2,45}\]")
_KEYWORDS: Final = {"inline", "eval", "wasm-eval", "self", "data", "blob", "filesystem"}

_log = logging.getLogger(__name__)


class Policy(CSPMiddleware):
    """The policy, and where browsers find the address that its ``report-to`` names."""

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        """Add the headers."""
        response = super().process_response(request, response)
        if "Content-Security-Policy" in response and settings.HTTPS:
            response["Reporting-Endpoints"] = f'{ENDPOINT}="{reverse("policy_reports")}"'
        return response


@csrf_exempt
@require_POST
def policy_reports(request: HttpRequest) -> HttpResponse:
    """Take reports of a browser: 204, or a status that says why they are not taken. Never a page."""
    if request.content_type not in ("application/csp-report", "application/reports+json"):
        return HttpResponse(status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    if count(f"policy-reports:{origin(request)}", 3600) > _AN_HOUR:
        return HttpResponse(status=HTTPStatus.TOO_MANY_REQUESTS)
    try:
        body = request.read(_LONGEST + 1)
        if len(body) > _LONGEST:
            return HttpResponse(status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        sent = json.loads(body)
    except (ValueError, RecursionError, UnreadablePostError):
        return HttpResponse(status=HTTPStatus.BAD_REQUEST)
    for number, line in enumerate(_lines(sent)):
        if number == _MOST:
            break
        _log.warning("Stopped by the content security policy: %s", line)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _lines(sent: object) -> Iterator[str]:
    """What was stopped, in each of the two shapes: that of ``report-uri``, and a list of ``report-to``."""
    for one in sent if isinstance(sent, list) else [sent]:
        if isinstance(one, dict):
            report = one.get("csp-report") or one.get("body")
            if isinstance(report, dict):
                yield _line({str(name).replace("-", "").lower(): value for name, value in report.items()})


def _line(report: Mapping[str, object]) -> str:
    """One line. Of addresses there is only the host, and of the page its kind: a path may hold a secret."""
    directive = report.get("effectivedirective") or report.get("violateddirective")
    found = _DIRECTIVE.match(directive) if isinstance(directive, str) else None
    stopped = _host(report.get("blockeduri") or report.get("blockedurl"))
    page = _kind(report.get("documenturi") or report.get("documenturl"))
    return f"{found[0] if found else 'unknown'} stopped {stopped} on {page}"


def _host(address: object) -> str:
    if isinstance(address, str) and address in _KEYWORDS:
        return address
    parts = _split(address)
    host = parts and (parts.netloc.rpartition("@")[2].lower() or f"{parts.scheme}:")
    return host if host and _HOST.fullmatch(host) else "unknown"


def _kind(address: object) -> str:
    parts = _split(address)
    try:
        return resolve(parts.path).view_name if parts else "unknown"
    except Resolver404:
        return "unknown"


def _split(address: object) -> Any:
    try:
        return urlsplit(address) if isinstance(address, str) else None
    except ValueError:
        return None
