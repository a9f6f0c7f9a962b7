"""FIDE B.02 7: the rating lists that the office publishes from tournaments over the board."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.said import gettext, plain
from members.models import Member
from ratings.fide.models import FideList
from ratings.office.fields import BytewiseField
from ratings.office.publications import Publication, RevisionQuerySet
from ratings.otb.models.tournaments import CHAPTER_CHOICES
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter

_COMBINATIONS = 1 << len(Lists)


class OtbListQuerySet(RevisionQuerySet["OtbList"]):
    by_age = ("list_day", "revision")

    def in_chapter(self, chapter: int) -> Self:
        """Return the lists of a chapter: standard, rapid or blitz."""
        return self.filter(chapter=chapter)

    def of(self, day: date) -> Self:
        """Return all revisions of this day's list, newest first."""
        return self.filter(list_day=day).newest_first()

    def latest_of(self, day: date) -> OtbList | None:
        """Return the last revision of this day's list."""
        return self.of(day).first()

    def latest_by_day(self, days: Iterable[date]) -> dict[tuple[int, date], OtbList]:
        """Return the last revisions of these days' lists by chapter and day."""
        return {
            (one.chapter, one.list_day): one for one in self.filter(list_day__in=days).order_by("revision")
        }

    def in_month(self, day: date) -> Self:
        """Return the lists of days in this month."""
        return self.filter(list_day__year=day.year, list_day__month=day.month)

    def before(self, day: date) -> Self:
        """Return the lists of earlier days, newest first."""
        return self.filter(list_day__lt=day).newest_first()

    def in_force(self, day: date) -> OtbList | None:
        """B.02 4.13, 7.11: return the list under which a tournament that begins on this day is played.

        It is the last revision of the latest list up to this day; before the first list, the first.
        """
        return (
            self.filter(list_day__lte=day).newest_first().first()
            or self.order_by("list_day", "-revision").first()
        )

    def published(self) -> Self:
        """Return lists made from a period, not imported from a file."""
        return self.filter(taken_from=None)


class OtbList(Publication):
    """B.02 7.1: a list of ratings over the board, after all tournaments of its period.

    The first of all is taken from the FIDE list in force (``taken_from``); the others result from periods.
    Nothing published is ever altered: where a replaced report would have changed a list, the next revision
    stands beside it.
    """

    identity = ("chapter", "list_day")

    chapter = models.SmallIntegerField(
        _("rating type"),
        choices=CHAPTER_CHOICES,
        default=Chapter.STANDARD.value,
        db_default=Chapter.STANDARD.value,
    )
    list_day = models.DateField(_("list date"), help_text=_("The day it comes into force."))
    edition = models.PositiveSmallIntegerField(
        _("edition"),
        default=2009,
        db_default=2009,
        help_text=_("Year of the regulations it was rated under."),
    )
    taken_from = models.ForeignKey(
        FideList,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("taken from"),
        help_text=_("The FIDE list that our first list was taken from."),
    )
    tournaments = models.PositiveIntegerField(
        _("tournaments"), default=0, help_text=_("Rated for this list.")
    )
    players = models.PositiveIntegerField(_("players"), default=0, help_text=_("Listed with a rating."))
    new_players = models.PositiveIntegerField(_("new players"), default=0)
    delisted = models.PositiveIntegerField(_("delisted"), default=0)

    objects = OtbListQuerySet.as_manager()

    class Meta:
        db_table = "fide_otblist"
        verbose_name = _("over-the-board list")
        verbose_name_plural = _("over-the-board lists")
        ordering = ("-list_day", "-revision")
        permissions = [("close_otblist", "Can close over-the-board rating periods")]
        constraints = [
            # Of expressions, so that it could be added without a lock.
            models.UniqueConstraint("chapter", "list_day", "revision", name="otb_list_once")
        ]

    def __str__(self) -> str:
        words = {
            "chapter": dict(CHAPTER_CHOICES)[self.chapter],
            "day": self.list_day,
            "revision": self.revision,
        }
        if self.chapter == Chapter.STANDARD:
            return gettext("Over-the-board list %(day)s, revision %(revision)d") % words
        return gettext("Over-the-board %(chapter)s list %(day)s, revision %(revision)d") % words

    def get_absolute_url(self) -> str:
        return self.address("list")

    @property
    def key(self) -> str:
        """The chapter where it isn't standard, the day and the revision, as in ``rapid 2026-10-01 1``."""
        chapter = "" if self.chapter == Chapter.STANDARD else f"{Chapter(self.chapter).slug} "
        return f"{chapter}{self.list_day} {self.revision}"

    @property
    def is_raised(self) -> bool:
        """True for the last revision of a list that has the one-off change of March 2024."""
        raised = RaisedList.objects.filter(chapter=self.chapter, list_day=self.list_day)
        return raised.exists() and not self.superseded

    def address(self, page: str, **more: str) -> str:
        """Return the address of a page or file of the list: ``list``, ``top``, ``active``, ``file`` …"""
        which = {"list_day": self.list_day, "revision": self.revision, **more}
        if self.chapter != Chapter.STANDARD:
            which["chapter"] = Chapter(self.chapter)
        return reverse(f"otb:{page}", kwargs=which)


