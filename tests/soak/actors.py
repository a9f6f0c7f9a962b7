"""Who uses the office during the campaign: game servers, officers, followers, readers and visitors."""

from __future__ import annotations

import html
import json
import random
import re
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final
from urllib.parse import urljoin, urlsplit

import psycopg

from ratings.arena.simulation import calls
from tests.benchmarks import arena
from tests.soak.asking import Campaign, Door, ServerDoor, StaffDoor, hidden
from tests.soak.damaging import SAMPLES, damaged, in_csv, in_xlsx
from tests.soak.servers import PATIENCE

PLAYERS: Final = 180
TWINS: Final = 20
"""Further members, of whom two and two are merged and taken apart again."""

CLOSABLE: Final = tuple(f"p{number}" for number in range(10))
"""Members whose accounts are closed and opened again: whether their games are void, closures decide."""

DOUBLERS: Final = ("doubler1", "doubler2")
"""Game servers that tell the same games."""

_RESULTS: Final = ("0-1", "1/2-1/2", "1-0")
_STORED: Final = ("stored", "already there", "finished")
_COLUMNS: Final = (
    *("external_id", "white", "black", "time_control", "rated", "result", "termination"),
    *("started_at", "ended_at"),
)


@dataclass
class Played:
    """A game that was played once, and what the office must have made of it."""

    number: int
    white: str
    black: str
    control: str
    result: str
    started_at: datetime
    ways: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    """Under which it was acknowledged."""
    same: int = 0
    """Questions that an officer has answered: it is the same game."""
    told_apart: int = 0
    """Questions that were answered otherwise: each is one more game that counts."""
    was_answered: bool = False
    """Whether an officer may have told two games apart."""
    is_sure: bool = True
    """False where an answer is missing, or two servers told it at once: two rows may come of it."""

    @property
    def ended_at(self) -> datetime:
        return self.started_at + timedelta(minutes=2)

    @property
    def rows(self) -> int:
        """One for each id of the first server, and one for its address if none of these had it."""
        own = {one for one in self.ids if one.startswith(f"{DOUBLERS[0]}/")}
        addressed = own - {f"{DOUBLERS[0]}/{self.number}-b"}
        return len(own - addressed) + max(len(addressed), len(self.ids) > len(own))


class Books:
    """What the office has acknowledged: games by their id in the office, with the result that was sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.games: dict[str, str] = {}
        self.decided: set[str] = set()
        """Games of which an officer has decided something else than their server said."""
        self.doubled: list[Played] = []
        """Games that were told in several ways, and of which all has been said."""

    def acknowledge(self, games: dict[str, str]) -> None:
        with self._lock:
            self.games |= games

    def play(self, games: list[Played]) -> None:
        with self._lock:
            self.doubled += games

    def decide(self, external_ids: list[str]) -> None:
        """Before it is decided: from now on a server may be contradicted."""
        with self._lock:
            self.decided.update(external_ids)


class Actor(threading.Thread):
    """Acts again and again, until the campaign is over; a fault of its own is one of the campaign."""

    pause: ClassVar[float] = 0.1

    def __init__(self, campaign: Campaign, books: Books, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.campaign = campaign
        self.books = books
        self.dice = random.Random(f"{campaign.seed} {name}")

    def run(self) -> None:
        try:
            self.begin()
            while not self.campaign.over.wait(self.pause * self.dice.uniform(0.5, 1.5)):
                self.act()
        except Exception:
            self.campaign.fault(f"{self.name}: {traceback.format_exc()}")

    def begin(self) -> None:
        """What is done once."""

    def act(self) -> None:
        """What is done again and again."""
        raise NotImplementedError

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the database has; nothing while it is down."""
        try:
            return self.campaign.office.primary.ask(statement, *values)
        except psycopg.OperationalError:
            return []


