"""Models of FIDE's rating lists: the list in force, what earlier lists said of members, and what followed."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from foa.text import date_text, month_text
from members.models import Member
from ratings.formats.frl import FideControl
from ratings.office.fields import BytewiseField, MonthField, is_month, user_field
from ratings.office.names import folded, is_player
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.openings import OpeningRating

CONTROL_NAMES = {
    FideControl.STANDARD: _("Standard"),
    FideControl.RAPID: _("Rapid"),
    FideControl.BLITZ: _("Blitz"),
}
CONTROL_CHOICES = [(control.value, name) for control, name in CONTROL_NAMES.items()]
_LAST_CHARACTER = chr(0x10FFFF)


class FideListQuerySet(models.QuerySet["FideList"]):
    def of(self, control: FideControl) -> Self:
        """Return lists that have ratings of this control."""
        return self.filter(control__in=("", control.value))

    def in_force(self, control: FideControl) -> FideList | None:
        """Return the list whose ratings of this control are in force.

        It is the list of the latest period; among several of one period, the one imported last.
        """
        return self.of(control).order_by("-period", "-pk").first()


class FideList(models.Model):
    """An imported FIDE rating list, of all controls or of one."""

    period = models.DateField(_("period"), help_text=_("First day of the list’s month."))
    control = models.CharField(
        _("time control"),
        max_length=8,
        blank=True,
        choices=CONTROL_CHOICES,
        help_text=_("Leave blank for all three."),
    )
    source = models.CharField(_("source"), max_length=255, help_text=_("Name of the file."))
    sha256 = models.CharField("SHA-256", max_length=64)
    rows = models.PositiveIntegerField(_("rows read"), default=0)
    refused = models.PositiveIntegerField(_("refused"), default=0)
    added = models.PositiveIntegerField(_("players added"), default=0)
    changed = models.PositiveIntegerField(_("players changed"), default=0)
    removed = models.PositiveIntegerField(
        _("players removed"),
        default=0,
        help_text=_("No longer listed; on a list of one rating type, no longer rated."),
    )
    imported_at = models.DateTimeField(_("imported at"))
    imported_by = user_field(_("imported by"), blank=True)

    objects = FideListQuerySet.as_manager()

    class Meta:
        verbose_name = _("FIDE rating list")
        verbose_name_plural = _("FIDE rating lists")
        ordering = ("-period", "-pk")
        permissions = [
            ("import_fidelist", "Can import FIDE rating lists"),
            ("announce_fidelist", "Can announce FIDE rating lists"),
        ]
        constraints = [
            # A file is imported once.
            models.UniqueConstraint(fields=["sha256", "period", "control"], name="fide_list_once")
        ]
        # Serves the choice of the list in force.
        indexes = [models.Index(fields=["period", "id"], name="fide_list_by_period")]

    def __str__(self) -> str:
        words = {"period": month_text(self.period), "control": self.control}
        if self.control:
            return gettext("%(period)s FIDE rating list, %(control)s") % words
        return gettext("%(period)s FIDE rating list") % words

    @property
    def controls(self) -> tuple[FideControl, ...]:
        """Return the controls in which the list has ratings."""
        return (FideControl(self.control),) if self.control else tuple(FideControl)


class FidePlayerQuerySet(models.QuerySet["FidePlayer"]):
    def named(self, text: str) -> Self:
        """Return players whose name, “Last, First”, begins with the text in any case; an index serves it."""
        beginning = folded(text.strip().replace("\x00", ""))
        return self.filter(folded__gte=beginning, folded__lt=beginning + _LAST_CHARACTER)

    def matching(self, text: str) -> Self:
        """Return players whose name begins with these words in any order, or with this FIDE ID; by index."""
        return self.filter(is_player(text.strip().replace("\x00", "")))


class FidePlayer(models.Model):
    """A player of the list in force. Players who aren't listed any more are removed; nobody edits these.

    No CHECK and no foreign key: two million rows a month come from a reader that knows the limits.
    """

    fide_id = models.IntegerField(_("FIDE ID"), primary_key=True)
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=150, help_text=_("Last, First"))
    folded = BytewiseField(max_length=300, editable=False)
    federation = BytewiseField(_("federation"), max_length=3, blank=True)
    sex = models.CharField(_("sex"), max_length=1, blank=True, choices=Member.Sex)
    title = models.CharField(_("title"), max_length=5, blank=True)
    women_title = models.CharField(_("women’s title"), max_length=5, blank=True)
    other_titles = models.CharField(_("other titles"), max_length=64, blank=True)
    arena_title = models.CharField(_("arena title"), max_length=5, blank=True)
    standard_rating = models.SmallIntegerField(_("standard rating"), null=True)
    standard_games = models.SmallIntegerField(_("standard games"), default=0)
    standard_k = models.SmallIntegerField(_("standard K"), default=0)
    rapid_rating = models.SmallIntegerField(_("rapid rating"), null=True)
    rapid_games = models.SmallIntegerField(_("rapid games"), default=0)
    rapid_k = models.SmallIntegerField(_("rapid K"), default=0)
    blitz_rating = models.SmallIntegerField(_("blitz rating"), null=True)
    blitz_games = models.SmallIntegerField(_("blitz games"), default=0)
    blitz_k = models.SmallIntegerField(_("blitz K"), default=0)
    birth_year = models.SmallIntegerField(_("birth year"), null=True)
    flag = models.CharField(
        _("flag"), max_length=2, blank=True, help_text=_("i: inactive in standard, w: woman")
    )
    rapid_inactive = models.BooleanField(_("inactive in rapid"), default=False, db_default=False)
    blitz_inactive = models.BooleanField(_("inactive in blitz"), default=False, db_default=False)

    objects = FidePlayerQuerySet.as_manager()

    class Meta:
        verbose_name = _("FIDE player")
        verbose_name_plural = _("FIDE players")
        ordering = ("folded", "fide_id")
        indexes = [
            # Serves browsing by name, and the search for names that begin with a text.
            models.Index(fields=["folded", "fide_id"], name="fide_player_by_name"),
            # Serves the same within a federation.
            models.Index(fields=["federation", "folded", "fide_id"], name="fide_player_by_federation"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.fide_id})"

    def rating(self, control: FideControl) -> int | None:
        """Return the player's published rating in a control, or None."""
        rating: int | None = getattr(self, f"{control}_rating")
        return rating


