"""Random finished games as eight programs write them, and a second reading of when they ended.

The reading takes the text apart with ``chess.pgn`` and regular expressions of its own, one rule of
docs/files.md after the other. Nothing of it is shared with the reader under test. Layouts are those of real
files; people and addresses are invented.
"""

import io
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from itertools import cycle, islice
from typing import Final

import chess.pgn

MOVES: Final = ("Nf3", "Nf6", "Ng1", "Ng8")
CONTROLS: Final = ((60, 0), (60, 1), (180, 0), (180, 2), (300, 3), (600, 0), (600, 10), (900, 10))
ZONES: Final = {"PDT": -7, "PST": -8, "GMT+0000": 0, "UTC": 0, "CEST": 2, "GMT+0530": 5.5}
RESULTS: Final = ("1-0", "0-1", "1/2-1/2")


class Random:
    """A random game: who used how long for which move, and how it ended."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.initial, self.increment = chance.choice(CONTROLS)
        self.start = datetime(2024, 8, chance.choice((30, 31)), tzinfo=UTC) + timedelta(
            seconds=chance.choice((chance.randrange(86_400), 86_400 - chance.randrange(1, 900)))
        )
        self.plies = chance.randrange(20, 60)
        # Few moves at most use half of the time, so that nobody seems to have gone berserk.
        self.took = [chance.randrange(0, self.initial // 40 + 2) for _ in range(self.plies)]
        self.took[0] = self.took[1] = 1
        self.is_flag = chance.random() < 0.3
        self.result = chance.choice(RESULTS)
        self.berserk = [False, False]

    @property
    def end(self) -> datetime:
        return self.start + timedelta(seconds=sum(self.took) + self.chance.randrange(60))

    def text(self, tags: dict[str, str], notes: list[str]) -> str:
        """The game with these tags, and these comments after its moves."""
        first = {"Event": "Rated game", "White": "Berg, Anna", "Black": "Krog, Otto", "Result": self.result}
        control = f"{self.initial}+{self.increment}"
        lines = [f'[{name} "{value}"]' for name, value in (first | {"TimeControl": control} | tags).items()]
        moves = list(islice(cycle(MOVES), self.plies))
        told = [
            f"{'' if ply % 2 else f'{ply // 2 + 1}. '}{move}{f' {{{note}}}' if note else ''}"
            for ply, (move, note) in enumerate(zip(moves, notes, strict=True))
        ]
        return "\n".join(lines) + "\n\n" + " ".join([*told, self.result]) + "\n\n"

    def clocks(self, *, waits: bool) -> list[float]:
        """What the mover's clock shows after each move; ``waits``: not running for the first of each side."""
        left = [self.initial / (2 if one else 1) for one in self.berserk]
        shown = []
        for ply, took in enumerate(self.took):
            side = ply % 2
            if not (waits and ply < 2):
                left[side] += (0 if self.berserk[side] else self.increment) - took
            shown.append(max(left[side], 0))
        return shown


