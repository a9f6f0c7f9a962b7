"""Publications: lists frozen when published, and never changed."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Final, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.addresses import address_of
from foa.said import Month, gettext
from members.models import Member
from ratings.office.fields import ComputedKeyField, HundredthsField
from ratings.office.publications import NamesMembers, Publication, RevisionQuerySet
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models.fields import CategoryField, UncheckedKey
from ratings.rbb.models.recalculations import Recalculation
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category

_POSITION_BITS = 32

LAYOUT: Final = 3
"""Version of the columns of a list's file. Lists keep theirs: 1 up to version 0.5.0, 2 up to 0.14.0."""


def entry_id(list_id: int, position: int) -> int:
    """Return the key of a list's line; keys keep the lines of a list together and in order."""
    return (list_id << _POSITION_BITS) + position


def _later_corrections() -> models.QuerySet[Recalculation]:
    """Return the corrections that a list doesn't include although they reach back to its moment."""
    return Recalculation.objects.filter(
        category=OuterRef("category"),
        since__lte=OuterRef("as_of"),
        pk__gt=Coalesce(OuterRef("last_recalculation"), 0),
    )


class RatingListQuerySet(RevisionQuerySet["RatingList"]):
    by_age = ("as_of", "revision", "pk")

    def monthly(self) -> Self:
        """Return the monthly lists, latest month and revision first."""
        return self.filter(month__isnull=False).order_by("-month", "category", "-revision")

    def of(self, category: Category | OuterRef, month: date | None = None) -> Self:
        """Return the monthly lists of a category, for one month or all, newest first."""
        lists = self.monthly().filter(category=category).newest_first()
        return lists if month is None else lists.filter(month=month)

    def latest_of(self, category: Category, month: date | None = None) -> RatingList | None:
        """Return the newest of these, as last revised."""
        return self.of(category, month).first()

    def of_month(self, month: date) -> Self:
        """Return the lists of a month in their last revisions, in the order of the categories."""
        return self.filter(month=month).last_revisions().order_by("category")

    def before(self, month: date) -> Self:
        """Return the lists of earlier months."""
        return self.filter(month__lt=month)

    def showing(self, category: Category, since: datetime | None) -> Self:
        """Return a category's monthly lists for moments at or after ``since`` (None: all)."""
        lists = self.monthly().filter(category=category)
        return lists if since is None else lists.filter(as_of__gte=since)

    def after(self, month: date) -> Self:
        """Return the lists of later months, the next one first, each month's last revision first."""
        return self.filter(month__gt=month).order_by("month", "-revision")

    def until(self, moment: datetime) -> Self:
        """Return the lists for moments up to this one."""
        return self.filter(as_of__lte=moment)

    def agreeing(self) -> Self:
        """Return the lists that no later correction affects, so that the ledger still agrees with them.

        Monthly lists only: a result that arrives behind one of them is always recorded as a correction.
        Behind a requested list it isn't during the first hour. Lists up to version 0.5.0 don't say which
        corrections they include.
        """
        return self.monthly().filter(~Exists(_later_corrections()), layout__gt=1)

    def touched(self) -> Self:
        """Return the last revisions that a correction affects, first month first.

        ``reached_by``: the key of the last such correction. Corrections may also have cancelled each other
        out.
        """
        later = RatingList.objects.filter(
            category=OuterRef("category"), month=OuterRef("month"), revision__gt=OuterRef("revision")
        )
        lists = self.monthly().filter(~Exists(later))
        last = _later_corrections().order_by("-pk").values("pk")[:1]
        lists = lists.annotate(reached_by=Subquery(last))
        return lists.filter(reached_by__isnull=False).order_by("month", "category")

    def requested(self, by: Member | None = None) -> Self:
        """Return the lists requested by members, or by this one, latest first."""
        lists = self.filter(month=None).order_by("-as_of", "-pk")
        return lists if by is None else lists.filter(requested_by=by)


