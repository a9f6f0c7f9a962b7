"""Template filters and tags that every page shares."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.contrib import admin
from django.db.models import Model
from django.template import Context
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.urls import get_script_prefix, reverse
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString, mark_safe

from foa import text
from foa.monitoring.logs import request_id
from foa.web.cells import body

register = template.Library()
register.filter("body", body)
register.filter("duration", text.duration)
register.filter("points", text.points)
register.filter("signed", text.signed)
register.filter("utc", text.utc)
register.filter("until", text.days_text)
register.filter("second", text.second)


@register.simple_tag
def request_reference() -> str:
    """Return the id of this request. Takes no context, because error pages have none."""
    return request_id.get()


@register.simple_tag
def arena_name() -> str:
    """Return the name of the arena."""
    name: str = settings.ARENA_NAME
    return name


@register.simple_tag(takes_context=True)
def page_block(context: Context, name: str) -> SafeString:
    """Return a block of this page a second time: its title is also that of links to it."""
    rendered: str = context.render_context[BLOCK_CONTEXT_KEY].get_block(name).render(context)
    return mark_safe(rendered.strip())  # noqa: S308  # escaped already


@register.simple_tag(takes_context=True)
def page_address(context: Context) -> str:
    """Return the one address of this page, whatever host and filters it was asked with."""
    request = context.get("request")
    return f"{settings.SITE_URL}{request.path if request else ''}"


@register.filter
def named_by(value: str, kind: Any) -> str:
    """Return a value of a decision's fact in the reader's language."""
    name: str = kind.name_value(value)
    return name


def _address(context: Context, model: type[Model], page: str, *args: object) -> str:
    is_registered = admin.site.is_registered(model)
    if not is_registered or not admin.site.get_model_admin(model).has_view_permission(context["request"]):
        return reverse("admin:index")
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{page}", args=args)


@register.simple_tag(takes_context=True)
def admin_address(context: Context, what: Model) -> str:
    """Return the address of an object's admin page, or of the admin index if the user may not see it."""
    return _address(context, type(what), "change", what.pk)


@register.simple_tag(takes_context=True)
def admin_list_address(context: Context) -> str:
    """Return the address of the admin list for a list page, or of the admin index without permission."""
    return _address(context, context["object_list"].model, "changelist")


@cache
def _address_of(view: str, args: tuple[object, ...], _prefix: str) -> str:
    return reverse(view, args=args)


@register.simple_tag
def stream_address(topic: str, about: object) -> str:
    """Return where a page hears of changes of its topic, or of all without one; empty without streams."""
    if not settings.STREAM_PAGES:
        return ""
    address = _address_of("arena:follow_page", (), get_script_prefix())
    return f"{address}?{urlencode({topic: about})}" if topic else address


@register.simple_tag
def nav_link(view: str, label: str, *args: object) -> SafeString:
    """Return a link of the menu."""
    return format_html('<li><a href="{}">{}</a></li>', _address_of(view, args, get_script_prefix()), label)


class MenuNode(template.Node):
    """Menu links; those to this page or to one above it get ``aria-current``."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        path = context["request"].path if "request" in context else ""

        def marked(link: re.Match[str]) -> str:
            if not path.startswith(link[1]):
                return link[0]
            return f'{link[0][:-1]} aria-current="{"page" if path == link[1] else "true"}">'

        return mark_safe(_LINK.sub(marked, self.nodelist.render(context)))  # noqa: S308  # adds a constant


_LINK = re.compile('<li><a href="([^"]*)">')


@register.tag
def menu(parser: template.base.Parser, _token: template.base.Token) -> MenuNode:
    """Mark the current links up to ``endmenu``, cached ones too."""
    nodelist = parser.parse(("endmenu",))
    parser.delete_first_token()
    return MenuNode(nodelist)


_NUMBER: Final = re.compile(r"[+−-]?[0-9][0-9.,\xa0]*%?")
_NO_VALUE: Final = {text.NOTHING, ""}


@register.filter
def number_columns(results: Iterable[Iterable[str]]) -> set[int]:
    """Return which columns of a list of the admin have numbers alone, and some: their places from 0."""
    columns = zip(*([strip_tags(cell).strip() for cell in row] for row in results), strict=False)
    return {
        place
        for place, texts in enumerate(columns)
        if (values := set(texts) - _NO_VALUE) and all(_NUMBER.fullmatch(text) for text in values)
    }


@register.filter
def with_minus(html: str) -> SafeString:
    """Return what Django has written for the admin, with a minus instead of a hyphen before numbers."""
    return mark_safe(re.sub(r">-(?=\d)", ">−", html))  # noqa: S308  # adds a constant


@register.filter
def at_the_right(cell: str) -> SafeString:
    """Return a cell of a list of the admin, which Django has written, as one with a number."""
    return mark_safe(re.sub(r"^<(t[dh])", r"<\1 data-number", with_minus(cell), count=1))  # noqa: S308  # adds a constant
