"""Template filters and tags for citations of the regulations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from django import template
from django.urls import get_script_prefix, reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from ratings.office.rule_books import RuleBook, cited, rule_books
from ratings.rbb.labels import SCORES

register = template.Library()

_NUMBER: Final = r"\d+\.\d+(?:\.\d+)?(?:\([a-z]\))?"
_NUMBERS: Final = re.compile(_NUMBER)
_CITATION: Final = re.compile(
    rf"(RBB|B\.02(?: RB)?(?: \(\d{{4}}\))?)( |\u00a0|&nbsp;)({_NUMBER}(?:(?:, | to | and |–){_NUMBER})*)"
)
_NO_LINK: Final = re.compile(
    r"<(/?)(?:a|button|label|select|option|textarea|summary|script|style|pre|code|svg)\b"
)


def page_of(book: RuleBook) -> str:
    """Return the address of a rule book's page; the arena's is the first."""
    if book is next(iter(rule_books().values())):
        return reverse("ratings:how")
    return reverse("ratings:how_book", args=(book.slug,))


def citation(name: str, number: str, text: str, *, kind: str = "cite") -> SafeString:
    """Return a link to an article, such as ``B.02`` ``8.55(c)``; only the text if no page has it."""
    book = cited(name)
    if book is None or not book.has(number):
        return escape(text)
    return format_html('<a class="{}" href="{}#{}">{}</a>', kind, page_of(book), book.anchor(number), text)


@register.simple_tag
def article(numbers: str, book: str = "RBB") -> SafeString:
    """Return links to one or more articles on the page of their rule book: “3.7, 3.2”."""
    return _links(numbers, book, get_script_prefix())


@lru_cache(1000)
def _links(numbers: str, book: str, _prefix: str) -> SafeString:
    links = [(citation(book, number, f"{book}\u00a0{number}"),) for number in numbers.split(", ")]
    return format_html_join(", ", "{}", links)


@register.simple_tag
def articles(numbers: tuple[str, ...], book: str = "RBB") -> SafeString:
    """Return the articles of a step as links in brackets; empty without any."""
    return format_html(" ({})", article(", ".join(numbers), book)) if numbers else SafeString()


@register.simple_tag
def heading(number: str, book: str) -> SafeString:
    """Return a link to an article, cited by its heading."""
    return _in_text(book, number, number)


@register.filter
def with_citations(text: object) -> SafeString:
    """Return a text with each citation, such as RBB 3.4.1 or B.02 8.55(c), as a link."""
    return mark_safe(_CITATION.sub(_cite, escape(str(text))))  # noqa: S308  escaped just here


class CitationsNode(template.Node):
    """A block in which each citation within a sentence becomes a link."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        return mark_safe(_linked(self.nodelist.render(context)))  # noqa: S308  was safe before


@register.tag
def citations(parser: template.base.Parser, _token: template.base.Token) -> CitationsNode:
    """Link every citation up to ``endcitations``, including those in sentences from rules or services."""
    nodelist = parser.parse(("endcitations",))
    parser.delete_first_token()
    return CitationsNode(nodelist)


def _linked(page: str) -> str:
    """Link the citations in a page, except in tags and in the text of links, buttons and fields."""
    written: list[str] = []
    end = read = inside = 0
    for found in _CITATION.finditer(page):
        start = found.start()
        if page.rfind("<", 0, start) > page.rfind(">", 0, start):
            continue  # inside a tag
        inside += sum(-1 if tag[1] else 1 for tag in _NO_LINK.finditer(page, read, start))
        read = start
        if not inside:
            written += page[end:start], _cite(found)
            end = found.end()
    return "".join([*written, page[end:]])


def _cite(found: re.Match[str]) -> str:
    """Link the first number together with the book's name, and the others alone."""
    name, _space, numbers = found.groups()
    first = _NUMBERS.findall(numbers)[0]
    others = _NUMBERS.sub(lambda one: _in_text(name, one[0], one[0]), numbers.removeprefix(first))
    return _in_text(name, first, f"{name}\u00a0{first}") + others


def _in_text(name: str, number: str, text: str) -> SafeString:
    return citation(name, number, text, kind="cite in-text")


@register.filter
def score(half_points: int) -> str:
    return SCORES[half_points]
