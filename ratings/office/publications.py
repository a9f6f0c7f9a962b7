"""Base of every rule book's published lists: they are frozen, and a correction makes a new revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter
from django_tables2 import Column

from foa.text import NOTHING
from foa.web.listing import FilteredTableView, OfficeTable
from foa.web.paging import Page, page_of
from ratings.office.fields import user_field

Listed = TypeVar("Listed", bound=models.Model)


class RevisionQuerySet(models.QuerySet[Listed]):
    """Queryset of published lists. Each kind adds ``of()``, which narrows them, and ``latest_of()``."""

    by_age: ClassVar[tuple[str, ...]]
    """Order from the oldest list to the newest, and from the first revision of a list to its last."""

    def latest(self, *fields: Any) -> Listed:
        """Return the newest list in its last revision. Raises DoesNotExist if there is none."""
        return super().latest(*(fields or self.by_age))

    def newest_first(self) -> Self:
        """Order the newest list first, and its last revision before earlier ones."""
        return self.order_by(*(f"-{field}" for field in self.by_age))

    def last_revisions(self) -> Self:
        """Return each list in its last revision alone."""
        same = {name: models.OuterRef(name) for name in self.model.identity}  # type: ignore[attr-defined]
        later = self.model._default_manager.filter(**same, revision__gt=models.OuterRef("revision"))
        return self.filter(~models.Exists(later))

    def in_revision(self, revision: int | None) -> Self:
        """Return the lists with this revision number, or all of them for None."""
        return self if revision is None else self.filter(revision=revision)


class Publication(models.Model):
    """A list as it was published. It never changes: a correction makes the next revision.

    ``identity``: the fields that identify the list, whatever its revision.
    """

    identity: ClassVar[tuple[str, ...]]

    revision = models.PositiveSmallIntegerField(_("revision"), default=1)
    checksum = models.CharField(_("checksum"), max_length=64, help_text=_("SHA-256 of the list as a file."))
    published_at = models.DateTimeField(_("published at"))
    published_by = user_field(_("published by"), blank=True)

    class Meta:
        abstract = True

    @property
    def superseded_by(self) -> Self | None:
        """Return the last revision of this list if it is later than this one."""
        same = type(self)._default_manager.filter(**{name: getattr(self, name) for name in self.identity})
        return same.filter(revision__gt=self.revision).order_by("-revision").first()

    @property
    def superseded(self) -> bool:
        """Return True if there is a later revision."""
        return self.superseded_by is not None


class NamesMembers(models.Model):
    """A published list that names members, some of whom may leave (decision 0115).

    ``withdrawn_at``: time since which the lines of such members name nobody. The checksum is that of the
    original file.
    """

    withdrawn_at = models.DateTimeField(_("member erased at"), null=True, editable=False)

    class Meta:
        abstract = True


Published = TypeVar("Published", bound=Publication)


def reissue(
    latest: Published | None, make: Callable[[], Published], differ: Callable[[Published, Published], bool]
) -> Published | None:
    """Make the next revision of a list, and keep it if it differs from the latest.

    Return None and keep nothing if the two are the same. A list of a million members is compared before it is
    made, because writing it takes longer: see ``ratings.rbb.lists.publishing``.
    """
    made = make()
    if latest is None or differ(latest, made):
        return made
    made.delete()
    return None


# django_filters has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


class RevisionFilter(ChoiceFilter):  # type: ignore[misc]
    """A choice of all revisions, which the page makes: without it, a list is shown in its last one."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Revisions"), empty_label=_("latest only"), choices=[("all", _("all"))], method=_as_it_is
        )


def _as_it_is(queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
    return queryset


class ListsColumn(Column):  # type: ignore[misc]
    """A column of an archive for the lists of one kind, with earlier revisions folded behind the last."""

    def __init__(self, kind: int, name: str | Promise) -> None:
        super().__init__(verbose_name=name, accessor="pk")
        self.kind = kind

    def render(self, record: Any, table: ArchiveTable) -> SafeString | str:
        revisions = table.lists.get((getattr(record, table.day), self.kind))
        if not revisions:
            return NOTHING
        last, *earlier = revisions
        link = format_html(
            '<a href="{}">{}</a>{}', last.get_absolute_url(), table.size(last), table.note(last)
        )
        if not earlier:
            return link
        names = ((one.get_absolute_url(), gettext("revision %d") % one.revision) for one in earlier)
        return format_html(
            "{}<details{}><summary>{}</summary>{}</details>",
            link,
            SafeString(" open") if table.is_unfolded else "",
            gettext("revision %d") % last.revision,
            format_html_join(" ", '<a href="{}">{}</a>', names),
        )


class ArchiveTable(OfficeTable):
    """The days with published lists, with a column for each kind of list.

    ``day``, ``kind``: fields of a list. Each row is one of its day's lists; ``lists`` has all of the page's
    days, the last revision first. ``is_unfolded``: whether earlier revisions show without a click.
    """

    sizes = "archive-months"

    day: ClassVar[str]
    kind: ClassVar[str]
    lists: Mapping[tuple[Any, int], Sequence[Any]] = MappingProxyType({})
    is_unfolded = False

    def size(self, one: Any) -> str:
        """Return how many a list has on it, as the words of its link."""
        raise NotImplementedError

    def note(self, one: Any) -> str:
        """Return what follows the link to a list."""
        return ""

    def last_of_day(self, record: Any) -> list[Any]:
        """Return the lists of a row, each in its last revision."""
        day = getattr(record, self.day)
        return [revisions[0] for (of, _kind), revisions in self.lists.items() if of == day]


class ArchiveView(FilteredTableView):
    """Page of published lists, a row for each day that has some, latest first.

    Its files have a row for each list and revision, as mirrors ask for them.
    """

    table_class: type[ArchiveTable]

    def get_queryset(self) -> QuerySet[Any]:
        lists = super().get_queryset()
        is_whole = self.request.GET.get("revisions") == "all" or "format" in self.request.GET
        found: QuerySet[Any] = lists if is_whole else lists.last_revisions()
        return found

    def page(self, queryset: QuerySet[Any]) -> Page:
        """Return the page of days, each with the list that was made first in its stead."""
        day = self.table_class.day
        firsts = queryset.order_by().values(day).annotate(first=models.Min("pk")).values("first")
        days = queryset.model._default_manager.filter(pk__in=firsts).order_by(f"-{day}", "pk")
        return page_of(days, self.request.GET, self.number_of_rows)

    def complete(self, table: ArchiveTable, rows: Sequence[Any]) -> None:
        """Look up the lists of the page's days; hide kinds without any."""
        lists: dict[tuple[Any, int], list[Any]] = {}
        days = {f"{table.day}__in": [getattr(one, table.day) for one in rows]}
        shown = set(self.object_list.filter(**days).order_by().values_list(table.kind, flat=True))
        for one in self.queryset.filter(**days, **{f"{table.kind}__in": shown}):
            lists.setdefault((getattr(one, table.day), getattr(one, table.kind)), []).append(one)
        table.lists = lists
        table.is_unfolded = self.request.GET.get("revisions") == "all"
        for bound in table.columns if rows else ():
            if isinstance(bound.column, ListsColumn) and bound.column.kind not in shown:
                table.columns.hide(bound.name)
