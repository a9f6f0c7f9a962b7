"""What news add to other pages: the button on a profile that follows a member, the count in the header."""

from __future__ import annotations

from typing import Any

from members.models import Member
from ratings.notices.models import Follow, Notice
from ratings.office.rooms import Part


def follow_part(member: Member, user: Any) -> Part | None:
    """For another member who is logged in; nobody follows who has left."""
    follower = Member.objects.filter(user=user.pk).first()
    if follower is None or follower == member or member.withdrawn_at is not None:
        return None
    follows = Follow.objects.filter(follower=follower, followed=member).exists()
    return Part("notices/_follow.html", {"member": member, "follows": follows})


def unread_part(user: Any) -> Part | None:
    """Return how many notices somebody hasn't read, up to 100, for the header; None without any."""
    number = Notice.objects.unread_by(user).order_by()[:100].count()
    return Part("notices/_unread.html", {"number": number}) if number else None
