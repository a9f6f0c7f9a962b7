"""Who follows whom, what each member wants to be told and how, and what they are told."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from members.models import Member


class NoticeType(models.TextChoices):
    """What a member is told of."""

    LIST = "list", _("My line on a new rating list")
    CORRECTION = "correction", _("A rating of mine that a decision changed")
    CASE = "case", _("An answer of the office")
    FOLLOWED = "followed", _("Members I follow on a new rating list")


class Follow(models.Model):
    """A member wants to know how another one does. Nobody else sees it."""

    follower = models.ForeignKey(
        # No index of its own: the unique constraint begins with it.
        Member,
        on_delete=models.CASCADE,
        related_name="follows",
        db_index=False,
        verbose_name=_("follower"),
    )
    # Its index finds who is told of a member's line on a list.
    followed = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="followers", verbose_name=_("followed")
    )
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("followed member")
        verbose_name_plural = _("followed members")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["follower", "followed"], name="follow_once"),
            # Two accounts that become one don't follow themselves.
            models.CheckConstraint(condition=~Q(follower=F("followed")), name="follow_another"),
        ]

    def __str__(self) -> str:
        return f"{self.follower} → {self.followed}"


class Choice(models.Model):
    """How a member is told of one kind of news. Without a row: page and feed; of answers by mail, too."""

    member = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("member")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=NoticeType)
    page = models.BooleanField(_("page"))
    feed = models.BooleanField(_("feed"))
    mail = models.BooleanField(_("mail"))

    class Meta:
        verbose_name = _("choice of news")
        verbose_name_plural = _("choices of news")
        default_permissions = ()
        constraints = [
            # Read member by member where a new list is told.
            models.UniqueConstraint(fields=["member", "kind"], name="choice_of_news_once")
        ]

    def __str__(self) -> str:
        return f"{self.member}: {self.kind}"


class FeedAddress(models.Model):
    """The address of a member's feed ends with a signature of this number: a new number, a new address."""

    member = models.OneToOneField(
        Member, primary_key=True, on_delete=models.CASCADE, related_name="+", verbose_name=_("member")
    )
    number = models.PositiveIntegerField(_("number"), default=1)

    class Meta:
        verbose_name = _("address of a feed")
        verbose_name_plural = _("addresses of feeds")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.member}: {self.number}"


class Occasion(models.Model):
    """Something has happened that members are yet to be told.

    It is written in the transaction that did it, and deleted in the one that writes the notices.
    """

    kind = models.CharField(_("kind"), max_length=10, choices=NoticeType)
    key = models.BigIntegerField(_("key"), help_text=_("Of the list or the change set."))
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("occasion")
        verbose_name_plural = _("occasions")
        default_permissions = ()
        constraints = [
            # A decision that replays several categories is told once.
            models.UniqueConstraint(fields=["kind", "key"], name="occasion_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class DigestQuerySet(models.QuerySet["Digest"]):
    """The nouns of digests."""

    def due(self, at: datetime) -> Self:
        """Those that are to be sent at this moment, the longest due first."""
        waiting = self.filter(state__in=(Digest.State.WAITING, Digest.State.CLAIMED))
        return waiting.filter(next_attempt_at__lte=at).order_by("next_attempt_at", "pk")


class Digest(models.Model):
    """A mail with a day's notices of a member. At each attempt it has the same notices and the same id.

    While somebody sends it, ``next_attempt_at`` is the moment at which another worker may try, should this
    one be killed.
    """

    class State(models.TextChoices):
        """How far it has come."""

        WAITING = "waiting", _("waiting")
        CLAIMED = "claimed", _("claimed")
        SENT = "sent", _("sent")
        FAILED = "failed", _("given up")

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+", verbose_name=_("member"))
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.WAITING)
    next_attempt_at = models.DateTimeField(_("next attempt"))
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)

    objects = DigestQuerySet.as_manager()

    class Meta:
        verbose_name = _("digest")
        verbose_name_plural = _("digests")
        default_permissions = ()
        indexes = [
            # What is due, asked every second.
            models.Index(
                fields=["next_attempt_at", "id"],
                condition=Q(state__in=("waiting", "claimed")),
                name="digest_due",
            )
        ]
        constraints = [
            # What is noted for a member until the mail is claimed goes into one.
            models.UniqueConstraint(fields=["member"], condition=Q(state="waiting"), name="digest_one_waits")
        ]

    def __str__(self) -> str:
        return f"{self.member}, {self.next_attempt_at:%Y-%m-%d}"


class NoticeQuerySet(models.QuerySet["Notice"]):
    """The nouns of notices."""

    def unread_by(self, user: Any) -> Self:
        """Return those on the page of this login's member that it hasn't shown yet."""
        return self.filter(member__user=user.pk, page=True, read_at=None)


class Notice(models.Model):
    """Something that a member is told. Its words are made when it is read, in the reader's language.

    ``key`` is that of a line of a published list, of a moved rating, or of a case.
    """

    member = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="notices", db_index=False, verbose_name=_("member")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=NoticeType)
    key = models.BigIntegerField(_("key"))
    about = models.ForeignKey(
        Member,
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,
        verbose_name=_("about"),
        help_text=_("The member who is followed."),
    )
    address = models.CharField(_("address"), max_length=200, blank=True, help_text=_("Of the case."))
    at = models.DateTimeField(_("at"))
    page = models.BooleanField(_("page"))
    feed = models.BooleanField(_("feed"))
    mail = models.BooleanField(_("mail"))
    read_at = models.DateTimeField(_("read at"), null=True)
    digest = models.ForeignKey(
        Digest,
        null=True,
        on_delete=models.SET_NULL,
        related_name="notices",
        db_index=False,
        verbose_name=_("digest"),
    )

    objects = NoticeQuerySet.as_manager()

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        default_permissions = ()
        ordering = ("-pk",)
        indexes = [
            # A member's news, latest first; what a digest takes.
            models.Index(fields=["member", "-id"], name="notice_of_member"),
            # What goes when a followed member is erased.
            models.Index(fields=["about"], condition=Q(about__isnull=False), name="notice_about"),
            # The notices of a mail.
            models.Index(fields=["digest"], condition=Q(digest__isnull=False), name="notice_of_digest"),
            # What is old enough to be deleted.
            models.Index(fields=["at"], name="notice_at"),
        ]

    def __str__(self) -> str:
        return f"{self.member}: {self.kind} {self.key}"
