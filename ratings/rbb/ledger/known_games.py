"""Games that come again under another id: from another server or file, with an address of the same game."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from foa.addresses import around_key
from foa.history import name_author
from members.models import Member
from members.usernames import Usernames, composed
from ratings.formats.game_address import address_key, key_of_game
from ratings.formats.games import GameRow
from ratings.office.bulk import fetch_rows
from ratings.rbb.models.games import Game, OtherId
from ratings.rbb.same_game import server_of_id

_AT_ONCE: Final = 2_000
_TAKEN_OVER: Final = ("pgn", "plies", "url")
_FROM_SECOND: Final = "from its second report, game %d"


def stored_id(external_id: str) -> str:
    """Return the id of the game that is also known by this one; ``""`` if there is none."""
    other = OtherId.objects.filter(external_id=external_id).values_list("game__external_id", flat=True)
    return other.first() or ""


def stored_elsewhere(rows: Iterable[GameRow]) -> dict[str, str]:
    """Return the ids of rows that are certainly a stored game of another id, each with that game's id.

    ``rows`` have ids that no stored game has. A game is known by each id under which it came, and by its
    address. Where only ``url`` tells of the address, the players have to be the same, since a server may name
    a page of several games. Two ids of one server are never of the same game, whoever told of it first.
    """
    of_ids = {row.external_id: row for row in rows}
    ids = list(of_ids)
    known = [one for (one,) in fetch_rows(OtherId, ("external_id",), ids, by="external_id")]
    other_ids = OtherId.objects.filter(external_id__in=known, game__external_id__isnull=False)
    pairs = other_ids.values_list("external_id", "game__external_id")
    found = {other: str(stored) for other, stored in pairs} | _by_pages_here(of_ids)
    keys = {key for row in of_ids.values() for key in _keys(row) if key}
    if not keys:
        return found
    there: dict[str, list[tuple[str, set[int], set[str]]]] = defaultdict(list)
    addresses = [address for (address,) in fetch_rows(Game, ("address",), sorted(keys), by="address")]
    games = Game.objects.filter(address__in=addresses, external_id__isnull=False).order_by("pk")
    others: dict[int, set[str]] = defaultdict(set)
    for key, other in OtherId.objects.filter(game__in=games).values_list("game_id", "external_id"):
        others[key].add(server_of_id(other))
    for key, address, stored, *players in games.values_list("pk", "address", "external_id", "white", "black"):
        servers = others[key] | {server_of_id(stored)}
        there[str(address)].append((stored, set(players), servers))
    # A report may name a player as they were called before, or by an account that was merged.
    again = [row for row in of_ids.values() if _keys(row)[1] in there]
    called = Usernames(Member.objects.by_username({name for row in again for name in (row.white, row.black)}))
    for external_id, row in of_ids.items():
        by_id, by_url = _keys(row)
        server = server_of_id(external_id)
        members = {one and one.pk for one in (called.find(row.white), called.find(row.black))}
        for address, who in ((by_id, None), (by_url, members)):
            for stored, theirs, servers in there.get(address, ()):
                if who in (None, theirs) and not (server and server in servers):
                    found.setdefault(external_id, stored)
    return found


def _by_pages_here(rows: Mapping[str, GameRow]) -> dict[str, str]:
    """Return the ids of rows that are the address of a game's page here, with that game's id.

    The office writes such addresses into its own files. The players have to be the same, in case another
    office has the same address.
    """
    before, after = around_key("ratings:game")
    page = re.compile(rf"{re.escape(settings.SITE_URL + before)}([0-9]{{1,10}}){re.escape(after)}")
    numbers = {int(named[1]): key for key in rows if (named := page.fullmatch(key))}
    games = Game.objects.filter(pk__in=numbers, external_id__isnull=False)
    there = games.values_list("pk", "external_id", "white__username", "black__username")
    found = {}
    for pk, stored, *players in there:
        row = rows[numbers[pk]]
        if {composed(row.white), composed(row.black)} == {*map(composed, players)}:
            found[numbers[pk]] = stored
    return found


def also_known_as(game: Game, external_id: str) -> None:
    """Remember another id of a game. A server's own id takes the place of that of a file."""
    if external_id == game.external_id or OtherId.objects.filter(external_id=external_id).exists():
        return
    if server_of_id(external_id) and not server_of_id(game.external_id or ""):
        external_id, game.external_id = game.external_id or "", external_id
        Game.objects.filter(pk=game.pk).update(external_id=game.external_id)
    if external_id:
        OtherId.objects.create(external_id=external_id, game=game)


def add_what_is_missing(double: Game, *, by: Any) -> None:
    """Give a game the moves and the address that only its second report has."""
    first = double.possibly_same
    missing = {
        name: getattr(double, name)
        for name in _TAKEN_OVER
        if first is not None and not getattr(first, name) and getattr(double, name)
    }
    if first is None or not missing:
        return
    for name, value in missing.items():
        setattr(first, name, value)
    name_author(first, by, _FROM_SECOND % double.pk)
    first.save()


def take_away_what_was_added(double: Game, *, by: Any) -> bool:
    """Take away what a game was given from this one, unless it has changed since; return whether it was."""
    first: Any = double.possibly_same
    given = first and first.history.filter(history_change_reason=_FROM_SECOND % double.pk).first()
    if given is None:
        return False
    before = first.history.filter(history_id__lt=given.history_id).first()
    for name in _TAKEN_OVER:
        if getattr(first, name) == getattr(given, name):
            setattr(first, name, getattr(before, name))
    name_author(first, by, f"game {double.pk} may be another one")
    first.save()
    return True


def keep_addresses() -> None:
    """Store what the addresses of games have in common, where an earlier version stored the games."""
    lacking = Game.objects.filter(address=None).order_by("pk").only("pk", "url", "external_id")
    while some := list(lacking[:_AT_ONCE]):
        for game in some:
            game.address = key_of_game(game.url, game.external_id)
        with transaction.atomic():
            Game.objects.bulk_update(some, ["address"])


def _keys(row: GameRow) -> tuple[str, str]:
    """Return what all addresses of the game have in common, by its id and by its ``url``."""
    return address_key(row.external_id), address_key(row.details.url)
