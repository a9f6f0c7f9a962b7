"""Personal data: the person behind accounts, everything stored about them as a ZIP file, and erasing it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.http import HttpResponseBase
from django.utils.translation import gettext as _

from foa.files import download
from foa.spreadsheet import csv_pieces
from members.former import FormerName, Merge
from members.models import Member
from members.usernames import key_of
from members.words import index_names
from ratings.formats.frl.writing import in_ascii
from ratings.office.effects import Fact
from ratings.office.personal import Called, Erasing, Person, Table
from ratings.office.relations import declarations, refuse_undeclared
from ratings.rbb.ledger.locks import lock_members
from ratings.rbb.member_files import tell_of_members


def person_of(member: Member) -> Person:
    """Return the person who has this account."""
    accounts = [member, *member.merged_accounts()]
    keys = [one.pk for one in accounts]
    history = Member.history.filter(id__in=keys)
    rows = [(one.username, one.name, one.fide_id) for one in accounts]
    rows += history.order_by("pk").values_list("username", "name", "fide_id")
    former = FormerName.objects.filter(member__in=keys)
    usernames = {username for username, _name, _fide_id in rows}
    usernames.update(former.exclude(username_key=None).values_list("text", flat=True))
    names = {name for _username, name, _fide_id in rows}
    names.update(former.filter(username_key=None).values_list("text", flat=True))
    logins = _logins(accounts)
    for user in logins:
        usernames.update({user.get_username(), user.email} - {""})
        names.add(user.get_full_name())
    numbers = {fide_id for _username, _name, fide_id in rows if fide_id}
    called = Called(
        usernames=usernames,
        names={form for name in names for form in _forms(name)},
        numbers=numbers,
        instead=pseudonym(member).username,
    )
    return Person(accounts, logins, called)


def _logins(accounts: list[Member]) -> list[User]:
    """Return the logins of these accounts, also those that merges have left without a member."""
    left = []
    for kept in Merge.objects.filter(other__in=accounts).values_list("kept", flat=True):
        logins = kept.get("People", {}).get("logins", {})
        # Otherwise it moved to the member, and somebody may have taken it from them since.
        if logins.get("member") and logins.get("other"):
            left.append(logins["other"])
    of_accounts = Q(member__in=accounts) | Q(member=None, pk__in=left)
    return list(User.objects.filter(of_accounts).order_by("pk"))


def pseudonym(member: Member) -> Member:
    """Return the unsaved pseudonymous account that replaces a member who has left."""
    return Member(
        pk=member.pk,
        username=f"withdrawn-{member.pk}",
        name=f"Withdrawn member {member.pk}",
        federation=member.federation,
    )


def _forms(name: str) -> set[str]:
    """Return a name as in lists, as spoken, and both without accents."""
    last, comma, first = name.partition(",")
    said = {name, f"{first.strip()} {last.strip()}"} if comma and first.strip() else {name}
    return said | {in_ascii(one) for one in said}


_README = """What the rating office has stored about you.

Each table is here twice: for spreadsheets (.csv) and for programs (.json). All moments are in UTC. A column
"…_in_words" says what the codes in the column before it mean.
docs/privacy.md of the office's software says why each of these is stored and for how long.
"""
_WITHOUT = """
Notes that staff wrote for each other are not in this file. Ask the office for them.
"""


class _Sink(io.RawIOBase):
    """A buffer for the archive's output until it is sent on."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: Any) -> int:
        """Keep the data until it is taken."""
        self._pieces.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


def export_pieces(member: Member, *, for_staff: bool) -> Iterator[bytes]:
    """Return the pieces of the ZIP file. ``for_staff``: include what staff wrote for each other.

    Raises ValidationError if a relation to members isn't declared.
    """
    refuse_undeclared(Member)
    return _pieces(member, for_staff)


def export_response(member: Member, *, for_staff: bool) -> HttpResponseBase:
    """Return the ZIP file as a download."""
    response = download(
        lambda: export_pieces(member, for_staff=for_staff), f"member-{member.pk}.zip", "application/zip"
    )
    response["Cache-Control"] = "private, no-store"
    return response


def _pieces(member: Member, for_staff: bool) -> Iterator[bytes]:
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _README + ("" if for_staff else _WITHOUT))
        for ending, write in (("csv", _csv), ("json", _json)):
            for one in tables_of(member, for_staff=for_staff):
                with archive.open(f"{one.name}.{ending}", "w") as file:
                    for text in write(one):
                        file.write(text.encode())
                        if piece := sink.taken():
                            yield piece
    yield sink.taken()


def tables_of(member: Member, *, for_staff: bool) -> Iterator[Table]:
    """Yield every table, including empty ones: they show that nothing is stored."""
    person = person_of(member)
    for declaration in declarations():
        for one in declaration.tables(person):
            if for_staff or not one.for_staff:
                yield one


def _csv(one: Table) -> Iterator[str]:
    return csv_pieces(one.columns, one.rows)


def _json(one: Table) -> Iterator[str]:
    between = "[\n"
    for row in one.rows:
        yield between + json.dumps(dict(zip(one.columns, row, strict=True)), ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


@dataclass(slots=True)
class Erased:
    """Result of an erasure: the member's present row, and what was done, without names."""

    member: Member
    facts: list[Fact]


def erase_member(*, member: Member, at: datetime, by: Any = None, note: str = "") -> Erased:
    """Remove the person from everything stored. Ratings, games and the ledger stay unchanged.

    ``note``: the reason, for staff. It is kept, so it mustn't name the person. Raises ValidationError if
    erasure isn't possible.
    """
    refuse_undeclared(Member)
    with transaction.atomic():
        # A new game of theirs refers to the row, so it is waited for before the row gets another username.
        lock_members([member.pk])
        person = person_of(Member.everybody.get(pk=member.pk))
        _check(person, note)
        work = Erasing(person=person, at=at, by=by, note=note)
        for declaration in declarations():
            declaration.erase(work)
        index_names(person.keys)
        tell_of_members(person.keys)
        return Erased(Member.everybody.get(pk=member.pk), work.facts)


def _check(person: Person, note: str) -> None:
    member = person.member
    if member.withdrawn_at is not None or member.merged_into_id is not None:
        raise ValidationError(_("%(member)s has already been erased or merged.") % {"member": member})
    if any(user.is_staff or user.is_superuser for user in person.logins):
        told = _("%(member)s has a staff login. Close that first.")
        raise ValidationError(told % {"member": member})
    if person.called.is_in(note):
        raise ValidationError(
            _("Don’t name the member in the note, because it is kept. Go back and leave out the name.")
        )
    new = [key_of(pseudonym(one).username) for one in person.accounts]
    taken = Member.everybody.filter(username_key__in=new).exclude(pk__in=person.keys).first()
    if taken is not None:
        told = _("Another member is called “%(username)s”. Rename them first.")
        raise ValidationError(told % {"username": taken.username})
