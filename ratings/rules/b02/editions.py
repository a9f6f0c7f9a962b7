"""FIDE B.02 0.1: the editions of the regulations, looked up by date.

Callers ask for the edition of a day and use what it has; they don't name an edition. A further edition is
one more entry of :data:`EDITIONS`: with other constants in its ``edition``, or as a subclass of
:class:`Book` with other functions, as :class:`ratings.rules.b02.book_2024.Book2024` is. An amendment that
holds from a day on is an edition too.
"""

from dataclasses import replace
from datetime import date
from typing import Final

from ratings.rules.b02.book import Book
from ratings.rules.b02.book_2024 import Book2024
from ratings.rules.b02.types import Chapter, Edition
from ratings.rules.units import Points

B02_2009: Final = Book("FIDE B.02 of 1 July 2009", date(2009, 7, 1))

TODAY_SINCE: Final = date(2024, 3, 1)
"""First day of FIDE's regulations of today; rapid and blitz ratings begin with them in this office."""

_2024: Final = Edition(months_per_list=1, closing_days=3)
_STANDARD: Final = "FIDE Rating Regulations of 1 March 2024"
_RAPID_AND_BLITZ: Final = "FIDE Rapid and Blitz Rating Regulations of 1 March 2024"

EDITIONS: Final = [
    B02_2009,
    Book2024(_STANDARD, TODAY_SINCE, _2024),
    # 8.3.1: no cap for the change of a player rated 2650 or more.
    Book2024(
        f"{_STANDARD}, as amended on 1 October 2025",
        date(2025, 10, 1),
        replace(_2024, uncapped_from=Points(2650)),
    ),
    *(
        book
        for chapter in (Chapter.RAPID, Chapter.BLITZ)
        for book in (
            Book2024(_RAPID_AND_BLITZ, TODAY_SINCE, _2024, chapter),
            # 7.3.1: no games between a player above 2600 and one 600 points or more below.
            Book2024(
                f"{_RAPID_AND_BLITZ}, as amended on 1 December 2024",
                date(2024, 12, 1),
                _2024,
                chapter,
                rates_far_apart=False,
            ),
        )
    ),
]
"""Of each chapter in the order in which they came into force. In standard, earlier days have the first."""


def book_on(
    day: date,
    months_per_list: int | None = None,
    *,
    chapter: Chapter = Chapter.STANDARD,
    today_since: date | None = TODAY_SINCE,
) -> Book:
    """Return the edition in force on a day (B.02 0.1).

    ``months_per_list``: what the office has decided under 7.3 of 2009; None for what the edition says.
    ``today_since``: the day from which the office follows FIDE's regulations of today, if not from their own
    first day; None if it still follows those of 2009. Raises ValueError for a chapter without an edition on
    that day.
    """
    book = EDITIONS[0] if chapter is Chapter.STANDARD else None
    for one in EDITIONS:
        since = one.since
        if since >= TODAY_SINCE:
            if today_since is None:
                continue
            since = max(since, today_since)
        if one.chapter is chapter and since <= day:
            book = one
    if book is None:
        raise ValueError(f"The office has standard ratings only on {day}, not {chapter.slug} ratings.")
    if months_per_list is None or book.since >= TODAY_SINCE:
        return book
    return replace(book, edition=replace(book.edition, months_per_list=months_per_list))
