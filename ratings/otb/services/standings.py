"""B.02 4.13: how players stand on the list in force on a day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet

from ratings.fide.models import FideList, FidePlayer
from ratings.formats.frl import FideControl
from ratings.otb.models import OtbList, OtbListEntry
from ratings.rules.b02.book import Book
from ratings.rules.b02.editions import book_on
from ratings.rules.b02.lists import (
    INACTIVE_MONTHS,
    K_FROM_2400,
    NEW_PLAYER_GAMES,
    Standing,
    months_after,
)
from ratings.rules.units import Points

_AT_ONCE = 500
_K_OF_NEW_PLAYERS = frozenset({25, 30, 40})


def book(day: date) -> Book:
    """B.02 0.1: the edition in force on a day, as this office runs it.

    Of a tournament the first day decides, of a list its day. The settings say how many months lie between
    two lists (7.11, 7.3). The office follows the edition of 2009.
    """
    return book_on(day, settings.MONTHS_PER_OTB_LIST, today_since=None)


class OnList(NamedTuple):
    """A player as a list shows them.

    ``k``: of that list, None without a rating. ``last_game``: the day of the last rated game
    (7.23). ``delisted_on``: day of the list that made them a new player again (7.21).
    """

    fide_id: int
    name: str
    federation: str
    sex: str
    title: str
    women_title: str
    other_titles: str
    birth_year: int | None
    standing: Standing
    k: int | None
    last_game: date | None
    delisted_on: date | None = None


def on_list(day: date, fide_ids: Iterable[int], using: str = DEFAULT_DB_ALIAS) -> Mapping[int, OnList]:
    """The players with these FIDE IDs on the list in force on this day, by FIDE ID; others are missing.

    Until the office has closed its first period that is the standard list of FIDE that was imported.
    """
    return _look_up(OtbList.objects.using(using).in_force(day), fide_ids, using)


class Standings:
    """Standings of players on the lists that a period is rated by; each is looked up once for all events."""

    def __init__(self, using: str) -> None:
        self._using = using
        self._lists: dict[date, OtbList | None] = {}
        self._found: defaultdict[int | None, dict[int, OnList | None]] = defaultdict(dict)

    def in_force(self, day: date, fide_ids: Collection[int]) -> Mapping[int, OnList]:
        """Return what :func:`on_list` says."""
        if day not in self._lists:
            self._lists[day] = OtbList.objects.using(self._using).in_force(day)
        return self.on(self._lists[day], fide_ids)

    def on(self, otb_list: OtbList | None, fide_ids: Collection[int]) -> Mapping[int, OnList]:
        """The players on this list, or on that of FIDE if it is None, by FIDE ID; others are missing."""
        found = self._found[None if otb_list is None else otb_list.pk]
        if unseen := [one for one in fide_ids if one not in found]:
            found |= {**dict.fromkeys(unseen), **_look_up(otb_list, unseen, self._using)}
        return {one: listed for one in fide_ids if (listed := found[one]) is not None}


def _look_up(otb_list: OtbList | None, fide_ids: Iterable[int], using: str) -> dict[int, OnList]:
    ids = sorted(set(fide_ids))
    found: dict[int, OnList] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        if otb_list is not None:
            entries = OtbListEntry.objects.using(using).filter(otb_list=otb_list, fide_id__in=some)
            found |= {entry.fide_id: stands_as(entry) for entry in as_tuples(entries)}
        else:
            players = FidePlayer.objects.using(using).filter(pk__in=some)
            found |= of_imported_list(as_tuples(players), using)
    return found


def as_tuples(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Rows that are only read, with the names of their columns: quicker than objects of the model."""
    return rows.values_list(*(field.attname for field in rows.model._meta.concrete_fields), named=True)


def stands_as(entry: OtbListEntry) -> OnList:
    """A player as a line of the office's own list has them."""
    rating = None if entry.rating is None else Points(entry.rating)
    return OnList(
        entry.fide_id,
        entry.name,
        entry.federation,
        entry.sex,
        entry.title,
        entry.women_title,
        entry.other_titles,
        entry.birth_year,
        Standing(rating, entry.games_counted, entry.reached_2400),
        entry.k,
        entry.last_game,
        entry.delisted_on,
    )


def of_imported_list(players: Iterable[FidePlayer], using: str = DEFAULT_DB_ALIAS) -> dict[int, OnList]:
    """Players of the FIDE list in force, by FIDE ID, as B.02 takes them over.

    The list says neither how many games a player has behind him nor when he played last. Its K stays for
    the first period; from then on it is by 8.56: who has a K of new players (25, 30 or 40) is taken as one
    without games, anybody else has his thirty. Who has no flag i is taken to have played on the day of the
    list, the others a year and a day before.
    """
    fide_list = FideList.objects.using(using).in_force(FideControl.STANDARD)
    day = date.min if fide_list is None else fide_list.period
    inactive = day if fide_list is None else months_after(day, -INACTIVE_MONTHS) - timedelta(days=1)
    found = {}
    for player in players:
        rating, k = player.standard_rating, player.standard_k
        standing = Standing()
        if rating is not None:
            games = 0 if k in _K_OF_NEW_PLAYERS else NEW_PLAYER_GAMES
            standing = Standing(None, games, k == K_FROM_2400).listed(Points(rating), 0)
        found[player.fide_id] = OnList(
            player.fide_id,
            player.name,
            player.federation,
            player.sex,
            player.title,
            player.women_title,
            player.other_titles,
            player.birth_year,
            standing,
            k or standing.k if standing.rating else None,
            None if rating is None else inactive if "i" in player.flag else day,
        )
    return found
