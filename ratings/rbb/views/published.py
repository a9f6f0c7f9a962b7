"""Published lists (RBB 1.4): the archive, each list as frozen, and the report on its period."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any, Final

from django.core.exceptions import BadRequest
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.generic import DetailView, TemplateView
from django_tables2 import Table

from foa.text import month_text, number_in, utc
from foa.web.caching import frozen
from foa.web.listing import FilteredTableView
from ratings.office import publications
from ratings.rbb.filters import ArchiveFilter, PublishedListFilter
from ratings.rbb.labels import CATEGORY_NAMES, late_and_withdrawn
from ratings.rbb.lists.differences import difference
from ratings.rbb.lists.files import LIST_FORMATS, ListFile, published_list_file
from ratings.rbb.lists.report import report
from ratings.rbb.lists.trends import last_lists
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rbb.tables import ArchiveTable, PublishedListTable
from ratings.rbb.views.trends import SORTED_AT_MOST, set_trends
from ratings.rules.time_controls import Category


class ArchiveView(publications.ArchiveView):
    """All published lists, latest first: each in its last revision, or all revisions."""

    queryset = RatingList.objects.monthly().order_by("-month", "category", "-revision", "pk")
    template_name = "ratings/lists.html"
    filterset_class = ArchiveFilter
    table_class = ArchiveTable
    title = _("Published lists")
    intro = _("The ratings at 00:00 UTC on the first of each month (RBB 1.4). Published lists never change.")
    file_name = "rating-lists"
    noun = "lists"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the categories that have lists to compare."""
        compared = [one for one in Category if RatingList.objects.latest_of(one) is not None]
        return super().get_context_data(compared=compared, **kwargs)


class LatestListView(View):
    """The redirect from a month without a revision to its last one."""

    def get(self, request: HttpRequest, category: Category, month: date) -> HttpResponse:
        address = published_list(category, month).get_absolute_url()
        query = request.META.get("QUERY_STRING", "")
        return HttpResponseRedirect(f"{address}?{query}" if query else address)


class PublishedListView(FilteredTableView):
    """A published list by position."""

    filterset_class = PublishedListFilter
    table_class = PublishedListTable
    template_name = "ratings/published_list.html"
    formats = LIST_FORMATS
    published: RatingList

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.published = self.find(**kwargs)

    def find(self, **place: Any) -> RatingList:
        return published_list(**place)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Return the page; ``position=N`` redirects to the page that begins there."""
        if "position" in request.GET:
            return self._jump(request)
        answer = partial(super().get, request, *args, **kwargs)
        # Filters may look at today's names.
        is_whole = list(request.GET) == ["format"] and request.GET["format"] in self.formats
        return frozen_with(request, answer, self.published) if is_whole else answer()

    def get_queryset(self) -> QuerySet[RatingListEntry]:
        return self.published.entries

    def get_table_kwargs(self) -> dict[str, Any]:
        """Allow sorting by columns without an index only for a short list."""
        return {"is_long": self.published.members > SORTED_AT_MOST}

    def complete(self, table: Table, rows: Sequence[RatingListEntry]) -> None:
        """Add these members' ratings on the previous lists."""
        set_trends(table, rows, lists_before(self.published))

    def get_title(self) -> str:
        return list_title(self.published)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add when it was frozen, and the list that has replaced it."""
        about = about_list(self.published)
        return super().get_context_data(
            **about,
            difference=None if about["superseded_by"] else difference(self.published),
            **kwargs,
        )

    def file(self, queryset: QuerySet[Any]) -> ListFile:
        """Return the file, with the ranks of the whole list."""
        return published_list_file(self.published, queryset)

    def _jump(self, request: HttpRequest) -> HttpResponse:
        query = request.GET.copy()
        (text,) = query.pop("position")[-1:]
        for name in ("after", "before"):
            query.pop(name, None)
        position = number_in(text)
        if position is None or not 0 < position <= self.published.members:
            raise BadRequest(
                gettext("This list has positions from 1 to %(last)d.") % {"last": self.published.members}
            )
        before = self.published.entries.filter(position=position - 1).first()
        if before is not None:
            query["after"] = str(before.pk)
        return HttpResponseRedirect(f"{request.path}?{query.urlencode()}" if query else request.path)


class OfListView(TemplateView):
    """A page about a published list."""

    published: RatingList

    def setup(self, request: HttpRequest, *args: Any, group: Any = None, **place: Any) -> None:
        super().setup(request, *args, group=group, **place)
        self.published = published_list(**place)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the list, and the one that has replaced it."""
        return super().get_context_data(**about_list(self.published), **kwargs)


