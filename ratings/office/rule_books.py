"""Rule books as pages show them: articles, how the office reads them, and computed examples.

The app of a rule book registers it (``Room.rule_books``), so that the page and every citation find it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.text import slugify

from ratings.office.explanations import PrintedRow
from ratings.office.rooms import installed


class Example(NamedTuple):
    """An example: a text with values that the rules compute, so it can't contradict them."""

    text: str | Promise
    words: Mapping[str, Any]

    def __str__(self) -> str:
        """Return the text with dates as people write them."""
        shown = {
            name: date_format(value) if isinstance(value, date) else value
            for name, value in self.words.items()
        }
        return str(self.text) % shown


def by_article(
    examples: Iterable[tuple[str, str | Promise, Mapping[str, Any]]],
) -> dict[str, list[Example]]:
    """Group examples (article, text, words) by article."""
    found: dict[str, list[Example]] = {}
    for number, text, words in examples:
        found.setdefault(number, []).append(Example(text, words))
    return found


class Article(NamedTuple):
    """One article. ``reading``: how the office applies it, if the text leaves a point open.

    ``title``: its heading. ``number``: a name if the book doesn't number it.
    """

    number: str
    text: str | Promise
    reading: str | Promise = ""
    title: str | Promise = ""

    @property
    def is_paragraph(self) -> bool:
        """Return True if it is part of an article, such as 3.10.3."""
        return self.number.count(".") > 1


class Section(NamedTuple):
    """Articles that belong together. ``number``: a name if the book doesn't number them."""

    number: str
    title: str | Promise
    articles: tuple[Article, ...]

    @property
    def heading(self) -> str:
        """Return the title, with the number if there is one."""
        return f"{self.number}. {self.title}" if self.number.isdecimal() else str(self.title)


class Table(NamedTuple):
    """A printed table, in blocks of rows that are shown side by side."""

    anchor: str
    title: str | Promise
    columns: tuple[str, ...]
    stretches: Sequence[Sequence[PrintedRow]]


class RuleBook(NamedTuple):
    """A rule book. ``cited_as``: its name in citations, such as B.02; ``about``: its purpose.

    ``in_force``: True if the office rates by it today, False for an earlier edition and for estimates.
    """

    slug: str
    cited_as: str
    name: str | Promise
    title: str | Promise
    about: str | Promise
    sections: tuple[Section, ...]
    examples: Mapping[str, Sequence[Example]]
    tables: tuple[Table, ...] = ()
    in_force: bool = True

    def anchor(self, number: str) -> str:
        """Return the anchor of an article on the page: ``rbb-3-10-3``. 8.55(c) is part of 8.55."""
        return f"{self.slug}-{slugify(number.partition('(')[0].replace('.', '-'))}"

    def has(self, number: str) -> bool:
        """Return True if the book has this article."""
        return self.anchor(number) in _anchors(self.slug)


@cache
def rule_books() -> dict[str, RuleBook]:
    """Return every rule book by its slug: the arena's first, those not in force last."""
    found = [import_string(path) for room in installed() for path in room.rule_books]
    return {book.slug: book for book in sorted(found, key=lambda book: not book.in_force)}


@cache
def cited(name: str) -> RuleBook | None:
    """Return the rule book that citations call by this name, or None if its room isn't installed."""
    return next((book for book in rule_books().values() if book.cited_as == name), None)


@cache
def _anchors(slug: str) -> frozenset[str]:
    book = rule_books()[slug]
    numbers = [
        number
        for section in book.sections
        for number in (section.number, *(a.number for a in section.articles))
    ]
    return frozenset(book.anchor(number) for number in numbers)
