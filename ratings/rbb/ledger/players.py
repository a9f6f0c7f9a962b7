"""Players of incoming games: members by username, with what decides whether their games are rated."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from members.former import FormerName, accounts_called
from members.models import FullMembership, Member
from members.usernames import Usernames, composed, fault_in, key_of, mixed_in, stands_for_nobody
from ratings.formats.games import GameRow
from ratings.formats.problems import shown
from ratings.formats.unseen import unseen
from ratings.rbb.ledger.plausibility import Examples
from ratings.rbb.models.eligibility import eligibility_of
from ratings.rules.rbb.conditions import Account

MEMBER_SINCE_EVER: Final = datetime(1900, 1, 1, tzinfo=UTC)
"""Start of full membership for members registered by an import: before any game in later files."""

_PLAYERS_AT_MOST: Final = 50_000
"""Maximum number of players kept between parts of a file, some 20 MB."""


class Unknown(NamedTuple):
    """The reason why a player isn't known. ``can_be_created``: a member can be registered with this name."""

    reason: str
    can_be_created: bool = False


class Known(NamedTuple):
    """The players of some rows by username, and why others aren't known."""

    known: dict[str, Account]
    unknown: dict[str, Unknown]


class Players:
    """The players of one source. ``create``: register unknown ones as members. ``created``: their keys.

    ``advice``: what to do about a player who isn't a member. ``accounts``: by username, the merged account
    that had it.
    """

    def __init__(self, create: bool, advice: str) -> None:
        self.create = create
        self.advice = advice
        self.created: list[int] = []
        self.accounts: dict[str, int] = {}
        self.misleading = Examples()
        self._known: dict[str, Account] = {}

    def of(self, rows: Iterable[GameRow]) -> Known:
        """Return the players of these rows."""
        if len(self._known) > _PLAYERS_AT_MOST:
            self._known.clear()
        everybody = dict.fromkeys(composed(name) for row in rows for name in (row.white, row.black))
        names = [name for name in everybody if name not in self._known]
        found = Member.objects.of_usernames(names).order_by()
        players = Usernames(found.values_list("username", "pk"))
        if missing := [name for name in names if not players.alike(name)]:
            former = FormerName.objects.of_usernames(missing)
            for username, member in former.values_list("text", "member"):
                players.add(username, member)
            merged = accounts_called(missing)
            self.accounts |= {name: merged[key] for name in missing if (key := key_of(name)) in merged}
        ids = {name: pk for name in names if (pk := players.find(name)) is not None}
        if self.create:
            ids |= self._created([name for name in names if name not in ids], players)
        accounts = eligibility_of(ids.values())
        self._known.update((name, accounts[member]) for name, member in ids.items())
        unknown = {name: self._why_unknown(name, players) for name in names if name not in ids}
        return Known(self._known, unknown)

    def _created(self, names: list[str], players: Usernames[int]) -> dict[str, int]:
        """Register full members from the earliest date with these names, unless a similar name exists."""
        new: dict[str, Member] = {}
        for name in names:
            if key_of(name) not in new and not (
                players.alike(name) or fault_in(name) or stands_for_nobody(name)
            ):
                new[key_of(name)] = Member(username=name)
                if mixed_in(name):
                    self.misleading.add(name)
        created = Member.objects.bulk_create(new.values(), batch_size=1000)
        FullMembership.objects.bulk_create(
            [FullMembership(member=member, full_from=MEMBER_SINCE_EVER) for member in created],
            batch_size=1000,
        )
        self.created += [member.pk for member in created]
        return {name: new[key_of(name)].pk for name in names if key_of(name) in new}

    def _why_unknown(self, name: str, players: Usernames[int]) -> Unknown:
        if alike := players.alike(name):
            return Unknown(f"“{name[:40]}”: {alike}")
        fault = fault_in(name)
        if fault and (self.create or unseen(name)):
            return Unknown(f"{shown(name)}: {str(fault).rstrip('.')}")
        if nobody := stands_for_nobody(name):
            return Unknown(nobody)
        return Unknown(f"“{name[:40]}” is not registered: {self.advice}", not fault)
