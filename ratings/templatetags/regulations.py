"""How pages cite the regulations."""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.urls import get_script_prefix, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ratings.labels import SCORES
from ratings.regulations.articles import anchor

register = template.Library()


@register.simple_tag
def article(numbers: str) -> SafeString:
    """A link to an article on the page “How ratings work”, or to each of several: “3.7, 3.2”."""
    return _links(numbers, get_script_prefix())


@lru_cache(1000)
def _links(numbers: str, _prefix: str) -> SafeString:
    how = reverse("ratings:how")
    return format_html_join(
        ", ",
        '<a class="cite" href="{}#{}">RBB&nbsp;{}</a>',
        ((how, anchor(number), number) for number in numbers.split(", ")),
    )


@register.simple_tag
def articles(numbers: tuple[str, ...]) -> SafeString:
    """The articles of a step, each a link, in brackets; nothing where there is none."""
    return format_html(" ({})", article(", ".join(numbers))) if numbers else SafeString()


@register.filter
def score(half_points: int) -> str:
    return SCORES[half_points]