class RatingList(NamesMembers, Publication):
    """A rating list of one category at a moment, for a month or requested by a member (RBB 1.4).

    A monthly list is the state at 00:00 UTC on the first day of the month. A requested list is the state at
    the second of the request, optionally of one federation; it has no month.

    A published list never changes. If a later correction would have changed a monthly list, a new revision is
    added to it. ``previous`` is an earlier month's list, at which this list's period begins.
    """

    identity = ("category", "month")

    category = CategoryField(_("category"))
    month = models.DateField(_("month"), null=True, blank=True, help_text=_("First day of the month."))
    as_of = models.DateTimeField(
        _("as of"), help_text=_("The list shows the ratings after the last game that ended by this time.")
    )
    federation = models.CharField(
        _("federation"),
        max_length=3,
        blank=True,
        help_text=_("If set, the list has only members of this federation."),
    )
    requested_by = models.ForeignKey(
        Member,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="requested_lists",
        verbose_name=_("requested by"),
    )
    members = models.PositiveIntegerField(_("members"))
    previous = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("previous list"),
    )
    period_games = models.PositiveIntegerField(
        _("games in the period"),
        default=0,
        help_text=_("Rated games that are on this list but weren’t on the previous one."),
    )
    unrated_games = models.PositiveIntegerField(
        _("games against unrated players"),
        default=0,
        help_text=_("How many of these games were between a rated and an unrated player."),
    )
    late_games = models.PositiveIntegerField(
        _("entered late"),
        null=True,
        help_text=_("How many of these games ended before the previous list but were not on it."),
    )
    withdrawn_games = models.PositiveIntegerField(
        pgettext_lazy("games", "withdrawn"),
        null=True,
        help_text=_("Games on the previous list that are not on this one."),
    )
    last_recalculation = models.ForeignKey(
        Recalculation,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
        editable=False,
        verbose_name=_("last recalculation"),
        help_text=_(
            "Last recalculation of its category when the list was made. Later ones are not reflected in it."
        ),
    )
    layout = models.PositiveSmallIntegerField(
        _("layout"), default=LAYOUT, editable=False, help_text=_("Which columns its file has.")
    )
    mean = HundredthsField(_("mean rating"), null=True)
    median = HundredthsField(_("median rating"), null=True)

    objects = RatingListQuerySet.as_manager()

    class Meta:
        verbose_name = _("rating list")
        verbose_name_plural = _("rating lists")
        ordering = ("-as_of", "category", "-revision", "-pk")
        permissions = [("publish_ratinglist", _("Can publish rating lists"))]
        constraints = [
            models.UniqueConstraint(fields=["category", "month", "revision"], name="rating_list_unique"),
            models.CheckConstraint(
                condition=Q(month__isnull=False, requested_by=None, federation="")
                | Q(month=None, requested_by__isnull=False, revision=1),
                name="rating_list_of_a_month_or_requested",
            ),
        ]

    def __str__(self) -> str:
        if self.month is None:
            return gettext("%(category)s as of %(moment)s, requested") % {
                "category": CATEGORY_NAMES[self.category],
                "moment": self.as_of,
            }
        return gettext("%(category)s %(month)s, revision %(revision)d") % {
            "category": CATEGORY_NAMES[self.category],
            "month": Month(self.month),
            "revision": self.revision,
        }

    def get_absolute_url(self) -> str:
        if self.month is None:
            return address_of("ratings:requested_list", self.pk)
        return reverse("ratings:list", args=(self.category.slug, self.month, self.revision))

    @property
    def entries(self) -> models.QuerySet[RatingListEntry]:
        return RatingListEntry.objects.filter(rating_list=self).order_by("position")


class ListReviewQuerySet(models.QuerySet["ListReview"]):
    """Queries on reviews of lists."""

    def complete(self) -> Self:
        """Return those with all figures; up to version 0.11.7 they lacked the months' figures."""
        return self.filter(figures__has_key="months")


class ListReview(models.Model):
    """Figures of a monthly list's period, computed once. It keeps keys of lines, no names.

    It is derived from list and ledger, and isn't published: if deleted, it is computed again. ``differing``:
    number of the list's lines that differed from the ledger after ``last_recalculation``.
    """

    rating_list = models.OneToOneField(
        RatingList,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="+",
        verbose_name=_("rating list"),
    )
    figures = models.JSONField(_("figures"))
    differing = models.PositiveIntegerField(_("changed lines"), null=True)
    last_recalculation = models.BigIntegerField(_("last recalculation"), null=True)

    objects = ListReviewQuerySet.as_manager()

    class Meta:
        verbose_name = _("list review")
        verbose_name_plural = _("list reviews")
        # The admin doesn't show them.
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.rating_list)


