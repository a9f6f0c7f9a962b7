"""Published lists (RBB 1.4): the archive, each as it was frozen, its report, the top hundred; requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date
from functools import partial
from typing import Any, Final, cast

from django import forms
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.core.validators import RegexValidator
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.http import http_date
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.generic import DetailView, FormView, TemplateView
from django_tables2 import Table

from foa.files import file_response, format_asked_for
from foa.text import month_text, number_in, utc
from foa.web.caching import cached_for_visitors, frozen
from foa.web.deprecation import JSON_GOES, Deprecation
from members.flags import name_of
from members.models import Member, member_of
from ratings.office import publications
from ratings.rbb.filters import ArchiveFilter, PublishedListFilter
from ratings.rbb.labels import CATEGORY_NAMES, CATEGORY_WORDS, late_and_withdrawn
from ratings.rbb.lists.comparing import difference
from ratings.rbb.lists.files import LIST_FORMATS, ListFile, published_list_file
from ratings.rbb.lists.publishing import TooManyRequestsError, next_month, request_list
from ratings.rbb.lists.report import report
from ratings.rbb.lists.top_lists import (
    GROUPS,
    JUNIOR_AGE,
    OF_THE_AVERAGE,
    SENIOR_AGE,
    TOP_FORMATS,
    Group,
    federations,
    top_list,
    top_list_file,
)
from ratings.rbb.lists.trends import earlier_ratings, last_lists
from ratings.rbb.models import Rating, RatingChange, RatingList, RatingListEntry
from ratings.rbb.models.fields import EventType
from ratings.rbb.tables import (
    ActiveTable,
    ArchiveTable,
    FederationTable,
    LineGameTable,
    MostImprovedTable,
    PublishedListTable,
    TopListTable,
)
from ratings.rbb.views.member_lists import MemberFilteredView
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category


class ArchiveView(publications.ArchiveView):
    """The months with published lists."""

    queryset = RatingList.objects.monthly().order_by("-month", "category", "-revision", "pk")
    template_name = "ratings/lists.html"
    filterset_class = ArchiveFilter
    table_class = ArchiveTable
    title = _("Published lists")
    intro = _(
        "The ratings at 00:00 UTC on the first of each month (RBB 1.4). Published lists never change; "
        "corrections are published as new revisions."
    )
    file_name = "rating-lists"
    noun = "lists"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:published_lists")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the month in force, the day of the next lists, and the categories with lists to compare."""
        latest = {one: found for one in Category if (found := RatingList.objects.latest_of(one)) is not None}
        month = max((found.month for found in latest.values() if found.month), default=None)
        following = next_month(month) if month else None
        if following and following <= timezone.now().astimezone(UTC).date():
            following = None
        return super().get_context_data(compared=list(latest), month=month, following=following, **kwargs)


class LatestListView(View):
    """The redirect from a month without a revision to its last one."""

    def get(self, request: HttpRequest, category: Category, month: date) -> HttpResponse:
        address = published_list(category, month).get_absolute_url()
        query = request.META.get("QUERY_STRING", "")
        return HttpResponseRedirect(f"{address}?{query}" if query else address)


class PublishedListView(MemberFilteredView):
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

    def json_deprecated(self) -> Deprecation | None:
        """Return the address of some lines in the API. The whole list never changes, so its file stays."""
        if not self.request.GET.keys() - {"format", "after", "before", "rows"}:
            return None
        return Deprecation(*JSON_GOES, *self.in_api())

    def in_api(self) -> tuple[str, dict[str, Any]]:
        """Return the name and the place of the list's address in the API."""
        place = {name: getattr(self.published, name) for name in ("category", "month", "revision")}
        return "arena:published_list_members", place | {"category": self.published.category.slug}

    def get_queryset(self) -> QuerySet[RatingListEntry]:
        return self.published.entries

    def get_table_kwargs(self) -> dict[str, Any]:
        return {"length": self.published.members}

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
                gettext("Enter a position from 1 to %(last)d.") % {"last": self.published.members}
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


_GAMES_OF_LINE: Final = 100


