"""Candidates in the FIDE list for a member without a FIDE ID. A person decides."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.utils.translation import gettext

from members.models import Member, MemberQuerySet
from ratings.fide.models import FidePlayer
from ratings.office.names import folded

_SHOWN: Final = 10
_OF_NO_COUNTRY: Final = ("", "NON", "FID")
"""Codes under which a player of any country may be listed."""


def without_fide_id() -> MemberQuerySet:
    """Return the worklist: members with a name and without a FIDE ID."""
    return Member.objects.filter(fide_id=None).exclude(name="").order_by("name", "username", "pk")


def likely_players(member: Member) -> list[FidePlayer]:
    """Return up to ten players of the list in force who may be the member, likeliest first.

    The family name is the same, and the first name, if there is one, begins alike. Federation and year of
    birth are the same or unknown. No member has the FIDE ID. Players with the same full name come first, then
    those with the same year of birth, then those with the same federation. An index serves the search.
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


class Compared(NamedTuple):
    """The player of the list in force with a FIDE ID, and how the member differs from them."""

    player: FidePlayer | None
    warnings: list[str]


def compare_with_list(
    fide_id: int | None, *, name: str = "", birth_year: int | None = None, federation: str = ""
) -> Compared:
    """Return the player with this FIDE ID in the list in force, and each fact in which they differ."""
    if fide_id is None or not FidePlayer.objects.exists():
        return Compared(None, [])
    player = FidePlayer.objects.filter(pk=fide_id).first()
    if player is None:
        return Compared(None, [gettext("No player on the FIDE list in force has the FIDE ID %d.") % fide_id])
    warnings = []
    if name and sorted(_words(name)) != sorted(_words(player.name)):
        told = gettext("The name is “%(theirs)s” on the FIDE list, but “%(ours)s” here.")
        warnings.append(told % {"theirs": player.name, "ours": name})
    if birth_year and player.birth_year and birth_year != player.birth_year:
        told = gettext("The birth year is %(theirs)d on the FIDE list, but %(ours)d here.")
        warnings.append(told % {"theirs": player.birth_year, "ours": birth_year})
    if federation and player.federation not in (federation, *_OF_NO_COUNTRY):
        told = gettext("The federation is %(theirs)s on the FIDE list, but %(ours)s here.")
        warnings.append(told % {"theirs": player.federation, "ours": federation})
    return Compared(player, warnings)


def compare_member(member: Member) -> Compared:
    """Compare a stored member with the list in force."""
    return compare_with_list(
        member.fide_id, name=member.name, birth_year=member.birth_year, federation=member.federation
    )


def _words(name: str) -> list[str]:
    """Return the words of a name, ignoring order, case and accents."""
    return folded(name).replace(",", " ").replace("-", " ").split()


def _first_those(**like: Any) -> Case:
    return Case(When(**like, then=Value(0)), default=Value(1))