class RaisedList(models.Model):
    """A list with the one-off change of 1 March 2024: ratings below 2000 raised by 0.40 × (2000 − rating).

    Offices decided that until 0.19; FIDE's own lists have contained it since. Nobody decides it any more, but
    every revision of such a list has the change.
    """

    chapter = models.SmallIntegerField(_("rating type"), choices=CHAPTER_CHOICES)
    list_day = models.DateField(_("list date"))

    class Meta:
        verbose_name = _("raised list")
        verbose_name_plural = _("raised lists")
        ordering = ("chapter", "list_day")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["chapter", "list_day"], name="otb_raised_once")]

    def __str__(self) -> str:
        return plain("%s, %s") % (dict(CHAPTER_CHOICES)[self.chapter], self.list_day)


class OtbListEntryQuerySet(models.QuerySet["OtbListEntry"]):
    def last_revised(self) -> Self:
        """Return those of lists that no later revision has replaced."""
        later = OtbList.objects.filter(
            chapter=OuterRef("otb_list__chapter"),
            list_day=OuterRef("otb_list__list_day"),
            revision__gt=OuterRef("otb_list__revision"),
        )
        return self.filter(~Exists(later))

    def on(self, lists: Lists) -> Self:
        """B.02 7.2: return players whose names are published on one of these listings."""
        return self.filter(listing__in=[value for value in range(_COMBINATIONS) if Lists(value) & lists])


class OtbListEntry(models.Model):
    """Standing of a player on a list, even if the name isn't published with it (7.21, 7.23(b)).

    Ratings are whole points. Name and titles are kept as they were. No CHECK and no foreign key to players:
    hundreds of thousands of rows a list come from the rules alone.
    """

    otb_list = models.ForeignKey(
        OtbList, on_delete=models.CASCADE, related_name="entries", db_index=False, verbose_name=_("list")
    )
    fide_id = models.IntegerField(_("FIDE ID"))
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=150)
    folded = BytewiseField(max_length=300, editable=False)
    federation = models.CharField(_("federation"), max_length=3, blank=True)
    sex = models.CharField(_("sex"), max_length=1, blank=True, choices=Member.Sex)
    title = models.CharField(_("title"), max_length=5, blank=True)
    women_title = models.CharField(_("women’s title"), max_length=5, blank=True)
    other_titles = models.CharField(_("other titles"), max_length=64, blank=True)
    birth_year = models.SmallIntegerField(_("birth year"), null=True)
    rating = models.SmallIntegerField(_("rating"), null=True)
    previous = models.SmallIntegerField(_("previous rating"), null=True, help_text=_("On the previous list."))
    k = models.SmallIntegerField("K", null=True)
    games = models.SmallIntegerField(_("games"), default=0, help_text=_("Rated in the list’s rating period."))
    games_counted = models.IntegerField(
        _("games counted"), default=0, help_text=_("Rated games since the first rating (B.02 8.56).")
    )
    reached_2400 = models.BooleanField(
        _("reached 2400"),
        default=False,
        help_text=_("Has had a published rating of 2400 or more (B.02 8.56)."),
    )
    reached_2300 = models.BooleanField(
        _("reached 2300"),
        default=False,
        db_default=False,
        help_text=_("Has had a published rating of 2300 or more (2024: 8.3.3)."),
    )
    last_game = models.DateField(
        _("last rated game"),
        null=True,
        help_text=_("The date of its round, or the tournament’s last day if that isn’t known (B.02 7.23)."),
    )
    delisted_on = models.DateField(
        _("delisted on"), null=True, help_text=_("They count as a new player again from then on (B.02 7.21).")
    )
    listing = models.SmallIntegerField(
        _("listing"), default=0, help_text=_("The lists that include the player (B.02 7.2).")
    )

    objects = OtbListEntryQuerySet.as_manager()

    class Meta:
        db_table = "fide_otblistentry"
        verbose_name = _("over-the-board list entry")
        verbose_name_plural = _("over-the-board list entries")
        ordering = ("otb_list", "folded", "fide_id")
        constraints = [
            # Who a player of a tournament is on the list in force.
            models.UniqueConstraint(fields=["otb_list", "fide_id"], name="otb_entry_once")
        ]
        indexes = [
            models.Index(fields=["otb_list", "folded", "fide_id"], name="otb_entry_by_name"),
            # 7.24: the top list.
            models.Index(fields=["otb_list", "-rating", "fide_id"], name="otb_entry_by_rating"),
            # 7.21, 7.22: the few whose names are published apart.
            models.Index(fields=["otb_list", "listing"], name="otb_entry_by_listing"),
            # The card of a player.
            models.Index(fields=["fide_id", "otb_list"], name="otb_entry_of_player"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.fide_id}): {self.rating or '–'}"

    @property
    def lists(self) -> Lists:
        """B.02 7.2: listings of this list that publish the name."""
        return Lists(self.listing)

    @property
    def flag(self) -> str:
        """B.02 7.12, 7.23(b): flag as FIDE's lists print it: i for inactive, w for a woman."""
        return flag_of(self.sex, self.lists)


def flag_of(sex: str, lists: Lists) -> str:
    """Return the flag of a player whose name is published on these listings."""
    inactive = Lists.ALPHABETICAL in lists and Lists.ACTIVE not in lists
    return "w" * (sex == Member.Sex.FEMALE) + "i" * inactive
