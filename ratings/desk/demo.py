"""What the demo arena has on the officer's desk: an open case, a decided one, and a closed account."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth import get_user_model

from foa.text import utc_text
from members.models import AccountClosure
from ratings.demo import END, GUEST, DemoArena
from ratings.desk.services.cases import answer, claim, decide, open_by_member
from ratings.models import Game
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.kinds import kind_of

_LINK = "https://ratings.example/"


def load_desk_demo(arena: DemoArena) -> None:
    """The member who can log in asks about two games; an account closes after the last game."""
    member, at = arena.stored[GUEST], arena.at
    officer = get_user_model().objects.create_user("office", is_staff=True)
    latest, _, earlier = Game.objects.counting().of(member.pk).order_by("-ended_at", "-pk")[:3]
    asked = END - timedelta(days=20)
    decided = open_by_member(
        about="game", key=earlier.pk, member=member, text="Was this game rated with my old rating?", at=asked
    )
    claim(decided, by=officer, at=asked + timedelta(hours=2))
    answer(
        decided,
        by=officer,
        text="Thank you for asking. We are checking the game against the server's record.",
        at=asked + timedelta(hours=3),
        link=_LINK,
    )
    decide(
        decided,
        by=officer,
        decision="The game was rated with your rating after the game before it (RBB 3.9).",
        public_reasons="The server's record and the ledger agree.",
        staff_reasons="",
        change_set=None,
        at=asked + timedelta(days=1),
        link=_LINK,
    )
    open_by_member(
        about="game", key=latest.pk, member=member, text="We agreed to a draw in this game.", at=at
    )
    closing = next(arena.stored[one.username] for one in arena.members[1:] if not one.title)
    decide_at_once(
        Proposal(
            kind=kind_of("close-account"),
            parameters={
                "member": [str(closing.pk)],
                "closed_from": [utc_text(END)],
                "category": [AccountClosure.Category.REQUEST],
                "games": ["keep"],
            },
            by=officer,
        )
    )