class ListReportView(OfListView):
    """The report on a list: new members, those who left, the biggest moves, and a comparison of figures."""

    template_name = "ratings/list_report.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            report=report(self.published), apart=late_and_withdrawn(self.published), **kwargs
        )


class ListLineView(DetailView[RatingListEntry]):
    """A line of a published list, with the parts of its change since the previous list."""

    queryset = RatingListEntry.objects.select_related("member", "rating_list__previous")
    template_name = "ratings/list_line.html"
    context_object_name = "entry"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the line on the previous list; a list up to version 0.5.0 has no parts."""
        entry = self.object
        before = entry.rating_list.previous
        return super().get_context_data(
            **about_list(entry.rating_list),
            before=before.entries.filter(member=entry.member_id).first() if before else None,
            adds_up=entry.earlier_change is not None,
            of_the_period=entry.period_games - (entry.late_games or 0),
            **kwargs,
        )


def frozen_with(
    request: HttpRequest, make: Callable[[], HttpResponseBase], published: RatingList
) -> HttpResponseBase:
    """Return a file of a list, which stays as it is unless a member on it is erased."""
    since = published.withdrawn_at or published.published_at
    return frozen(request, make, checksum=published.checksum, since=since)


def lists_before(published: RatingList) -> list[RatingList]:
    """Return the last monthly lists before a list, ending with its own previous list."""
    before = published.previous
    return [*last_lists(published.category, before.as_of)[:-1], before] if before else []


_LATEST: Final = RatingList.objects.filter(
    pk=Subquery(RatingList.objects.of(OuterRef("category")).values("pk")[:1])
).order_by("category")


def latest_lists() -> list[RatingList]:
    """Return the last published list of each category, in the order of the categories."""
    return list(_LATEST.all())


def published_list(category: Category, month: date, revision: int | None = None) -> RatingList:
    """Return a month's list, by default its last revision; raises Http404 if there is none."""
    lists = RatingList.objects.of(category, month).in_revision(revision)
    found = lists.select_related("previous").first()
    if found is None:
        raise Http404(gettext("This list was not published."))
    return found


def about_list(published: RatingList) -> dict[str, Any]:
    """Return the common parts of a list's pages: its title, its neighbours, and the list that replaced it."""
    lists = RatingList.objects.of(published.category)
    month = published.month
    return {
        "published": published,
        "list_title": list_title(published),
        "superseded_by": published.superseded_by,
        "list_before": lists.before(month).first() if month else None,
        "list_after": lists.after(month).first() if month else None,
    }


def list_title(published: RatingList) -> str:
    """Return category, month and revision; for a requested list its moment and federation."""
    names = {
        "category": CATEGORY_NAMES[published.category],
        "month": published.month and month_text(published.month),
        "revision": published.revision,
        "moment": utc(published.as_of),
        "federation": published.federation,
    }
    if published.federation:
        return gettext("%(category)s ratings on %(moment)s (%(federation)s)") % names
    if published.month is None:
        return gettext("%(category)s ratings on %(moment)s") % names
    if published.revision > 1:
        return gettext("%(category)s, %(month)s list, revision %(revision)d") % names
    return gettext("%(category)s, %(month)s list") % names