def is_inactive(player: FidePlayer, control: FideControl) -> bool:
    """Return whether FIDE's lists say that a player is inactive in a control.

    The flag of a list of all controls is about standard. In rapid and blitz, games in the list's month mean
    active. Without any, only a list of that control says that somebody is inactive.
    """
    if control is FideControl.STANDARD:
        return "i" in player.flag
    said: bool = getattr(player, f"{control}_inactive")
    return said and not getattr(player, f"{control}_games")


class FideRating(models.Model):
    """RBB 3.15: a member's rating in one control of a list, for everybody whose FIDE ID is stored.

    Without a rating, the list doesn't rate them. Without a row, their FIDE ID wasn't known then.
    """

    fide_id = models.IntegerField(_("FIDE ID"))
    control = models.CharField(_("time control"), max_length=8, choices=CONTROL_CHOICES)
    period = models.DateField(_("period"), help_text=_("First day of the list’s month."))
    rating = models.SmallIntegerField(_("rating"), null=True)
    games = models.SmallIntegerField(_("games"), default=0)

    class Meta:
        verbose_name = _("published FIDE rating")
        verbose_name_plural = _("published FIDE ratings")
        ordering = ("fide_id", "control", "period")
        constraints = [
            # Serves the history of a player; an import writes each row once.
            models.UniqueConstraint(fields=["fide_id", "control", "period"], name="fide_rating_once")
        ]
        # RBB 3.15: serves everybody of a list.
        indexes = [models.Index(fields=["period", "control"], name="fide_rating_by_period")]

    def __str__(self) -> str:
        return f"{self.fide_id}, {self.control} {month_text(self.period)}: {self.rating or '–'}"


class Determination(models.Model):
    """RBB 3.4: the record that a member's first ratings were looked up in the FIDE lists, which is done once.

    The results are the member's starting ratings with a ``first_rating``; there may be none.
    """

    member = models.OneToOneField(
        Member,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="first_rating_determination",
        verbose_name=_("member"),
    )
    fide_id = models.IntegerField(_("FIDE ID"), help_text=_("The ID that was looked up."))
    determined_at = models.DateTimeField(_("determined at"))

    class Meta:
        verbose_name = _("first-rating determination")
        verbose_name_plural = _("first-rating determinations")
        ordering = ("-determined_at", "pk")

    def __str__(self) -> str:
        return f"{self.member}: {date_text(self.determined_at)}"


class FirstRating(models.Model):
    """RBB 3.4: the list and control that a starting rating comes from. The opening has the number."""

    opening = models.OneToOneField(
        OpeningRating,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="first_rating",
        verbose_name=_("starting rating"),
    )
    fide_list = models.ForeignKey(
        FideList,
        on_delete=models.PROTECT,
        related_name="first_ratings",
        db_index=False,
        verbose_name=_("FIDE rating list"),
    )
    control = models.CharField(_("time control"), max_length=8, choices=CONTROL_CHOICES)

    class Meta:
        verbose_name = _("first-rating source")
        verbose_name_plural = _("first-rating sources")

    def __str__(self) -> str:
        return f"{self.fide_list}: {self.control}"


