"""Warnings about a game whose PGN says something else than the game does. It is stored all the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from members.former import FormerName
from members.models import Member
from members.usernames import key_of
from ratings.formats.games import GameRow
from ratings.formats.pgn_entry import disagreements_of_moves, disagreements_of_names
from ratings.office.bulk import batches
from ratings.rbb.models import Game
from ratings.rules.rbb.variants import STANDARD

_AT_ONCE: Final = 500


def pgn_warnings(game: Game) -> list[str]:
    """Return where the PGN of a stored game contradicts it."""
    if not game.pgn:
        return []
    players = (game.white, game.black)
    white, black = ({player.username, player.name} for player in players)
    names = disagreements_of_names(game.pgn, white=white, black=black)
    if names:
        former = _former_names(player.pk for player in players)
        white, black = (former[player.pk] | {player.username, player.name} for player in players)
        names = disagreements_of_names(game.pgn, white=white, black=black)
    moves: list[str] = []
    if game.variant == STANDARD:
        # The moves of a game in progress may be older than its number of moves.
        plies = game.plies if game.ended_at else None
        moves = disagreements_of_moves(game.pgn, result=game.result, plies=plies)
    return [*moves, *names]


def pgn_warnings_of_rows(rows: Iterable[GameRow]) -> dict[int, list[str]]:
    """Return where the PGNs of games that were sent contradict them, by the games' lines.

    Members are looked up only if a PGN doesn't have the usernames that were sent with it.
    """
    found: dict[int, list[str]] = {}
    unlike: list[GameRow] = []
    for row in rows:
        if row.pgn_faults:
            found[row.line] = list(row.pgn_faults)
        if row.pgn and disagreements_of_names(row.pgn, white={row.white}, black={row.black}):
            unlike.append(row)
    names = _names_of({name for row in unlike for name in (row.white, row.black)}) if unlike else {}
    for row in unlike:
        white, black = ({name, *names.get(key_of(name), ())} for name in (row.white, row.black))
        if others := disagreements_of_names(row.pgn, white=white, black=black):
            found.setdefault(row.line, []).extend(others)
    return found


def _names_of(usernames: Collection[str]) -> dict[str, set[str]]:
    """Return all names of the members with these usernames, by the username."""
    found: dict[str, set[str]] = {}
    for some in batches(sorted(usernames), _AT_ONCE):
        members = Member.everybody.by_username(some)
        former = _former_names(member.pk for _username, member in members)
        for username, member in members:
            found[key_of(username)] = former[member.pk] | {member.username, member.name}
    return found


def _former_names(members: Iterable[int]) -> dict[int, set[str]]:
    """Return the earlier names and usernames of members."""
    found: dict[int, set[str]] = defaultdict(set)
    rows = FormerName.objects.filter(member__in=list(members)).order_by()
    for member, text in rows.values_list("member", "text"):
        found[member].add(text)
    return found
