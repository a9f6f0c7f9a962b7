"""Which players of the FIDE list may be a member whose FIDE ID is not known. A person decides, by hand."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Case, Exists, OuterRef, Q, Value, When

from members.models import Member, MemberQuerySet
from ratings.fide.models import FidePlayer
from ratings.office.names import folded

_SHOWN: Final = 10
_OF_NO_COUNTRY: Final = ("", "NON", "FID")
"""Under these a player of any country may be listed."""


def without_fide_id() -> MemberQuerySet:
    """The worklist: members with a name and without a FIDE ID."""
    return Member.objects.filter(fide_id=None).exclude(name="").order_by("name", "username", "pk")


def likely_players(member: Member) -> list[FidePlayer]:
    """Up to ten players of the list in force whom nothing on the books speaks against, the likeliest first.

    The family name is the same and the first name, where there is one, begins alike; federation and year of
    birth are the same or not known; no member has the FIDE ID. Likelier are those with the same whole name,
    then the same year of birth, then the same federation. Found by index.
    """
    family, _, first = (part.strip() for part in member.name.partition(","))
    if not family:
        return []
    name = f"{family}, {first}" if first else family
    alike = FidePlayer.objects.filter(folded=folded(family)) | FidePlayer.objects.named(
        f"{family}, {first[:1]}"
    )
    if member.federation:
        alike = alike.filter(federation__in=(member.federation, *_OF_NO_COUNTRY))
    if member.birth_year:
        alike = alike.filter(Q(birth_year=member.birth_year) | Q(birth_year=None))
    of_others = Member.objects.filter(fide_id=OuterRef("fide_id"))
    return list(
        alike.filter(~Exists(of_others)).order_by(
            _first_those(folded=folded(name)),
            _first_those(birth_year=member.birth_year or 0),
            _first_those(federation=member.federation or "-"),
            "folded",
            "fide_id",
        )[:_SHOWN]
    )


def _first_those(**like: Any) -> Case:
    return Case(When(**like, then=Value(0)), default=Value(1))
