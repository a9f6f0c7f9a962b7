"""Rule books as the site tells them: articles, how the office reads them, and computed examples.

A rule book's app registers it (``Room.rule_books``), so that the page and every citation know it.
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
    """A text with what the rules give for it: they can't say anything else."""

    text: str | Promise
    words: Mapping[str, Any]

    def __str__(self) -> str:
        """With dates as people write them."""
        shown = {
            name: date_format(value) if isinstance(value, date) else value
            for name, value in self.words.items()
        }
        return str(self.text) % shown


def by_article(
    examples: Iterable[tuple[str, str | Promise, Mapping[str, Any]]],
) -> dict[str, list[Example]]:
    """Article, text and words of each example, gathered by article."""
    found: dict[str, list[Example]] = {}
    for number, text, words in examples:
        found.setdefault(number, []).append(Example(text, words))
    return found


class Article(NamedTuple):
    """One article; ``reading`` is how the office reads it, where its text leaves that open.

    ``title``: its heading; ``number`` is a name for it where the book numbers nothing.
    """

    number: str
    text: str | Promise
    reading: str | Promise = ""
    title: str | Promise = ""

    @property
    def is_paragraph(self) -> bool:
        """Whether it is part of an article, such as 3.10.3."""
        return self.number.count(".") > 1


class Section(NamedTuple):
    """Articles that belong together; ``number`` is a name for them where the book numbers nothing."""

    number: str
    title: str | Promise
    articles: tuple[Article, ...]

    @property
    def heading(self) -> str:
        """With its number, if it has one."""
        return f"{self.number}. {self.title}" if self.number.isdecimal() else str(self.title)


class Table(NamedTuple):
    """A printed table, in stretches of rows that stand side by side."""

    anchor: str
    title: str | Promise
    columns: tuple[str, ...]
    stretches: Sequence[Sequence[PrintedRow]]


class RuleBook(NamedTuple):
    """A rule book. ``cited_as``: how a citation names it, such as B.02; ``about``: what it is for.

    ``in_force``: the office rates by it today; False for an earlier edition and for what only estimates.
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
        """Where an article is on the page: ``rbb-3-10-3``; 8.55(c) is part of 8.55."""
        return f"{self.slug}-{slugify(number.partition('(')[0].replace('.', '-'))}"

    def has(self, number: str) -> bool:
        """Whether a citation of this article finds it."""
        return self.anchor(number) in _anchors(self.slug)


@cache
def rule_books() -> dict[str, RuleBook]:
    """Every rule book of the rooms by its slug, the arena's first and those for estimates last."""
    found = [import_string(path) for room in installed() for path in room.rule_books]
    return {book.slug: book for book in sorted(found, key=lambda book: not book.in_force)}


@cache
def cited(name: str) -> RuleBook | None:
    """The rule book that citations name so; None without its room."""
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
