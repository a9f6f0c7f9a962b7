"""Some rounds of a report, as a report of their own."""

from collections.abc import Collection
from datetime import date
from typing import Final

from ratings.formats.trf.tournament import FIRST_ROUND, NO_PAIRING, ROUND_WIDTH, Player, Record, Tournament

_KEPT: Final = frozenset({"022", "032", "092", "102", "112", "122", "162", "192", "222"})
"""Records that apply to a part as well as to the whole; counts of players, rounds or points don't."""


def extract(report: Tournament, rounds: Collection[int], name: str, first: date, last: date) -> Tournament:
    """Return a report of these rounds alone, with this name and these first and last days.

    Players and rounds keep their numbers, so that they can be compared with the whole report. Points are left
    out, since the report's points cover all rounds.
    """
    days = {number: day for number, day in enumerate(report.round_dates, 1) if number in rounds and day}
    said = {"012": name, "042": f"{first:%Y/%m/%d}", "052": f"{last:%Y/%m/%d}", "132": _dates(days)}
    headers = [Record(0, tag, text) for tag, text in said.items()]
    headers += [record._replace(line=0) for record in report.headers if record.tag in _KEPT]
    return Tournament(tuple(headers), tuple(_in_rounds(player, rounds) for player in report.players))


def played_rounds(report: Tournament) -> list[int]:
    """Return the rounds in which anybody has an opponent."""
    rounds = range(1, report.rounds + 1)
    return [
        number
        for number in rounds
        if any(player.rounds[number - 1].opponent is not None for player in report.players)
    ]


def _in_rounds(player: Player, rounds: Collection[int]) -> Player:
    # Leaving out later rounds keeps the extract the same once they are played.
    until = player.rounds[: max(rounds, default=0)]
    kept = [pairing if number in rounds else NO_PAIRING for number, pairing in enumerate(until, 1)]
    return player._replace(line=0, points=None, rank=None, rounds=tuple(kept))


def _dates(days: dict[int, date]) -> str:
    """Return record 132: the day of each round in its column."""
    texts = {number: f"{day:%y/%m/%d}" for number, day in days.items()}
    cells = [texts.get(number, "").ljust(ROUND_WIDTH) for number in range(1, max(days, default=0) + 1)]
    return " " * (FIRST_ROUND - len("132 ")) + "".join(cells)
