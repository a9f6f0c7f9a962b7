"""Template filters for chess over the board."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from foa.text import NOTHING, whole
from ratings.otb import citations
from ratings.otb.labels import control_text, edition_text
from ratings.otb.models import OtbList, OtbListEntry, Tournament
from ratings.otb.services import standings
from ratings.otb.services.crosstable import cross_table_line
from ratings.rbb.labels import quarter_points_text
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.cited import Cited

register = template.Library()
register.filter("quarter_points", quarter_points_text)
register.filter("edition_text", edition_text)
register.filter("time_control", control_text)
register.filter(whole)
register.filter("has", citations.has)
register.filter(cross_table_line)
register.simple_tag(citations.cited_by_name, name="cited")
register.simple_tag(standings.edition_on)


@register.simple_tag
def list_page(otb_list: OtbList, page: str, **more: str) -> str:
    """Return the address of a page or file of a list."""
    return otb_list.address(page, **more)


@register.simple_tag
def edition_of(what: OtbList | Tournament) -> Edition:
    """Return the edition by which a list or a tournament is rated."""
    return citations.edition_of_list(what) if isinstance(what, OtbList) else standings.edition_of(what)


@register.simple_tag
def cite(edition: Edition, reason: Cited) -> str:
    """Return the article for a reason of the rules, with the name of the edition."""
    return edition.cite(reason)


@register.simple_tag
def regulations_of(edition: Edition) -> SafeString:
    """Return the name of the regulations as a link to their page."""
    address = reverse("ratings:how_book", args=(edition.slug,))
    return format_html('<a href="{}">{}</a>', address, gettext(edition.title))


@register.filter
def change_on_list(entry: OtbListEntry) -> str:
    """Return the difference in points between a published rating and the one before."""
    if entry.rating is None or entry.previous is None:
        return NOTHING
    return whole(entry.rating - entry.previous)
