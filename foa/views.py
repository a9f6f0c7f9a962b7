"""Answers to requests that make no sense."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page with status 400. Only the office's own words are shown, not what Django found suspicious."""
    why = str(exception) if isinstance(exception, BadRequest) else ""
    return render(request, "400.html", {"why": why}, status=400)
