"""What tests of pages and of the admin share."""

from __future__ import annotations

import html
import re
from typing import Any

from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

BAD_QUERIES = [
    ("page=999999", 200),
    ("after=0", 404),
    ("before=999999", 404),
    ("after=" + "9" * 18, 404),
    ("after=" + "9" * 30, 404),
    ("after=abc", 400),
    ("before=-1", 400),
    ("after=", 400),
    ("after=%00", 400),
    ("before=1.5", 400),
    ("after=%D9%A3", 400),
    ("format=exe", 400),
    ("format=", 400),
    ("format=csv&member=%00", 400),
    ("member=%00", 400),
    ("member=" + "x" * 101, 400),
    ("member=" + "x" * 5000, 400),
    ("sort=%00", 400),
    ("sort=nonsense", 200),
    ("sort=-", 200),
    ("per_page=100000", 200),
    ("member=%FF%FE", 200),
    ("member=%25_%27%22%3Cscript%3E", 200),
    ("&".join(f"x{number}=1" for number in range(2500)), 400),
]
"""What an address may carry, and the answer of every list page."""


def told(response: Any) -> list[str]:
    """The messages that the next page shows."""
    return [str(message) for message in get_messages(response.wsgi_request)]


def words(response: Any) -> str:
    """The words of a page, without its tags, spaces run together; a citation is part of its sentence."""
    page = re.sub(r'<a class="cite in-text"[^>]*>([^<]*)</a>', r"\1", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page))).strip()


def queries(client: Client, address: str) -> int:
    """Return how many statements a page takes whose blank form was written before.

    The page must open, and count nothing without a limit.
    """
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    asked = [query["sql"] for query in captured.captured_queries]
    assert not [sql for sql in asked if "COUNT(" in sql and "LIMIT" not in sql] or "/admin/" in address
    return len(captured)


def is_friendly(response: Any) -> bool:
    """Whether an answer is a whole page of the office, with its policy."""
    policy = response["Content-Security-Policy"].split("; ")
    return b"<h1>" in response.content and "default-src 'self'" in policy and "unsafe" not in str(policy)
