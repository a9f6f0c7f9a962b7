"""Look-up of members, shared by commands."""

from __future__ import annotations

from collections.abc import Callable

from django.core.management.base import CommandError

from members.models import Member
from members.usernames import key_of


def member_called(username: str, say: Callable[[str], object]) -> Member:
    """Return the member who has or had this username, and say so if it is a former one.

    Raises CommandError if nobody has or had it.
    """
    member = Member.objects.called(username)
    if member is None:
        raise CommandError(f"There’s no member called “{username[:150]}”.")
    if key_of(member.username) != key_of(username):
        was_merged = Member.everybody.of_usernames([username]).exclude(merged_into=None).exists()
        happened = "was merged into" if was_merged else "is now called"
        say(f"“{username}” {happened} “{member.username}”.")
    return member
