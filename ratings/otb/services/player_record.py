"""The card of a player over the board: lists, tournaments, and the way to a first rating."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise

from ratings.fide.models import FidePlayer
from ratings.otb.models import (
    CHAPTER_NAMES,
    AssociationMember,
    OtbList,
    OtbListEntry,
    Tournament,
    TournamentPlayer,
    TournamentResult,
)
from ratings.otb.services.pooling import events_of
from ratings.otb.services.standings import control_of, edition_on
from ratings.rules.b02.first_ratings import FirstRating
from ratings.rules.b02.time_controls import Chapter


@dataclass(frozen=True, slots=True)
class Prospect:
    """B.02 7.14: how far a player without a rating is from a first one.

    ``list_day``: of the next list; ``first``: what it would publish now; ``needed``: games, nine or seven.
    """

    list_day: date
    first: FirstRating
    needed: int

    @property
    def missing(self) -> int:
        """Number of games still needed."""
        return max(0, self.needed - self.first.games)


@dataclass(frozen=True, slots=True)
class ChapterRecord:
    """A player in one chapter: the latest rating, FIDE's own, lists, and what a first rating still needs.

    ``entries``: a line for each list, in its last revision, the latest first.
    """

    chapter: Chapter
    rating: int | None
    fide_rating: int | None
    entries: tuple[OtbListEntry, ...]
    prospect: Prospect | None

    @property
    def name(self) -> Promise:
        return CHAPTER_NAMES[self.chapter]

    @property
    def is_empty(self) -> bool:
        """True for a chapter in which nothing is known of the player."""
        return not (self.entries or self.fide_rating)


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """Name and titles by the latest source, and what the office has of a player.

    ``chapters``: standard, and those in which the player is known. ``results``: of rated tournaments, the
    latest first. ``waiting``: in tournaments that are received and not rated.
    """

    fide_id: int
    name: str
    federation: str
    title: str
    birth_year: int | None
    chapters: tuple[ChapterRecord, ...]
    results: tuple[TournamentResult, ...]
    waiting: tuple[TournamentPlayer, ...]

    @property
    def list_days(self) -> list[tuple[date, list[OtbListEntry | None]]]:
        """The days with lists, the latest first, each with the player's line in every one of ``chapters``."""
        days: dict[date, list[OtbListEntry | None]] = {}
        for number, chapter in enumerate(self.chapters):
            for entry in chapter.entries:
                days.setdefault(entry.otb_list.list_day, [None] * len(self.chapters))[number] = entry
        return sorted(days.items(), key=lambda one: one[0], reverse=True)


def card(fide_id: int) -> PlayerRecord | None:
    """Return what the office has on a player over the board, or None for an unknown FIDE ID."""
    entries = tuple(
        OtbListEntry.objects.last_revised()
        .filter(fide_id=fide_id)
        .select_related("otb_list")
        .order_by("-otb_list__list_day", "otb_list__chapter")
    )
    results = tuple(
        TournamentResult.objects.filter(fide_id=fide_id)
        .select_related("tournament")
        .order_by("-tournament__last_day", "-tournament__first_day", "-tournament")
    )
    fide_player = FidePlayer.objects.filter(pk=fide_id).first()
    waiting = tuple(_waiting(fide_id))
    latest = entries[0] if entries else None
    if latest is None and fide_player is None and not results and not waiting:
        return None
    named: Any = latest or fide_player
    chapters = [_in_chapter(fide_id, chapter, entries, fide_player) for chapter in Chapter]
    return PlayerRecord(
        fide_id,
        named.name if named else results[0].name if results else waiting[0].name,
        named.federation if named else "",
        (named.title or named.women_title) if named else "",
        named.birth_year if named else None,
        tuple(one for one in chapters if one.chapter == Chapter.STANDARD or not one.is_empty),
        results,
        waiting,
    )


def _in_chapter(
    fide_id: int, chapter: Chapter, entries: Iterable[OtbListEntry], fide_player: FidePlayer | None
) -> ChapterRecord:
    own = tuple(one for one in entries if one.otb_list.chapter == chapter)
    latest = own[0] if own else None
    return ChapterRecord(
        chapter,
        None if latest is None else latest.rating,
        None if fide_player is None else fide_player.rating(control_of(chapter)),
        own,
        prospect(fide_id, chapter, latest),
    )


def latest_entry(fide_id: int, chapter: int) -> OtbListEntry | None:
    """Return the player's line on the latest list of a chapter that has one, as last revised."""
    lines = OtbListEntry.objects.last_revised().filter(fide_id=fide_id, otb_list__chapter=chapter)
    lines = lines.select_related("otb_list")
    return lines.order_by("-otb_list__list_day", "-otb_list__revision").first()


def prospect(fide_id: int, chapter: int, latest: OtbListEntry | None) -> Prospect | None:
    """B.02 7.14: return what a first rating still needs; None if there is one, or no list yet.

    ``latest``: the :func:`latest_entry`. Results from before the player was delisted are forgotten (7.21).
    """
    last_list = OtbList.objects.in_chapter(chapter).newest_first().first()
    if last_list is None or (latest is not None and latest.rating is not None):
        return None
    list_day = edition_on(last_list.list_day, chapter).next_list(last_list.list_day)
    edition = edition_on(list_day, chapter)
    since = None if latest is None else latest.delisted_on
    found = events_of([fide_id], list_day, chapter).get(fide_id, {}).values()
    events = [event for day, event in found if since is None or day > since]
    disabled = AssociationMember.objects.filter(fide_id=fide_id, since__lte=list_day).exists()
    return Prospect(
        list_day,
        edition.first_rating(events, list_day, disabled),
        edition.first_rating_games(events, disabled),
    )


def _waiting(fide_id: int) -> QuerySet[TournamentPlayer]:
    """Return the player in tournaments with a report that is not rated, the latest first."""
    waiting = TournamentPlayer.objects.filter(
        fide_id=fide_id,
        tournament__status__in=(Tournament.Status.RECEIVED, Tournament.Status.REFUSED),
        tournament__by_period=False,
    )
    latest = ("-tournament__last_day", "-tournament__first_day", "-tournament", "line")
    return waiting.select_related("tournament").order_by(*latest)
