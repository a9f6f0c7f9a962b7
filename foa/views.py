"""Error pages, the icon and security.txt."""

from __future__ import annotations

import sys
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.defaults import page_not_found, server_error

from foa import db_errors, disks
from foa.web.negotiated import json_error, wants_json


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return a page with status 400. It shows only our own messages, not those of Django's checks."""
    # Of a refused address, not even the parameters can be read.
    if not isinstance(exception, BadRequest):
        return render(request, "400.html", {"why": ""}, status=400)
    why = str(exception)
    if wants_json(request):
        return json_error(400, why)
    return render(request, "400.html", {"why": why}, status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return Django's page for an address that doesn't exist, or the error as JSON."""
    if wants_json(request):
        own = exception.args and isinstance(exception.args[0], str)
        return json_error(404, exception.args[0] if own else gettext("There’s nothing at this address."))
    return page_not_found(request, exception)


def failed(request: HttpRequest) -> HttpResponse:
    """Return a page with status 500, or 503 for a temporary database error or a full disk.

    Django calls this if a view or middleware fails. The 503 page is made without the request, because reading
    the user would query the database.
    """
    fault = sys.exc_info()[1]
    full = disks.is_full(fault) or db_errors.is_full(fault)
    if not full and not db_errors.passes(fault):
        return server_error(request)
    page = render_to_string("503.html", {"full": full})
    return HttpResponse(page, status=503, headers={"Retry-After": str(db_errors.RETRY_AFTER)})


def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon."""
    return redirect(static("foa/favicon.ico"))


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Return the contacts for security reports (RFC 9116), valid for 30 days; 404 without any."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    until = (timezone.now() + timedelta(days=30)).replace(hour=0, minute=0, second=0, microsecond=0)
    contacts = [one if ":" in one else f"mailto:{one}" for one in settings.SECURITY_CONTACT]
    lines = [
        *(f"Contact: {one}" for one in contacts),
        f"Expires: {until:%Y-%m-%dT%H:%M:%SZ}",
        f"Preferred-Languages: {', '.join(code for code, _name in settings.LANGUAGES)}",
        f"Canonical: {settings.SITE_URL}{reverse('security_txt')}",
    ]
    return HttpResponse("".join(f"{line}\r\n" for line in lines), content_type="text/plain; charset=utf-8")
