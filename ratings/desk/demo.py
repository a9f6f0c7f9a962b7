"""Demo data of the desk: two cases, and some decisions for the register."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from foa.moments import beginning_of
from foa.text import utc_text
from members.models import AccountClosure, Member
from ratings.desk.services.cases import answer, claim, decide, open_by_member
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet, PublicReason
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.demo import GUEST, DemoArena
from ratings.rbb.models import Game, RatingList
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Category

_LINK = "https://ratings.example/"


def load_desk_demo(arena: DemoArena) -> None:
    """Open two cases of the member who can log in, then add some decisions to the register."""
    member, at = arena.stored[GUEST], arena.at
    officer = get_user_model().objects.create_user("office", is_staff=True)
    latest, _, earlier = Game.objects.counting().of(member.pk).order_by("-ended_at", "-pk")[:3]
    asked = at - timedelta(days=20)
    decided = open_by_member(
        about="game", key=earlier.pk, member=member, text="Was this game rated with my old rating?", at=asked
    )
    claim(decided, by=officer, at=asked + timedelta(hours=2))
    answer(
        decided,
        by=officer,
        text="Thank you for asking. We are checking the game against the server’s record.",
        at=asked + timedelta(hours=3),
        link=_LINK,
    )
    decide(
        decided,
        by=officer,
        decision="The game was rated using your rating as it stood after your previous game (RBB 3.9).",
        public_reasons="The server’s record and the ledger agree.",
        staff_reasons="",
        change_set=None,
        at=asked + timedelta(days=1),
        link=_LINK,
    )
    open_by_member(
        about="game", key=latest.pk, member=member, text="We agreed to a draw in this game.", at=at
    )
    _decide_about_accounts_and_games(arena, officer)


def _decide_about_accounts_and_games(arena: DemoArena, officer: Any) -> None:
    """Close two accounts (one cheated), correct a result, merge two accounts, and revise lists."""
    at, month = arena.at, beginning_of(arena.month())
    free = [arena.stored[one.username] for one in arena.members[1:] if not one.title]
    games = Game.objects.counting()

    def decide(
        kind: str,
        why: PublicReason = PublicReason.ROUTINE,
        undoes: ChangeSet | None = None,
        **parameters: str | list[str],
    ) -> ChangeSet:
        asked = {name: [value] if isinstance(value, str) else value for name, value in parameters.items()}
        proposal = Proposal(kind=kind_of(kind), parameters=asked, by=officer, reason=why, undoes=undoes)
        change_set, _effect = decide_at_once(proposal)
        if change_set is None:
            raise CommandError(f"The demo has nothing to {kind}.")
        return change_set

    decide(
        "close-account",
        member=str(free[0].pk),
        closed_from=utc_text(at),
        category=AccountClosure.Category.REQUEST,
        games="keep",
    )
    since = month - timedelta(days=20)
    cheater = max(
        free[1:30], key=lambda one: (games.of(one.pk).filter(started_at__gte=since).count(), one.username)
    )
    decide(
        "close-account",
        member=str(cheater.pk),
        closed_from=utc_text(at),
        category=AccountClosure.Category.FAIR_PLAY,
        games="all",
        since=since.date().isoformat(),
    )
    wrong = games.filter(
        ended_at__lt=month, result=Game.Result.WHITE_WINS, termination=Termination.RESIGNATION
    ).latest("ended_at", "pk")
    entered = parameters_of(wrong, GAME_FIELDS)
    decide(
        "correct-game",
        PublicReason.RESULT_CORRECTED,
        **{
            **entered,
            "game": str(wrong.pk),
            "result": Game.Result.BLACK_WINS,
            "pgn": wrong.pgn.replace("1-0", "0-1"),
        },
    )
    one, other = _one_person([one for one in free[1:] if one != cheater])
    decide("merge-members", PublicReason.DUPLICATE, keep=str(one.pk), other=other.username)
    latest = [RatingList.objects.latest_of(category, month.date()) for category in Category]
    decide("revise-lists", list=[str(one.pk) for one in latest if one is not None])


def _one_person(members: list[Member]) -> tuple[Member, Member]:
    """Return two accounts that one person may have: with a common family name, one of them hardly used."""
    games = {one.pk: Game.objects.of(one.pk).count() for one in members}
    pairs = [
        (one, other)
        for one, other in permutations(members, 2)
        if one.name.split(",")[0] == other.name.split(",")[0]
        and one.sex == other.sex
        and not (one.fide_id and other.fide_id)
        and games[one.pk] > games[other.pk] > 0
        and not Game.objects.of(one.pk).of(other.pk).exists()
    ]
    return min(pairs, key=lambda pair: (games[pair[1].pk], pair[1].username, pair[0].username))
