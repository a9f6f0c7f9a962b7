"""Redirects from addresses of merged members to the member they became part of."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponsePermanentRedirect
from django.urls import reverse

from members.models import Member


def redirect_merged(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a view of members by key (``pk``, ``other``). Only if it finds nobody does it cost a query."""

    @wraps(view)
    def answer(request: HttpRequest, **place: Any) -> HttpResponseBase:
        try:
            return view(request, **place)
        except Http404:
            now = place | {name: who_has(place[name]) for name in ("pk", "other") if name in place}
            if now == place or now.get("other") == now["pk"]:
                raise
            match: Any = request.resolver_match
            # Addresses contain the slugs of categories.
            words = {name: getattr(value, "slug", value) for name, value in now.items()}
            address = reverse(match.view_name, kwargs=words)
            query = request.META.get("QUERY_STRING", "")
            return HttpResponsePermanentRedirect(f"{address}?{query}" if query else address)

    return answer


def who_has(key: int) -> int:
    """Return the member into whom an account was merged, through any number of merges."""
    merged = Member.everybody.exclude(merged_into=None)
    while (into := merged.filter(pk=key).values_list("merged_into", flat=True).first()) is not None:
        key = into
    return key
