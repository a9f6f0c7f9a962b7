"""Addresses to which only forms lead."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

View = Callable[..., HttpResponseBase]


def only_posted(page: str, fragment: str = "") -> Callable[[View], View]:
    """Let a view change something by POST alone, and lead who comes by GET to the page of its form.

    A login leads there by GET if the session had ended when the form was sent, and so does a typed address.
    """

    def decorate(view: View) -> View:
        @require_http_methods(["GET", "HEAD", "POST"])
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            return HttpResponseRedirect(reverse(page) + fragment)

        return answer

    return decorate