class Saver(Actor):
    """A game server that sends games alone and in batches, late ones, and again what it has sent before."""

    pause = 0.02

    def begin(self) -> None:
        self.door = ServerDoor(self.campaign, self.name)
        self.number = 0
        self.sent: list[dict[str, Any]] = []

    def act(self) -> None:
        fresh = [self.played() for _ in range(self.dice.choice((1, 1, 3, 20)))]
        again = self.dice.sample(self.sent, min(len(self.sent), 5))
        # A twin may be another member by the time at which their game comes again.
        self.sent += [one for one in fresh if "m" not in one["white"]]
        self.sent = self.sent[-2_000:]
        if len(fresh) == 1:
            for one in fresh + again[:1]:
                self.put(one)
        else:
            self.post(fresh + again)

    def played(self) -> dict[str, Any]:
        """A finished game: mostly of just now, sometimes of some weeks ago."""
        self.number += 1
        late = self.dice.random() < 0.1
        now = datetime.now(UTC)
        ended = now - timedelta(days=self.dice.uniform(0, 60)) if late else now - timedelta(seconds=1)
        white, black = self.dice.sample(range(PLAYERS), 2)
        if twin := self.dice.random() < 0.1:
            white = self.dice.randrange(TWINS)
        half_points = self.dice.randrange(3)
        return {
            "id": f"{self.number}",
            "white": f"m{white}" if twin else f"p{white}",
            "black": f"p{black}",
            "time_control": self.dice.choice(arena.CONTROLS),
            "result": _RESULTS[half_points],
            "termination": "resignation" if half_points != 1 else "agreement",
            "plies": 40,
            "started_at": (ended - timedelta(minutes=2)).isoformat(),
            "ended_at": ended.isoformat(),
        }

    def put(self, game: dict[str, Any]) -> None:
        """One game, which must be stored."""
        body = {name: value for name, value in game.items() if name != "id"}
        answer = self.door.until_answered("PUT", f"/api/v1/games/{game['id']}", json=body)
        if answer is None:
            return
        self.campaign.count("games sent alone")
        if answer.status_code in (200, 201):
            self.take([game])
        elif not (answer.status_code == 409 and self.may_differ(game)):
            self.campaign.fault(f"{self.name} {game['id']}: {answer.status_code} {answer.text[:500]}")

    def post(self, games: list[dict[str, Any]]) -> None:
        """A batch, each game of which must be stored or there already."""
        lines = "".join(json.dumps(game) + "\n" for game in games).encode()
        kind = {"Content-Type": "application/x-ndjson"}
        answer = self.door.until_answered("POST", "/api/v1/games", data=lines, headers=kind)
        if answer is None:
            return
        self.campaign.count("games sent in batches", len(games))
        if answer.status_code != 200:
            self.campaign.fault(f"{self.name}: {answer.status_code} {answer.text[:500]}")
            return
        verdicts = [json.loads(line) for line in answer.text.splitlines()]
        self.take([one for one, told in zip(games, verdicts, strict=True) if told["verdict"] in _STORED])
        for one, told in zip(games, verdicts, strict=True):
            if told["verdict"] not in _STORED and not self.may_differ(one):
                self.campaign.fault(f"{self.name}: {told}")

    def take(self, games: list[dict[str, Any]]) -> None:
        """They were acknowledged."""
        self.books.acknowledge({f"{self.name}/{one['id']}": one["result"] for one in games})

    def may_differ(self, game: dict[str, Any]) -> bool:
        """Whether somebody else may have changed it."""
        return "m" in game["white"] or f"{self.name}/{game['id']}" in self.books.decided


class ClockJumper(Actor):
    """A game server with games as they are played, whose clock jumps now and then (RBB 2.4)."""

    def begin(self) -> None:
        self.door = ServerDoor(self.campaign, self.name)
        self.epoch = 0

    def act(self) -> None:
        self.epoch += 1
        self.campaign.count("jumps of a clock")
        began = time.monotonic()
        jump = timedelta(seconds=self.dice.choice((0, 0, -7200, -90, -5, 5, 90, 7200)))
        plan = calls(
            {f"p{number}": 1500 + 5 * number for number in range(PLAYERS)},
            begin=datetime.now(UTC) + jump,
            rate=2.0,
            length=8.0,
            games=20,
            seed=self.dice.randrange(2**31),
            prefix=f"{self.epoch}-",
        )
        for call in plan:
            while not self.campaign.over.is_set() and time.monotonic() - began < call.due / 3:
                time.sleep(0.05)
            answer = self.door.until_answered(call.method, f"/api/v1/{call.path}", json=call.body)
            if answer is None:
                return
            self.campaign.count(f"calls while clocks jump, {answer.status_code}")
            # The future is refused, and so is a result that contradicts who was gone.
            if answer.status_code not in (200, 201, 404, 409, 422):
                self.campaign.fault(f"{self.name}: {call} {answer.status_code} {answer.text[:300]}")


