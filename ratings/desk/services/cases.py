"""Opening, claiming, answering, deciding and withdrawing cases. Nothing here moves a rating.

Each function raises ValidationError, with words for people, for what can't be done.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import get_language, gettext, ngettext, override

from foa.account.arena import Account
from foa.locking import lock_row
from members.inviting import may_be_invited
from members.models import Member, accounts_of
from members.usernames import composed
from ratings.desk.models import Case, CaseEntry
from ratings.office.models import ChangeSet
from ratings.office.names import folded
from ratings.office.news import member_answered
from ratings.office.subjects import MEMBER, knows_cases, subject_kind

UNANSWERED: Final = 10
"""Maximum number of messages that a member may send before the office answers."""

_What = CaseEntry.What


class AlreadyOpenError(ValidationError):
    """The member already has an open case about this subject: ``case``."""

    def __init__(self, case: Case) -> None:
        super().__init__(gettext("There’s already an open case about this: %(case)s.") % {"case": case})
        self.case = case


class TooManyCasesError(ValidationError):
    """The member already has the maximum number of open cases."""


def open_by_member(*, about: str, key: int, member: Member, text: str, at: datetime) -> Case:
    """Open a case of a member. The caller has checked that they may open it."""
    with transaction.atomic():
        # If two cases are opened at once, the second one waits here and then finds the first.
        lock_row(Member.objects, member.pk)
        if same := open_case_of(about, key, member):
            raise AlreadyOpenError(same)
        most = settings.CASES_PER_MEMBER
        if Case.objects.open().filter(opener=member, opened_by=None).count() >= most:
            told = ngettext(
                "You have %d open case. Wait until it is decided, or withdraw it.",
                "You have %d open cases. Wait until one is decided, or withdraw one.",
                most,
            )
            raise TooManyCasesError(told % most)
        return _open(about=about, key=key, opener=member, text=text, at=at)


def open_by_office(
    *,
    about: str,
    key: int,
    by: Any,
    text: str,
    at: datetime,
    opener: Member | None = None,
    on_behalf_of: str = "",
) -> Case:
    """Open a case as the office: for a member, for somebody without a login, or on its own account."""
    check_subject(about, key, by)
    if same := open_case_of(about, key, opener):
        raise AlreadyOpenError(same)
    names = {"opener": opener, "on_behalf_of": on_behalf_of, "opened_by": by}
    return _open(about=about, key=key, text=text, at=at, **names)


def check_subject(about: str, key: int, by: Any) -> None:
    """Raise ValidationError if a subject doesn't exist, or if this user is a party of it.

    Both in the same words: nobody learns in this way that there is something about themselves.
    """
    kind, mine = subject_kind(about), accounts_of(by)
    what = kind.find([key]).get(key)
    if what is None or any(one.pk in mine for one in kind.parties(what)):
        told = (
            gettext(
                "%(noun)s %(number)d doesn’t exist, or is about you. If it is about you, ask a colleague."
            )
            if mine
            else gettext("%(noun)s %(number)d doesn’t exist.")
        )
        raise ValidationError(told % {"noun": kind.noun, "number": key})


def open_for_login(*, account: Account, member: Member, text: str, at: datetime) -> Case:
    """Open the case of somebody who is logged in at the arena and asks for the login of a member here.

    An officer who believes it invites the member to the address that the case names. If a case is open
    already, perhaps by somebody else, the request is added to it.
    """
    if not may_be_invited(member):
        raise ValidationError(gettext("%(member)s already has a login, or has left.") % {"member": member})
    told = gettext(
        "“%(name)s” (%(subject)s at the arena) has requested a login. Email address: %(email)s."
    ) % {
        "name": account.username,
        "subject": account.subject,
        "email": account.email or gettext("none confirmed by the arena"),
    }
    if composed(account.username) != composed(member.username):
        doubt = gettext("The member’s username is “%(username)s”, so this may be a different person.")
        told = f"{told} {doubt % {'username': member.username}}"
    told = f"{told}\n\n{text}".strip()
    try:
        return open_by_member(about=MEMBER, key=member.pk, member=member, text=told, at=at)
    except AlreadyOpenError as same:
        # Unless the button was pressed twice.
        if not same.case.entries.filter(text=told).exists():
            reply(same.case, text=told, at=at)
        return same.case


def open_case_of(about: str, key: int, member: Member | None) -> Case | None:
    """Return the open case of a member about a subject, or of the office for None."""
    return Case.objects.open().about(about, key).filter(opener=member).first()


def _open(*, text: str, at: datetime, **fields: Any) -> Case:
    case = Case(
        **fields,
        opened_at=at,
        deadline=at + timedelta(days=settings.CASE_DAYS),
        language=get_language() or settings.LANGUAGE_CODE,
    )
    try:
        with transaction.atomic():
            case.save()
            _note(case, _What.ASKED, case.opened_by, at, text)
    except IntegrityError:
        # Two officers at once: the constraint lets one of them through.
        same = open_case_of(case.about, case.key, case.opener)
        if same is None:
            raise
        raise AlreadyOpenError(same) from None
    return case


def claim(case: Case, *, by: Any, at: datetime) -> None:
    """Claim the case. If two people do so at once, one of them gets it and the other is told who."""
    _refuse_own(case, by)
    with transaction.atomic():
        if Case.objects.open().filter(pk=case.pk, owner=None).update(owner=by):
            _note(case, _What.CLAIMED, by, at)
            return
    now = Case.objects.select_related("owner").get(pk=case.pk)
    if now.state != Case.State.OPEN:
        raise ValidationError(_not_open(now))
    raise ValidationError(gettext("%(owner)s has claimed %(case)s.") % {"case": now, "owner": now.owner})


def release(case: Case, *, by: Any, at: datetime) -> None:
    """Release the case for others. Anybody may, because its owner may be away; the entry says who did."""
    with _locked(case) as stored:
        if stored.owner_id is None:
            raise ValidationError(gettext("Nobody has claimed %(case)s.") % {"case": stored})
        stored.owner = None
        stored.save(update_fields=["owner"])
        _note(stored, _What.RELEASED, by, at)


def answer(case: Case, *, by: Any, text: str, at: datetime, link: str) -> None:
    """Send a message to whoever opened the case. ``link``: the address of the case, for the mail."""
    with _locked(case, owner=by) as stored:
        if stored.opener is None:
            raise ValidationError(gettext("No member opened this case, so nobody would read the message."))
        _note(stored, _What.ANSWERED, by, at, text)
        if _tell(stored, at):
            mail_answer(stored, text, link)


def note(case: Case, *, by: Any, text: str, at: datetime) -> None:
    """Add a note for staff, even to a closed case."""
    _note(case, _What.NOTED, by, at, text)


def reply(case: Case, *, text: str, at: datetime) -> None:
    """Add a message from the member who opened the case."""
    with _locked(case) as stored:
        latest = stored.entries.filter(what__in=(_What.ASKED, _What.ANSWERED)).order_by("-pk")[:UNANSWERED]
        said = list(latest.values_list("what", flat=True))
        if said.count(_What.ASKED) == UNANSWERED:
            raise ValidationError(gettext("Please wait for our reply before you write again."))
        _note(stored, _What.ASKED, None, at, text)


def withdraw(case: Case, *, at: datetime) -> None:
    """Withdraw the case, as whoever opened it."""
    with _locked(case) as stored:
        stored.state, stored.closed_at = Case.State.WITHDRAWN, at
        stored.save(update_fields=["state", "closed_at"])


def decide(
    case: Case,
    *,
    by: Any,
    decision: str,
    public_reasons: str,
    staff_reasons: str,
    change_set: ChangeSet | None,
    at: datetime,
    link: str,
) -> None:
    """Close the case with a decision, and notify whoever opened it.

    ``change_set`` carried it out: it must be about the case, applied, in the register and not undone.
    """
    with _locked(case, owner=by) as stored:
        stored.state, stored.closed_at = Case.State.DECIDED, at
        _set_decision(stored, by, decision, public_reasons, staff_reasons, change_set)
        if _tell(stored, at):
            mail_decision(stored, link)


def correct(
    case: Case,
    *,
    by: Any,
    corrections: int,
    decision: str,
    public_reasons: str,
    staff_reasons: str,
    change_set: ChangeSet | None,
    at: datetime,
    link: str,
) -> None:
    """Correct the decision of a case, and notify whoever opened it. What it said before stays in the case.

    ``corrections``: how many there were when the form was opened. Refused if there is another one since.
    """
    with transaction.atomic():
        stored = lock_row(Case.objects, case.pk)
        if stored.state != Case.State.DECIDED:
            raise ValidationError(gettext("%(case)s isn’t decided.") % {"case": stored})
        _refuse_own(stored, by)
        if stored.corrections != corrections:
            told = gettext("%(who)s has corrected this decision since you opened it. Open it again.")
            raise ValidationError(told % {"who": stored.decided_by})
        said = (decision, public_reasons, staff_reasons, change_set)
        if said == (stored.decision, stored.public_reasons, stored.staff_reasons, stored.change_set):
            raise ValidationError(gettext("The decision already says this."))
        _note(stored, _What.CORRECTED, by, at, stored.decision)
        _note(stored, _What.NOTED, by, at, _said_before(stored))
        _set_decision(stored, by, *said)
        if _tell(stored, at):
            mail_correction(stored, link)


def _said_before(case: Case) -> str:
    """Return what staff need to know of a decision that is corrected."""
    said = [gettext("Previously decided by %(who)s.") % {"who": case.decided_by}]
    if case.public_reasons:
        said.append(f"{gettext('Public reasons')}: {case.public_reasons}")
    if case.staff_reasons:
        said.append(f"{gettext('Reasons (staff only)')}: {case.staff_reasons}")
    if case.change_set is not None:
        said.append(case.change_set.for_staff)
    return "\n".join(said)


def _set_decision(
    case: Case, by: Any, decision: str, public_reasons: str, staff_reasons: str, change_set: ChangeSet | None
) -> None:
    """Set the decision of a locked case. Raises ValidationError for names, or for another change set."""
    _check_public_reasons(case, public_reasons)
    if change_set is not None:
        # Locked, so that nobody undoes it meanwhile.
        lock_row(ChangeSet.objects, change_set.pk)
        try:
            find_change_set(case, change_set.pk)
        except ValidationError as refusal:
            raise ValidationError({"change_set": refusal.messages}) from None
    case.decided_by, case.decision, case.public_reasons = by, decision, public_reasons
    case.staff_reasons, case.change_set = staff_reasons, change_set
    case.save()


def change_sets_about(case: Case) -> QuerySet[ChangeSet]:
    """Return the change sets of the register that concern the case and weren't undone, latest first."""
    undone = ChangeSet.objects.applied().filter(undoes__isnull=False).order_by().values("undoes")
    return ChangeSet.objects.public().concerning(_concerned(case)).exclude(pk__in=undone)


