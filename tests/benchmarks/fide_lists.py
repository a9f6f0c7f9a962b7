"""FIDE rating lists of any size in the real layout: invented players, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ratings.formats.frl import FideRating, PlayerRow, combined_txt

FULL_SIZE = 1_932_867
"""The players of October 2026."""

_FEDERATIONS = (
    "IND",
    "RUS",
    "GER",
    "ESP",
    "FRA",
    "ITA",
    "POL",
    "TUR",
    "IRI",
    "USA",
    "NOR",
    "ENG",
    "CUB",
    "NON",
)
_TITLES = (("GM", ""), ("IM", ""), ("FM", ""), ("CM", ""), ("WGM", "WGM"), ("WIM", "WIM"), ("WFM", "WFM"))
_OTHER_TITLES = ("FA", "NA", "IA", "FI", "FST", "IO", "NI", "IA,FST,IO", "NA,DI")
_LAST = (
    "Ba",
    "Chan",
    "Dero",
    "El",
    "Fari",
    "Gos",
    "Hal",
    "Ivan",
    "Jor",
    "Kova",
    "Lind",
    "Mora",
    "Nil",
    "Ost",
    "Pet",
)
_FIRST = ("Anna", "Bo", "Carl Otto", "Dilara", "Emil", "Francisco Javier", "Gita", "Hugo", "Ines", "Jan")
# A prime and a step: every ID once, most of eight digits, and in no order, as in a list sorted by name.
_IDS = 86_028_121
_ID_STEP = 7_654_321


def players(number: int) -> Iterator[PlayerRow]:
    """So many players, by name as FIDE lists them; three in ten are rated in a control, one in thirty with a
    title.
    """
    dice = random.Random(5)
    chance, choice, randrange = dice.random, dice.choice, dice.randrange
    names = sorted(
        f"{first}{(second + third).lower()}, {given}"
        for first, second, third, given in product(_LAST, _LAST, _LAST, _FIRST)
    )
    for count in range(number):
        strength = dice.gauss(1750, 180)

        def rating(share: float, strength: float = strength) -> FideRating:
            if chance() > share:
                return FideRating(None, 0, 0)
            level = min(max(int(strength + 120 * chance()), 1400), 2850)
            return FideRating(level, randrange(1, 20) if chance() < 0.12 else 0, choice((10, 20, 20, 40)))

        woman = chance() < 0.12
        title, women_title = choice(_TITLES[4:] if woman else _TITLES[:4]) if chance() < 0.03 else ("", "")
        inactive = chance() < 0.5
        yield PlayerRow(
            0,
            1 + _ID_STEP * count % _IDS,
            names[count * len(names) // number],
            choice(_FEDERATIONS),
            "F" if woman else "M",
            title,
            women_title,
            choice(_OTHER_TITLES) if chance() < 0.03 else "",
            "AIM" if chance() < 0.005 else "",
            rating(0.3),
            rating(0.3),
            rating(0.2),
            randrange(1935, 2020) if chance() < 0.97 else None,
            "w" * woman + "i" * inactive,
        )


def write_txt(path: Path, number: int = FULL_SIZE) -> None:
    """The combined list as TXT."""
    with path.open("wb") as stream:
        stream.writelines(combined_txt(players(number)))
