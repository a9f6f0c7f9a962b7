"""A demo arena: invented people and three years of games up to now, always the same."""

from __future__ import annotations

import random
from bisect import insort
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from ratings.formats.game_details import NONE, Details, EventOfGame
from ratings.formats.games import GameRow
from ratings.rbb.demo_moves import can_flag, moves_for, with_clocks
from ratings.rules.b02.lists import months_after
from ratings.rules.rbb.terminations import Termination
from ratings.rules.tables import expected_score
from ratings.rules.time_controls import RATED_CONTROLS, Category, Control
from ratings.rules.units import Points

if TYPE_CHECKING:
    from members.models import Member

LENGTH: Final = timedelta(days=3 * 365)
"""Period before now that the demo's games cover."""

MONTHS: Final = 12
"""Number of latest months with published lists."""

_MEMBERS = 300
_GAMES_A_DAY = 3.4
"""Average number of games a day: at first half as many, at the end half as many again."""

GUEST: Final = "tomas.toth"
"""The member with the most games; people who try the demo log in as this member."""

_FALLING = "hans.tiefenbach"
"""A member who starts exactly at the floor of 100 and loses (RBB 3.3)."""

_NAMES: Final = {
    "ARG": ("Camila Julieta Martina Valentina", "Diego Joaquin Mateo Santiago", "Acosta Benitez Molina Sosa"),
    "AUT": (
        "Johanna Katharina Lena Magdalena",
        "Dominik Florian Lukas Stefan",
        "Gruber Huber Leitner Steiner",
    ),
    "CZE": ("Adela Klara Tereza Veronika", "Jakub Karel Ondrej Vojtech", "Dvorak Hajek Marek Svoboda"),
    "EGY": ("Farida Mariam Nour Salma", "Ahmed Karim Omar Youssef", "Fahmy Hassan Mansour Saleh"),
    "ENG": ("Alice Charlotte Emily Harriet", "George Henry James Oliver", "Clarke Hughes Palmer Wright"),
    "ESP": ("Beatriz Carmen Lucia Rocio", "Alvaro Carlos Javier Pablo", "Garcia Navarro Ruiz Vega"),
    "FIN": ("Aino Eila Helmi Sanna", "Antti Ilkka Mikko Veikko", "Heikkinen Korhonen Lehto Virtanen"),
    "FRA": ("Camille Claire Juliette Manon", "Antoine Hugo Julien Mathieu", "Bernard Girard Lambert Moreau"),
    "GEO": ("Ana Ketevan Nino Salome", "Davit Giorgi Levan Luka", "Beridze Kapanadze Lomidze Maisuradze"),
    "GER": ("Anja Greta Julia Marlene", "Felix Jonas Matthias Sebastian", "Fischer Krause Schulz Vogel"),
    "GHA": ("Abena Akosua Efua Esi", "Kofi Kojo Kwame Yaw", "Addo Boateng Mensah Owusu"),
    "HUN": ("Agnes Dora Eszter Reka", "Andras Balint Gergely Zoltan", "Balogh Farkas Kovacs Szabo"),
    "IND": ("Ananya Divya Meera Priya", "Arjun Karthik Ravi Vikram", "Iyer Kulkarni Rao Sharma"),
    "ITA": ("Alessia Chiara Giulia Martina", "Davide Fabio Lorenzo Marco", "Bianchi Ferrari Ricci Rossi"),
    "JPN": ("Emi Hana Sakura Yui", "Daiki Haruto Kenta Ren", "Mori Sato Takahashi Yamada"),
    "MEX": ("Daniela Fernanda Paola Ximena", "Alejandro Emilio Luis Rodrigo", "Castillo Ortiz Ramos Reyes"),
    "NOR": ("Astrid Ingrid Kari Sunniva", "Eirik Henrik Lars Olav", "Berg Dahl Hansen Solberg"),
    "PHI": ("Angelica Bea Cristina Jasmine", "Jericho Mark Miguel Paolo", "Cruz Flores Mendoza Santos"),
    "POL": (
        "Agnieszka Katarzyna Magdalena Zofia",
        "Jakub Marek Michal Tomasz",
        "Kaminski Kowalski Nowak Zielinski",
    ),
    "POR": ("Beatriz Ines Leonor Rita", "Duarte Goncalo Joao Tiago", "Fonseca Mendes Pereira Silva"),
    "SRB": ("Ivana Jelena Milica Tijana", "Bojan Milan Nikola Stefan", "Jovanovic Markovic Nikolic Petrovic"),
    "SVK": ("Jana Katarina Lucia Zuzana", "Marek Martin Peter Tomas", "Horvath Kovac Novak Toth"),
    "TUR": ("Elif Ipek Selin Zeynep", "Cem Emre Kerem Mustafa", "Aydin Demir Kaya Yilmaz"),
    "UKR": (
        "Iryna Kateryna Oksana Yuliia",
        "Andrii Mykola Oleksandr Taras",
        "Bondarenko Kovalenko Melnyk Shevchenko",
    ),
}
"""Names of women and men, and family names, by federation."""

