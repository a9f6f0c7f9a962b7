"""B.02 4.13: how players stand on the list in force on a day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Max, QuerySet

from ratings.fide.models import FideList, FidePlayer, is_inactive
from ratings.formats.frl import FideControl
from ratings.office.bulk import batches
from ratings.otb.models import OtbList, OtbListEntry, Tournament
from ratings.rules.b02.editions import TODAY_SINCE, edition_in_force
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.lists import INACTIVE_MONTHS, months_after
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.units import Points

_AT_ONCE = 500


def edition_on(day: date, chapter: int = Chapter.STANDARD) -> Edition:
    """Return the edition in force on a day, as this office runs it (B.02 0.1).

    Of a tournament the first day decides, of a list its day. The settings say how many months lie between
    two lists of 2009 (7.11, 7.3).
    """
    since = beginning_of_2024()
    if chapter != Chapter.STANDARD:
        # There are no others of 2009.
        day = max(day, since)
    return edition_in_force(day, settings.MONTHS_PER_OTB_LIST, chapter=Chapter(chapter), today_since=since)


def edition_of(tournament: Tournament) -> Edition:
    """Return the edition that a tournament is rated by: that of its first day."""
    first = tournament.stage_of or tournament
    return edition_on(first.first_day, tournament.chapter)


def beginning_of_2024() -> date:
    """Return the day from which this office rates by the regulations of 2024.

    Unless the settings say it, that is 1 March 2024, or the list date after the last one that was
    published under the regulations of 2009.
    """
    if settings.OTB_REGULATIONS_2024_SINCE is not None:
        chosen: date = settings.OTB_REGULATIONS_2024_SINCE
        return max(chosen, TODAY_SINCE)
    of_2009 = OtbList.objects.published().filter(edition__lt=TODAY_SINCE.year)
    last: date | None = of_2009.aggregate(last=Max("list_day"))["last"]
    if last is None or last < TODAY_SINCE:
        return TODAY_SINCE
    return edition_in_force(last, settings.MONTHS_PER_OTB_LIST, today_since=None).next_list(last)


def control_of(chapter: int) -> FideControl:
    """Return the control of FIDE's lists that has the ratings of a chapter."""
    return FideControl(Chapter(chapter).slug)


class OnList(NamedTuple):
    """A player as a list shows them.

    ``k``: of that list, None without a rating. ``last_game``: the day of the last rated game
    (7.23). ``delisted_on``: list date that made them a new player again (7.21).
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


def on_list(day: date, chapter: int, fide_ids: Iterable[int]) -> Mapping[int, OnList]:
    """Return the players on a chapter's list in force on this day, by FIDE ID; others are missing.

    Until the office has closed its first period that is FIDE's list that was imported.
    """
    return Standings(chapter).in_force(day, list(fide_ids))


class Standings:
    """Standings of players on a chapter's lists; each is looked up once for all events of a period."""

    def __init__(self, chapter: int) -> None:
        self._chapter = chapter
        self._lists: dict[date, OtbList | None] = {}
        self._found: defaultdict[int | None, dict[int, OnList | None]] = defaultdict(dict)

    def in_force(self, day: date, fide_ids: Collection[int]) -> Mapping[int, OnList]:
        """Return what :func:`on_list` says."""
        if day not in self._lists:
            lists = OtbList.objects.in_chapter(self._chapter)
            self._lists[day] = lists.in_force(day)
        return self.on(self._lists[day], fide_ids)

    def on(self, otb_list: OtbList | None, fide_ids: Collection[int]) -> Mapping[int, OnList]:
        """Return the players on this list, or on FIDE's if it is None, by FIDE ID; others are missing."""
        found = self._found[None if otb_list is None else otb_list.pk]
        if unseen := [one for one in fide_ids if one not in found]:
            found |= {**dict.fromkeys(unseen), **_look_up(otb_list, self._chapter, unseen)}
        return {one: listed for one in fide_ids if (listed := found[one]) is not None}


def _look_up(otb_list: OtbList | None, chapter: int, fide_ids: Iterable[int]) -> dict[int, OnList]:
    ids = sorted(set(fide_ids))
    found: dict[int, OnList] = {}
    for some in batches(ids, _AT_ONCE):
        if otb_list is not None:
            entries = OtbListEntry.objects.filter(otb_list=otb_list, fide_id__in=some)
            found |= {entry.fide_id: stands_as(entry) for entry in as_tuples(entries)}
        else:
            players = FidePlayer.objects.filter(pk__in=some)
            found |= of_imported_list(as_tuples(players), chapter)
    return found


def as_tuples(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Return rows as named tuples, which are read faster than objects of the model."""
    return rows.values_list(*(field.attname for field in rows.model._meta.concrete_fields), named=True)


def stands_as(entry: OtbListEntry) -> OnList:
    """Return a player by a line of the office's own list."""
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
        Standing(rating, entry.games_counted, entry.reached_2400, entry.reached_2300),
        entry.k,
        entry.last_game,
        entry.delisted_on,
    )


def of_imported_list(players: Iterable[FidePlayer], chapter: int) -> dict[int, OnList]:
    """Return players of the FIDE list in force as the regulations take them over, by FIDE ID.

    The list says neither how many games players have behind them nor when they played last. Its K stays for
    the first period; what it tells of games and of earlier ratings is up to the edition. Inactive players
    are taken to have played a year and a day before the list date, the others on that day.
    """
    control = control_of(chapter)
    fide_list = FideList.objects.in_force(control)
    day = date.min if fide_list is None else fide_list.period
    edition = edition_on(day, chapter)
    inactive = day if fide_list is None else months_after(day, -INACTIVE_MONTHS) - timedelta(days=1)
    found = {}
    for player in players:
        rating, k = getattr(player, f"{control}_rating"), getattr(player, f"{control}_k")
        standing = Standing()
        if rating is not None:
            standing = edition.taken_over(Points(rating), k, player.birth_year, day)
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
            k or edition.k(standing, player.birth_year, day) if standing.rating else None,
            None if rating is None else inactive if is_inactive(player, control) else day,
        )
    return found