class RatingListEntry(models.Model):
    """A line of a published list, with the member's name and other facts at the time."""

    id = ComputedKeyField(primary_key=True, editable=False)
    # A list is written once, by a statement that reads the referenced rows: this saves a million checks.
    rating_list = UncheckedKey(RatingList, verbose_name=_("rating list"), on_delete=models.CASCADE)
    position = models.PositiveIntegerField(_("position"), help_text=_("1, 2, 3, … down the page."))
    rank = models.PositiveIntegerField(_("rank"), help_text=_("Players with equal ratings share a rank."))
    member = UncheckedKey(Member, verbose_name=_("member"), related_name="list_entries")
    username = models.CharField(_("username"), max_length=150)
    fide_id = models.PositiveIntegerField(_("FIDE ID"), null=True)
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=100)
    title = models.CharField(_("title"), max_length=3)
    federation = models.CharField(_("federation"), max_length=3)
    sex = models.CharField(_("sex"), max_length=1, choices=Member.Sex)
    birth_year = models.PositiveSmallIntegerField(_("birth year"), null=True)
    rating = HundredthsField(_("rating"), help_text=_("Exact; shown rounded (RBB 3.12)."))
    games = models.PositiveIntegerField(_("games"))
    previous = HundredthsField(
        _("previous rating"), null=True, help_text=_("On the previous list; blank if they were not on it.")
    )
    period_games = models.PositiveIntegerField(
        _("games in the period"),
        default=0,
        help_text=_("Rated games that count on this list but didn’t on the previous one."),
    )
    # From here to earlier_change: empty on lists up to version 0.5.0.
    late_games = models.PositiveIntegerField(
        _("entered late"),
        null=True,
        help_text=_("How many of these games ended before the previous list."),
    )
    withdrawn_games = models.PositiveIntegerField(
        pgettext_lazy("games", "withdrawn"),
        null=True,
        help_text=_("Rated games that counted on the previous list and don’t count on this one."),
    )
    # The parts of the change.
    games_change = HundredthsField(
        _("from games"), null=True, help_text=_("Change due to games since the previous list.")
    )
    adjustments_change = HundredthsField(
        _("from over-the-board changes"),
        null=True,
        help_text=_("Change due to adjustments since the previous list (RBB 3.15)."),
    )
    openings_change = HundredthsField(
        _("from first ratings"),
        null=True,
        help_text=_("Change due to first ratings since the previous list (RBB 3.4)."),
    )
    earlier_change = HundredthsField(
        _("from corrections"),
        null=True,
        help_text=_("Change due to corrections, made since the previous list, to the ratings it showed."),
    )
    year_games = models.PositiveIntegerField(
        _("games in twelve months"),
        default=0,
        help_text=_("Rated games in the twelve months before the list."),
    )
    k = models.PositiveSmallIntegerField("K", null=True, help_text=_("K for their next game (RBB 3.10)."))

    class Meta:
        verbose_name = _("rating list entry")
        verbose_name_plural = _("rating list entries")
        ordering = ("-pk",)
        constraints = [
            # For a list's page, by position.
            models.UniqueConstraint(fields=["rating_list", "position"], name="list_entry_position"),
            # For a member's line on a list, and all lists with that member.
            models.UniqueConstraint(fields=["member", "rating_list"], name="list_entry_member"),
        ]
        indexes = [
            # By exact rating: for the first row of a page of ratings at a moment, and for the median.
            models.Index("rating_list", models.F("rating").desc(), name="list_entry_rating"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.known_as} {self.rating}"

    def get_absolute_url(self) -> str:
        return address_of("ratings:list_line", self.pk)

    @property
    def known_as(self) -> str:
        """The member's name at the time, or else their username."""
        return self.name or self.username

    @property
    def displayed(self) -> int:
        """RBB 3.12, 3.13: the displayed rating."""
        return displayed(to_hundredths(self.rating))

    @property
    def change(self) -> Decimal | None:
        """The exact change since the previous list, None if the member wasn't on it."""
        return None if self.previous is None else self.rating - self.previous
