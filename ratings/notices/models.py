"""Models of news: who follows whom, how members want to be notified, and their notices."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from members.models import Member


class NoticeType(models.TextChoices):
    """Kind of news."""

    LIST = "list", _("My rating on a new list")
    CORRECTION = "correction", _("Decisions that change my rating")
    CASE = "case", _("Replies from the office")
    FOLLOWED = "followed", _("Members I follow on a new rating list")


class Follow(models.Model):
    """A member who follows another one. Nobody else can see it."""

    follower = models.ForeignKey(
        # No index of its own: the unique constraint begins with this column.
        Member,
        on_delete=models.CASCADE,
        related_name="follows",
        db_index=False,
        verbose_name=_("follower"),
    )
    # Its index finds the followers to notify of a line on a list.
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
            # After a merge, a member must not follow themselves.
            models.CheckConstraint(condition=~Q(follower=F("followed")), name="follow_another"),
        ]

    def __str__(self) -> str:
        return f"{self.follower} → {self.followed}"


class Choice(models.Model):
    """A member's choice for one kind of news. Default: page and feed, and for answers mail too."""

    member = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("member")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=NoticeType)
    page = models.BooleanField(_("page"))
    feed = models.BooleanField(_("feed"))
    mail = models.BooleanField(_("email"))

    class Meta:
        verbose_name = _("notification setting")
        verbose_name_plural = _("notification settings")
        default_permissions = ()
        constraints = [
            # Read for each member when a new list is published.
            models.UniqueConstraint(fields=["member", "kind"], name="choice_of_news_once")
        ]

    def __str__(self) -> str:
        return f"{self.member}: {self.kind}"


class FeedAddress(models.Model):
    """Number whose signature ends the address of a member's feed. A new number makes a new address."""

    member = models.OneToOneField(
        Member, primary_key=True, on_delete=models.CASCADE, related_name="+", verbose_name=_("member")
    )
    number = models.PositiveIntegerField(_("number"), default=1)

    class Meta:
        verbose_name = _("feed address")
        verbose_name_plural = _("feed addresses")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.member}: {self.number}"


class Occasion(models.Model):
    """An event that members have yet to be notified of.

    It is written in the transaction that caused it, and deleted in the one that writes the notices.
    """

    kind = models.CharField(_("kind"), max_length=10, choices=NoticeType)
    key = models.BigIntegerField(_("key"), help_text=_("Of the list or the change set."))
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("occasion")
        verbose_name_plural = _("occasions")
        default_permissions = ()
        constraints = [
            # A decision that replays several categories is news once.
            models.UniqueConstraint(fields=["kind", "key"], name="occasion_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class DigestQuerySet(models.QuerySet["Digest"]):
    def due(self, at: datetime) -> Self:
        """Return the digests that are due at this moment, longest due first."""
        waiting = self.filter(state__in=(Digest.State.WAITING, Digest.State.CLAIMED))
        return waiting.filter(next_attempt_at__lte=at).order_by("next_attempt_at", "pk")


class Digest(models.Model):
    """A mail with a day's notices of a member. Every attempt has the same notices and the same id.

    While it is being sent, ``next_attempt_at`` is the moment from which another worker may try, in case this
    one was killed.
    """

    class State(models.TextChoices):
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
            # Serves the digests that are due, which are queried every second.
            models.Index(
                fields=["next_attempt_at", "id"],
                condition=Q(state__in=("waiting", "claimed")),
                name="digest_due",
            )
        ]
        constraints = [
            # All notices of a member until the mail is claimed go into one digest.
            models.UniqueConstraint(fields=["member"], condition=Q(state="waiting"), name="digest_one_waits")
        ]

    def __str__(self) -> str:
        return f"{self.member}, {self.next_attempt_at:%Y-%m-%d}"


class NoticeQuerySet(models.QuerySet["Notice"]):
    def unread_by(self, user: Any) -> Self:
        """Return notices on the page of this user's member that it hasn't shown yet."""
        return self.filter(member__user=user.pk, page=True, read_at=None)


class Notice(models.Model):
    """A notice to a member. Its words are made when it is read, in the reader's language.

    ``key`` is that of a line of a published list, of a changed rating, or of a case.
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
    mail = models.BooleanField(_("email"))
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
            # Serves a member's news, latest first, and the notices that a digest takes.
            models.Index(fields=["member", "-id"], name="notice_of_member"),
            # Serves the erasure of a followed member.
            models.Index(fields=["about"], condition=Q(about__isnull=False), name="notice_about"),
            # Serves the notices of a mail.
            models.Index(fields=["digest"], condition=Q(digest__isnull=False), name="notice_of_digest"),
            # Serves the deletion of old notices.
            models.Index(fields=["at"], name="notice_at"),
        ]

    def __str__(self) -> str:
        return f"{self.member}: {self.kind} {self.key}"
