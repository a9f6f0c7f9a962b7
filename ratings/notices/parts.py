"""The button on a member's profile that follows them."""

from __future__ import annotations

from typing import Any

from members.models import Member
from ratings.notices.models import Follow
from ratings.office.rooms import Part


def follow_part(member: Member, user: Any) -> Part | None:
    """For another member who is logged in; nobody follows who has left."""
    follower = Member.objects.filter(user=user.pk).first()
    if follower is None or follower == member or member.withdrawn_at is not None:
        return None
    follows = Follow.objects.filter(follower=follower, followed=member).exists()
    return Part("notices/_follow.html", {"member": member, "follows": follows})
