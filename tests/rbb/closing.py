"""An account that the tests close and reopen."""

from typing import Any

from members.models import AccountClosure, Member
from ratings.office.deciding import Proposal
from ratings.office.decision_types import kind_of
from ratings.rbb.models import Game
from tests.arena import game, rated
from tests.decisions import decided


def asked(who: Member, **fields: str) -> dict[str, list[str]]:
    """What the form takes: closed after minute 25 unless said otherwise, with all games since START."""
    return {
        "member": [str(who.pk)],
        "closed_from": ["2026-03-01T00:25"],
        "category": ["fair-play"],
        "games": ["all"],
        "since": ["2026-03-01"],
        **{name: [value] for name, value in fields.items()},
    }


def proposed(who: Member, **fields: str) -> Proposal:
    return Proposal(kind=kind_of("close-account"), parameters=asked(who, **fields), note="engine")


def close(who: Member, **fields: str) -> Any:
    """Decide it."""
    return decided("close-account", note="engine", **asked(who, **fields))


def reopen(who: Member) -> Any:
    """Take the only closure of an account back."""
    closure = str(AccountClosure.objects.get(member=who).pk)
    return decided("reopen-account", note="clean", closure=[closure])


def void() -> set[int]:
    """The numbers of the games that are void."""
    return set(Game.objects.filter(voided_at__isnull=False).values_list("pk", flat=True))


def toth_has_played() -> tuple[Member, Member, Member, list[Game]]:
    """Anna beats Bob, Carl and Bob again; then Bob beats Carl. She is the one whose account is closed."""
    anna, bob, carl = (rated(1700, minute=-20) for _ in range(3))
    anna.name = "Toth, Anna"
    anna.save()
    games = [
        game(anna, bob, minute=10),
        game(carl, anna, "0-1", minute=20),
        game(anna, bob, minute=35),
        game(bob, carl, minute=40),
    ]
    return anna, bob, carl, games
