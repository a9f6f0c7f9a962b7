"""FIDE lists for the demo arena: two successive months of invented players."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Iterable
from datetime import date, datetime
from typing import Final

from members.models import FullMembership, Member
from ratings.fide.services.announcing import announce
from ratings.fide.services.lists import ListFile, import_frl
from ratings.formats.frl import FideRating, PlayerRow, combined_txt
from ratings.rbb.demo import DemoArena, DemoMember
from ratings.rules.b02.lists import NEW_PLAYER_GAMES, Standing
from ratings.rules.units import FideId, Points

FIDE_TITLES: Final = ("GM", "IM", "FM", "CM")

_FIRST_ID: Final = 90_000_000
_OTHERS: Final = 400
_FLOOR: Final = 1400
_NEWCOMERS: Final = (
    ("Aalto, Ilmari", "FIN"),
    ("Bauer, Ida", "AUT"),
    ("Conti, Livia", "ITA"),
    ("Duarte, Nuno", "POR"),
    ("Evans, Gwen", "IRL"),
    ("Fekete, Adel", "HUN"),
)
"""They become full members when the games are over, and have their first ratings from a list (RBB 3.4)."""


def load_fide_demo(arena: DemoArena) -> None:
    """Give titled members and every fifth FIDE IDs; bring two lists, announce a month, rate newcomers.

    As many members without FIDE ID are in the lists as well: the worklist finds them.
    """
    members, stored, at = arena.members, arena.stored, arena.at
    dice = random.Random(1926)  # noqa: S311  a fixed arena, no secret
    before = []
    for number, member in enumerate(members):
        known = number % 5 == 0 or member.title in FIDE_TITLES
        if known or number % 5 == 1:
            fide_id = FideId(_FIRST_ID + number)
            before.append(_player(fide_id, member, dice))
            if known:
                stored[member.username].fide_id = fide_id
    Member.objects.bulk_update([one for one in stored.values() if one.fide_id], ["fide_id"])
    before += [_stranger(FideId(_FIRST_ID + 1_000 + number), members, dice) for number in range(_OTHERS)]
    newcomers = [FideId(_FIRST_ID + 2_000 + number) for number in range(len(_NEWCOMERS))]
    before += [
        _stranger(fide_id, members, dice)._replace(name=name, federation=federation)
        for fide_id, (name, federation) in zip(newcomers, _NEWCOMERS, strict=True)
    ]
    latest = [_month_later(one, dice) for one in before]
    for period, players in ((arena.month(1), before), (arena.month(), latest)):
        _bring(period, players, at)
    announce(period=arena.month(), at=at)
    for fide_id, (name, federation) in zip(newcomers, _NEWCOMERS, strict=True):
        last, _comma, first = name.partition(", ")
        newcomer = Member.objects.create(
            username=f"{first}.{last}".lower(), name=name, federation=federation, fide_id=fide_id
        )
        FullMembership.objects.create(member=newcomer, full_from=at)


def _player(fide_id: FideId, member: DemoMember, dice: random.Random) -> PlayerRow:
    """A member in a list, about as strong over the board."""
    title = member.title if member.title in FIDE_TITLES else ""
    standard, rapid, blitz = _ratings(member.strength, dice)
    return PlayerRow(
        0,
        fide_id,
        member.name,
        member.federation,
        member.sex,
        title,
        "",
        "",
        "",
        standard,
        rapid,
        blitz,
        member.birth_year,
        "w" if member.sex == "F" else "",
    )


def _stranger(fide_id: FideId, members: list[DemoMember], dice: random.Random) -> PlayerRow:
    """Somebody with the family name of one member and the first name of another, but no member's name."""
    names = {member.name for member in members}
    name = members[0].name
    while name in names:
        one, other = dice.choice(members), dice.choice(members)
        name = f"{one.name.partition(', ')[0]}, {other.name.partition(', ')[2]}"
    row = _player(fide_id, other, dice)
    return row._replace(name=name, federation=one.federation, title="", birth_year=dice.randrange(1948, 2014))


def _ratings(strength: int, dice: random.Random) -> list[FideRating]:
    """Standard, rapid and blitz; the quicker, the fewer are rated, and nobody under the floor of FIDE."""
    points = [Points(strength + dice.randrange(-60, 120)) for _ in range(3)]
    return [
        FideRating(rating, 0, _k(rating))
        if rating >= _FLOOR and dice.random() < share
        else FideRating(None, 0, 0)
        for rating, share in zip(points, (0.95, 0.85, 0.8), strict=True)
    ]


def _k(rating: Points) -> int:
    """B.02 8.56: K on a list of the edition; under 1550 everybody is taken as new."""
    return Standing().listed(rating, 0 if rating < 1550 else NEW_PLAYER_GAMES).k or 0


def _month_later(player: PlayerRow, dice: random.Random) -> PlayerRow:
    """Return the player a month later: one in four ratings has changed by some points."""
    ratings = []
    for now in (player.standard, player.rapid, player.blitz):
        if now is not None and now.rating is not None and dice.random() < 0.25:
            rating = Points(max(_FLOOR, now.rating + dice.randrange(-22, 23)))
            # A K that fell stays low.
            now = FideRating(rating, dice.randrange(3, 12), min(now.k, _k(rating)))
        ratings.append(now)
    return player._replace(standard=ratings[0], rapid=ratings[1], blitz=ratings[2])


def _bring(period: date, players: Iterable[PlayerRow], at: datetime) -> None:
    what = b"".join(combined_txt(sorted(players, key=lambda player: (player.name, player.fide_id))))
    import_frl(
        ListFile(
            stream=io.BytesIO(what),
            source="demo",
            sha256=hashlib.sha256(what).hexdigest(),
            period=period,
        ),
        at=at,
    )
