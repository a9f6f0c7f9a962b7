"""RBB 1.4: lists requested by full members: who may request them, and how often."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext

from foa.text import second
from members.models import Member
from ratings.rbb.lists.publishing import publish_requested
from ratings.rbb.models.lists import RatingList
from ratings.rules.time_controls import Category

PAUSE: Final = timedelta(minutes=1)
"""Minimum time between two requests of a member: a long list takes seconds to freeze, during which no game of
its category is rated, and a member who presses the button twice wants one list."""

DAY: Final = timedelta(hours=24)
MOST_A_DAY: Final = 10
"""Maximum number of a member's requests in 24 hours: each list is kept for ever, and this is enough for three
of each category."""


class TooManyRequestsError(Exception):
    """An error for a list requested too soon after others; ``again_at`` is when the member may try again."""

    def __init__(self, again_at: datetime) -> None:
        super().__init__(
            gettext(
                "A member may ask for one list a minute and %(most)d in 24 hours. Ask again at %(moment)s."
            )
            % {"most": MOST_A_DAY, "moment": second(again_at)}
        )
        self.again_at = again_at


def request_list(*, category: Category, federation: str, member: Member, at: datetime) -> RatingList:
    """Freeze the list of a category, of all or one federation, requested by this member at ``at``.

    Raises PermissionDenied without full membership at that time, and TooManyRequestsError.
    """
    with transaction.atomic():
        # Of two simultaneous requests, the second waits here and then finds the first.
        Member.objects.select_for_update(no_key=True).filter(pk=member.pk).first()
        if not Member.objects.full(at=at).filter(pk=member.pk).exists():
            raise PermissionDenied(gettext("Full members only (RBB 1.4)"))
        again_at = next_request_at(member, at)
        if again_at > at:
            raise TooManyRequestsError(again_at)
        return publish_requested(category=category, federation=federation, member=member, at=at)


def next_request_at(member: Member, at: datetime) -> datetime:
    """Return when this member may request their next list, in whole seconds; ``at`` if they may now."""
    lists = RatingList.objects.requested(by=member).filter(published_at__gt=at - DAY)
    asked = list(lists.order_by("-published_at").values_list("published_at", flat=True)[:MOST_A_DAY])
    again = [asked[0] + PAUSE] if asked else []
    if len(asked) == MOST_A_DAY:
        again.append(asked[-1] + DAY)
    # Rounded up to a whole second, so that the moment shown on the page is correct.
    whole = (moment.replace(microsecond=0) + timedelta(seconds=bool(moment.microsecond)) for moment in again)
    return max((at, *whole))
