"""Many games of a server at once: each is stored, finished, already there, or refused by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db import IntegrityError

from ratings.arena.models import GameServer
from ratings.formats.games import GameRow
from ratings.formats.problems import Problem
from ratings.services.ledger.intake import Taken, Words, intake

MOST_STATES: Final = 4
"""So many states of one game are taken from one request: it began, it ended, and some repeated."""

_ATTEMPTS: Final = 3
_WORDS: Final = Words(
    id="id", here="in this request", unknown="send the member first, to /api/v1/members/{username}"
)


class Verdict(NamedTuple):
    """What became of a line. ``reason``: why it was refused, or is stored as unrated."""

    what: str
    reason: str = ""
    field: str = ""
    article: str = ""


def store_games(server: GameServer, rows: Iterable[GameRow | Problem], *, at: datetime) -> dict[int, Verdict]:
    """Store, finish and rate games of a server; the verdict of each row by its line.

    ``rows`` have the external ids of the office. ``at``: the moment of the request (UTC); no game may end
    after it. What is stored or finished is committed: all games of the request together, and then, of those
    that are in it several times, their second states, and so on.
    """
    verdicts: dict[int, Verdict] = {}
    games: list[GameRow] = []
    for row in rows:
        if isinstance(row, Problem):
            verdicts[row.line] = _refused(row)
        else:
            games.append(row)
    for number, states in enumerate(_states(games)):
        if number < MOST_STATES:
            verdicts |= _store(server, states, at)
        else:
            many = Verdict("refused", f"id: the same game stands here more than {MOST_STATES} times", "id")
            verdicts |= dict.fromkeys((row.line for row in states), many)
    return verdicts


def _states(games: Iterable[GameRow]) -> Iterator[Sequence[GameRow]]:
    """The first state of each game, then the second of those that have one, and so on."""
    left = list(games)
    while left:
        states: dict[str, GameRow] = {}
        left = [row for row in left if states.setdefault(row.external_id, row) is not row]
        yield list(states.values())


def _store(server: GameServer, games: Sequence[GameRow], at: datetime) -> dict[int, Verdict]:
    """One transaction; it begins again if one of the games was stored by somebody else meanwhile."""
    for left in reversed(range(_ATTEMPTS)):
        verdicts: dict[int, Verdict] = {}

        def taken(row: GameRow, what: Taken, verdicts: dict[int, Verdict] = verdicts) -> None:
            # What nobody had marked as rated is stored anew, as far as a server is concerned.
            told = Taken.STORED if what is Taken.MARKED else what
            verdicts[row.line] = Verdict(told.value, row.unrated_reason)

        def refused(problem: Problem, verdicts: dict[int, Verdict] = verdicts) -> None:
            verdicts[problem.line] = _refused(problem)

        try:
            with intake(
                source=server.name, sha256="", at=at, on_taken=taken, on_refused=refused, words=_WORDS
            ) as lot:
                lot.take(games)
        except IntegrityError:
            if not left:
                raise
        else:
            break
    return verdicts


def _refused(problem: Problem) -> Verdict:
    """The reasons of all faults, and where the first is."""
    first = problem.faults[0] if problem.faults else None
    article = next((fault.article for fault in problem.faults if fault.article), "")
    field = first.field if first else ""
    return Verdict("refused", problem.reason, "id" if field == "external_id" else field, article)
