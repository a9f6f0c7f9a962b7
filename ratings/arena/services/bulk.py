"""Many games of a server at once. Each one is stored, finished, already there, or refused by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from foa.db_errors import again_after_conflicts
from ratings.arena.models import GameServer
from ratings.arena.services.games import (
    ContradictionError,
    RefusedError,
    clock_faults,
    put_game,
    take_again,
)
from ratings.arena.services.pgn_warnings import pgn_warnings_of_rows
from ratings.arena.services.presence import lock_games
from ratings.formats.games import GameRow
from ratings.formats.problems import Fault, Problem, shown
from ratings.office.bulk import fetch_rows
from ratings.rbb.labels import doubt_text
from ratings.rbb.ledger.details import DetailsError
from ratings.rbb.ledger.game_import import Arrived, Taken, Words, intake
from ratings.rbb.ledger.plausibility import words_of_length
from ratings.rbb.models import Game
from ratings.rbb.models.games import CLOCK_AHEAD
from ratings.rbb.same_game import POSSIBLY_SAME
from ratings.rules.rbb.plausibility import Doubt

MOST_STATES: Final = 4
"""Maximum number of states of one game in a request: its start, its end, and some repetitions."""

_RATED: Final = (Taken.FINISHED.value, Taken.UPDATED.value)
"""Verdicts on stored games after which one may count."""

_WORDS: Final = Words(here="this request", unknown="send the member first, to /api/v1/members/{username}")


class Verdict(NamedTuple):
    """The outcome of a line. ``reason``: why it was refused, or is stored as unrated or void.

    ``kind``: the kind of reason, for programs. ``warning``: what looks wrong in an accepted game.
    """

    what: str
    reason: str = ""
    kind: str = ""
    field: str = ""
    article: str = ""
    warning: str = ""


def store_games(server: GameServer, rows: Iterable[GameRow | Problem], *, at: datetime) -> dict[int, Verdict]:
    """Store, finish and rate games of a server; return each row's verdict by its line.

    ``rows`` have the office's external ids. ``at``: the moment of the request (UTC); a server's clock may be
    up to CLOCK_AHEAD ahead. Games are committed together: first the first states of all games in the request,
    then the second states of those that occur several times, and so on.
    """
    verdicts: dict[int, Verdict] = {}
    games: list[GameRow] = []
    for row in rows:
        if isinstance(row, Problem):
            impossible = row.faults and all(fault.contradicts for fault in row.faults)
            verdicts[row.line] = _refused(row, "refused" if impossible else "invalid")
        elif faults := clock_faults(row, at):
            verdicts[row.line] = _refused(Problem.of(row.line, faults, {}))
        else:
            games.append(row)
    states = list(_states(games))
    for some in states[:MOST_STATES]:
        stored, alone = _store(server, some, at)
        verdicts |= stored | {row.line: _told(row, partial(put_game, row, at=at)) for row in alone}
    told = f"the same game is in this request more than {MOST_STATES} times"
    many = Verdict("refused", told, "refused", "id")
    verdicts |= {row.line: many for some in states[MOST_STATES:] for row in some}
    return verdicts | _remarks(games, verdicts)


def _remarks(games: Sequence[GameRow], verdicts: dict[int, Verdict]) -> dict[int, Verdict]:
    """Return the verdicts on games that were taken with a remark.

    It is the public reason for which a game is void or unrated, and a warning if a rated game looks wrong or
    a PGN says something else.
    """
    taken = [row for row in games if verdicts[row.line].what != "refused"]
    ids = [row.external_id for row in taken]
    columns = ("external_id", "void_reason", "unrated_reason")
    stored = {name: why for name, *why in fetch_rows(Game, columns, ids, by="external_id")}
    of_pgns = pgn_warnings_of_rows(taken)
    found: dict[int, Verdict] = {}
    for row in taken:
        verdict = verdicts[row.line]
        void, unrated = stored.get(row.external_id, ("", ""))
        words = row.rated and words_of_length(row.control, row.plies, row.started_at, row.ended_at)
        warnings = of_pgns.get(row.line, [])
        if words and not (void or unrated):
            warnings.insert(0, doubt_text(Doubt.TOO_LONG, words))
        if warnings:
            found[row.line] = verdict = verdict._replace(warning="; ".join(warnings))
        if void:
            why = f"void: {Game(void_reason=void).why_void}"
            found[row.line] = verdict._replace(reason=why, kind="void")
        elif unrated:
            kind = "possibly-same" if unrated == POSSIBLY_SAME else "unrated"
            found[row.line] = verdict._replace(reason=unrated, kind=kind)
    return found


def _states(games: Iterable[GameRow]) -> Iterator[Sequence[GameRow]]:
    """Yield the first state of each game, then the second states, and so on."""
    left = list(games)
    while left:
        states: dict[str, GameRow] = {}
        left = [row for row in left if states.setdefault(row.external_id, row) is not row]
        yield list(states.values())


@again_after_conflicts
def _store(
    server: GameServer, games: Sequence[GameRow], at: datetime
) -> tuple[dict[int, Verdict], list[GameRow]]:
    """Store games in one transaction; also return those that need one of their own.

    These are games with known events of presence: RBB 2.4 may correct their ends by a decision.
    """
    verdicts: dict[int, Verdict] = {}
    alone: list[GameRow] = []

    def taken(row: GameRow, what: Taken) -> None:
        verdicts[row.line] = Verdict(what.value)

    def refused(problem: Problem) -> None:
        verdicts[problem.line] = _refused(problem)

    def again(rows: Sequence[Arrived]) -> int:
        stored = lock_games([one.game for one in rows])
        for row, key, sent_as in rows:
            if key not in stored or vars(stored[key])["heard"]:
                alone.append(replace(row, external_id=sent_as))
            else:
                verdicts[row.line] = _told(row, partial(take_again, stored[key], row, sent_as, at=at))
        return sum(verdicts[row.line].what in _RATED for row, _key, _sent_as in rows if row.line in verdicts)

    with intake(
        source=server.name,
        sha256="",
        at=at,
        ahead=CLOCK_AHEAD,
        on_taken=taken,
        on_refused=refused,
        again=again,
        words=_WORDS,
    ) as lot:
        lot.take(games)
    return verdicts, alone


def _told(row: GameRow, store: Callable[[], tuple[Game, Taken]]) -> Verdict:
    """Return what storing the new facts of a game gives."""
    try:
        _game, taken = store()
    except RefusedError as refusal:
        return _refused(Problem.of(row.line, refusal.faults, {}))
    except ContradictionError as found:
        differing = f"a game with this id is already stored and differs in {found}"
        differing += f"; stored: {found.stored}; in {_WORDS.here}: {found.sent}"
        for name, (stored, sent) in found.fields.items():
            differing += f"; {name}: stored {_value(stored)}, in {_WORDS.here} {_value(sent)}"
        article = "RBB 2.4" if found.lost else ""
        fault = Fault(found.differing[0], differing, article)
        return _refused(Problem.of(row.line, [fault], {}), "contradiction")
    except DetailsError as error:
        return _refused(Problem.of(row.line, [error.fault], {}), "contradiction")
    return Verdict(taken.value)


def _value(value: Any) -> str:
    """Quote the value of a field in JSON."""
    return shown(value if isinstance(value, str) else json.dumps(value))


def _refused(problem: Problem, kind: str = "refused") -> Verdict:
    """Return a verdict with the reasons of all faults, and the place of the first."""
    first = problem.faults[0] if problem.faults else None
    article = next((fault.article for fault in problem.faults if fault.article), "")
    field = first.field if first else ""
    return Verdict("refused", problem.reason, kind, "id" if field == "external_id" else field, article)
