"""Entries of an over-the-board list: everybody's standing, name and titles, written and compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date, datetime
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

from ratings.fide.models import FideList, FidePlayer
from ratings.formats import trf
from ratings.office.bulk import batches, insert_rows
from ratings.office.names import folded
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.services.files import checksum
from ratings.otb.services.standings import OnList, as_tuples, control_of, edition_on, of_imported_list
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.lists import Lists

_AT_ONCE: Final = 5_000
_AT_A_TIME: Final = 500
_NEVER: Final = date.min
_LONGEST_NAME: Final = 150
_WOMEN_TITLES: Final = frozenset({"WGM", "WIM", "WFM", "WCM"})
_TITLES: Final = _WOMEN_TITLES | {"GM", "IM", "FM", "CM"}
_ENTRY: Final = tuple(one.attname for one in OtbListEntry._meta.concrete_fields if one.attname != "id")
_COMPARED: Final = (
    "fide_id",
    "rating",
    "k",
    "games",
    "games_counted",
    "reached_2400",
    "reached_2300",
    "last_game",
    "delisted_on",
    "listing",
)


def take_over(fide_list: FideList, chapter: int, list_day: date, at: datetime) -> None:
    """Make the FIDE list in force the office's first one of a chapter, of this day; its K stays."""
    otb_list = OtbList.objects.create(
        chapter=chapter,
        edition=edition_on(list_day, chapter).since.year,
        list_day=list_day,
        taken_from=fide_list,
        published_at=at,
    )
    without = {f"{control_of(chapter)}_rating": None, "title": "", "women_title": ""}
    players = FidePlayer.objects.exclude(**without)
    writer = Writer(otb_list)
    for some in in_pieces(players, "fide_id"):
        for one in of_imported_list(some, chapter).values():
            writer.add(one, one.standing, one.k)
        writer.flush()
    writer.finish()


class Writer:
    """Writer of a list's lines, which counts them."""

    def __init__(self, otb_list: OtbList) -> None:
        self.otb_list = otb_list
        self.edition = edition_on(otb_list.list_day, otb_list.chapter)
        self.rows: list[tuple[Any, ...]] = []

    def add(
        self,
        one: OnList,
        standing: Standing,
        k: int | None,
        before: int | None = None,
        played_on: date | None = None,
        games: int = 0,
    ) -> None:
        """Add a player with their standing on this list; ``before``: the rating on the list before.

        ``played_on``: the day of the last rated game in the period, and the number of rated games.
        """
        rating, otb_list = standing.rating, self.otb_list
        last_game, delisted_on = played_on or one.last_game, None
        if played_on and one.last_game:
            last_game = max(one.last_game, played_on)
        if rating is None:
            delisted_on = one.delisted_on if before is None else otb_list.list_day
        lists = self.edition.lists_of(
            rating,
            last_game or _NEVER,
            otb_list.list_day,
            was_rated=before is not None,
            titled=bool(one.title or one.women_title),
        )
        otb_list.players += Lists.ALPHABETICAL in lists
        otb_list.delisted += Lists.DELISTED in lists
        otb_list.new_players += played_on is not None and before is None and rating is not None
        self.rows.append(
            (
                otb_list.pk,
                one.fide_id,
                one.name,
                folded(one.name),
                one.federation,
                one.sex,
                one.title,
                one.women_title,
                one.other_titles,
                one.birth_year,
                rating,
                before,
                k,
                games,
                standing.games,
                standing.reached_2400,
                standing.reached_2300,
                last_game,
                delisted_on,
                lists.value,
            )
        )

    def flush(self) -> None:
        insert_rows(OtbListEntry, _ENTRY, self.rows)
        self.rows.clear()

    def finish(self) -> None:
        """Write the counts and the checksum of the list."""
        self.otb_list.checksum = checksum(self.otb_list)
        self.otb_list.save()


def in_pieces(rows: QuerySet[Any], key: str) -> Iterator[list[Any]]:
    """Yield rows by FIDE ID, a few thousand at a time: nothing can be read during a COPY."""
    last = -1
    while some := list(as_tuples(rows).filter(**{f"{key}__gt": last}).order_by(key)[:_AT_ONCE]):
        yield some
        last = getattr(some[-1], key)


def identities(fide_ids: Collection[int], chapter: int) -> dict[int, OnList]:
    """Return the players of FIDE's list in force, which has new titles, by FIDE ID."""
    ids = sorted(fide_ids)
    found: dict[int, OnList] = {}
    for some in batches(ids, _AT_A_TIME):
        players = FidePlayer.objects.filter(pk__in=some)
        found |= of_imported_list(as_tuples(players), chapter)
    return {
        fide_id: one._replace(standing=Standing(), k=None, last_game=None) for fide_id, one in found.items()
    }


def as_known(was: OnList, known: OnList | None) -> OnList:
    """Return a player's earlier standing with their present name and titles."""
    if known is None:
        return was
    return known._replace(
        standing=was.standing, k=was.k, last_game=was.last_game, delisted_on=was.delisted_on
    )


def as_reported(reported: trf.Player) -> OnList:
    """Return a new player who is on no list, as reported."""
    title = reported.title if reported.title in _TITLES else ""
    return OnList(
        reported.fide_id or 0,
        reported.name[:_LONGEST_NAME],
        reported.federation,
        {"m": "M", "w": "F"}.get(reported.sex, ""),
        title,
        title if title in _WOMEN_TITLES else "",
        "",
        reported.birth_year,
        Standing(),
        None,
        None,
    )


def differ(one: OtbList, other: OtbList) -> bool:
    """Return True if two revisions give anybody another rating, K or standing; names don't matter."""
    columns = ", ".join(_COMPARED)
    table = OtbListEntry._meta.db_table
    side = f"SELECT {columns} FROM {table} WHERE otb_list_id = %s"  # noqa: S608  names, not values
    with connection.cursor() as cursor:
        for pair in ((one.pk, other.pk), (other.pk, one.pk)):
            cursor.execute(f"{side} EXCEPT {side} LIMIT 1", pair)
            if cursor.fetchone():
                return True
    return False
