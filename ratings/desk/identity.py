"""Identity of members: likely duplicates to look at."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.core.cache import caches
from django.db.models import Max
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from members.models import Member
from members.signals import fide_ids_claimed, members_added
from ratings.desk.models import LikelyDuplicate
from ratings.desk.services.duplicates import find_duplicates, note_claims, note_namesakes
from ratings.office.due import Due, finds_due
from ratings.office.upkeep import hourly

_A_DAY: Final = 23 * 60 * 60
_COUNTED: Final = 1_000


@finds_due(_("Likely duplicates"), "desk.view_likelyduplicate")
def duplicates_due(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the number of pairs that somebody has yet to look at."""
    number = LikelyDuplicate.objects.shown_to(user).open().order_by()[:_COUNTED].count()
    if number:
        yield Due(
            text=ngettext("%d likely duplicate to review", "%d likely duplicates to review", number) % number,
            button=ngettext("Review it", "Review them", number),
            link=reverse("admin:desk_likelyduplicate_changelist"),
        )


@hourly
def look_for_duplicates(at: datetime) -> None:
    """Search all members once a day, and whenever there are new ones."""
    newest = Member.everybody.aggregate(newest=Max("pk"))["newest"]
    if caches["limits"].get("desk.duplicates", 0) != newest:
        find_duplicates(at=at)
        caches["limits"].set("desk.duplicates", newest, _A_DAY)


@receiver(members_added, dispatch_uid="desk.note_namesakes")
def note_namesakes_of_many(members: Any, **kwargs: Any) -> None:
    """Add new members to the worklist at once if somebody else has the same name and birth year."""
    note_namesakes(members, at=timezone.now())


@receiver(post_save, sender=Member, dispatch_uid="desk.note_namesakes")
def note_namesakes_of_one(instance: Member, created: bool, raw: bool = False, **kwargs: Any) -> None:
    """Do the same for a member entered by hand."""
    if created and not raw:
        note_namesakes([instance], at=timezone.now())


@receiver(fide_ids_claimed, dispatch_uid="desk.note_claims")
def note_claimed_fide_ids(claims: Any, **kwargs: Any) -> None:
    """Add the holder of a FIDE ID and the member to whom a file gave it: they may be one person."""
    note_claims(claims, at=timezone.now())
