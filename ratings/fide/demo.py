"""FIDE lists for the demo arena: two successive months of invented players."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime
from typing import Final

from members.models import FullMembership, Member
from ratings.fide.services.announcing import announce
from ratings.fide.services.lists import ListFile, import_frl
from ratings.formats.frl import FideRating, PlayerRow, combined_txt
from ratings.rbb.demo import DemoArena, DemoMember
from ratings.rules.b02.editions import TODAY_SINCE, edition_in_force
from ratings.rules.b02.k_factor import NEW_PLAYER_GAMES, Standing
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
"""Members who join after the last game and get first ratings from a list (RBB 3.4)."""


def load_fide_demo(arena: DemoArena) -> None:
    """Give FIDE IDs to titled members and every fifth; import two lists, announce one, rate newcomers.

    The lists contain as many members without a FIDE ID, so that the worklist finds them.
    """
    members, stored, at = arena.members, arena.stored, arena.at
    dice = random.Random(1926)  # noqa: S311  a fixed arena, no secret
    before = []
    for number, member in enumerate(members):
        known = number % 5 == 0 or member.title in FIDE_TITLES
        if known or number % 5 == 1:
            fide_id = FideId(_FIRST_ID + number)
            before.append(_player(fide_id, member, dice, arena.month()))
            if known:
                stored[member.username].fide_id = fide_id
    Member.objects.bulk_update([one for one in stored.values() if one.fide_id], ["fide_id"])
    before += [
        _stranger(FideId(_FIRST_ID + 1_000 + number), members, dice, arena.month())
        for number in range(_OTHERS)
    ]
    newcomers = [FideId(_FIRST_ID + 2_000 + number) for number in range(len(_NEWCOMERS))]
    before += [
        _stranger(fide_id, members, dice, arena.month())._replace(name=name, federation=federation)
        for fide_id, (name, federation) in zip(newcomers, _NEWCOMERS, strict=True)
    ]
    latest = [_month_later(one, dice, arena.month()) for one in before]
    for period, players in ((arena.month(1), before), (arena.month(), latest)):
        _bring(period, players, at)
    announce(period=arena.month(), at=at)
    for fide_id, (name, federation) in zip(newcomers, _NEWCOMERS, strict=True):
        last, _comma, first = name.partition(", ")
        newcomer = Member.objects.create(
            username=f"{first}.{last}".lower(), name=name, federation=federation, fide_id=fide_id
        )
        FullMembership.objects.create(member=newcomer, full_from=at)


def _player(fide_id: FideId, member: DemoMember, dice: random.Random, day: date) -> PlayerRow:
    """Return a row for a member, about as strong over the board as in the arena."""
    title = member.title if member.title in FIDE_TITLES else ""
    standard, rapid, blitz = _ratings(member, dice, day)
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


def _stranger(fide_id: FideId, members: list[DemoMember], dice: random.Random, day: date) -> PlayerRow:
    """Return a row with one member's family name and another's first name, which no member has."""
    names = {member.name for member in members}
    name = members[0].name
    while name in names:
        one, other = dice.choice(members), dice.choice(members)
        name = f"{one.name.partition(', ')[0]}, {other.name.partition(', ')[2]}"
    born = replace(other, title="", birth_year=dice.randrange(1948, 2014))
    return _player(fide_id, born, dice, day)._replace(name=name, federation=one.federation)


def _ratings(member: DemoMember, dice: random.Random, day: date) -> list[FideRating]:
    """Return standard, rapid and blitz.

    Fewer players are rated in quicker controls, and nobody is below FIDE's floor.
    """
    points = [Points(member.strength + dice.randrange(-60, 120)) for _ in range(3)]
    return [
        FideRating(rating, 0, _k(rating, member.birth_year, day))
        if rating >= _FLOOR and dice.random() < share
        else FideRating(None, 0, 0)
        for rating, share in zip(points, (0.95, 0.85, 0.8), strict=True)
    ]


def _k(rating: Points, birth_year: int | None, day: date) -> int:
    """Return K on the list (2024: 8.3.3); everybody under 1550 counts as new."""
    standing = Standing(rating, 0 if rating < 1550 else NEW_PLAYER_GAMES, rating >= 2400, rating >= 2300)
    return edition_in_force(TODAY_SINCE).k(standing, birth_year, day) or 0


def _month_later(player: PlayerRow, dice: random.Random, day: date) -> PlayerRow:
    """Return the player a month later: one rating in four has changed by some points."""
    ratings = []
    for now in (player.standard, player.rapid, player.blitz):
        if now is not None and now.rating is not None and dice.random() < 0.25:
            rating = Points(max(_FLOOR, now.rating + dice.randrange(-22, 23)))
            # K doesn't rise again.
            now = FideRating(rating, dice.randrange(3, 12), min(now.k, _k(rating, player.birth_year, day)))
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
