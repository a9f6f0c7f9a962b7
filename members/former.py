"""Former names of members, and accounts merged into another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
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
        _("since"),
        null=True,
        help_text=_("Blank if the member registered under this name, or if we don’t know the date."),
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
    kept = models.JSONField(_("what reverses it"), default=dict)

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


class Arrival(models.Model):
    """An input that came under a username or FIDE ID of a merged account while that was merged.

    ``relation``: the column that refers to the member, as in “ratings.Game.white”. ``key``: that of the row.
    """

    account = models.ForeignKey(
        "members.Member",
        on_delete=models.CASCADE,
        related_name="arrivals",
        verbose_name=_("account that was merged"),
    )
    relation = models.CharField(_("relation"), max_length=80)
    key = models.BigIntegerField(_("row"))

    class Meta:
        verbose_name = _("input of a merged account")
        verbose_name_plural = _("inputs of merged accounts")
        ordering = ("pk",)
        # Nobody edits it or looks at it by itself.
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["relation", "key"], name="arrival_once")]

    def __str__(self) -> str:
        return f"{self.relation} {self.key}: {self.account}"


def accounts_called(usernames: Iterable[str]) -> dict[str, int]:
    """Return the merged accounts that had these usernames, by the usernames' comparison key."""
    names = dict(FormerName.objects.of_usernames(usernames).values_list("pk", "username_key"))
    found: dict[str, int] = {}
    if not names:
        return found
    members = FormerName.objects.filter(pk__in=names).values_list("member", flat=True)
    for merge in _merges_into(members):
        called = merge.kept.get("Called", {})
        for key in (*called.get("moved", ()), *called.get("new", ())):
            if key in names:
                # The innermost account comes last.
                found[str(names[key])] = merge.pk
    return found


def keep_arrivals(relation: str, accounts: Mapping[int, int | None]) -> None:
    """Store under which merged accounts some rows came. ``accounts``: by the row's key; None is left out."""
    Arrival.objects.bulk_create(
        [
            Arrival(relation=relation, key=key, account_id=account)
            for key, account in accounts.items()
            if account is not None
        ],
        update_conflicts=True,
        unique_fields=["relation", "key"],
        update_fields=["account"],
        batch_size=1_000,
    )


def keep_fide_arrivals(relation: str, rows: Iterable[Any]) -> None:
    """Store which rows that follow from a member's FIDE ID came with the FIDE ID of a merged account."""
    of_members: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        of_members[row.member_id].append(row)
    # There are few merges, and many rows when a month is announced.
    merged = Merge.objects.order_by().values_list("other__merged_into", flat=True)
    accounts: dict[int, int | None] = {}
    for member in {key for key in merged if key is not None} & of_members.keys():
        account = _account_with_fide_id(of_members[member][0].member)
        accounts |= {row.pk: account for row in of_members[member]}
    keep_arrivals(relation, accounts)


def keep_facts(account: int, facts: Mapping[str, tuple[Any, Any]]) -> None:
    """Store facts about a member that came under the name of a merged account, before and after."""
    if facts:
        merge = Merge.objects.select_for_update(no_key=True).get(pk=account)
        told = merge.kept.setdefault("People", {}).setdefault("told", {})
        for name, (before, after) in facts.items():
            told[name] = [told.get(name, (before,))[0], after]
        merge.save(update_fields=["kept"])


def arrived_for(account: int) -> dict[str, list[int]]:
    """Return the keys of rows that came for an account or those merged into it, by relation."""
    accounts = [account, *(merge.pk for merge in _merges_into([account]))]
    found: defaultdict[str, list[int]] = defaultdict(list)
    for one in Arrival.objects.filter(account__in=accounts):
        found[one.relation].append(one.key)
    return dict(found)


def _merges_into(members: Iterable[int]) -> list[Merge]:
    """Return the merges into these members, and those into the accounts merged there, in this order."""
    found: list[Merge] = []
    level = set(members)
    while level:
        merges = list(Merge.objects.filter(other__merged_into__in=level).order_by("pk"))
        found += merges
        level = {merge.pk for merge in merges}
    return found


def _account_with_fide_id(member: Any) -> int | None:
    """Return the merged account that the member's FIDE ID came with, or None if it is their own."""
    found = None
    for merge in _merges_into([member.pk]) if member.fide_id else ():
        people = merge.kept.get("People", {})
        _before, told = people.get("told", {}).get("fide_id", (None, people.get("fide_id")))
        # The account that stays can't have had it: two members don't have one FIDE ID.
        if told == member.fide_id:
            found = merge.pk
    return found