class Restarter(Actor):
    """A game server with a wrong clock that crashes, asks what was played, and ends or aborts it."""

    pause = 0.5

    def begin(self) -> None:
        self.door = ServerDoor(self.campaign, self.name)
        self.number = 0
        # Up to five minutes ahead are taken as told.
        self.skew = timedelta(seconds=self.dice.uniform(-600, 240))

    def act(self) -> None:
        begun = {one for _game in range(self.dice.randrange(1, 6)) if (one := self.begin_game())}
        # What it knew is gone. Nobody else ends its games.
        playing = self.playing()
        if playing is None:
            return
        # Games of a closed account are void, and nobody waits for their end.
        lost = [f"{self.name}/{own}" for own in begun - playing.keys()]
        if found := self.rows(
            "SELECT external_id FROM ratings_game WHERE voided_at IS NULL AND external_id = ANY(%s)", lost
        ):
            self.campaign.fault(f"{self.name}: begun and not told of after a crash: {sorted(found)}")
        self.campaign.count("games found again after a crash", len(playing))
        for own, game in playing.items():
            self.dice.choice((self.end, self.end, self.abort, self.delete))(own, game)

    def begin_game(self) -> str | None:
        """Begin a game; its id, or None if nobody has answered."""
        self.number += 1
        white, black = self.dice.sample(range(PLAYERS), 2)
        body = {
            "white": f"p{white}",
            "black": f"P{black}",
            "time_control": self.dice.choice(arena.CONTROLS),
            "started_at": (datetime.now(UTC) + self.skew).isoformat(),
        }
        return str(self.number) if self.put(str(self.number), body) else None

    def playing(self) -> dict[str, dict[str, Any]] | None:
        """All games in progress by their ids, a page after the other."""
        found: dict[str, dict[str, Any]] = {}
        address: str | None = "/api/v1/games?state=playing&limit=3"
        while address:
            answer = self.door.until_answered("GET", address)
            if answer is None:
                return None
            if answer.status_code != 200:
                self.campaign.fault(f"{self.name}: {address}: {answer.status_code} {answer.text[:300]}")
                return None
            found |= {one["own_id"]: one for one in answer.json()["games"]}
            address = answer.json()["next"]
        return found

    def end(self, own: str, game: dict[str, Any]) -> None:
        ended = max(datetime.fromisoformat(game["started_at"]), datetime.now(UTC) + self.skew)
        finished = {"result": "0-1", "termination": "time", "plies": 30, "ended_at": ended.isoformat()}
        if self.put(own, self.said(game) | finished):
            self.books.acknowledge({f"{self.name}/{own}": "0-1"})

    def abort(self, own: str, game: dict[str, Any]) -> None:
        if self.put(own, self.said(game) | {"termination": "aborted"}):
            self.books.acknowledge({f"{self.name}/{own}": ""})
            self.campaign.count("games aborted")

    def delete(self, own: str, _game: dict[str, Any]) -> None:
        answer = self.door.until_answered("DELETE", f"/api/v1/games/{own}")
        if answer is not None and answer.status_code == 200:
            self.books.acknowledge({f"{self.name}/{own}": ""})
            self.campaign.count("games deleted while they were played")
        elif answer is not None:
            self.campaign.fault(f"{self.name}: DELETE {own}: {answer.status_code} {answer.text[:300]}")

    def said(self, game: dict[str, Any]) -> dict[str, Any]:
        """The game as it was sent, from what you have a reply."""
        return {name: game[name] for name in ("white", "black", "time_control", "rated", "started_at")}

    def put(self, own: str, body: dict[str, Any]) -> bool:
        answer = self.door.until_answered("PUT", f"/api/v1/games/{own}", json=body)
        if answer is None:
            return False
        if answer.status_code not in (200, 201):
            self.campaign.fault(f"{self.name}: PUT {own}: {answer.status_code} {answer.text[:300]}")
            return False
        self.campaign.count("games sent by a server that restarts")
        return True