class AnnouncedMonth(models.Model):
    """RBB 3.15: the moment at which the list of a month was first announced.

    Its changes are added at this moment, even if the announcement is undone and made again.
    """

    period = MonthField(_("period"), primary_key=True, help_text=_("First day of the list’s month."))
    announced_at = models.DateTimeField(_("first announced at"))

    class Meta:
        verbose_name = _("announced month")
        verbose_name_plural = _("announced months")
        ordering = ("-period",)
        constraints = [
            # RBB 3.15: with two days of one month there would be two moments for it.
            models.CheckConstraint(condition=is_month("period"), name="announced_month_is_a_month")
        ]

    def __str__(self) -> str:
        return month_text(self.period)


class Announcement(models.Model):
    """RBB 3.15: the addition of a list's over-the-board changes to the ratings, once for a period."""

    period = models.DateField(_("period"), unique=True, help_text=_("First day of the list’s month."))
    source = models.CharField(_("source"), max_length=255)
    sha256 = models.CharField(
        "SHA-256",
        max_length=64,
        blank=True,
        help_text=_("Checksum of the file, if the changes came from one."),
    )
    announced_at = models.DateTimeField(_("announced at"))
    announced_by = user_field(_("announced by"), blank=True)
    count = models.PositiveIntegerField(
        _("adjustments"), default=0, help_text=_("Made by this announcement.")
    )

    class Meta:
        verbose_name = _("FIDE list announcement")
        verbose_name_plural = _("FIDE list announcements")
        ordering = ("-period",)

    def __str__(self) -> str:
        return f"{month_text(self.period)}: {self.source}"


class AnnouncedChange(models.Model):
    """RBB 3.15: an adjustment made by an announcement, and the two published ratings it lies between.

    Without these two, the change came from a file.
    """

    adjustment = models.OneToOneField(
        OtbAdjustment,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="announced",
        verbose_name=_("over-the-board adjustment"),
    )
    announcement = models.ForeignKey(
        Announcement, on_delete=models.PROTECT, related_name="changes", verbose_name=_("announcement")
    )
    previous = models.SmallIntegerField(_("previous published rating"), null=True)
    new = models.SmallIntegerField(_("new published rating"), null=True)
    games = models.SmallIntegerField(_("games"), null=True, help_text=_("Rated in the list’s rating period."))

    class Meta:
        verbose_name = _("announced change")
        verbose_name_plural = _("announced changes")

    def __str__(self) -> str:
        return str(self.adjustment)


class DoubleRatingQuerySet(models.QuerySet["DoubleRating"]):
    def beside(self, row: DoubleRating) -> Self:
        """Return all rows of the same list, FIDE ID and control."""
        return self.filter(fide_list=row.fide_list_id, fide_id=row.fide_id, control=row.control)

    def undecided(self) -> Self:
        """Return rows of FIDE IDs for which nobody has chosen a row."""
        chosen = DoubleRating.objects.filter(
            fide_list=OuterRef("fide_list"),
            fide_id=OuterRef("fide_id"),
            control=OuterRef("control"),
            is_chosen=True,
        )
        return self.filter(~Exists(chosen))


class DoubleRating(models.Model):
    """One of the different ratings that a FIDE list gives one FIDE ID in a control.

    None of them counts until somebody chooses one, or a later list has one of them.
    """

    fide_list = models.ForeignKey(
        FideList,
        on_delete=models.CASCADE,
        related_name="double_ratings",
        db_index=False,
        verbose_name=_("FIDE rating list"),
    )
    fide_id = models.IntegerField(_("FIDE ID"))
    control = models.CharField(_("time control"), max_length=8, choices=CONTROL_CHOICES)
    line = models.PositiveIntegerField(_("line in the file"))
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=150, blank=True)
    rating = models.SmallIntegerField(_("rating"))
    games = models.SmallIntegerField(_("games"), default=0)
    k = models.SmallIntegerField("K", default=0)
    is_chosen = models.BooleanField(_("chosen"), default=False)

    objects = DoubleRatingQuerySet.as_manager()

    class Meta:
        verbose_name = _("duplicate rating on a FIDE list")
        verbose_name_plural = _("duplicate ratings on FIDE lists")
        ordering = ("-fide_list", "fide_id", "control", "line", "pk")
        constraints = [
            # Only one of them can be right.
            models.UniqueConstraint(
                fields=["fide_list", "fide_id", "control"],
                condition=Q(is_chosen=True),
                name="double_rating_chosen_once",
            )
        ]
        indexes = [
            # Serves what lists say about a player.
            models.Index(fields=["fide_id", "control"], name="double_rating_by_player"),
            # Serves the rows of a list.
            models.Index(fields=["fide_list", "fide_id"], name="double_rating_by_list"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.fide_id}), {self.fide_list}, {FideControl(self.control)}: {self.rating}"
