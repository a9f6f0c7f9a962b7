"""A demo arena: invented people, several months of games, always the same.

Everybody has a hidden strength; results are drawn from the expected score of the difference. Some arrive
unrated, some stay away for a while, one falls through the floor.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from ratings.formats.games import GameRow
from ratings.rules.rbb.terminations import Termination
from ratings.rules.tables import expected_score
from ratings.rules.time_controls import RATED_CONTROLS, Category, Control
from ratings.rules.units import Points

if TYPE_CHECKING:
    from members.models import Member

BEGIN: Final = datetime(2026, 5, 1, tzinfo=UTC)
END: Final = datetime(2026, 11, 1, tzinfo=UTC)
"""The games are those of six months (UTC)."""

_MEMBERS = 300
_GAMES_A_DAY = 70
GUEST: Final = "tomas.toth"
"""He plays most; whoever tries the demo logs in as him."""

_FALLING = "hans.tiefenbach"
"""He comes with exactly the floor of 100 and loses: RBB 3.3."""

_FIRST_NAMES = {
    "F": (
        "Agnieszka Aino Amina Ana Anouk Beatriz Bianca Carla Chiara Daria Eila Elena Elif Emma Fatma "
        "Freya Giulia Hanna Ines Ingrid Jana Joana Julia Kaja Karin Katarzyna Lea Leila Linh Lucia Magda "
        "Maja Maria Mei Mira Nadia Nora Olga Petra Priya Rosa Sanna Sara Signe Sofia Tamar Tereza Uma "
        "Vera Yuki Zofia"
    ).split(),
    "M": (
        "Adam Ahmed Aleksander Andrei Anton Arjun Bart Bo Bruno Carlos Cem Daniel David Diego Dmitri Emil "
        "Erik Fabio Felix Finn George Goran Henrik Hiro Hugo Igor Ivan Jakob Jan Jonas Jorge Karel Kofi "
        "Lars Leo Luca Marco Marek Mats Mihai Milan Nikos Noah Oleg Omar Otto Pablo Paul Rafael Ravi "
        "Samuel Sven Tomas Viktor Wei"
    ).split(),
}
_LAST_NAMES = (
    "Abe Andersen Aziz Bakker Balogh Baran Berg Bianchi Blom Brandt Costa Cruz Dahl Demir Dias Dvorak "
    "Eriksen Farkas Ferrari Fischer Fonseca Garcia Georgiou Gruber Gupta Haas Hansen Horvat Ivanov Jansen "
    "Jensen Kaya Keller Khan Kim Klein Koch Kovacs Kowalski Krog Kruse Lange Larsen Lehto Lind Lopez "
    "Maier Marin Mendes Moreau Mori Nagy Nielsen Nowak Olsen Ortiz Papp Pavlov Pereira Petrov Popa Ramos "
    "Rao Reyes Ricci Rossi Ruiz Saar Santos Sato Schmidt Silva Simon Sokolov Stein Svoboda Tamm Toth "
    "Varga Vega Virtanen Vogel Wagner Weber Wolf Yilmaz Zhou"
).split()
_FEDERATIONS = (
    "ARG AUT BEL BRA CHN CRO CZE DEN EGY ESP EST FIN FRA GEO GER GHA GRE HUN IND IRL ITA JPN KEN KOR MEX "
    "NED NOR PER POL POR ROU RSA SRB SUI SVK SWE TUR UKR USA VIE"
).split()
_TERMINATIONS = {
    "1-0": ("checkmate", "resignation", "time", "normal", "disconnection black"),
    "1/2-1/2": ("agreement", "repetition", "stalemate", "insufficient material", "fifty moves"),
    "0-1": ("checkmate", "resignation", "time", "normal", "disconnection white"),
}


@dataclass(frozen=True, slots=True)
class DemoMember:
    """An invented member; ``strength`` in points; ``opening`` ratings by category, in points."""

    username: str
    name: str
    federation: str
    sex: str
    birth_year: int
    title: str
    full_from: datetime
    strength: int
    opening: dict[Category, int]


@dataclass(frozen=True, slots=True)
class DemoArena:
    """The demo as far as it is loaded, for what the rooms add: ``stored`` are its members by username."""

    members: list[DemoMember]
    stored: dict[str, Member]
    at: datetime


def demo_members() -> list[DemoMember]:
    """Three hundred members, in the order of their joining."""
    dice = random.Random(1924)  # noqa: S311  a fixed arena, no secret
    members: list[DemoMember] = []
    taken = set()
    while len(members) < _MEMBERS - 1:
        sex = dice.choices("FM", (1, 2))[0]
        first, last = dice.choice(_FIRST_NAMES[sex]), dice.choice(_LAST_NAMES)
        username = f"{first}.{last}".lower()
        if username in taken:
            continue
        taken.add(username)
        strength = min(2750, max(500, round(dice.gauss(1550, 380))))
        # Four of five come with a rating from elsewhere; the others begin with RBB 3.6, some of them late.
        late = dice.random() < 0.3
        opening = (
            {category: max(400, strength + dice.randrange(-90, 91)) for category in Category}
            if dice.random() < 0.8
            else {}
        )
        members.append(
            DemoMember(
                username=username,
                name=f"{last}, {first}",
                federation=dice.choice(_FEDERATIONS),
                sex=sex,
                birth_year=dice.randrange(1948, 2014),
                title=_title(strength, dice),
                full_from=BEGIN + timedelta(days=dice.randrange(5, 170)) if late else BEGIN,
                strength=strength,
                opening=opening,
            )
        )
    fallen = DemoMember(_FALLING, "Tiefenbach, Hans", "AUT", "M", 1955, "", BEGIN, 60, {Category.BLITZ: 100})
    return [*members, fallen]


def demo_games(members: list[DemoMember]) -> Iterator[GameRow]:
    """Six months of games in the order in which they ended; a few are unrated."""
    dice = random.Random(1925)  # noqa: S311
    controls = sorted(RATED_CONTROLS, key=lambda control: RATED_CONTROLS[control])
    weights = [2 if RATED_CONTROLS[control] is Category.BLITZ else 1 for control in controls]
    # Some play a lot, many play now and then, a few hardly ever: those stay in the stages of 3.6.
    eager = {member.username: min(12.0, dice.paretovariate(1.1)) for member in members} | {_FALLING: 12.0}
    everybody = sorted(members, key=lambda member: member.strength)
    busy_until = dict.fromkeys(eager, BEGIN)
    ended = BEGIN
    number = 0
    while True:
        ended += timedelta(seconds=dice.expovariate(_GAMES_A_DAY / 86_400))
        if ended >= END:
            return
        control = dice.choices(controls, weights)[0]
        rated = dice.random() < 0.96
        if not rated:
            control = dice.choice((Control(120, 1), Control(600, 5), control))
        started = ended - timedelta(seconds=1.4 * control.initial + 60 * control.increment)
        present = [
            member
            for member in everybody
            if member.full_from <= started and busy_until[member.username] < started
        ]
        if len(present) < 20:
            continue
        # Mostly people of like strength meet.
        first = present.index(dice.choices(present, [eager[member.username] for member in present])[0])
        other = min(len(present) - 1, max(0, first + round(dice.gauss(0, 18))))
        if other == first:
            continue
        white, black = present[first], present[other]
        busy_until[white.username] = busy_until[black.username] = ended
        number += 1
        result = result_of(Points(white.strength - black.strength), dice)
        yield GameRow(
            line=number,
            external_id=f"demo-{number:05}",
            white=white.username,
            black=black.username,
            control=control,
            rated=rated,
            result=result,
            termination=Termination(dice.choice(_TERMINATIONS[result])),
            started_at=started.replace(microsecond=0),
            ended_at=ended.replace(microsecond=0),
            plies=dice.randrange(18, 130),
            unrated_reason="" if rated else "friendly game",
        )


def result_of(difference: Points, dice: random.Random) -> str:
    """A result as White gets it who is so much stronger, drawn by lot."""
    win = expected_score(difference) / 100
    draws = 0.12
    drawn = dice.random()
    if drawn < win - draws / 2:
        return "1-0"
    return "1/2-1/2" if drawn < win + draws / 2 else "0-1"


def _title(strength: int, dice: random.Random) -> str:
    for least, title in ((2500, "GM"), (2400, "IM"), (2300, "FM"), (2200, "CM")):
        if strength >= least:
            return title if dice.random() < 0.8 else ""
    return "AFM" if strength > 1700 and dice.random() < 0.1 else ""
