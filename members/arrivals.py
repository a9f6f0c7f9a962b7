"""Inputs that came under the name of a merged account, and go with it when the merge is taken back.

Without that, a figure would depend on whether a game came before the merge, during it or afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from members.former import FormerName, Merge


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
