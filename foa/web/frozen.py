"""Files that never change: whoever has one learns so without loading it again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from foa.version import version


def frozen(
    request: HttpRequest, make: Callable[[], HttpResponseBase], *, checksum: str, since: datetime
) -> HttpResponseBase:
    """Return what ``make`` returns, with ETag and Last-Modified, or 304 to a client that has it already.

    ``checksum``: of the content, in whatever form. ``since``: when it was published, or last lost a name.
    """
    # Another version of the site may write the same rows in another way.
    content = (version(), request.get_full_path(), checksum, since.isoformat())
    etag = f'"{sha256(repr(content).encode()).hexdigest()[:32]}"'
    changed = int(since.timestamp())
    response = get_conditional_response(request, etag, changed) or make()
    if response.status_code in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
        response.headers["ETag"] = etag
        response.headers["Last-Modified"] = http_date(changed)
    return response
