"""Problem details (RFC 9457): the one form for every error of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException

from foa.monitoring.logs import request_id
from ratings.arena.api.problem_kinds import KINDS
from ratings.formats import problems

MEDIA_TYPE = "application/problem+json"


class Fault(NamedTuple):
    """A single fault: its place (a field, or a path such as ``spans.0.full_from``), its text, its article."""

    field: str
    detail: str
    article: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the fault as it is in a problem, without an article if none is the reason."""
        said = {"field": self.field, "detail": self.detail}
        return said | {"article": self.article} if self.article else said


def faults_of(faults: Iterable[problems.Fault]) -> tuple[Fault, ...]:
    """Return the faults for a problem. The field is given separately, so texts don't begin with it."""
    return tuple(
        Fault(one.field, one.text.removeprefix(one.field).removeprefix(":").lstrip(), one.article)
        for one in faults
    )


class Problem(APIException):
    """An error with an HTTP status and a text for the person who has to fix it.

    ``kind`` never changes and is meant for programs, such as ``contradiction``. ``article``: the article of
    the regulations that is the reason, if any. ``more``: further members of the answer.
    """

    def __init__(
        self,
        status: HTTPStatus,
        kind: str,
        detail: str,
        *,
        faults: tuple[Fault, ...] = (),
        article: str = "",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status_code = status
        self.kind = kind
        self.faults = faults
        self.article = article
        self.headers = dict(headers or {})
        self.more = more


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return the members of RFC 9457 and ``kind``; ``article``, ``errors``, ``request_id`` if present."""
    status = HTTPStatus(problem.status_code)
    body: dict[str, Any] = {
        "type": f"{reverse('arena:api')}#problem-{problem.kind}" if problem.kind in KINDS else "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": str(problem.detail),
        "kind": problem.kind,
    }
    if problem.article:
        body["article"] = problem.article
    if problem.faults:
        body["errors"] = [fault.as_json() for fault in problem.faults]
    if asked := request_id.get():
        body["request_id"] = asked
    return body | problem.more


def not_found(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
    """Return the answer for an address that the API doesn't have."""
    problem = Problem(
        HTTPStatus.NOT_FOUND, "no-such-address", _("There is nothing at this address of the API.")
    )
    return JsonResponse(problem_json(problem), status=404, content_type=MEDIA_TYPE)