_CUP: Final = timedelta(hours=6)
"""Time before the end of the demo at which the cup began."""

_CUP_ROUND: Final = timedelta(minutes=20)
_CUP_PLAYERS: Final = 8

_TERMINATIONS = {
    "1-0": ("checkmate", "resignation", "time", "resignation", "time", "disconnection black"),
    "1/2-1/2": ("agreement", "repetition", "stalemate", "insufficient material"),
    "0-1": ("checkmate", "resignation", "time", "resignation", "time", "disconnection white"),
}
"""Only losses end by resignation, on time or by disconnection (RBB 2.4)."""


@dataclass(frozen=True, slots=True)
class DemoMember:
    """An invented member. ``strength``: at the beginning; ``opening``: ratings by category; all in points.

    ``trend``: the change of strength; 1 means 150 points in all.
    """

    username: str
    name: str
    federation: str
    sex: str
    birth_year: int
    title: str
    full_from: datetime
    strength: int
    trend: float
    opening: dict[Category, int]

    def strength_at(self, share: float) -> int:
        """Return the strength in points after this share of the demo; growth slows down."""
        return round(self.strength + 150 * self.trend * float(share**0.7))


@dataclass(frozen=True, slots=True)
class DemoArena:
    """The demo as loaded so far, for the other packages to add to.

    ``stored``: its members by username. ``at``: the moment of loading, when its games end (UTC).
    """

    members: list[DemoMember]
    stored: dict[str, Member]
    at: datetime

    def month(self, back: int = 0) -> date:
        """Return the first day of the month, ``back`` months ago."""
        return months_after(self.at.date().replace(day=1), -back)


def demo_members(end: datetime) -> list[DemoMember]:
    """Return three hundred members; the first of them joined three years before ``end``."""
    begin = end - LENGTH
    dice = random.Random(1924)  # noqa: S311  a fixed arena, no secret
    guest = DemoMember(
        GUEST, "Toth, Tomas", "SVK", "M", 1998, "FM", begin, 2280, 0.9, dict.fromkeys(Category, 2150)
    )
    members, taken = [guest], {GUEST}
    while len(members) < _MEMBERS - 1:
        federation = dice.choice(list(_NAMES))
        women, men, family = (names.split() for names in _NAMES[federation])
        sex = dice.choices("FM", (1, 2))[0]
        first, last = dice.choice(women if sex == "F" else men), dice.choice(family)
        username = f"{first}.{last}".lower()
        if username in taken:
            continue
        taken.add(username)
        strength = min(2650, max(500, round(dice.gauss(1550, 380))))
        # Four of five bring a rating from elsewhere; the others start with RBB 3.6, some of them late.
        late = dice.random() < 0.5
        opening = (
            {category: max(400, strength + dice.randrange(-90, 91)) for category in Category}
            if dice.random() < 0.8
            else {}
        )
        members.append(
            DemoMember(
                username=username,
                name=f"{last}, {first}",
                federation=federation,
                sex=sex,
                birth_year=dice.randrange(1948, 2014),
                title=_title(strength, dice),
                full_from=begin + timedelta(days=dice.randrange(5, 1080)) if late else begin,
                strength=strength,
                trend=dice.uniform(-0.5, 1),
                opening=opening,
            )
        )
    fallen = DemoMember(
        _FALLING, "Tiefenbach, Hans", "AUT", "M", 1955, "", begin, 60, 0.0, {Category.BLITZ: 100}
    )
    return [*members, fallen]


