"""The person behind an account, with merged accounts and all names they have ever had."""

from __future__ import annotations

from collections.abc import Iterator

from members.former import FormerName
from members.models import Member
from ratings.formats.frl.writing import in_ascii
from ratings.office.personal import Called, Person


def person_of(member: Member) -> Person:
    """Return the person who has this account."""
    accounts = [member, *_merged(member)]
    keys = [one.pk for one in accounts]
    history = Member.history.filter(id__in=keys)
    rows = [(one.username, one.name, one.fide_id) for one in accounts]
    rows += history.order_by("pk").values_list("username", "name", "fide_id")
    former = FormerName.objects.filter(member__in=keys)
    usernames = {username for username, _name, _fide_id in rows}
    usernames.update(former.exclude(username_key=None).values_list("text", flat=True))
    names = {name for _username, name, _fide_id in rows}
    names.update(former.filter(username_key=None).values_list("text", flat=True))
    if member.user is not None:
        usernames.update({member.user.get_username(), member.user.email} - {""})
        names.add(member.user.get_full_name())
    numbers = {fide_id for _username, _name, fide_id in rows if fide_id}
    called = Called(
        usernames=usernames,
        names={form for name in names for form in _forms(name)},
        numbers=numbers,
        instead=pseudonym(member).username,
    )
    return Person(accounts, called)


def pseudonym(member: Member) -> Member:
    """Return the unsaved pseudonymous account that replaces a member who has left."""
    return Member(
        pk=member.pk,
        username=f"withdrawn-{member.pk}",
        name=f"Withdrawn member {member.pk}",
        federation=member.federation,
    )


def _merged(member: Member) -> Iterator[Member]:
    """Yield the accounts that were merged into this one, directly or through another."""
    for one in Member.everybody.filter(merged_into=member).order_by("pk"):
        yield one
        yield from _merged(one)


def _forms(name: str) -> set[str]:
    """Return a name as in lists, as spoken, and both without accents."""
    last, comma, first = name.partition(",")
    said = {name, f"{first.strip()} {last.strip()}"} if comma and first.strip() else {name}
    return said | {in_ascii(one) for one in said}
