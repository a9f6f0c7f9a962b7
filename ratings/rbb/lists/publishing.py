"""RBB 1.4: the monthly lists, with revisions after corrections, and the lists requested by members."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from foa.moments import beginning_of, first_days, month_of
from foa.text import month_text, second
from members.models import Member
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.rbb.ledger.locks import lock_category
from ratings.rbb.lists.freezing import differing_members, freeze
from ratings.rbb.models.games import Game
from ratings.rbb.models.lists import RatingList
from ratings.rules.time_controls import Category


def first_month() -> datetime | None:
    """Return the month in which the first rated game ended, which has the first list; None without games."""
    game = Game.objects.counting().order_by("ended_at", "pk").first()
    return None if game is None else month_of(game.ended_at)


def due_months(*, category: Category, at: datetime) -> list[datetime]:
    """Return the months up to ``at`` without a list: all since the last one, or just the current month."""
    current = month_of(at)
    last = RatingList.objects.latest_of(category)
    if last is None or last.month is None:
        first = first_month()
        return [] if first is None or first > current else [current]
    return [beginning_of(day) for day in first_days(next_month(last.month), current.date())]


def publish(
    *, category: Category, month: datetime, at: datetime, by: Any = None, revise: bool = False
) -> tuple[RatingList, bool]:
    """Freeze a month's list: the state at 00:00 UTC on its first day, after everything that ended by then.

    Return the valid list and whether it is new. A published month stays unchanged; with ``revise`` a new
    revision is made, unless it would be identical.
    """
    with transaction.atomic():
        # The list is read from one state of the ledger. If two people publish a month, the second finds it.
        lock_category(category)
        stands = RatingList.objects.latest_of(category, month.date())
        previous = RatingList.objects.of(category).before(month.date()).first()
        if stands is not None and (not revise or not _differs(stands, previous)):
            return stands, False
        published = RatingList.objects.create(
            category=category,
            month=month.date(),
            revision=stands.revision + 1 if stands else 1,
            as_of=month,
            published_at=at,
            published_by=by,
            previous=previous,
            members=0,
        )
        freeze(published)
        event = OutboxEntry.Event.LIST_REVISED if stands else OutboxEntry.Event.LIST_PUBLISHED
        record_event(event, published.pk)
    return published, True


def publish_requested(*, category: Category, federation: str, member: Member, at: datetime) -> RatingList:
    """Freeze a list requested by a member: the state after the last result up to this second (RBB 1.4).

    ``federation``: FIDE's code, or empty for all. The caller checks who may request lists, and how often.
    """
    as_of = at.replace(microsecond=0)
    with transaction.atomic():
        lock_category(category)
        published = RatingList.objects.create(
            category=category,
            as_of=as_of,
            federation=federation,
            requested_by=member,
            published_at=at,
            previous=RatingList.objects.of(category).until(as_of).first(),
            members=0,
        )
        freeze(published)
    return published


def _differs(stands: RatingList, previous: RatingList | None) -> bool:
    """Return whether a revision would differ: in its ratings, or in the list at which its period begins."""
    return stands.previous != previous or differing_members(stands) > 0


def next_month(day: date) -> date:
    """Return the first day of the following month."""
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def month_to_publish(text: str, at: datetime) -> datetime:
    """Return the first moment of a month (``2026-03``); raises ValidationError for one without lists."""
    try:
        month = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise ValidationError(_("“%(text)s” isn’t a month such as 2026-03.") % {"text": text}) from None
    if month > at:
        raise ValidationError(
            _("%(month)s has not started. Its lists show the ratings on its first day.")
            % {"month": month_text(month)}
        )
    first = first_month()
    if first is None or month < first:
        raise ValidationError(
            _("%(month)s is before the first rated game, so it has no list.") % {"month": month_text(month)}
        )
    return month


def months_to_publish(at: datetime) -> list[datetime]:
    """Return the months that can be published, latest first, back to that of the first rated game."""
    first = first_month()
    if first is None:
        return []
    return [beginning_of(day) for day in first_days(first.date(), at.date())][::-1]


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
                "Members can request one list a minute, and %(most)d in 24 hours. You can request "
                "the next one at %(moment)s."
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
