"""What the tests of the whole house need to know of the desk."""

from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from members.models import AccountClosure
from ratings.desk.models import Case, CaseEntry, LikelyDuplicate, MemberNote
from ratings.desk.services.cases import open_by_member
from ratings.office.models import ChangeSet
from ratings.rbb.demo import GUEST
from ratings.rbb.models import Game
from tests.arena import START, member

OFFICERS: Final = {
    Case: frozenset({"view", "add", "handle"}),
    CaseEntry: frozenset({"view"}),
    MemberNote: frozenset({"view", "add"}),
    LikelyDuplicate: frozenset({"view", "change"}),
}

PAGES: Final = {
    "everybody": "desk:calendar desk:calendar_file desk:public_case desk:this_is_me",
    "logins": "desk:cases desk:case",
    # Of a login without a member it says that it has nothing to open a case about.
    "full members": "desk:open",
    "desk.handle_case": "admin:desk_case_decide admin:desk_case_correct",
}

COMMANDS: Final = {"merge_members": ()}


def furnish() -> None:
    """A case about the latest game, a note about one of its players, and two who may be one person."""
    now = timezone.now()
    played = Game.objects.latest("pk")
    open_by_member(about="game", key=played.pk, member=played.white, text="It was a draw.", at=now)
    somebody, _new = User.objects.get_or_create(username="note-taker")
    MemberNote.objects.create(member=played.white, text="Wrote by mail.", by=somebody, at=now)
    number = LikelyDuplicate.objects.count()
    first, second = (member(f"{one}{number}", name="Berg, Anna") for one in ("anna", "anna_old"))
    LikelyDuplicate.objects.create(first=first, second=second, why="same", found_at=START)


def check_demo() -> None:
    """The member who can log in has an open case, which nobody has claimed, and one with its answer."""
    decided, waiting = Case.objects.order_by("opened_at")
    for case in (decided, waiting):
        assert (case.opener.username, case.about) == (GUEST, "game")
    assert (waiting.state, waiting.owner) == (Case.State.OPEN, None)
    assert decided.state == Case.State.DECIDED
    assert decided.entries.filter(what=CaseEntry.What.ANSWERED).exists()
    for closure in AccountClosure.objects.all():
        later = Game.objects.counting().of(closure.member_id).filter(started_at__gte=closure.closed_from)
        assert not later.exists()
    assert ChangeSet.objects.filter(kind="close-account").exists()
