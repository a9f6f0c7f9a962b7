"""Many games of a server at once: each is stored, finished, already there, or refused by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db import IntegrityError, OperationalError, connection

from foa.passing import is_conflict
from ratings.arena.models import GameServer
from ratings.arena.services.games import ATTEMPTS, ContradictionError, RefusedError, put_game
from ratings.formats.games import GameRow
from ratings.formats.problems import Fault, Problem
from ratings.models import Game
from ratings.office.bulk import fetch_rows
from ratings.services.ledger.intake import Taken, Words, intake

MOST_STATES: Final = 4
"""So many states of one game are taken from one request: it began, it ended, and some repeated."""

_WORDS: Final = Words(
    id="id", here="in this request", unknown="send the member first, to /api/v1/members/{username}"
)

_DIFFERS: Final = "a game of this id is stored already and differs in %s"


class Verdict(NamedTuple):
    """The fate of a line. ``reason``: why it was refused, or is stored as unrated or void."""

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
    heard = _heard_of(games)
    for row in games:
        if row.external_id in heard:
            verdicts[row.line] = _put(row, at)
    left = [row for row in games if row.external_id not in heard]
    for number, states in enumerate(_states(left)):
        if number < MOST_STATES:
            verdicts |= _store(server, states, at)
        else:
            many = Verdict("refused", f"id: the same game stands here more than {MOST_STATES} times", "id")
            verdicts |= dict.fromkeys((row.line for row in states), many)
    return verdicts | _void(games, verdicts)


def _void(games: Sequence[GameRow], verdicts: dict[int, Verdict]) -> dict[int, Verdict]:
    """Return the verdicts of games that are stored and void, with what everybody may read of why."""
    ids = [row.external_id for row in games if verdicts[row.line].what != "refused"]
    rows = fetch_rows(connection, Game, ("external_id", "void_reason"), ids, by="external_id")
    void = {name: Game(void_reason=reason).why_void for name, reason in rows if reason}
    return {
        row.line: verdicts[row.line]._replace(reason=f"void: {void[row.external_id]}")
        for row in games
        if row.external_id in void and verdicts[row.line].what != "refused"
    }


def _states(games: Iterable[GameRow]) -> Iterator[Sequence[GameRow]]:
    """The first state of each game, then the second of those that have one, and so on."""
    left = list(games)
    while left:
        states: dict[str, GameRow] = {}
        left = [row for row in left if states.setdefault(row.external_id, row) is not row]
        yield list(states.values())


def _store(server: GameServer, games: Sequence[GameRow], at: datetime) -> dict[int, Verdict]:
    """One transaction; it begins again if it met with somebody else in one of the games."""
    for left in reversed(range(ATTEMPTS)):
        verdicts: dict[int, Verdict] = {}

        def taken(row: GameRow, what: Taken, verdicts: dict[int, Verdict] = verdicts) -> None:
            # What nobody had marked as rated is newly stored, as far as a server is concerned.
            told = Taken.STORED if what is Taken.MARKED else what
            verdicts[row.line] = Verdict(told.value, row.unrated_reason)

        def refused(problem: Problem, verdicts: dict[int, Verdict] = verdicts) -> None:
            verdicts[problem.line] = _refused(problem)

        try:
            with intake(
                source=server.name, sha256="", at=at, on_taken=taken, on_refused=refused, words=_WORDS
            ) as lot:
                lot.take(games)
        except (IntegrityError, OperationalError) as error:
            if not left or not is_conflict(error):
                raise
        else:
            break
    return verdicts


def _heard_of(games: Iterable[GameRow]) -> set[str]:
    """The games of which it is known who was gone (RBB 2.4): they are looked at one by one."""
    ids = [row.external_id for row in games]
    known = fetch_rows(connection, Game, ("id",), ids, by="external_id")
    heard = Game.objects.filter(pk__in=[pk for (pk,) in known], presence__isnull=False).order_by()
    return set(heard.values_list("external_id", flat=True))


def _put(row: GameRow, at: datetime) -> Verdict:
    """A game that RBB 2.4 may decide, in a transaction of its own."""
    in_progress = Game.objects.filter(external_id=row.external_id, ended_at=None).exists()
    try:
        game, _is_new = put_game(row, at=at)
    except RefusedError as refusal:
        return _refused(Problem.of(row.line, refusal.faults, {}))
    except ContradictionError as found:
        differing = f"{_DIFFERS % found}; stored: {found.stored}; {_WORDS.here}: {found.sent}"
        field, article = ("result", "RBB 2.4") if found.lost else ("id", "")
        return _refused(Problem.of(row.line, [Fault(field, differing, article)], {}))
    what = Taken.FINISHED if in_progress and game.ended_at is not None else Taken.ALREADY_THERE
    return Verdict(what.value, game.unrated_reason)


def _refused(problem: Problem) -> Verdict:
    """The reasons of all faults, and where the first is."""
    first = problem.faults[0] if problem.faults else None
    article = next((fault.article for fault in problem.faults if fault.article), "")
    field = first.field if first else ""
    return Verdict("refused", problem.reason, "id" if field == "external_id" else field, article)
