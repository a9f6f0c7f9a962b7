"""Former names of members, and accounts merged into another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from members.usernames import key_of

_AT_ONCE: Final = 1_000

_FOUND_AT_MOST: Final = 1_000
"""Maximum number of former names that a search returns members for."""


class Names(NamedTuple):
    """Username and name of a member."""

    username: str
    name: str


class FormerNameQuerySet(models.QuerySet["FormerName"]):
    """Queries for former names."""

    def of_usernames(self, usernames: Iterable[str]) -> Self:
        """Return former names that are these usernames, ignoring case and Unicode composition."""
        return self.filter(username_key__in={key_of(username) for username in usernames})

    def members_matching(self, text: str) -> list[int]:
        """Return the keys of members with a former name or username that contains the text."""
        if not (part := text.strip().replace("\x00", "")):
            return []
        found = self.filter(text__icontains=part).order_by()
        return list(found.values_list("member", flat=True)[:_FOUND_AT_MOST])


class FormerName(models.Model):
    """Former name or username of a member. A former username still leads to them, and to nobody else.

    ``username_key``: comparison key of a username (decision 0086); None for a person's name, which others may
    have too.
    """

    member = models.ForeignKey(
        "members.Member", on_delete=models.CASCADE, related_name="former_names", verbose_name=_("member")
    )
    text = models.CharField(_("former name"), max_length=150)
    # Unique: a former username leads to one member. Files and addresses are looked up by it.
    username_key = models.CharField(max_length=450, null=True, blank=True, unique=True, editable=False)
    since = models.DateTimeField(
        _("since"), null=True, help_text=_("Empty: since the member was registered, or not known.")
    )
    until = models.DateTimeField(_("until"))

    objects = FormerNameQuerySet.as_manager()

    class Meta:
        verbose_name = _("former name")
        verbose_name_plural = _("former names")
        ordering = ("-until", "-pk")
        constraints = [
            models.CheckConstraint(
                condition=Q(since=None) | Q(since__lte=models.F("until")),
                name="former_name_since_before_until",
            ),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def is_username(self) -> bool:
        """True for a username, False for a person's name."""
        return self.username_key is not None


class Merge(models.Model):
    """Account merged into another one. Its row stays, but no longer counts as a member.

    ``kept``: data to undo the merge, by part of the merge.
    """

    other = models.OneToOneField(
        "members.Member",
        primary_key=True,
        on_delete=models.PROTECT,
        related_name="merge",
        verbose_name=_("account that was merged"),
    )
    merged_at = models.DateTimeField(_("merged at"))
    kept = models.JSONField(_("what takes it back"), default=dict)

    objects = models.Manager()

    class Meta:
        verbose_name = _("merged account")
        verbose_name_plural = _("merged accounts")
        ordering = ("-merged_at", "pk")

    def __str__(self) -> str:
        return f"{self.other} → {self.other.merged_into}"


def keep_names(member: int, before: Names, after: Names) -> None:
    """Store the former username and name of a member, if they change.

    A username that differs only in case is the same one. A username taken up again is no longer a former one.
    """
    stored = FormerName.objects.filter(member=member)
    now = timezone.now()
    key = key_of(before.username)
    if key != key_of(after.username):
        stored.filter(username_key=key_of(after.username)).delete()
        since = _last(stored.exclude(username_key=None))
        # In older databases another member may have had one that differs only in case.
        if not FormerName.objects.filter(username_key=key).exists():
            stored.create(member_id=member, text=before.username, username_key=key, since=since, until=now)
    if before.name and before.name != after.name:
        names = stored.filter(username_key=None)
        names.filter(text=after.name).delete()
        stored.create(member_id=member, text=before.name, since=_last(names), until=now)


def refuse_former(usernames: Iterable[str], member: int | None) -> None:
    """Raise ValidationError for usernames that another member had before."""
    for some in _batches(list(usernames)):
        for one in FormerName.objects.of_usernames(some).order_by():
            if one.member_id != member:
                fault = _now(
                    "%(member)s had the username “%(username)s” before, and it still leads to them. Choose"
                    " another."
                )
                words = {"member": one.member, "username": one.text}
                raise ValidationError({"username": fault % words})


def _last(names: FormerNameQuerySet) -> Any:
    """Return the end of the latest of these names, or None."""
    return names.aggregate(last=models.Max("until"))["last"]


def _batches(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), _AT_ONCE):
        yield names[start : start + _AT_ONCE]
