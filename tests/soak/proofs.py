"""What must hold after each kill, and in the end."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime
from typing import Any, Final

import psycopg

from tests.soak.actors import Books, Follower, Officer
from tests.soak.asking import Campaign, Door
from tests.soak.servers import PATIENCE

_OF_PLAYERS: Final = {
    # The campaign's games are random, so people play several at once; clocks jump; the fuzzer sends anything.
    "games-at-the-same-time",
    "games-forgotten",
    "games-of-the-future",
    "games-stored-twice",
    "games-too-long",
    "games-with-ids-alike",
    "members-with-one-name",
}
"""Checks of the audit that say what players did, not what the office has made of it."""

_RECORD: Final = re.compile("(DEBUG|INFO|WARNING|ERROR|CRITICAL) [^ ]+ [^ ]+: ")
_NO_FAULT: Final = re.compile(
    r"(django\.db\.utils|psycopg(\.errors)?)\.(OperationalError|InterfaceError|AdminShutdown|CrashShutdown"
    r"|CannotConnectNow|TransactionManagementError)|django\.db\.transaction\.TransactionManagementError"
    # Of what is refused with 400, Django's log has the reason in the same form.
    r"|django\.core\.exceptions\.(BadRequest|Suspicious|Disallowed)"
)
_WARM: Final = 120.0
"""Seconds after which a process has loaded what it needs."""
_LIVED: Final = 480.0
"""Seconds that a life must have lasted for its memory to be compared."""
_GROWN: Final = 1.3
"""Maximum memory, as a multiple of that when it was warm."""


class Proofs:
    """Each of them counts what it looked at, and notes what is wrong."""

    def __init__(self, campaign: Campaign, books: Books) -> None:
        self.campaign = campaign
        self.office = campaign.office
        self.books = books
        self.door = Door(campaign, "proofs", nullcontext)
        self.checked: set[int] = set()

    def after_a_kill(self, what: str) -> None:
        """All is up again, and the gate is closed."""
        for proof in (self.games, self.doubled, self.rules, self.lists, self.replica, self.jobs):
            try:
                for fault in proof():
                    self.campaign.fault(f"{what}: {fault}")
            except psycopg.OperationalError as error:
                self.campaign.fault(f"{what}: {proof.__name__}: {error}")
        self.campaign.count("proofs")

    def games(self) -> Iterator[str]:
        """Every acknowledged game once, with the result that was sent."""
        stored: dict[str, list[str]] = {}
        for external_id, result in self.office.primary.ask("SELECT external_id, result FROM ratings_game"):
            stored.setdefault(external_id, []).append(result)
        acknowledged = dict(self.books.games)
        if lost := acknowledged.keys() - stored.keys():
            yield f"{len(lost)} acknowledged games are lost, such as {sorted(lost)[:5]}"
        if twice := [name for name, results in stored.items() if len(results) > 1]:
            yield f"{len(twice)} games are there twice, such as {twice[:5]}"
        differing = [
            name
            for name, result in acknowledged.items()
            if name in stored and name not in self.books.decided and stored[name] != [result]
        ]
        if differing:
            yield f"{len(differing)} games have another result, such as {differing[:5]}"
        ((wrong,),) = self.office.primary.ask(
            "SELECT count(*) FROM (SELECT g.id FROM ratings_game g LEFT JOIN ratings_ratingchange c"
            " ON c.game_id = g.id GROUP BY g.id HAVING count(c.id) <> CASE WHEN g.rated"
            " AND g.voided_at IS NULL AND g.ended_at IS NOT NULL THEN 2 ELSE 0 END) AS wrong"
        )
        if wrong:
            yield f"{wrong} games have too many or too few lines in the ledger"

    def doubled(self) -> Iterator[str]:
        """A game counts once, however often it was told, unless an officer said that there are two."""
        twice = self.office.primary.ask(
            "SELECT array_agg(external_id ORDER BY id) FROM ratings_game WHERE rated AND voided_at IS NULL"
            " AND ended_at IS NOT NULL AND external_id NOT LIKE 'doubler%' AND external_id NOT LIKE 'http%'"
            " AND external_id NOT LIKE 'fuzzer/%'"
            " GROUP BY white_id, black_id, time_control_id, started_at, ended_at HAVING count(*) > 1"
        )
        yield from (f"rated twice: {names}" for (names,) in twice)
        played = list(self.books.doubled)
        found: dict[tuple[str, str, datetime], list[tuple[int, bool, bool]]] = {}
        for white, black, started_at, *what in self.office.primary.ask(
            "SELECT w.username, b.username, g.started_at, g.id, g.rated AND g.voided_at IS NULL,"
            " NOT g.rated AND g.voided_at IS NULL AND g.unrated_reason LIKE 'possibly the same%%'"
            " FROM ratings_game g JOIN members_member w ON w.id = g.white_id"
            " JOIN members_member b ON b.id = g.black_id WHERE g.started_at = ANY(%s)",
            [one.started_at for one in played],
        ):
            found.setdefault((white, black, started_at), []).append((what[0], what[1], what[2]))
        for one in played:
            rows = found.get((one.white, one.black, one.started_at), [])
            counting = sum(is_rated for _key, is_rated, _is_asked in rows)
            asked = sum(is_asked for _key, _is_rated, is_asked in rows)
            if one.is_sure and (len(rows), counting, asked) != (
                one.rows,
                1 + one.told_apart,
                one.rows - 1 - one.told_apart - one.same,
            ):
                yield f"{one} should have {one.rows} rows, and has {rows} (id, rated, asked about)"
            elif not 1 <= counting <= 1 + one.told_apart + (not one.is_sure and one.was_answered):
                yield f"{one} counts {counting} times: {rows} (id, rated, asked about)"
        self.campaign.counts["games told in several ways and compared"] = len(played)
        nameless = self.office.primary.ask(
            "SELECT id FROM ratings_game WHERE unrated_reason LIKE 'possibly the same%' AND"
            " possibly_same_id IS NULL"
        )
        if nameless:
            yield f"questions without the game that is there already: {nameless[:5]}"

    def rules(self) -> Iterator[str]:
        """``replay --check`` and the audit find nothing, or nothing twice: a job may be at work."""
        complaint, found = self._checked()
        if complaint or found:
            complaint, again = self._checked()
            found = [one for one in found if one in again]
        if complaint:
            yield f"replay --check: {complaint[:800]}"
        for one in found[:5]:
            yield f"audit: {one['check']}: {one['text']}"

    def _checked(self) -> tuple[str, list[dict[str, Any]]]:
        complaint, found = self.office.checked()
        return complaint, [one for one in found if one["check"] not in _OF_PLAYERS]

    def lists(self) -> Iterator[str]:
        """The file of every list that anybody can download has the checksum that was published with it."""
        published = self.office.primary.ask(
            "SELECT id, category, to_char(month, 'YYYY-MM'), revision, checksum FROM ratings_ratinglist"
            " WHERE month IS NOT NULL ORDER BY id"
        )
        fresh = [one for one in published if one[0] not in self.checked]
        for key, _category, month, revision, checksum in fresh + self.door.dice.sample(published, 1):
            slug = {1: "rapid", 2: "blitz", 3: "bullet"}.get(_category, _category)
            path = f"/lists/{slug}/{month}/{revision}/"
            answer = self.door.ask("GET", path, params={"format": "csv"})
            if answer is None or answer.status_code != 200:
                yield f"{path}: no file: {answer and answer.status_code}"
            elif hashlib.sha256(answer.content).hexdigest() != checksum:
                yield f"{path}: another checksum than {checksum}"
            self.checked.add(key)
            self.campaign.count("files of lists compared with their checksums")

    def replica(self) -> Iterator[str]:
        """It has all that the primary has."""
        if not self.office.has_caught_up():
            yield "the replica has not caught up"

    def jobs(self) -> Iterator[str]:
        """None has waited or run for longer than anything takes, and none has failed by a fault."""
        rows = self.office.primary.ask(
            "SELECT id, title, state FROM ratings_job WHERE state IN ('waiting', 'running')"
            " AND COALESCE(began_at, asked_at) < now() - make_interval(secs => %s)",
            2 * PATIENCE,
        )
        yield from (f"job {key} is stuck: {state} {title}" for key, title, state in rows)
        rows = self.office.primary.ask(
            "SELECT id, title FROM ratings_job WHERE state = 'failed' AND error LIKE 'The job failed.%'"
        )
        yield from (f"job {key} has failed: {title}" for key, title in rows)

    def in_the_end(self, follower: Follower, officer: Officer, received: set[int], subscribed: int) -> None:
        """Nobody asks for anything any more, and nothing is killed."""
        self.settle()
        self.checked.clear()
        self.after_a_kill("in the end")
        for proof in (
            self.decisions(officer),
            self.feed(follower),
            self.webhooks(received, subscribed),
            self.logs(),
            self.memory(),
        ):
            for fault in proof:
                self.campaign.fault(f"in the end: {fault}")

    def settle(self) -> None:
        """Wait until no job waits or runs."""
        deadline = time.monotonic() + 2 * PATIENCE
        while self.office.primary.ask(
            "SELECT 1 FROM ratings_job WHERE state IN ('waiting', 'running') LIMIT 1"
        ):
            if time.monotonic() > deadline:
                self.campaign.fault("jobs wait or run without an end")
                return
            time.sleep(1)

    def decisions(self, officer: Officer) -> Iterator[str]:
        """Each game that an officer voided or reinstated last is so."""
        stored = dict(self.office.primary.ask("SELECT id, voided_at IS NOT NULL FROM ratings_game"))
        wrong = [key for key, is_void in officer.void.items() if stored.get(key) != is_void]
        self.campaign.count("decisions compared", len(officer.void))
        if wrong:
            yield f"{len(wrong)} games are not as was decided, such as {wrong[:5]}"

    def feed(self, follower: Follower) -> Iterator[str]:
        """Who followed the feed has the ledger."""
        told = follower.finish()
        ledger = {
            key: None if after is None else f"{after / 100:.2f}"
            for key, after in self.office.primary.ask("SELECT id, after FROM ratings_ratingchange")
        }
        self.campaign.count("lines of the feed compared", len(ledger))
        if told != ledger:
            differing = [key for key in told.keys() | ledger.keys() if told.get(key) != ledger.get(key)]
            yield f"the feed differs from the ledger in {len(differing)} lines, such as {differing[:5]}"

    def webhooks(self, received: set[int], subscribed: int) -> Iterator[str]:
        """Each entry that was requested has come with a good signature."""
        deadline = time.monotonic() + 3 * PATIENCE
        while True:
            told = self.office.primary.ask(
                "SELECT position FROM office_outboxentry WHERE event = 'rating.changed' AND position > %s",
                subscribed,
            )
            missing = {position for (position,) in told} - received
            if not missing or time.monotonic() > deadline:
                break
            time.sleep(1)
        self.campaign.count("webhooks verified", len(received))
        if missing:
            yield f"{len(missing)} of {len(told)} webhooks have not come"

    def logs(self) -> Iterator[str]:
        """No fault in the logs of sites and workers, but of a database that was not there."""
        for process in (*self.office.sites, *self.office.workers):
            for raised in _raised(process.log.read_text(errors="replace")):
                if not _NO_FAULT.match(raised):
                    yield f"{process.log.name}: {raised[:300]}"

    def memory(self) -> Iterator[str]:
        """Whoever lived long enough is no larger than when it was warm."""
        for name in ("site 2", "worker 2"):
            sizes = self.office.parts[name].sizes
            if not sizes:
                continue
            began, ended = sizes[0][0], sizes[-1][0]
            warm = next((size for moment, size in sizes if moment - began >= _WARM), sizes[0][1])
            last = sizes[-1][1]
            self.campaign.counts[f"MB of {name} after {min(_WARM, ended - began):.0f} s"] = warm // 2**20
            self.campaign.counts[f"MB of {name} after {ended - began:.0f} s"] = last // 2**20
            if ended - began >= _LIVED and last > _GROWN * warm:
                yield f"{name} has grown from {warm // 2**20} to {last // 2**20} MB"


def _raised(log: str) -> Iterator[str]:
    """Yield what each traceback of a log is about; not what was raised and caught on the way.

    A long traceback is written in pieces, and a record of another process can stand between two of them.
    """
    for trace in re.split(r"^(?=Traceback )", log, flags=re.MULTILINE)[1:]:
        if "\nDuring handling of the above" in trace or "\nThe above exception was the direct" in trace:
            continue
        lines = (line for line in trace.splitlines()[1:] if not _RECORD.match(line))
        yield next((line for line in lines if line.strip() and line[0] != " "), trace)