def written(seconds: float, form: str = "{:d}:{:02d}:{:02d}") -> str:
    return form.format(int(seconds) // 3600, int(seconds) // 60 % 60, int(seconds) % 60)


def utc_tags(start: datetime) -> dict[str, str]:
    return {"Date": f"{start:%Y.%m.%d}", "UTCDate": f"{start:%Y.%m.%d}", "UTCTime": f"{start:%H:%M:%S}"}


def lichess(game: Random) -> str:
    game.berserk = [game.chance.random() < 0.2 for _ in "wb"]
    tags = utc_tags(game.start) | {"Site": "https://lichess.org/aaaaAAA1"}
    tags["Termination"] = "Time forfeit" if game.is_flag else "Normal"
    if game.chance.random() < 0.5:
        tags |= {name: "true" for name, one in zip(BERSERK, game.berserk, strict=True) if one}
    return game.text(tags, [f" [%eval 0.1] [%clk {written(left)}] " for left in game.clocks(waits=True)])


def chess_com(game: Random) -> str:
    """Its published-data API."""
    how = "on time" if game.is_flag else "by resignation"
    tags = utc_tags(game.start) | {
        "Site": "Chess.com",
        "Timezone": "UTC",
        "StartTime": f"{game.start:%H:%M:%S}",
        "Link": "https://www.chess.com/game/live/1",
        "Termination": "Game drawn by agreement" if game.result == "1/2-1/2" else f"anna-b won {how}",
    }
    if game.chance.random() < 0.7:
        end = game.end
        tags |= {"EndDate": f"{end:%Y.%m.%d}", "EndTime": f"{end:%H:%M:%S}"}
    elif game.chance.random() < 0.5:
        tags["EndTime"] = f"{game.end:%H:%M:%S}"
    return game.text(tags, [f"[%clk {written(left)}.4]" for left in game.clocks(waits=False)])


def chess_com_downloaded(game: Random) -> str:
    zone = game.chance.choice(list(ZONES))
    local = game.end.astimezone(timezone(timedelta(hours=ZONES[zone])))
    tags = {"Site": "Chess.com", "Date": f"{local:%Y.%m.%d}", "Round": "?"}
    tags["EndTime"] = f"{local.hour}:{local:%M:%S} {zone}"
    return game.text(tags, [""] * game.plies)


def cutechess(game: Random) -> str:
    hours, zone = game.chance.choice(((0, " UTC"), (-7, " PDT"), (2, " CEST"), (0, " +0000"), (2, " +0200")))
    here = timezone(timedelta(hours=hours))
    start, end = game.start.astimezone(here), game.end.astimezone(here)
    tags = {"Date": f"{start:%Y.%m.%d}", "Site": "https://arena.example/1"}
    tags["GameStartTime"] = f"{start:%Y-%m-%dT%H:%M:%S}.310{zone}"
    if game.chance.random() < 0.8:
        tags["GameEndTime"] = f"{end:%Y-%m-%dT%H:%M:%S}.704{zone}"
    return game.text(tags, ["+0.18/4 4.4s"] * game.plies)


def playchess(game: Random) -> str:
    tags = {"Site": "https://play.example/1", "Round": ""} | utc_tags(game.start)
    return game.text(tags, [f"[%emt {written(took, '{}:{}:{}')}]" for took in game.took])


def fics(game: Random) -> str:
    form = game.chance.choice(("[%emt 00:{:02d}:{:02d}]", "[%emt {}.500]"))
    tags = {"Site": "FICS freechess.org", "Date": f"{game.start:%Y.%m.%d}", "Time": f"{game.start:%H:%M:%S}"}
    tags |= {"WhiteClock": written(game.initial), "BlackClock": written(game.initial)}
    if game.is_flag and game.result != "1/2-1/2":
        tags["Termination"] = "Time forfeit"
    notes = [form.format(*((took // 60, took % 60) if "02d" in form else (took,))) for took in game.took]
    return game.text(tags, notes)


def broadcast(game: Random) -> str:
    """Clocks of a board: some moves have none, and those of one side may be missing."""
    tags = utc_tags(game.start) | {"Site": "https://arena.example/broadcast/1"}
    one_side = game.chance.random() < 0.2
    notes = [
        "" if game.chance.random() < 0.2 or (one_side and ply % 2) else f" [%clk {written(left)}] "
        for ply, left in enumerate(game.clocks(waits=False))
    ]
    return game.text(tags, notes)


def scid(game: Random) -> str:
    """A database of games over the board: a day, and perhaps the times of some moves."""
    tags = {"Site": "Lund", "Date": f"{game.start:%Y.%m.%d}", "Round": "3.1", "EventDate": "2024.08.01"}
    noted = game.chance.random() < 0.5
    return game.text(tags, [f"[%emt {written(took)}]" if noted else "" for took in game.took])


DIALECTS: Final[tuple[Callable[[Random], str], ...]] = (
    *(lichess, chess_com, chess_com_downloaded, cutechess),
    *(playchess, fics, broadcast, scid),
)
BERSERK: Final = ("WhiteBerserk", "BlackBerserk")


def end_of(text: str) -> datetime:
    """Say when the game of this text ended, by the rules of docs/files.md, read naively."""
    read = chess.pgn.read_game(io.StringIO(text))
    assert read is not None
    tags, moves = dict(read.headers), list(read.mainline())
    comments = [node.comment for node in moves]
    start = None
    if "UTCTime" in tags:
        start = datetime.strptime(f"{tags['UTCDate']} {tags['UTCTime']} +0000", "%Y.%m.%d %H:%M:%S %z")
    elif "Time" in tags:
        start = datetime.strptime(f"{tags['Date']} {tags['Time']} +0000", "%Y.%m.%d %H:%M:%S %z")
    elif "GameStartTime" in tags:
        start = whole(tags["GameStartTime"])
    if "GameEndTime" in tags:
        return whole(tags["GameEndTime"])
    if "EndTime" in tags:
        at, _, zone = tags["EndTime"].partition(" ")
        day = tags.get("EndDate", tags["Date"])
        end = datetime.strptime(f"{day} {at} +0000", "%Y.%m.%d %H:%M:%S %z")
        end -= timedelta(hours=ZONES[zone] if zone else 0)
        return end + timedelta(days=1) if start and end < start else end
    if start is None:
        return datetime.strptime(f"{tags['Date']} 23:59:59 +0000", "%Y.%m.%d %H:%M:%S %z")
    initial, increment = map(int, tags["TimeControl"].split("+"))
    spent = [found[1] for one in comments if (found := re.search(r"%emt ([0-9:.]+)", one))]
    left = [node.clock() for node in moves]
    late = None
    if "on time" in tags.get("Termination", "") or tags.get("Termination") == "Time forfeit":
        late = {"1-0": 1, "0-1": 0}.get(tags["Result"], len(moves) % 2)
    first = [left[side] for side in (0, 1) if len(left) > side and left[side] is not None]
    halved = [tags.get(BERSERK[side]) == "true" or left[side] == initial / 2 for side in (0, 1)]
    has = [initial / 2 if one else initial for one in halved]
    gains = [0 if one else increment for one in halved]
    begins = bool(first) and all(left[side] in (None, has[side]) for side in (0, 1))
    total = 0.0
    for side in (0, 1):
        clocks = [(ply // 2 + 1, one) for ply, one in enumerate(left) if ply % 2 == side and one is not None]
        made = len(moves[side::2])
        if side == late and (spent or first or any(one is not None for one in left)):
            total += has[side] + gains[side] * (made - begins)
        elif spent:
            total += sum(map(seconds, spent[side::2]))
        elif clocks:
            number, last = clocks[-1]
            total += max(has[side] + gains[side] * (number - begins) - last, 0)
    return start + timedelta(seconds=total)


def whole(text: str) -> datetime:
    at, _, zone = text.partition(" ")
    hours = {"UTC": 0, "PDT": -7, "CEST": 2, "+0000": 0, "+0200": 2}[zone]
    return datetime.fromisoformat(at).replace(tzinfo=timezone(timedelta(hours=hours)))


def seconds(text: str) -> float:
    return sum(float(part) * 60**place for place, part in enumerate(reversed(text.split(":"))))
