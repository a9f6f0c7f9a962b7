"""The over-the-board lists that the office publishes (B.02 7): the archive, each list, its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, Final

from django.core.cache import cache
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.generic import TemplateView

from foa.files import TableFile, download
from foa.spreadsheet import Cell
from foa.text import date_text
from foa.version import version
from foa.web.caching import cached_for_visitors, frozen
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import FilteredTableView
from ratings.formats.problems import FileRefused
from ratings.office.publications import ArchiveView
from ratings.otb.citations import cited, edition_of_list
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.services.both_editions import apart_bars, both_editions
from ratings.otb.services.combined import WHOLE_COMBINED_LIST, combined_list
from ratings.otb.services.files import TOP, TOP_LINES, WHOLE_LIST, active_by_rating, top_of, top_rows
from ratings.otb.services.files import file_name as list_file_name
from ratings.otb.services.scale import scale_report
from ratings.otb.tables import (
    DelistedTable,
    OtbArchiveFilter,
    OtbArchiveTable,
    OtbEntryFilter,
    OtbEntryTable,
    OtbTopFilter,
    OtbTopTable,
    TitledTable,
)
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic

_DAY_IN_SECONDS: Final = 24 * 60 * 60
_YEAR_IN_SECONDS: Final = 365 * _DAY_IN_SECONDS

_TABLES: Final[Mapping[Lists, type[OtbEntryTable]]] = {
    Lists.ALPHABETICAL: OtbEntryTable,
    Lists.ACTIVE: OtbEntryTable,
    Lists.DELISTED: DelistedTable,
    Lists.TITLED: TitledTable,
}
_NAMES: Final[Mapping[Lists, str]] = {
    Lists.ALPHABETICAL: "",
    Lists.ACTIVE: "-active",
    Lists.DELISTED: "-delisted",
    Lists.TITLED: "-titled",
}
_INTROS: Final[Mapping[Lists, tuple[Promise, Topic]]] = {
    Lists.ALPHABETICAL: (
        _("All rated players by name. The flag i marks inactive players%(cited)s."),
        Topic.WHOLE_LIST,
    ),
    Lists.ACTIVE: (
        _("Active players by name, as on the lists for federations%(cited)s."),
        Topic.ACTIVE,
    ),
    Lists.DELISTED: (
        _(
            "Players whose rating fell below 1200 since the last list. They count as new players "
            "again%(cited)s."
        ),
        Topic.DELISTED,
    ),
    Lists.TITLED: (_("Titled players without a rating%(cited)s."), Topic.TITLED),
}
"""Introduction of each part of a list, with its topic. Not every edition has each part."""


class OtbArchiveView(ArchiveView):
    """The days with over-the-board lists."""

    queryset = OtbList.objects.order_by("-list_day", "chapter", "-revision", "pk")
    filterset_class = OtbArchiveFilter
    table_class = OtbArchiveTable
    template_name = "otb/lists.html"
    title = _("Over-the-board lists")
    intro = _(
        "Our own ratings from over-the-board tournaments, under FIDE’s regulations. Published "
        "lists never change; corrections are published as new revisions."
    )
    file_name = "over-the-board-lists"
    noun = "lists"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:board_lists")


class _OfListView(FilteredTableView):
    """A page of one list. Visitors get a copy made within the last minute."""

    template_name = "otb/list.html"
    noun = "players"
    otb_list: OtbList
    edition: Edition
    in_api: ClassVar[str] = "board_list_players"
    """Name of its address in the API."""

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.otb_list = _list(**kwargs)
        self.edition = edition_of_list(self.otb_list)

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        place = {
            "chapter": Chapter(self.otb_list.chapter).slug,
            "list_day": self.otb_list.list_day.isoformat(),
            "revision": self.otb_list.revision,
        }
        return Deprecation(*JSON_GOES, f"arena:{self.in_api}", place)

    def file(self, queryset: QuerySet[Any]) -> TableFile:
        """Return the file in the order of the list, however the page is sorted."""
        return super().file(queryset.order_by(*self.get_queryset().query.order_by))

    def get_title(self) -> str:
        return list_title(self.otb_list)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the list, and the revision that has taken its place."""
        return super().get_context_data(
            otb_list=self.otb_list,
            edition=self.edition,
            superseded_by=self.otb_list.superseded_by,
            whole_list=list(WHOLE_LIST),
            combined=list(WHOLE_COMBINED_LIST),
            **kwargs,
        )


class OtbListView(_OfListView):
    """The lines of a list by name: all, the active ones, the delisted, titled players without a rating."""

    filterset_class = OtbEntryFilter
    tie_break = ("folded", "fide_id")
    lists: Lists = Lists.ALPHABETICAL

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Refuse parts that lists of the edition don't have."""
        super().setup(request, *args, **kwargs)
        if not self.edition.has(_INTROS[self.lists][1]):
            raise Http404(gettext("No such list has been published."))

    def get_queryset(self) -> QuerySet[OtbListEntry]:
        """Return the lines of players whose names are published in this part."""
        return self.otb_list.entries.on(self.lists).order_by("folded", "fide_id")

    def get_table_class(self) -> type[OtbEntryTable]:
        return _TABLES[self.lists]

    def get_table_kwargs(self) -> dict[str, Any]:
        """Give the number of lines; delisted and titled players are always few."""
        is_apart = self.lists in (Lists.DELISTED, Lists.TITLED)
        return {"length": 0 if is_apart else self.otb_list.players}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        text, topic = _INTROS[self.lists]
        intro = text % {"cited": cited(self.edition, topic)}
        return super().get_context_data(lists=self.lists.name, **kwargs) | {"intro": intro}

    @property
    def file_name(self) -> str:  # type: ignore[override]  # other pages have one name
        return list_file_name(self.otb_list) + _NAMES[self.lists]


