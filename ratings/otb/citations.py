"""Articles and names of the edition by which a list or tournament was rated, for sentences of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratings.rules.b02.editions import edition_of_year
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic
from ratings.rules.cited import Cited

if TYPE_CHECKING:
    # The calculators cite articles also where this room isn't installed.
    from ratings.otb.models import OtbList


def edition_of_list(otb_list: OtbList) -> Edition:
    """Return the edition by which a list was made, whatever the settings of the office say now."""
    return edition_of_year(otb_list.edition, otb_list.list_day, Chapter(otb_list.chapter))


def cited(edition: Edition, reason: Cited | Finds) -> str:
    """Return the article of an edition in brackets, after a space; empty if that edition has none."""
    return f" ({edition.cite(reason)})" if edition.article(reason) else ""


def cited_by_name(edition: Edition, topic: str) -> str:
    """Return what :func:`cited` does, for templates."""
    return cited(edition, Topic[topic])


def has(edition: Edition, topic: str) -> bool:
    """Return whether an edition has a rule about a topic, for templates."""
    return edition.has(Topic[topic])
