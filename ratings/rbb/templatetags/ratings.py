"""Template filters for ratings, so that pages of other apps can show them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from django import template
from django.apps import apps
from django.template import Context
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from foa.addresses import address_of
from foa.text import NOTHING, utc
from members.models import Member
from members.tables import named
from ratings.office import rooms
from ratings.office.demo import fide_profile, is_demo
from ratings.office.explanations import hundredths_text
from ratings.office.page_sections import Page, PageSection, pages_about, sections_of
from ratings.rbb.explanation import spoken_name
from ratings.rbb.labels import (
    CATEGORY_NAMES,
    dates_text,
    half_points_text,
    without_end,
)
from ratings.rbb.models import RatingListEntry
from ratings.rbb.models.fields import is_black
from ratings.rbb.strengths import strength
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import displayed as rounded
from ratings.rules.rounding import to_hundredths
from ratings.rules.time_controls import Category

register = template.Library()
register.filter("half_points", half_points_text)
register.filter("dates", dates_text)
register.filter("hundredths", hundredths_text)
register.filter("is_black", is_black)
register.filter("spoken_name", spoken_name)
register.filter("without_end", without_end)
register.simple_tag(strength)


@register.filter
def moment(value: datetime) -> SafeString:
    """Return a moment in UTC; the site's scripts show it in the reader's time zone."""
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), utc(value))


@register.filter
def displayed(rating: Decimal | None) -> str:
    """Return an exact rating rounded half up to whole points (RBB 3.12, 3.13)."""
    return NOTHING if rating is None else str(rounded(to_hundredths(rating)))


@register.filter
def short_points(rating: Decimal | int) -> str:
    """Return a rating without trailing zero decimals: 1750, 1799.60."""
    return f"{rating:.2f}".removesuffix(".00")


@register.filter
def as_score(points: str | Decimal) -> str:
    """Return points as chess players write them: 8.5 as 8½."""
    return half_points_text(int(2 * Decimal(points)))


@register.filter
def game_address(key: int) -> str:
    """Return the address of a game's page by its key."""
    return address_of("ratings:game", key)


@register.filter
def category_name(category: Category) -> Promise:
    return CATEGORY_NAMES[category]


@register.filter
def reason_text(reason: Reason) -> str:
    """Return the reason why a rating changed or didn't."""
    return gettext(Reason(reason).text)  # type: ignore[call-arg]  # by value


@register.filter
def displayed_in(member: Member, slug: str) -> str:
    """Return a member's displayed rating in a category. For several members, prefetch ``ratings``."""
    category = Category.from_slug(slug)
    return next((displayed(row.rating) for row in member.ratings.all() if row.category == category), NOTHING)


@register.simple_tag
def listed(entry: RatingListEntry) -> SafeString:
    """Return a member's name, title and flag as they were when the list was published, with a link."""
    link = format_html('<a href="{}">{}</a>', address_of("ratings:profile", entry.member_id), entry.known_as)
    return named(link, entry.title, entry.federation)


@register.inclusion_tag("_person_pages.html", takes_context=True)
def person_pages(context: Context, member: Member | None) -> dict[str, Any]:
    """Return links to the other pages about a member; none without a member."""
    here = context["request"].path
    return {"pages": list(pages_about(member, here=here)) if member else []}


@register.simple_tag
def room_entries(menu: str) -> list[tuple[str, str | Promise]]:
    """Return views and labels that rooms add to ``menu``, ``footer`` or ``member_menu`` of pages."""
    return [entry for room in rooms.installed() for entry in getattr(room, menu)]


@register.simple_tag
def has_room(name: str) -> bool:
    """Return whether a room that can be left out (ROOMS) is installed."""
    return apps.is_installed(f"ratings.{name}")


register.simple_tag(is_demo)
register.simple_tag(fide_profile)


@register.simple_tag
def header_parts(user: Any) -> list[PageSection]:
    """Return the rooms' notices for a logged-in user, in the header."""
    return sections_of(Page.HEADER, user)


@register.simple_tag
def room_links() -> list[tuple[str, str | Promise]]:
    """Return addresses and labels of pages that other rule books offer with the published lists."""
    return [(reverse(view), label) for room in rooms.installed() for view, label in room.links]
