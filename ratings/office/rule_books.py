"""Rule books as pages show them: a text in each language, with tables and examples that the rules compute.

The texts are in ``templates/how-ratings-work/``, one file for each rule book and language. The app of a rule
book registers it (``Room.rule_books``), so that the page and every citation find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from django.template import Context, Template
from django.template.loader import select_template
from django.urls import get_script_prefix
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language
from markdown import Markdown

from ratings.office.explanations import PrintedRow
from ratings.office.rooms import installed

_EXTENSIONS: Final = ("attr_list", "meta", "toc")
"""Anchors of headings; name, title and purpose in the first lines of a file; contents."""


class Table(NamedTuple):
    """A printed table, in blocks of rows that are shown side by side."""

    columns: tuple[str, ...]
    stretches: Sequence[Sequence[PrintedRow]]


class Heading(NamedTuple):
    """A heading of a text; ``level`` 2 is a section, 3 an article such as 3.10, and 4 a part of it."""

    level: int
    anchor: str
    title: str


class Page(NamedTuple):
    """The text of a rule book in one language. ``about``: its purpose, in a few sentences.

    ``markdown``: the file, filled in. ``text``: the same as HTML.
    """

    name: str
    title: str
    about: str
    text: SafeString
    headings: tuple[Heading, ...]
    markdown: str

    @property
    def contents(self) -> list[Heading]:
        """Return the headings of the sections."""
        return [heading for heading in self.headings if heading.level == 2]

    @property
    def articles(self) -> list[Heading]:
        """Return the headings of the articles and their parts."""
        return [heading for heading in self.headings if heading.level > 2]


class RuleBook(NamedTuple):
    """A rule book. ``cited_as``: its name in citations, such as B.02.

    ``computed``: a function that returns the tables and examples that the texts name. ``in_force``: True if
    the office rates by it today, False for an earlier edition and for estimates.
    """

    slug: str
    cited_as: str
    computed: Callable[[], Mapping[str, Any]]
    in_force: bool = True

    @property
    def page(self) -> Page:
        """Return its text in the language of the reader."""
        languages = (get_language(), "en")
        found = select_template([f"how-ratings-work/{self.slug}.{one}.md" for one in languages])
        return _page(found.template, self.computed, get_script_prefix())

    def anchor(self, number: str) -> str:
        """Return the anchor of an article on the page: ``rbb-3-10-3``. 8.55(c) is part of 8.55."""
        return f"{self.slug}-{slugify(number.partition('(')[0].replace('.', '-'))}"

    def has(self, number: str) -> bool:
        """Return True if the book has this article."""
        anchor = self.anchor(number)
        return any(heading.anchor == anchor for heading in self.page.headings)


@lru_cache(64)
def _page(text: Template, computed: Callable[[], Mapping[str, Any]], _prefix: str) -> Page:
    """Fill in a text and turn it into HTML, once for each: Django loads a file anew when it changes."""
    filled = text.render(Context(computed()))
    # Each extension adds an attribute of its own.
    markdown: Any = Markdown(
        extensions=_EXTENSIONS, extension_configs={"toc": {"anchorlink": True, "toc_depth": "2-4"}}
    )
    html = markdown.convert(filled)
    about = {name: " ".join(lines) for name, lines in markdown.Meta.items()}
    return Page(
        about["name"],
        about["title"],
        about["about"],
        mark_safe(html),  # noqa: S308  our own files, in which Django has escaped what it filled in
        tuple(_headings(markdown.toc_tokens)),
        filled,
    )


def _headings(tokens: Iterable[Mapping[str, Any]]) -> Iterator[Heading]:
    for token in tokens:
        yield Heading(token["level"], token["id"], token["name"])
        yield from _headings(token["children"])


@cache
def rule_books() -> dict[str, RuleBook]:
    """Return every rule book by its slug: the arena's first, those not in force last."""
    found = [import_string(path) for room in installed() for path in room.rule_books]
    return {book.slug: book for book in sorted(found, key=lambda book: not book.in_force)}


@cache
def cited(name: str) -> RuleBook | None:
    """Return the rule book that citations call by this name, or None if its room isn't installed."""
    return next((book for book in rule_books().values() if book.cited_as == name), None)