def _games_of(entry: RatingListEntry) -> LineGameTable:
    """Return the games of a line's period as they are in the ledger now, latest first."""
    of_list = entry.rating_list
    games = RatingChange.objects.filter(member=entry.member_id, category=of_list.category)
    games = games.of_kind(EventType.GAME).until(of_list.as_of).select_related("opponent")
    if of_list.previous is not None:
        games = games.filter(occurred_at__gt=of_list.previous.as_of)
    return LineGameTable(list(games.order_by("-occurred_at", "-id")[:_GAMES_OF_LINE]))


class ListLineView(DetailView[RatingListEntry]):
    """A line of a published list: the parts of its change since the previous list, and the games since."""

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
            table=_games_of(entry),
            shown=_GAMES_OF_LINE,
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


_MONTHS: Final = 24
"""Number of months in the menu; the archive has all."""


def about_list(published: RatingList) -> dict[str, Any]:
    """Return the common parts of a list's pages: its title, the lists around it, and what replaced it."""
    lists = RatingList.objects.of(published.category)
    month = published.month
    return {
        "published": published,
        "list_title": list_title(published),
        "superseded_by": published.superseded_by,
        "list_before": lists.before(month).first() if month else None,
        "list_after": lists.after(month).first() if month else None,
        "latest_months": lists.last_revisions().order_by("-month")[:_MONTHS],
        "same_month": RatingList.objects.of_month(month) if month else None,
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


def shown_on(row: Any) -> int:
    """Return the displayed rating of a row of a list."""
    shown: int = displayed(to_hundredths(row.after)) if isinstance(row, RatingChange) else row.displayed
    return shown


def set_trends(table: Table, rows: Sequence[Any], lists: Sequence[RatingList]) -> None:
    """Set ``since`` and ``trend`` of each row from the previous lists, oldest first; hide them if none."""
    if not lists:
        table.columns.hide("since")
        table.columns.hide("trend")
        return
    earlier = earlier_ratings([row.member_id for row in rows], lists)
    for row in rows:
        before, shown = earlier[row.member_id], shown_on(row)
        row.since = None if before[-1] is None else shown - before[-1]
        row.trend = [*before, shown]


HEADINGS: Final[dict[str, Promise]] = {
    "top": _("Top 100"),
    "women": _("Top 100 women"),
    "juniors": _("Top 100 juniors"),
    "seniors": _("Top 100 seniors"),
    "improved": _("Most improved"),
    "active": _("Most active"),
}
_INTROS: Final[dict[str, Promise]] = {
    "juniors": _("Born in %(junior)d or later: 20 or younger at the end of the list’s year."),
    "seniors": _("Born in %(senior)d or earlier: 50 or older at the end of the list’s year."),
    "improved": _(
        "Biggest exact gains since the previous list, by members who played a rated game in between."
    ),
    "active": _("Ranked by rated games since the previous list, then by rating."),
}
_TABLES: Final = {"improved": MostImprovedTable, "active": ActiveTable}


def address_of_top(published: RatingList, slug: str) -> str:
    """Return the address of a group of a list, or of a federation on it."""
    return reverse(
        "ratings:top_list", args=(published.category.slug, published.month, published.revision, slug)
    )


def heading_of(group: Group) -> str | Promise:
    """Return the heading of a group or federation."""
    return HEADINGS.get(group.slug) or gettext("Top 100 from %s") % name_of(group.slug)


def intro_of(group: Group, year: int, intros: Mapping[str, Promise] = _INTROS) -> str:
    """Return the rule of a group in a year; empty if its heading says it."""
    return str(intros.get(group.slug, "")) % {"junior": year - JUNIOR_AGE, "senior": year - SENIOR_AGE}


@method_decorator(cached_for_visitors, name="dispatch")
class TopListView(OfListView):
    """The top of a group on a list, as a page or a file."""

    template_name = "ratings/top_list.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return the page or the file; 404 for a federation without members on the list."""
        group: Group = kwargs["group"]
        name = format_asked_for(request, TOP_FORMATS)
        ranked = top_list(self.published, group)
        if not ranked and group.slug not in GROUPS:
            raise Http404(gettext("No players from this federation are on the list."))
        if name is not None:
            make = partial(
                file_response, top_list_file(self.published, group, ranked), name, TOP_FORMATS[name]
            )
            return frozen_with(request, make, self.published)
        return super().get(request, *args, ranked=ranked, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the group's members, and its description."""
        group: Group = kwargs["group"]
        table = _TABLES.get(group.slug, TopListTable)(kwargs["ranked"])
        set_trends(table, [entry for _rank, entry in kwargs["ranked"]], lists_before(self.published))
        return super().get_context_data(
            title=heading_of(group),
            intro=intro_of(group, self.published.as_of.year),
            table=table,
            formats=list(TOP_FORMATS),
            **kwargs,
        )


@method_decorator(cached_for_visitors, name="dispatch")
class FederationsView(OfListView):
    template_name = "ratings/top_list.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        intro = gettext(
            "Ranked by the average rating of their top ten; federations with fewer than %d members come last."
        )
        return super().get_context_data(
            title=_("Federations"),
            intro=intro % OF_THE_AVERAGE,
            table=FederationTable(federations(self.published), partial(address_of_top, self.published)),
            **kwargs,
        )


_LATEST_REQUESTED: Final = 20


class RequestForm(forms.Form):
    """Form for the category and the federation."""

    category = forms.TypedChoiceField(
        label=_("Category"),
        coerce=Category.from_slug,
        choices=[(category.slug, name) for category, name in CATEGORY_NAMES.items()],
    )
    federation = forms.CharField(
        label=_("Federation (leave blank for all)"),
        required=False,
        max_length=3,
        widget=forms.TextInput(attrs={"placeholder": "NOR", "autocapitalize": "characters"}),
    )

    def clean_federation(self) -> str:
        """Return FIDE's code, in any case, of a federation with rated members in the category."""
        federation: str = self.cleaned_data["federation"].upper()
        category = self.cleaned_data.get("category")
        if federation and category:
            RegexValidator(r"\A[A-Z]{3}\Z", _("Three capital letters, such as NOR."))(federation)
            of_it = Rating.objects.filter(category=category, member__federation=federation)
            if not of_it.filter(rating__isnull=False).exists():
                names = {"category": CATEGORY_WORDS[category], "federation": federation}
                raise ValidationError(_("No rated %(category)s players from %(federation)s."), params=names)
        return federation


class RequestListView(LoginRequiredMixin, FormView[RequestForm]):
    """The request for a list. Status 403 without full membership, 429 for requests that are too frequent."""

    form_class = RequestForm
    template_name = "ratings/request_list.html"
    member: Member

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Redirect to the login; then allow only full members."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        member = member_of(request.user)
        if member is None or not Member.objects.full(at=timezone.now()).filter(pk=member.pk).exists():
            return self._full_members_only(member)
        self.member = member
        return super().dispatch(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        """Return the values from the page that the member comes from."""
        return {name: self.request.GET.get(name, "") for name in RequestForm.base_fields}

    def form_valid(self, form: RequestForm) -> HttpResponse:
        """Freeze the list as of now, and redirect to it."""
        now = timezone.now()
        try:
            published = request_list(**form.cleaned_data, member=self.member, at=now)
        except PermissionDenied:  # their membership has just ended
            return self._full_members_only(self.member)
        except TooManyRequestsError as too_many:
            form.add_error(None, str(too_many))
            response = self.render_to_response(self.get_context_data(form=form), status=429)
            response["Retry-After"] = http_date(too_many.again_at.timestamp())
            return response
        return HttpResponseRedirect(published.get_absolute_url())

    def form_invalid(self, form: RequestForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the member's earlier requests."""
        mine = RatingList.objects.requested(by=self.member)
        return super().get_context_data(mine=mine[:_LATEST_REQUESTED], **kwargs)

    def _full_members_only(self, member: Member | None) -> HttpResponse:
        return render(self.request, "ratings/full_members_only.html", {"member": member}, status=403)


class RequestedListView(PublishedListView):
    """A list requested by a member. The name is shown only to that member and to staff."""

    template_name = "ratings/requested_list.html"

    def find(self, **kwargs: Any) -> RatingList:
        found = RatingList.objects.requested().select_related("previous", "requested_by").filter(**kwargs)
        published = found.first()
        if published is None:
            raise Http404(gettext("There’s no such requested list."))
        return published

    def in_api(self) -> tuple[str, dict[str, Any]]:
        return "arena:requested_list_members", {"id": self.published.pk}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add who requested it, for users who may know."""
        user = self.request.user
        requester = cast(Member, self.published.requested_by)
        may_know = user.is_authenticated and (user.is_staff or requester.user_id == user.pk)
        return super().get_context_data(requester=requester if may_know else None, **kwargs)
