"""The tables of tournaments and over-the-board lists, and their filters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter, NumberFilter
from django_tables2 import Column

from foa.addresses import address_of
from foa.list_rows import ListRows, day, moment, text, whole
from foa.text import NOTHING, date_text
from foa.web.columns import NumberColumn
from foa.web.listing import ANY, OfficeFilterSet, OfficeTable
from foa.web.suggestions import SearchInput
from members.filters import FederationFilter
from members.flags import name_of
from members.tables import FederationCodeColumn, named
from members.words import with_words
from ratings.office.filters import PlayerFilter
from ratings.office.publications import ArchiveTable, ListsColumn, RevisionFilter
from ratings.otb.models import CHAPTER_NAMES, KIND_NAMES, OtbList, OtbListEntry, Tournament
from ratings.otb.services.combined import WHOLE_COMBINED_LIST
from ratings.otb.services.files import LINES
from ratings.otb.services.searching import with_places
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import TournamentType


def _year(field: str) -> NumberFilter:
    return NumberFilter(
        label=_("Year"), field_name=field, lookup_expr="year", min_value=1, max_value=2999, decimal_places=0
    )


def _chapter() -> ChoiceFilter:
    return ChoiceFilter(
        empty_label=ANY,
        label=_("Rating type"),
        method="filter_chapter",
        choices=[(chapter.slug, name) for chapter, name in CHAPTER_NAMES.items()],
    )


class _OfChapter(OfficeFilterSet):
    """Filter by chapter."""

    def filter_chapter(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        return queryset.filter(chapter=Chapter.of(value))


class TournamentFilter(_OfChapter):
    tournament = CharFilter(
        label=_("Tournament"),
        max_length=100,
        method="filter_tournament",
        widget=SearchInput("tournaments", placeholder=_("Name or place")),
    )
    federation = FederationFilter()
    kind = ChoiceFilter(
        empty_label=ANY,
        label=_("Kind"),
        method="filter_kind",
        choices=[(kind.slug, name) for kind, name in KIND_NAMES.items()],
    )
    chapter = _chapter()
    status = ChoiceFilter(
        empty_label=ANY,
        label=_("Status"),
        method="filter_status",
        choices=[(status.name.lower(), status.label) for status in Tournament.Status],
    )
    year = _year("last_day")

    def filter_tournament(
        self, queryset: QuerySet[Tournament], name: str, value: str
    ) -> QuerySet[Tournament]:
        """Keep tournaments with all these words in their names and places."""
        return with_words(with_places(queryset), value, "where")

    def filter_kind(self, queryset: QuerySet[Tournament], name: str, value: str) -> QuerySet[Tournament]:
        return queryset.filter(kind=next(kind for kind in KIND_NAMES if kind.slug == value))

    def filter_status(self, queryset: QuerySet[Tournament], name: str, value: str) -> QuerySet[Tournament]:
        return queryset.filter(status=Tournament.Status[value.upper()])


class OtbArchiveFilter(_OfChapter):
    chapter = _chapter()
    year = _year("list_day")
    revisions = RevisionFilter()


class OtbTopFilter(OfficeFilterSet):
    federation = FederationFilter()


class OtbEntryFilter(OfficeFilterSet):
    player = PlayerFilter("board_players")
    federation = FederationFilter()


class DayColumn(Column):  # type: ignore[misc]
    """A day as people write it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(attrs={"td": {"class": "moment"}}, **options)

    def render(self, value: date) -> str:
        return date_text(value)


def _card(fide_id: int, name: str) -> SafeString:
    return format_html('<a href="{}">{}</a>', address_of("otb:player", fide_id), name)


class TournamentTable(OfficeTable):
    """Over-the-board tournaments, the latest first.

    ``lists``: the last revision of the lists of the page. ``players``, ``rounds``: numbers of those of the
    tournaments with a report, by key.
    """

    in_files = ListRows(
        "An over-the-board tournament.",
        id=whole(),
        name=text(),
        city=text(blank=True),
        federation=text(blank=True),
        kind=text(value=lambda kind: TournamentType(kind).slug),
        first_day=day(),
        last_day=day(),
        time_control=text(blank=True),
        status=text(value=lambda status: Tournament.Status(status).name.lower()),
        rated_for=day(null=True),
        chapter=text(value=lambda chapter: Chapter(chapter).slug),
    )
    lists: Mapping[tuple[int, date], OtbList] = {}
    players: Mapping[int, int] = {}
    rounds: Mapping[int, int] = {}
    phone = ("name", "last_day")

    name = Column(
        verbose_name=_("Tournament"), linkify=True, attrs={"td": {"class": "name"}, "th": {"class": "name"}}
    )
    place = Column(verbose_name=_("Place"), empty_values=(), accessor="pk")
    first_day = DayColumn(verbose_name=_("First day"))
    last_day = DayColumn(verbose_name=_("Last day"))
    kind = Column(verbose_name=_("Kind"))
    number_of_players = NumberColumn(verbose_name=_("Players"), empty_values=(), accessor="pk")
    number_of_rounds = NumberColumn(verbose_name=_("Rounds"), empty_values=(), accessor="pk")
    chapter = Column(verbose_name=_("Rating type"))
    status = Column(verbose_name=_("Status"))
    rated_for = DayColumn(verbose_name=_("Rating list"))

    def render_number_of_players(self, value: int) -> int | str:
        return self.players.get(value, NOTHING)

    def render_number_of_rounds(self, value: int) -> int | str:
        return self.rounds.get(value, NOTHING)

    def render_place(self, record: Tournament) -> str:
        """Show the city, and the federation's name."""
        federation = name_of(record.federation) if record.federation else ""
        return ", ".join(filter(None, (record.city, federation))) or NOTHING

    def render_status(self, record: Tournament) -> Any:
        """Show the status, or that it was announced as unrated (B.02 9.2)."""
        if record.announced_unrated:
            return gettext("%(status)s, not rated") % {"status": record.get_status_display()}
        return record.get_status_display()

    def render_rated_for(self, record: Tournament, value: date) -> SafeString | str:
        otb_list = self.lists.get((record.chapter, value))
        if otb_list is None:
            return date_text(value)
        return format_html('<a href="{}">{}</a>', otb_list.get_absolute_url(), date_text(value))


