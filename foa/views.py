"""Answers to requests that can't be read, and the icon."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page with status 400. Only the office's own words are shown, not what Django found suspicious."""
    why = str(exception) if isinstance(exception, BadRequest) else ""
    return render(request, "400.html", {"why": why}, status=400)


def favicon(request: HttpRequest) -> HttpResponse:
    """Where the icon is."""
    return redirect(static("foa/favicon.ico"))
