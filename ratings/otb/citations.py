"""Articles and names of the edition by which a list or tournament was rated, for sentences of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.rules.b02.book import Book
from ratings.rules.b02.editions import B02_2009, TODAY_SINCE, book_on
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import Chapter, Topic
from ratings.rules.cited import Cited

if TYPE_CHECKING:
    # The calculators cite articles also where this room isn't installed.
    from ratings.otb.models import OtbList

REGULATIONS: Final[dict[str, tuple[str, Promise]]] = {
    "B.02": ("b02", _("FIDE’s regulations B.02 of 1 July 2009")),
    "B.02 (2024)": ("b02-2024", _("FIDE’s Rating Regulations of 1 March 2024")),
    "B.02 RB (2024)": (
        "b02-rapid-blitz-2024",
        _("FIDE’s Rapid and Blitz Rating Regulations of 1 March 2024"),
    ),
}
"""Slug of the rule book and name of the regulations, by what citations call them."""


def edition_of(otb_list: OtbList) -> Book:
    """Return the edition by which a list was made, whatever the settings of the office say now."""
    if otb_list.edition == B02_2009.since.year:
        return B02_2009
    # A rapid or blitz list that was taken from FIDE may be older than the regulations.
    return book_on(max(otb_list.list_day, TODAY_SINCE), chapter=Chapter(otb_list.chapter))


def cited(edition: Book, reason: Cited | Finds) -> str:
    """Return the article of an edition in brackets, after a space; empty if that edition has none."""
    return f" ({edition.cite(reason)})" if edition.article(reason) else ""


def cited_by_name(edition: Book, topic: str) -> str:
    """Return what :func:`cited` does, for templates."""
    return cited(edition, Topic[topic])


def has(edition: Book, topic: str) -> bool:
    """Return whether an edition has a rule about a topic, for templates."""
    return edition.has(Topic[topic])