class OtbArchiveTable(ArchiveTable):
    """The days with over-the-board lists."""

    in_files = ListRows(
        "A published over-the-board list.",
        list_day=day(),
        revision=whole(),
        tournaments=whole(),
        players=whole(),
        new_players=whole(),
        delisted=whole(),
        published_at=moment(),
        sha256=text("checksum", help="The same as `checksum`, under its earlier name."),
        chapter=text(value=lambda chapter: Chapter(chapter).slug),
        checksum=text(help="SHA-256 of the whole list as CSV."),
    )
    phone = ("list_day", "standard", "rapid", "blitz")
    day = "list_day"
    kind = "chapter"

    list_day = DayColumn(verbose_name=_("List dated"))
    standard = ListsColumn(Chapter.STANDARD, capfirst(CHAPTER_NAMES[Chapter.STANDARD]))
    rapid = ListsColumn(Chapter.RAPID, capfirst(CHAPTER_NAMES[Chapter.RAPID]))
    blitz = ListsColumn(Chapter.BLITZ, capfirst(CHAPTER_NAMES[Chapter.BLITZ]))
    tournaments = NumberColumn(verbose_name=_("Tournaments"))
    new_players = NumberColumn(verbose_name=_("New"))
    combined = Column(verbose_name=_("Combined"), empty_values=(), accessor="pk")

    def size(self, one: OtbList) -> str:
        return ngettext("%d player", "%d players", one.players) % one.players

    def note(self, one: OtbList) -> SafeString | str:
        """Say if the list was imported."""
        if one.taken_from_id is None:
            return ""
        return format_html('<small class="second">{}</small>', gettext("imported from FIDE"))

    def render_tournaments(self, record: OtbList) -> int:
        """Return the tournaments rated for the day's lists, as last revised."""
        return sum(one.tournaments for one in self.last_of_day(record))

    def render_new_players(self, record: OtbList) -> int:
        """Return the new players of the day's lists, as last revised."""
        return sum(one.new_players for one in self.last_of_day(record))

    def render_combined(self, record: OtbList) -> SafeString:
        """Offer the three ratings of the day in one file."""
        return format_html_join(
            " ",
            '<a href="{}" download>{}</a>',
            (
                (reverse("otb:combined", args=(record.list_day, ending)), ending.upper())
                for ending in WHOLE_COMBINED_LIST
            ),
        )


class OtbEntryTable(OfficeTable):
    """Lines of an over-the-board list, by name."""

    in_files = LINES
    unindexed = ("birth_year", "games")
    phone: ClassVar[tuple[str, ...]] = ("name", "rating")

    name = Column(
        verbose_name=_("Name"),
        orderable=True,
        order_by=("folded", "fide_id"),
        attrs={"td": {"class": "name"}, "th": {"class": "name"}},
    )
    fide_id = NumberColumn(verbose_name=_("FIDE ID"), orderable=True, initial_sort_descending=False)
    federation = FederationCodeColumn()
    birth_year = NumberColumn(verbose_name=_("Born"), orderable=True)
    # Equal ratings by rising FIDE ID, as the index has them.
    rating = NumberColumn(verbose_name=_("Rating"), orderable=True, order_by=("rating", "-fide_id"))
    previous = NumberColumn(verbose_name=_("Before"))
    games = NumberColumn(verbose_name=_("Games"), orderable=True)
    k = NumberColumn(verbose_name="K")
    flag = Column(verbose_name=_("Flag"), default="")

    def render_name(self, record: OtbListEntry) -> SafeString:
        """Add flag and title, and link to the card."""
        link = _card(record.fide_id, record.name)
        return named(link, record.title or record.women_title, record.federation)


class OtbTopTable(OtbEntryTable):
    """The top of a list. ``ranks``: of the lines, by their keys."""

    ranks: Mapping[int, int] = {}
    phone = ("rank", "name", "rating", "games")
    sizes = "ranks"

    rank = NumberColumn(verbose_name=_("Rank"), empty_values=(), accessor="pk")

    class Meta:
        sequence = ("rank", "...")
        exclude = ("flag",)

    def render_rank(self, record: OtbListEntry) -> int:
        """Show the rank; equal ratings share one."""
        return self.ranks[record.pk]


class DelistedTable(OtbEntryTable):
    """B.02 7.21: players who fell below the lowest published rating since the list before."""

    phone = ("name", "previous")

    class Meta:
        exclude = ("rating", "k", "flag")


class TitledTable(OtbEntryTable):
    """B.02 7.22: titled players without a rating."""

    phone = ("name", "federation")

    class Meta:
        exclude = ("rating", "previous", "games", "k", "flag")