def demo_games(members: list[DemoMember], end: datetime) -> Iterator[GameRow]:
    """Yield three years of games until ``end``, a few of them unrated, and the last day's cup."""
    begin = end - LENGTH
    cup = end - _CUP
    cup_players = sorted(members, key=lambda one: one.strength, reverse=True)[:_CUP_PLAYERS]
    dice = random.Random(1925)  # noqa: S311
    controls = sorted(RATED_CONTROLS, key=lambda control: RATED_CONTROLS[control])
    weights = [2 if RATED_CONTROLS[control] is Category.BLITZ else 1 for control in controls]
    # Some play a lot, many now and then, a few hardly ever and so stay in the stages of 3.6.
    eager = {member.username: min(9.0, dice.paretovariate(1.1)) for member in members}
    eager |= {_FALLING: 12.0, GUEST: 16.0}
    coming = sorted(members, key=lambda member: member.full_from, reverse=True)
    present: list[DemoMember] = []
    chances: list[float] = []
    busy_until = dict.fromkeys(eager, begin)
    whites: Counter[str] = Counter()
    ended = begin
    number = 0
    while True:
        share = (ended - begin) / LENGTH
        ended += timedelta(seconds=dice.expovariate(_GAMES_A_DAY * (0.5 + share) / 86_400))
        if ended >= end:
            break
        control = dice.choices(controls, weights)[0]
        rated = dice.random() < 0.96
        if not rated:
            control = dice.choice((Control(120, 1), Control(600, 5), control))
        plies = min(240, max(14, round(dice.gauss(74, 26))))
        thought = dice.uniform(0.5, 1.8) * control.initial + 0.4 * plies * control.increment
        started = ended - timedelta(seconds=thought)
        while coming and coming[-1].full_from <= started:
            insort(present, coming.pop(), key=lambda member: member.strength)
            chances = list(accumulate(eager[member.username] for member in present))
        if len(present) < 20:
            continue
        # Mostly, players of similar strength meet.
        first = dice.choices(range(len(present)), cum_weights=chances)[0]
        other = min(len(present) - 1, max(0, first + round(dice.gauss(0, 18))))
        if other == first or any(busy_until[present[it].username] >= started for it in (first, other)):
            continue
        if ended >= cup and (present[first] in cup_players or present[other] in cup_players):
            continue
        # The player who has had White less often is White.
        white, black = sorted(
            (present[first], present[other]), key=lambda one: (whites[one.username], dice.random())
        )
        whites[white.username] += 1
        whites[black.username] -= 1
        busy_until[white.username] = busy_until[black.username] = ended
        number += 1
        yield _game(number, white, black, control, started, ended, plies, share, dice, rated=rated)
    yield from _cup_games(cup_players, cup, number, dice)


def _cup_games(
    players: list[DemoMember], begin: datetime, number: int, dice: random.Random
) -> Iterator[GameRow]:
    """Yield the games of a blitz round robin."""
    event = EventOfGame(f"cup-{begin:%Y-%m}", f"{begin:%B} Cup {begin.year}")
    control = Control(180, 2)
    others = len(players) - 1
    for turn in range(others):
        circle = [players[0], *(players[1 + (place + turn) % others] for place in range(others))]
        for board in range(len(players) // 2):
            pair = [circle[board], circle[-1 - board]]
            # Each goes one place on every round, so by places everybody's colours alternate.
            white, black = pair[::-1] if (board or turn) % 2 else pair
            number += 1
            started = begin + turn * _CUP_ROUND
            ended = started + timedelta(seconds=dice.uniform(200, 480))
            details = Details(event=event, round=str(turn + 1))
            plies = round(dice.gauss(80, 20))
            yield _game(number, white, black, control, started, ended, plies, 1, dice, details=details)


def _game(
    number: int,
    white: DemoMember,
    black: DemoMember,
    control: Control,
    started: datetime,
    ended: datetime,
    plies: int,
    share: float,
    dice: random.Random,
    *,
    rated: bool = True,
    details: Details = NONE,
) -> GameRow:
    """Return a game of about this many half-moves, with a random result."""
    result = result_of(Points(white.strength_at(share) - black.strength_at(share)), dice)
    termination = Termination(dice.choice(_TERMINATIONS[result]))
    moves = moves_for(result, termination, plies, dice)
    seconds = (ended - started).total_seconds()
    if termination is Termination.TIME and not can_flag(moves, control, seconds):
        termination = Termination.RESIGNATION
    clocked = with_clocks(moves, control, seconds, dice, flag=termination is Termination.TIME)
    return GameRow(
        line=number,
        external_id=f"demo-{number:05}",
        white=white.username,
        black=black.username,
        control=control,
        rated=rated,
        result=result,
        termination=termination,
        started_at=started.replace(microsecond=0),
        ended_at=ended.replace(microsecond=0),
        plies=len(moves),
        pgn=f"{' '.join(clocked)} {result}",
        unrated_reason="" if rated else "friendly game",
        details=details,
    )


def result_of(difference: Points, dice: random.Random) -> str:
    """Return a random result from White's side for this difference in strength.

    The average is the expected score. The closer the players, the more draws.
    """
    win = expected_score(difference) / 100
    draws = 0.5 * win * (1 - win)
    drawn = dice.random()
    if drawn < win - draws / 2:
        return "1-0"
    return "1/2-1/2" if drawn < win + draws / 2 else "0-1"


def _title(strength: int, dice: random.Random) -> str:
    for least, title in ((2500, "GM"), (2400, "IM"), (2300, "FM"), (2200, "CM")):
        if strength >= least:
            return title if dice.random() < 0.8 else ""
    return "AFM" if strength > 1700 and dice.random() < 0.1 else ""
