"""FIDE B.02 0.1: the editions of the regulations, looked up by date.

Callers ask for the edition of a day and use what it has; they don't name an edition. A further edition is
one more entry of :data:`EDITIONS`: with other constants in its ``choices``, or as a subclass of
:class:`Edition` with other functions, as :class:`ratings.rules.b02.editions.b02_2024.Edition2024` is. An
amendment that holds from a day on is an edition too.
"""

from dataclasses import replace
from datetime import date
from typing import Final

from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.editions.b02_2024 import Edition2024
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Choices
from ratings.rules.units import Points

B02_2009: Final = Edition("FIDE B.02 of 1 July 2009", date(2009, 7, 1))

TODAY_SINCE: Final = date(2024, 3, 1)
"""First day of FIDE's regulations of today; rapid and blitz ratings begin with them in this office."""

_2024: Final = Choices(months_per_list=1, closing_days=3)
_STANDARD: Final = "FIDE Rating Regulations of 1 March 2024"
_RAPID_AND_BLITZ: Final = "FIDE Rapid and Blitz Rating Regulations of 1 March 2024"

EDITIONS: Final = [
    B02_2009,
    Edition2024(_STANDARD, TODAY_SINCE, _2024),
    # 8.3.1: no cap for the change of a player rated 2650 or more.
    Edition2024(
        f"{_STANDARD}, as amended on 1 October 2025",
        date(2025, 10, 1),
        replace(_2024, uncapped_from=Points(2650)),
    ),
    *(
        edition
        for chapter in (Chapter.RAPID, Chapter.BLITZ)
        for edition in (
            Edition2024(_RAPID_AND_BLITZ, TODAY_SINCE, _2024, chapter),
            # 7.3.1: no games between a player above 2600 and one 600 points or more below.
            Edition2024(
                f"{_RAPID_AND_BLITZ}, as amended on 1 December 2024",
                date(2024, 12, 1),
                _2024,
                chapter,
                rates_far_apart=False,
            ),
        )
    ),
]
"""Editions of each chapter by first day. In standard, the first holds for all days before, too."""


def edition_in_force(
    day: date,
    months_per_list: int | None = None,
    *,
    chapter: Chapter = Chapter.STANDARD,
    today_since: date | None = TODAY_SINCE,
) -> Edition:
    """Return the edition in force on a day (B.02 0.1).

    ``months_per_list``: what the office has decided under 7.3 of 2009; None for what the edition says.
    ``today_since``: the day from which the office follows FIDE's regulations of today, if not from their own
    first day; None if it still follows those of 2009. Raises ValueError for a chapter without an edition on
    that day.
    """
    edition = EDITIONS[0] if chapter is Chapter.STANDARD else None
    for one in EDITIONS:
        since = one.since
        if since >= TODAY_SINCE:
            if today_since is None:
                continue
            since = max(since, today_since)
        if one.chapter is chapter and since <= day:
            edition = one
    if edition is None:
        raise ValueError(f"The office has standard ratings only on {day}, not {chapter.slug} ratings.")
    if months_per_list is None or edition.since >= TODAY_SINCE:
        return edition
    return replace(edition, choices=replace(edition.choices, months_per_list=months_per_list))


def edition_of_year(year: int, list_day: date, chapter: Chapter) -> Edition:
    """Return the edition by which a list was made, with the amendments that were in force on its day.

    ``year``: that of the edition, which the list keeps. A list that was taken over from FIDE may be older
    than the first edition of its chapter.
    """
    of_chapter = [one for one in EDITIONS if one.chapter is chapter]
    made_by = [one for one in of_chapter if one.since.year <= year][-1]
    amended = [one for one in of_chapter if one.rates_again(made_by)]
    return next((one for one in reversed(amended) if one.since <= list_day), amended[0])
