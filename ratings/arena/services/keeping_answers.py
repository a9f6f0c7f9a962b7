"""One answer for each request, however often it is sent: a server that got no answer repeats its request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction

from ratings.arena.models import GameServer, KeptAnswer

KEPT: Final = timedelta(days=1)
"""Time for which an answer is kept."""


class OtherRequestError(Exception):
    """An error for a key that came with a different request before."""


def kept_answer(server: GameServer, key: str, request: str, *, at: datetime) -> dict[str, Any] | None:
    """Return the answer given before to this request with this key; None if it is new or was forgotten.

    ``request``: a digest of it. Raises OtherRequestError.
    """
    kept = KeptAnswer.objects.filter(server=server, key=key, at__gt=at - KEPT).first()
    if kept is None:
        return None
    if kept.request != request:
        raise OtherRequestError
    return kept.body


def answer_once(
    server: GameServer, key: str, request: str, answer: Callable[[], dict[str, Any]], *, at: datetime
) -> dict[str, Any]:
    """Carry out a request and keep its answer, both or neither.

    If the same request was answered meanwhile, that answer is returned and nothing is done. Errors aren't
    kept, so the key may be used again. Raises what ``answer`` raises, and OtherRequestError.
    """
    try:
        with transaction.atomic():
            KeptAnswer.objects.filter(server=server, key=key, at__lte=at - KEPT).delete()
            body = answer()
            KeptAnswer.objects.create(server=server, key=key, request=request, body=body, at=at)
    except IntegrityError:
        kept = kept_answer(server, key, request, at=at)
        if kept is None:
            raise
        return kept
    return body