def find_change_set(case: Case, number: int) -> ChangeSet:
    """Return the change set with this number. Raises ValidationError unless it may carry the decision out."""
    told = {"number": number, "case": case}
    found = ChangeSet.objects.public().filter(pk=number)
    if not found:
        raise ValidationError(
            gettext("Change set %(number)d isn’t in the register. Has it been applied?") % told
        )
    if found[0].undone_by.applied().exists():
        raise ValidationError(gettext("Change set %(number)d was reversed.") % told)
    if not found.concerning(_concerned(case)):
        refusal = gettext(
            "Change set %(number)d isn’t about %(case)s: it doesn’t name anything in the case, and didn’t "
            "change any of its ratings."
        )
        raise ValidationError(refusal % told)
    return found[0]


def _concerned(case: Case) -> list[Any]:
    """Return whoever opened the case, and what it is about."""
    about = [] if case.subject is None else list(case.kind.concerned(case.subject))
    return about if case.opener is None or case.opener in about else [*about, case.opener]


def _tell(case: Case, at: datetime) -> bool:
    """Notify whoever opened the case on the site. Return True if they should get a mail as well."""
    if case.opener is None:
        return True
    told: list[tuple[Any, Any]] = member_answered.send(
        Case, member=case.opener, number=case.pk, address=case.get_absolute_url(), at=at
    )
    return all(wants is not False for _receiver, wants in told)


