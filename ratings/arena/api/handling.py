"""Conversion of every API error to a problem: DRF's exception handler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, BadRequest, PermissionDenied, SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, NotFound, ParseError, Throttled, ValidationError
from rest_framework.response import Response
from rest_framework.views import set_rollback

from ratings.arena.api.problems import MEDIA_TYPE, PROBLEM, Problem
from ratings.formats.problems import Fault


def problem_response(raised: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return any error as problem details; None for an internal fault, which becomes a 500."""
    problem = problem_of_error(raised)
    if problem is None:
        return None
    set_rollback()
    response = Response(
        PROBLEM.to_representation(problem), status=problem.status_code, content_type=MEDIA_TYPE
    )
    for name, value in problem.headers.items():
        response[name] = value
    return response


def problem_of_error(raised: Exception) -> Problem | None:
    match raised:
        case Problem():
            return raised
        case ValidationError():
            faults = tuple(faults_in("", raised.detail))
            return Problem(HTTPStatus.BAD_REQUEST, "invalid", _("The request can’t be read."), faults=faults)
        case DjangoValidationError():
            by_field = raised.message_dict if hasattr(raised, "error_dict") else {"": raised.messages}
            faults = tuple(
                Fault("" if field == NON_FIELD_ERRORS else field, text)
                for field, texts in by_field.items()
                for text in texts
            )
            return Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY, "refused", " ".join(raised.messages), faults=faults
            )
        case ParseError() | BadRequest():
            return Problem(HTTPStatus.BAD_REQUEST, "unreadable", str(raised))
        case SuspiciousOperation():
            return Problem(HTTPStatus.BAD_REQUEST, "unreadable", _("The request can’t be read."))
        case NotFound() | Http404():
            return Problem(HTTPStatus.NOT_FOUND, "not-found", str(raised) or _("Not found."))
        case PermissionDenied():
            return Problem(
                HTTPStatus.FORBIDDEN, "forbidden", str(raised) or _("You aren’t allowed to do this.")
            )
        case Throttled():
            wait = {"Retry-After": str(max(1, round(raised.wait or 1)))}
            told = _("Too many requests. Wait for the number of seconds in Retry-After.")
            return Problem(HTTPStatus.TOO_MANY_REQUESTS, "too-many", told, headers=wait)
        case APIException():
            status = HTTPStatus(raised.status_code)
            headers = {}
            if challenge := getattr(raised, "auth_header", None):
                headers["WWW-Authenticate"] = str(challenge)
            kind = status.phrase.lower().replace(" ", "-")
            return Problem(status, kind, str(raised.detail), headers=headers)
    return None


def faults_in(path: str, detail: Any) -> Iterator[Fault]:
    """Yield DRF's texts about fields, each with the path to its field."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            field = "" if name == "non_field_errors" else str(name)
            yield from faults_in(".".join(filter(None, (path, field))), inner)
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            if isinstance(inner, Mapping | list):
                yield from faults_in(f"{path}.{number}" if path else str(number), inner)
            else:
                yield Fault(path, str(inner))
    else:
        yield Fault(path, str(detail))
