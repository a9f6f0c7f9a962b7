"""Template filters for chess over the board."""

from __future__ import annotations

from django import template
from django.utils.functional import Promise

from foa.text import NOTHING
from ratings.otb.labels import PUBLICATION_TEXTS, control_text
from ratings.otb.models import OtbList, OtbListEntry
from ratings.rbb.labels import quarter_points_text
from ratings.rules.b02.first_ratings import Publication

register = template.Library()
register.filter("quarter_points", quarter_points_text)


@register.simple_tag
def list_page(otb_list: OtbList, page: str, **more: str) -> str:
    """Return the address of a page or file of a list."""
    return otb_list.address(page, **more)


@register.filter
def publication_text(publication: Publication) -> Promise:
    """Return whether a first rating is published, or why not."""
    return PUBLICATION_TEXTS[publication]


@register.filter
def change_on_list(entry: OtbListEntry) -> str:
    """Return the difference in points between a published rating and the one before."""
    if entry.rating is None or entry.previous is None:
        return NOTHING
    change = entry.rating - entry.previous
    return f"+{change}" if change > 0 else str(change).replace("-", "−")


@register.filter
def time_control(text: str) -> str:
    """The time control of a tournament as people say it."""
    return control_text(text)