def _check_public_reasons(case: Case, text: str) -> None:
    """Raise ValidationError if public text names somebody whom the case concerns."""
    concerned = [] if case.subject is None else list(case.kind.parties(case.subject))
    if case.opener is not None and case.opener not in concerned:
        concerned.append(case.opener)
    if names := named_in(text, concerned):
        told = gettext("This is public, so please don’t name anybody. Remove %(names)s.")
        quoted = ", ".join(f"“{name}”" for name in names)
        raise ValidationError({"public_reasons": told % {"names": quoted}})


@contextmanager
def _locked(case: Case, *, owner: Any = None) -> Iterator[Case]:
    """Lock an open case and yield it as it is stored now. It must be owned by ``owner``, if given."""
    with transaction.atomic():
        stored = lock_row(Case.objects, case.pk)
        if stored.state != Case.State.OPEN:
            raise ValidationError(_not_open(stored))
        if owner is not None and stored.owner_id != owner.pk:
            raise ValidationError(gettext("Claim %(case)s first.") % {"case": stored})
        if owner is not None:
            _refuse_own(stored, owner)
        yield stored


def _refuse_own(case: Case, by: Any) -> None:
    """Raise ValidationError if a user opened the case, or is a party of it."""
    if not Case.objects.filter(pk=case.pk).shown_to(by).exists():
        told = gettext("You opened this case, or it is about you, so a colleague has to decide it.")
        raise ValidationError(told)


