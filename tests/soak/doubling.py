"""One game told in many ways: again under another id, by another server, by files with its address."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.soak.actors import CLOSABLE, DOUBLERS, PLAYERS, Importer, Played
from tests.soak.asking import ServerDoor
from tests.soak.damaging import in_csv

_MOVES: Final = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6"
"""Fewer than those by which two games of a pair are possibly one: chance pairs people again."""

_PLIES: Final = 8
_CONTROLS: Final = ("180+2", "300+0", "300+3")
_COLUMNS: Final = (
    *("external_id", "white", "black", "time_control", "rated", "result", "termination"),
    *("started_at", "ended_at"),
)

_ADDRESSES: Final = (
    "https://play.example/soak-{}",
    "https://www.play.example/soak-{}/",
    "https://de.play.example/soak-{}/black",
    "https://play.example/soak-{}?theme=blue#12",
)

_WAYS: Final = (
    *("its id", "another id", "another id and the address", "another server", "both at once", "one batch"),
    *("csv", "pgn"),
)


class Doubler(Importer):
    """Two game servers and somebody with files, who tell the same games; and who answers the questions."""

    pause = 0.5

    def begin(self) -> None:
        super().begin()
        self.servers = [ServerDoor(self.campaign, name) for name in DOUBLERS]

    def act(self) -> None:
        games = [self.played() for _ in range(6)]
        ways = self.dice.sample(_WAYS, self.dice.randrange(2, 6))
        alone = [game for way in ways for game in self.tell(way, self.some(games))]
        known = [one for one in games if one.ids]
        self.answer_questions(known)
        # Whatever was answered, it may come again.
        again = self.dice.choice(ways)
        alone += self.tell(again, [one for one in known if again in one.ways])
        self.books.play(known + [one for one in alone if one.ids])
        self.campaign.count("games told in several ways", sum(len(one.ways) > 1 for one in known))

    def some(self, games: list[Played]) -> list[Played]:
        return [one for one in games if self.dice.random() < 0.7]

    def played(self) -> Played:
        self.number += 1
        ago = timedelta(days=self.dice.choice((0, 0, 0, 2, 30)), seconds=130)
        white, black = self.dice.sample([f"p{n}" for n in range(len(CLOSABLE), PLAYERS)], 2)
        started_at = (datetime.now(UTC) - ago).replace(microsecond=0)
        result = self.dice.choice(("1-0", "0-1"))
        return Played(self.number, white, black, self.dice.choice(_CONTROLS), result, started_at)

    def tell(self, way: str, games: list[Played]) -> list[Played]:
        """Tell the games in this way; a file has one more, so that there is something new in it."""
        alone = [self.played()] if way in ("csv", "pgn") else []
        games = games + alone
        for one in games:
            one.ways.add(way)
        if way == "csv":
            self.files(games, ".csv", in_csv(_COLUMNS, *(self.in_row(one) for one in games)))
        elif way == "pgn":
            self.files(games, ".pgn", "\n".join(self.in_pgn(one) for one in games).encode())
        elif way == "one batch":
            self.batch(games)
        else:
            for one in games:
                self.put(way, one)
        return alone

    def put(self, way: str, game: Played) -> None:
        own = f"{game.number}"
        if way == "another id":
            self.send(0, f"{own}-b", game, has_address=False)
        elif way == "another id and the address":
            self.send(0, f"{own}-c", game)
        elif way == "another server":
            self.send(1, own, game)
        elif way == "both at once":
            game.is_sure = False
            with ThreadPoolExecutor(2) as both:
                list(both.map(lambda server: self.send(server, own, game), (0, 1)))
        else:
            self.send(0, own, game)

    def send(self, server: int, own: str, game: Played, *, has_address: bool = True) -> None:
        """One game by one server, which must be stored or there already."""
        body = self.said(game) | ({"url": self.address(game)} if has_address else {})
        answer = self.servers[server].until_answered("PUT", f"/api/v1/games/{own}", json=body)
        if answer is None:
            game.is_sure = False
        elif answer.status_code in (200, 201):
            game.ids.add(f"{DOUBLERS[server]}/{own}")
        else:
            self.campaign.fault(f"{self.name}: {game} as {own}: {answer.status_code} {answer.text[:500]}")

    def batch(self, games: list[Played]) -> None:
        """The first server tells each game twice in one batch, under two ids."""
        lines = [
            (
                one,
                {"id": f"{one.number}{end}", **self.said(one)} | ({} if end else {"url": self.address(one)}),
            )
            for one in games
            for end in ("", "-b")
        ]
        if not lines:
            return
        self.dice.shuffle(lines)
        data = "".join(json.dumps(line) + "\n" for _game, line in lines).encode()
        kind = {"Content-Type": "application/x-ndjson"}
        answer = self.servers[0].until_answered("POST", "/api/v1/games", data=data, headers=kind)
        if answer is None or answer.status_code != 200:
            for one in games:
                one.is_sure = False
            if answer is not None:
                self.campaign.fault(f"{self.name}: {answer.status_code} {answer.text[:500]}")
            return
        for (one, line), verdict in zip(lines, map(json.loads, answer.text.splitlines()), strict=True):
            if verdict["verdict"] in ("stored", "already there", "updated", "finished"):
                one.ids.add(f"{DOUBLERS[0]}/{line['id']}")
            else:
                self.campaign.fault(f"{self.name}: {one}: {verdict}")

    def files(self, games: list[Played], ending: str, content: bytes) -> None:
        """A file of these games, each under an address of it."""
        page = self.bring(f"doubled-{self.number}{ending}", content)
        if page and self.apply(page):
            self.campaign.count(f"files of doubled games, {ending}")
            for one in games:
                one.ids.add("a file")
        else:
            for one in games:
                one.is_sure = False

    def address(self, game: Played) -> str:
        return self.dice.choice(_ADDRESSES).format(game.number)

    def said(self, game: Played) -> dict[str, Any]:
        moves = {"pgn": f"{_MOVES} {game.result}"} if self.dice.random() < 0.5 else {}
        return {
            **{"white": game.white, "black": game.black, "time_control": game.control},
            **{"result": game.result, "termination": "resignation", "plies": _PLIES, **moves},
            **{"started_at": game.started_at.isoformat(), "ended_at": game.ended_at.isoformat()},
        }

    def in_row(self, game: Played) -> tuple[str, ...]:
        moments = (f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in (game.started_at, game.ended_at))
        names = (self.address(game), game.white, game.black)
        return (*names, game.control, "1", game.result, "resignation", *moments)

    def in_pgn(self, game: Played) -> str:
        tags = {
            **{"Event": "rated blitz game", "Site": self.address(game)},
            **{"UTCDate": f"{game.started_at:%Y.%m.%d}", "UTCTime": f"{game.started_at:%H:%M:%S}"},
            **{"White": game.white, "Black": game.black, "Result": game.result},
            **{"TimeControl": game.control, "EndDate": f"{game.ended_at:%Y.%m.%d}"},
            **{"EndTime": f"{game.ended_at:%H:%M:%S} UTC"},
        }
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        return f"{head}\n{_MOVES} {game.result}\n"

    def answer_questions(self, games: list[Played]) -> None:
        """Say of some that they are the same game, or two; and take one answer back now and then."""
        for one in games:
            if self.dice.random() < 0.8 or not one.is_sure or one.rows < 2:
                continue
            asked = self.rows(
                "SELECT id FROM ratings_game WHERE started_at = %s AND unrated_reason LIKE 'possibly%%'"
                " AND white_id = (SELECT id FROM members_member WHERE username = %s) ORDER BY id LIMIT 1",
                *(one.started_at, one.white),
            )
            kind = self.dice.choice(("same-game", "other-game"))
            if not asked:
                continue
            game = {"game": [asked[0][0]]}
            one.was_answered = True
            if not self.staff_decides(one, kind, game):
                continue
            if self.dice.random() < 0.3:
                self.staff_decides(one, "ask-about-games", game)
            elif one.is_sure and kind == "same-game":
                one.same += 1
            elif one.is_sure:
                one.told_apart += 1

    def staff_decides(self, game: Played, kind: str, parameters: dict[str, Any]) -> bool:
        """Whether it is decided; without an answer, nobody knows."""
        if self.door.decide(kind, parameters):
            self.campaign.count(f"decisions: {kind}")
            return True
        game.is_sure = False
        return False