class OtbTopView(_OfListView):
    """B.02 7.24: the first hundred of the active players, or of those of a federation."""

    filterset_class = OtbTopFilter
    table_class = OtbTopTable
    in_api = "board_list_top"

    def get_queryset(self) -> QuerySet[OtbListEntry]:
        return active_by_rating(self.otb_list)

    def get_table(self, **kwargs: Any) -> Any:
        """Add ranks; show all on one page."""
        ranked = top_of(self.object_list)
        table = self.table_class([entry for _rank, entry in ranked], **kwargs)
        table.ranks = {entry.pk: rank for rank, entry in ranked}
        return table

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say that inactive players aren't among them."""
        intro = gettext("The top %(count)d active players; players with equal ratings share a rank%(cited)s.")
        words = {"count": TOP, "cited": cited(self.edition, Topic.TOP)}
        return super().get_context_data(lists="TOP", **kwargs) | {"intro": intro % words}

    @property
    def file_name(self) -> str:  # type: ignore[override]  # other pages have one name
        return f"{list_file_name(self.otb_list)}-top"

    @property
    def columns(self) -> Sequence[str]:
        return TOP_LINES.names

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        """Yield the hundred lines with their ranks."""
        return top_rows(queryset)


@method_decorator(cached_for_visitors, name="dispatch")
class OtbReportView(TemplateView):
    """B.02 10.3, 12.3: how the scale of a list has moved, and who played too many games for their K."""

    template_name = "otb/report.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the figures. The first list has none."""
        otb_list = _list(**kwargs)
        return super().get_context_data(
            title=gettext("%(list)s: report") % {"list": list_title(otb_list)},
            otb_list=otb_list,
            edition=edition_of_list(otb_list),
            superseded_by=otb_list.superseded_by,
            report=scale_report(otb_list),
            lists="REPORT",
            **kwargs,
        )


@method_decorator(cached_for_visitors, name="dispatch")
class OtbEditionsView(TemplateView):
    """The tournaments of a standard list, rated under the regulations of 2009 and of 2024."""

    template_name = "otb/both_editions.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Lead from a list that was replaced to the last revision: only its results are stored."""
        otb_list = _list(**kwargs)
        latest = otb_list.superseded_by
        if latest is not None:
            return redirect(latest.address("editions"))
        return super().get(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add what both editions make of them, at most a day old."""
        otb_list = _list(**kwargs)
        key = f"otb-editions-{version()}-{otb_list.pk}-{otb_list.checksum}"
        try:
            both = cache.get_or_set(key, lambda: both_editions(otb_list), _DAY_IN_SECONDS)
        except FileRefused as refused:
            raise Http404(str(refused)) from refused
        return super().get_context_data(
            title=gettext("%(list)s: 2009 and 2024") % {"list": list_title(otb_list)},
            otb_list=otb_list,
            edition=edition_of_list(otb_list),
            both=both,
            bars=[] if both is None else apart_bars(both.differing),
            lists="EDITIONS",
            **kwargs,
        )


class OtbFileView(View):
    """The whole list as a file. It never changes, so browsers may keep it for good."""

    def get(self, request: HttpRequest, ending: str, **which: Any) -> HttpResponseBase:
        """Answer with the file, sent while it is made."""
        otb_list = _list(**which)
        media_type, pieces = WHOLE_LIST[ending]
        make = partial(download, lambda: pieces(otb_list), f"{list_file_name(otb_list)}.{ending}", media_type)
        response = frozen(request, make, checksum=otb_list.checksum, since=otb_list.published_at)
        if response.status_code == HTTPStatus.OK:
            response["Cache-Control"] = f"public, max-age={_YEAR_IN_SECONDS}, immutable"
        return response


class CombinedFileView(View):
    """The three ratings of each player on the lists in force on a day, as FIDE's combined list has them."""

    def get(self, request: HttpRequest, list_day: date, ending: str) -> HttpResponseBase:
        """Answer with the file, sent while it is made. It changes with each revision of its lists."""
        found = combined_list(list_day)
        if found is None:
            raise Http404(gettext("No such list has been published."))
        media_type, pieces = WHOLE_COMBINED_LIST[ending]
        make = partial(download, lambda: pieces(found), f"{found.file_name}.{ending}", media_type)
        response = frozen(request, make, checksum=found.checksum, since=found.published_at)
        # Asked for again each time, with its checksum, because a revision changes it.
        response["Cache-Control"] = "no-cache"
        return response


def list_title(otb_list: OtbList) -> str:
    """Return the title: rating type, day, and the revision unless it is the first."""
    words = {
        "chapter": otb_list.get_chapter_display(),
        "day": date_text(otb_list.list_day),
        "revision": otb_list.revision,
    }
    if otb_list.revision > 1:
        return gettext("Over-the-board %(chapter)s list of %(day)s, revision %(revision)d") % words
    return gettext("Over-the-board %(chapter)s list of %(day)s") % words


def _list(list_day: date, revision: int, chapter: Chapter = Chapter.STANDARD) -> OtbList:
    found = OtbList.objects.in_chapter(chapter).of(list_day).in_revision(revision).first()
    if found is None:
        raise Http404(gettext("No such list has been published."))
    return found
