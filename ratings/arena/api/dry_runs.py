"""Dry runs: a request is answered as if it were carried out, and then all of it is rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from ratings.office.uploads import discarded_afterwards

MOST_DRY_LINES: Final = 500
"""Maximum number of lines in a dry run: others wait for its locks until all of it is rolled back."""

NOT_TRUE_OR_FALSE: Final = _("Send dry_run=true, or leave it out.")

DRY_RUN: Final = OpenApiParameter(
    "dry_run",
    str,
    enum=["true", "false"],
    description="true: you get the same response, but nothing is stored. Any new numbers in it, and "
    "addresses that contain them, don’t exist.",
)


def is_dry(request: Request) -> bool:
    """Return True if nothing is to be stored; raises ValidationError for another word than true and false."""
    asked = request.query_params.get("dry_run", "")
    if asked not in ("", "true", "false"):
        raise serializers.ValidationError({"dry_run": NOT_TRUE_OR_FALSE})
    return asked == "true"


@contextmanager
def dry_run(request: Request) -> Iterator[None]:
    """Roll back whatever is stored within, if the request asks for that.

    Read the body before: others may have to wait until the end.
    """
    if not is_dry(request):
        yield
        return
    with discarded_afterwards(), transaction.atomic():
        yield
        transaction.set_rollback(True)