def _not_open(case: Case) -> str:
    words = {"case": case, "state": case.get_state_display()}
    return gettext("%(case)s is %(state)s, so it can’t be changed.") % words


def _note(case: Case, what: CaseEntry.What, by: Any, at: datetime, text: str = "") -> None:
    CaseEntry.objects.create(case=case, what=what, by=by, at=at, text=text)


@knows_cases
def keys_of_subjects(name: str) -> set[int]:
    """Return the keys of the subjects of a kind that have a case."""
    return set(Case.objects.filter(about=name).order_by().values_list("key", flat=True))


def address_of_opener(case: Case) -> str:
    """Return the mail address of whoever opened the case, or "" if none is known."""
    user = case.opener and case.opener.user
    return user.email if user and user.is_active else ""


def mail_answer(case: Case, text: str, link: str) -> None:
    """Mail a message of the office once it is committed."""
    with override(case.language):
        subject = gettext("Case %(number)d: you have a reply") % {"number": case.pk}
    _mail(case, subject, text, link)


def mail_decision(case: Case, link: str) -> None:
    """Mail the decision once it is committed."""
    with override(case.language):
        subject = gettext("Case %(number)d is decided") % {"number": case.pk}
    _mail(case, subject, case.decision, link)


def mail_correction(case: Case, link: str) -> None:
    """Mail the corrected decision once it is committed."""
    with override(case.language):
        subject = gettext("Case %(number)d: the decision was corrected") % {"number": case.pk}
    _mail(case, subject, case.decision, link)


def _mail(case: Case, subject: str, text: str, link: str) -> None:
    # Without an address, Django sends nothing.
    to = address_of_opener(case)
    with override(case.language):
        read = gettext("Read it and reply here: %(link)s") % {"link": link}

    def send() -> None:
        send_mail(subject, f"{text}\n\n{read}\n", settings.DEFAULT_FROM_EMAIL, [to])

    # Robust: if no mail gets out, the answer stays stored and the failure is logged.
    transaction.on_commit(send, robust=True)


_COLOURS: Final = {"WHITE", "BLACK"}
"""Last names, but also what everybody calls the players of a game."""


def named_in(text: str, members: Collection[Any]) -> list[str]:
    """Return these members' names and usernames that a text has as words, ignoring case and accents."""
    words = folded(text)
    return [
        name
        for member in members
        for name in _names(member)
        if re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", words)
    ]


def _names(member: Any) -> Iterator[str]:
    yield member.username
    last, _, first = (part.strip() for part in member.name.partition(","))
    if last and folded(last) not in _COLOURS:
        yield last
    elif last and first:
        yield from (f"{first} {last}", f"{last}, {first}")