class Officer(Actor):
    """Voids, reinstates and corrects games, merges accounts and takes that back, publishes and revises."""

    pause = 0.5

    def __init__(self, campaign: Campaign, books: Books, name: str, login: tuple[str, str]) -> None:
        super().__init__(campaign, books, name)
        self.login = login
        self.void: dict[int, bool] = {}
        """Games that were decided on, and whether they are void; a game that was in doubt is not here."""

    def begin(self) -> None:
        self.door = StaffDoor(self.campaign, self.name, *self.login)

    def act(self) -> None:
        self.dice.choices(
            (
                self.void_games,
                self.reinstate_games,
                self.correct_game,
                self.merge,
                self.unmerge,
                self.publish,
            ),
            (5, 4, 4, 2, 2, 2),
        )[0]()

    def games(self, where: str) -> list[tuple[Any, ...]]:
        """Some games of the savers, with what the form of a game takes."""
        return self.rows(
            "SELECT id, white_id, black_id, time_control_id, result, termination, plies, started_at,"
            f" ended_at, external_id FROM ratings_game WHERE rated AND external_id LIKE 'saver%%' AND {where}"
            " AND NOT EXISTS (SELECT 1 FROM members_member m WHERE m.id IN (white_id, black_id)"
            " AND m.username = ANY(%s)) ORDER BY random() LIMIT %s",
            list(CLOSABLE),
            self.dice.choice((1, 1, 2, 5)),
        )

    def void_games(self) -> None:
        self.turn("void-games", self.games("voided_at IS NULL"), is_void=True)

    def reinstate_games(self) -> None:
        self.turn("reinstate-games", self.games("voided_at IS NOT NULL"), is_void=False)

    def turn(self, kind: str, games: list[tuple[Any, ...]], *, is_void: bool) -> None:
        """Void or reinstate; what nobody has answered is in doubt."""
        if not games:
            return
        self.books.decide([one[-1] for one in games])
        for one in games:
            self.void.pop(one[0], None)
        if self.door.decide(kind, {"game": [one[0] for one in games]}):
            self.void |= {one[0]: is_void for one in games}
            self.campaign.count(f"decisions: {kind}")

    def correct_game(self) -> None:
        found = self.games("voided_at IS NULL AND termination = 'resignation'")
        if not found:
            return
        key, white, black, control, result, termination, plies, started, ended, external_id = found[0]
        self.books.decide([external_id])
        other = {"1-0": "0-1", "0-1": "1-0"}[result]
        parameters = {
            **{"game": key, "white": white, "black": black, "time_control": control, "rated": "on"},
            **{"result": other, "termination": termination, "plies": plies, "external_id": external_id},
            **{"started_at": started.isoformat(), "ended_at": ended.isoformat()},
        }
        if self.door.decide("correct-game", parameters):
            self.campaign.count("decisions: correct-game")

    def merge(self) -> None:
        pair = self.dice.randrange(TWINS // 2)
        keep = self.rows("SELECT id FROM members_member WHERE username = %s", f"m{pair}")
        if keep and self.door.decide("merge-members", {"keep": keep[0][0], "other": f"m{pair + TWINS // 2}"}):
            self.campaign.count("decisions: merge-members")

    def unmerge(self) -> None:
        merges = self.rows("SELECT other_id FROM members_merge ORDER BY random() LIMIT 1")
        if merges and self.door.decide("unmerge-members", {"merge": merges[0][0]}):
            self.campaign.count("decisions: unmerge-members")

    def publish(self) -> None:
        ago = self.dice.choice((0, 0, 1, 1, 2, 3))
        now = datetime.now(UTC)
        month = now.year * 12 + now.month - 1 - ago
        parameters = {
            "month": f"{month // 12}-{month % 12 + 1:02}",
            "category": [self.dice.choice(("rapid", "blitz", "bullet"))],
            "revise": "on",
        }
        if self.door.decide("publish-lists", parameters):
            self.campaign.count("decisions: publish-lists")


class Clerk(Actor):
    """Somebody of the staff, who numbers what they enter."""

    def __init__(self, campaign: Campaign, books: Books, name: str, login: tuple[str, str]) -> None:
        super().__init__(campaign, books, name)
        self.login = login
        self.number = 0

    def begin(self) -> None:
        self.door = StaffDoor(self.campaign, self.name, *self.login)


class Registrar(Clerk):
    """Enters games by hand, gives FIDE IDs, and closes accounts with games of before and opens them again."""

    pause = 1.0

    def act(self) -> None:
        self.dice.choices((self.enter, self.identify, self.close, self.reopen), (6, 2, 2, 2))[0]()

    def enter(self) -> None:
        """A game of just now, or of some days ago, which is a decision."""
        self.number += 1
        ended = datetime.now(UTC) - timedelta(days=self.dice.choice((0, 0, 3, 30)), seconds=5)
        found = self.rows(
            "SELECT (SELECT id FROM members_member WHERE username = %s),"
            " (SELECT id FROM members_member WHERE username = %s),"
            " (SELECT id FROM ratings_timecontrol WHERE category = 2 ORDER BY id LIMIT 1)",
            *(f"p{number}" for number in self.dice.sample(range(PLAYERS), 2)),
        )
        for white, black, control in found:
            game = {
                **{"white": white, "black": black, "time_control": control, "rated": "on", "plies": 40},
                **{"result": self.dice.choice(("1-0", "0-1")), "termination": "resignation"},
                **{"started_at": (ended - timedelta(minutes=2)).isoformat(), "ended_at": ended.isoformat()},
                "external_id": f"{self.name}-{self.number}",
            }
            if self.door.decide("enter-game", game):
                self.books.acknowledge({str(game["external_id"]): str(game["result"])})
                self.campaign.count("games entered by hand")

    def identify(self) -> None:
        """A FIDE ID becomes known."""
        for member, begin in self.rows(
            "SELECT member_id, full_from FROM members_fullmembership WHERE full_until IS NULL"
            " AND member_id = (SELECT id FROM members_member WHERE username = %s)",
            f"p{self.dice.randrange(10, PLAYERS)}",
        ):
            fide_id = self.dice.randrange(10**8, 10**9)
            parameters = {"member": member, "fide_id": fide_id, "span": f"{begin:%Y-%m-%dT%H:%M:%SZ}/"}
            if self.door.decide("change-member", parameters):
                self.campaign.count("decisions: change-member")

    def close(self) -> None:
        """Some of them with games from before, against everybody or two."""
        now = datetime.now(UTC)
        begin = now - timedelta(days=self.dice.uniform(0, 20))
        games = self.dice.choice(("all", "opponents", "keep"))
        for (member,) in self.rows(
            "SELECT id FROM members_member WHERE username = %s", self.dice.choice(CLOSABLE)
        ):
            parameters = {
                **{"member": member, "category": self.dice.choice(("fair-play", "request"))},
                **{"closed_from": f"{begin:%Y-%m-%dT%H:%M}", "games": games},
                "since": "" if games == "keep" else f"{begin - timedelta(days=10):%Y-%m-%d}",
                "opponents": "p20\np21" if games == "opponents" else "",
            }
            if self.door.decide("close-account", parameters):
                self.campaign.count("decisions: close-account")

    def reopen(self) -> None:
        for (closure,) in self.rows("SELECT id FROM members_accountclosure ORDER BY random() LIMIT 1"):
            if self.door.decide("reopen-account", {"closure": closure}):
                self.campaign.count("decisions: reopen-account")


class Impatient(Actor):
    """Waits for news and begins downloads, and hangs up."""

    pause = 0.3

    def begin(self) -> None:
        self.door = ServerDoor(self.campaign, self.name)

    def act(self) -> None:
        if self.dice.random() < 0.5:
            # Behind all that there is: only news would be an answer.
            last = self.rows("SELECT COALESCE(MAX(position), 0) FROM office_outboxentry") or [(0,)]
            query = {"wait": 20, "after": last[0][0]}
            self.door.abandon("/api/v1/changes", self.dice.uniform(0.2, 3), params=query)
            self.campaign.count("followers who hung up")
        else:
            path = self.dice.choice(("/changes/?format=json", "/games/?format=csv", "/members/?format=csv"))
            self.door.abandon(path, 20)
            self.campaign.count("downloads abandoned")


class Importer(Clerk):
    """Brings files of games, waits for the worker, and applies what it has found."""

    pause = 1.0

    def act(self) -> None:
        games = [self.row() for _ in range(self.dice.randrange(2, 40))]
        ending, content = self.dice.choice(
            ((".csv", in_csv(_COLUMNS, *games)), (".xlsx", in_xlsx(_COLUMNS, *games)))
        )
        if (page := self.bring(f"games-{self.number}{ending}", content)) and self.apply(page):
            self.books.acknowledge({one[0]: one[5] for one in games})
            self.campaign.count("files applied")
            self.campaign.count("games imported", len(games))

    def row(self) -> tuple[str, ...]:
        self.number += 1
        ended = datetime.now(UTC) - timedelta(days=self.dice.choice((0, 0, 0, 20)), seconds=5)
        white, black = self.dice.sample(range(PLAYERS), 2)
        return (
            *(f"{self.name}-{self.number}", f"p{white}", f"p{black}", self.dice.choice(arena.CONTROLS)),
            *("1", self.dice.choice(("1-0", "0-1")), "resignation"),
            *(f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in (ended - timedelta(minutes=2), ended)),
        )

    def bring(self, name: str, content: bytes) -> str | None:
        """The address of the page of the file."""
        address = "/admin/office/fileimport/bring/import-games/"
        form = self.door.ask("GET", address)
        if form is None:
            return None
        token = {"csrfmiddlewaretoken": hidden(form.text)["csrfmiddlewaretoken"]}
        brought = self.door.ask("POST", address, data=token, files={"file": (name, content)})
        return brought.headers["Location"] if brought is not None and brought.status_code == 302 else None

    def apply(self, address: str) -> bool:
        """Whether the file is applied in the end; a killed worker is asked again."""
        key = address.rstrip("/").split("/")[-2]
        while not self.campaign.over.wait(0.5):
            # Before the page, which may be of a later state: the worker goes on meanwhile.
            states = self.rows(
                "SELECT c.state FROM office_changeset c JOIN office_fileimport f"
                " ON f.change_set_id = c.id WHERE f.id = %s",
                key,
            )
            page = self.door.ask("GET", address)
            if page is None or "data-open" in page.text:
                continue
            buttons = [name for name in ("apply", "again") if f'name="{name}"' in page.text]
            if not buttons:
                if not states:
                    continue
                if states == [("applied",)]:
                    return True
                if states != [("queued",)]:
                    self.campaign.fault(f"{address} can be neither applied nor looked at again: {states}")
                    return False
                # The worker was killed over it: its change set is asked for again.
                self.ask_again(key)
                continue
            form = {"csrfmiddlewaretoken": hidden(page.text)["csrfmiddlewaretoken"], buttons[0]: "1"}
            self.door.ask("POST", address, data=form)
            self.campaign.count(f"files: {buttons[0]}")
        return False

    def ask_again(self, key: str) -> None:
        """Ask the worker once more for the change set of a file."""
        for (change_set,) in self.rows("SELECT change_set_id FROM office_fileimport WHERE id = %s", key):
            address = f"/admin/office/changeset/{change_set}/change/"
            page = self.door.ask("GET", address)
            if page is not None and 'name="again"' in page.text:
                form = {"csrfmiddlewaretoken": hidden(page.text)["csrfmiddlewaretoken"], "again": "1"}
                self.door.ask("POST", address, data=form)
                self.campaign.count("files: asked again")


class Follower(Actor):
    """Follows the change feed, and knows in the end every line of the ledger."""

    pause = 0.5

    def begin(self) -> None:
        self.door = ServerDoor(self.campaign, self.name)
        self.cursor = ""
        self.lines: dict[int, str | None] = {}

    def act(self) -> None:
        self.read({"after": self.cursor, "limit": 2000, "wait": self.dice.choice((0, 1))})

    def read(self, query: dict[str, Any]) -> bool:
        """Read a page; whether there is more at once."""
        answer = self.door.ask("GET", "/api/v1/changes", params=query)
        if answer is None:
            return True
        if answer.status_code != 200:
            self.campaign.fault(f"{self.name}: {answer.status_code} {answer.text[:300]}")
            return False
        told = answer.json()
        for change in told["changes"]:
            if change["gone"]:
                self.lines.pop(change["line"], None)
            else:
                self.lines[change["line"]] = change["after"]
        self.campaign.count("rows of the feed", len(told["changes"]))
        self.cursor = told["next"]
        return bool(told["more"])

    def finish(self) -> dict[int, str | None]:
        """Read to the end; what the ledger says."""
        deadline = time.monotonic() + PATIENCE
        while self.read({"after": self.cursor, "limit": 50_000}):
            assert time.monotonic() < deadline, "the feed has no end"
        return self.lines


class Reader(Actor):
    """Reads what everybody may read of the API."""

    pause = 0.4

    def begin(self) -> None:
        self.door = Door(self.campaign, self.name)

    def act(self) -> None:
        path = self.dice.choice(("lists", "members", "all-games", "ratings/rapid", "ratings/blitz"))
        query = {"limit": self.dice.choice((1, 50, 1000))}
        answer = self.door.ask("GET", f"/api/v1/{path}", params=query)
        self.campaign.count("readings of the API")
        if answer is not None and answer.status_code != 200:
            self.campaign.fault(f"{self.name}: {path} {answer.status_code} {answer.text[:300]}")


class Visitor(Actor):
    """Goes from page to page by any of its links; with a login of staff beginning in the admin."""

    pause = 0.4

    def __init__(
        self, campaign: Campaign, books: Books, name: str, login: tuple[str, str] | None = None
    ) -> None:
        super().__init__(campaign, books, name)
        self.login = login

    def begin(self) -> None:
        self.home = "/" if self.login is None else "/admin/"
        self.door = (
            Door(self.campaign, self.name)
            if self.login is None
            else StaffDoor(self.campaign, self.name, *self.login)
        )
        self.ahead = [self.home]

    def act(self) -> None:
        path = self.dice.choice(self.ahead) if self.dice.random() < 0.9 else self.home
        answer = self.door.ask("GET", path)
        self.campaign.count("pages for visitors" if self.login is None else "pages for staff")
        if answer is None:
            return
        self.ahead = list(self.links(answer)) or [self.home]

    def links(self, answer: Any) -> Iterator[str]:
        """Where the page leads to on this site."""
        if location := answer.headers.get("Location"):
            yield location if location.startswith("/") else self.home
        elif answer.headers.get("Content-Type", "").startswith("text/html"):
            for link in re.findall(r'href="([^"#]+)', answer.text):
                address = urlsplit(urljoin(answer.url, html.unescape(link)))
                is_here = address.netloc == urlsplit(answer.url).netloc
                if is_here and not re.match(r"/static/|/(admin/)?logout", address.path):
                    yield address._replace(scheme="", netloc="").geturl()


class Smuggler(Actor):
    """Brings damaged files to every page that takes one. Each is refused, or its job says what is wrong."""

    pause = 2.0

    def __init__(self, campaign: Campaign, books: Books, name: str, login: tuple[str, str]) -> None:
        super().__init__(campaign, books, name)
        self.login = login

    def begin(self) -> None:
        self.door = StaffDoor(self.campaign, self.name, *self.login)
        kinds = ("games", "openings", "members", "squads", "rounds")
        self.pages = {
            **{f"/admin/office/fileimport/bring/import-{kind}/": (".csv", ".xlsx") for kind in kinds},
            "/admin/office/fileimport/bring/update-members/": (".csv", ".xlsx"),
            "/admin/office/fileimport/bring/announce-changes/": (".csv", ".xlsx"),
            "/admin/otb/tournament/receive/": (".trf",),
            "/admin/fide/fidelist/import/": (".txt", ".xml"),
        }

    def act(self) -> None:
        address = self.dice.choice(list(self.pages))
        ending = self.dice.choice(self.pages[address])
        if "import-games" in address:
            ending = self.dice.choice((ending, ".pgn"))
        form = self.door.ask("GET", address)
        if form is None:
            return
        data = {
            "csrfmiddlewaretoken": hidden(form.text)["csrfmiddlewaretoken"],
            **{"registered_on": "2026-10-01", "month": "2026-10"},
        }
        file = {"file": (f"damaged{ending}", damaged(self.dice.choice(SAMPLES[ending]), self.dice))}
        answer = self.door.ask("POST", address, data=data, files=file)
        if answer is not None:
            self.campaign.count(f"damaged files brought, {answer.status_code}")
