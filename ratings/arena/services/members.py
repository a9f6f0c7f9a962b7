"""Members as game servers report them. What moves no rating is stored at once; the rest is decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foa.db_errors import again_after_conflicts
from foa.spreadsheet import csv_pieces
from foa.text import utc_text
from members.comparing import MemberUpdate, begin_of
from members.former import accounts_called
from members.inviting import invite, is_invited, may_be_invited
from members.models import FullMembership, Member
from members.usernames import composed, fault_in, key_of
from ratings.arena.models import GameServer
from ratings.office.deciding import Proposal, decide_at_once, withdraw
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.office.uploads import discard, keep_for_decision
from ratings.rbb.decisions.importing import ImportOpenings
from ratings.rbb.decisions.inputs import EnterOpening, parameters_of
from ratings.rbb.decisions.members import ChangeMember
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.ledger.openings import COLUMNS, OPTIONAL_COLUMNS
from ratings.rbb.member_files import update_members
from ratings.rbb.memberships import check_spans
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.rbb.conditions import Span

MOST_ALONE: Final = 500
"""Maximum number of members of one request that are looked at one by one, because games depend on them."""


class SentMember(NamedTuple):
    """A member as a server reports them. What it leaves out stays unchanged.

    ``facts``: some of ``members.importing.FACTS``. ``spans``: all spans of full membership, None to keep
    those stored. ``openings``: category, rating, games, previously_unrated and effective_at of each starting
    rating.
    """

    username: str
    facts: Mapping[str, Any]
    spans: Collection[Span] | None = None
    openings: Sequence[Mapping[str, Any]] = ()


class MemberPut(NamedTuple):
    """A member as stored. ``decisions``: those for the parts of the request that could move ratings.

    ``changed``: something is stored that wasn't.
    """

    member: Member
    is_new: bool
    changed: bool = False
    decisions: tuple[ChangeSet, ...] = ()

    @property
    def waits(self) -> bool:
        """True if a person has to confirm a part of it."""
        return any(one.state != ChangeSet.State.APPLIED for one in self.decisions)


def waiting_for(member: Member) -> QuerySet[ChangeSet]:
    """Return the waiting decisions from servers about a member, oldest first."""
    kinds = (ChangeMember.name, EnterOpening.name)
    about = ChangeSet.objects.open().filter(kind__in=kinds, parameters__member=[str(member.pk)])
    return about.exclude(proposed_as="").order_by("pk")


# Somebody else may store this username or FIDE ID at the same time.
@again_after_conflicts
@transaction.atomic
def put_member(server: GameServer, sent: SentMember) -> MemberPut:
    """Update a member from a server's report.

    A different spelling of the username means the same member. Changed spans that affect games, the FIDE ID
    of a member who has played (RBB 3.4), and starting ratings are decisions. For a trusted server they are
    applied at once; otherwise they wait, and replace earlier waiting ones from this server. Raises
    ValidationError with the field.
    """
    (update,) = _compared([sent])
    if isinstance(update, ValidationError):
        raise update
    member, facts = update.member, update.facts
    decided = {"fide_id": facts.pop("fide_id")} if "fide_id" in facts and _has_played(member) else {}
    if not _done_at_once(server, update):
        held, after = update.before, update.spans
        update.spans = held
        _done_at_once(server, update)
        decided["spans"] = held, after
    decision = _decide(server, member, decided, update.account) if decided else None
    if sent.spans is not None or "fide_id" in sent.facts:
        said_before = waiting_for(member).filter(kind=ChangeMember.name, proposed_as=server.system_user)
        for earlier in said_before.exclude(pk=decision.pk) if decision else said_before:
            withdraw(earlier)
    entered = [one for said in sent.openings if (one := _enter_opening(server, member, said, update.account))]
    member.refresh_from_db()
    decisions = tuple(filter(None, (decision, *entered)))
    return MemberPut(member, update.is_new, _changes(update) or bool(decisions), decisions)


def put_members(
    server: GameServer, sent: Mapping[int, SentMember]
) -> dict[int, MemberPut | ValidationError | None]:
    """Update many members; return the outcome for each key. None: more than MOST_ALONE need a look each.

    New members, what changes of others without concerning a game, and the starting ratings of members who
    have none in their category are stored in one transaction, and the starting ratings are one decision. All
    others are put one by one, after them.
    """
    apart: set[int] = set()
    while True:
        try:
            done, alone = _put_together(server, sent, apart)
            break
        except _RefusedTogetherError as error:
            apart |= error.keys
    outcome: dict[int, MemberPut | ValidationError | None] = {**done}
    for number, key in enumerate(alone):
        try:
            outcome[key] = put_member(server, sent[key]) if number < MOST_ALONE else None
        except ValidationError as error:
            outcome[key] = error
    return outcome


@again_after_conflicts
@transaction.atomic
def _put_together(
    server: GameServer, sent: Mapping[int, SentMember], apart: Set[int]
) -> tuple[dict[int, MemberPut | ValidationError], list[int]]:
    """Store what concerns no game; return that, and the keys of the others, among them those ``apart``.

    Raises _RefusedTogetherError, and nothing is stored.
    """
    done: dict[int, MemberPut | ValidationError] = {}
    alone: list[int] = []
    together: dict[int, MemberUpdate] = {}
    openings: list[tuple[int, Mapping[str, Any]]] = []
    taken: set[Any] = set()
    said_before = ChangeSet.objects.open().filter(kind=ChangeMember.name, proposed_as=server.system_user)
    waiting = {
        text
        for parameters in said_before.values_list("parameters", flat=True)
        for text in parameters["member"]
    }
    compared = dict(zip(sent, _compared(sent.values()), strict=True))
    stored = _openings_of(one.member.pk for one in compared.values() if isinstance(one, MemberUpdate))
    for key, update in compared.items():
        if isinstance(update, ValidationError):
            done[key] = update
            continue
        names = {key_of(sent[key].username), update.facts.get("fide_id", (None, None))[1]} - {None}
        new = _new_openings(sent[key].openings, stored[update.member.pk])
        waits = str(update.member.pk) in waiting
        if key in apart or names & taken or new is None or waits or not _concerns_nothing(update):
            alone.append(key)
        else:
            together[key] = update
            openings += [(key, one) for one in new]
        taken |= names
    update_members(
        updates=[one for one in together.values() if _changes(one)],
        note=server.system_user,
    )
    decision = _enter_openings(server, [(key, together[key].member, said) for key, said in openings])
    entered = {key for key, _said in openings}
    for key, update in together.items():
        decisions = (decision,) if decision is not None and key in entered else ()
        done[key] = MemberPut(update.member, update.is_new, _changes(update) or bool(decisions), decisions)
    return done, alone


def invite_for(server: GameServer, member: Member, email: str, language: str) -> None:
    """Invite a member by mail, unless they have a login or an invitation, or today's limit is reached."""
    now = timezone.now()
    if may_be_invited(member) and not is_invited(member, now):
        with suppress(ValidationError):
            invite(member=member, email=email, by=server.system_user, language=language, at=now)


def _compared(sent: Collection[SentMember]) -> list[MemberUpdate | ValidationError]:
    """Lock the members and return what each report changes, or why it can't."""
    usernames = [one.username for one in sent]
    found: defaultdict[str, list[Member]] = defaultdict(list)
    for username, member in Member.objects.select_for_update(no_key=True).by_username(usernames):
        found[key_of(username)].append(member)
    held = FullMembership.objects.spans_of(one.pk for some in found.values() for one in some)
    former = [
        username
        for username in usernames
        if any(one.username_key != key_of(username) for one in found[key_of(username)])
    ]
    accounts = accounts_called(former)
    fide_ids = {one.facts["fide_id"] for one in sent if one.facts.get("fide_id")}
    holders = {
        one.fide_id: one for one in Member.objects.filter(fide_id__in=fide_ids).only("fide_id", "username")
    }
    compared: list[MemberUpdate | ValidationError] = []
    for one in sent:
        key, some = key_of(one.username), found[key_of(one.username)]
        try:
            if len(some) > 1:
                told = _("Several members have this username. Contact us.")
                raise ValidationError({"username": told})
            member = some[0] if some else Member(username=composed(one.username))
            before = held.get(member.pk, [])
            after = before if one.spans is None else sorted(one.spans, key=begin_of)
            changed = {
                name: (was, value)
                for name, value in one.facts.items()
                if (was := getattr(member, name)) != value
            }
            _check(member, changed, after, holders)
            compared.append(MemberUpdate(member, not some, changed, before, after, accounts.get(key)))
        except ValidationError as error:
            compared.append(error)
    return compared


def _check(
    member: Member,
    changed: Mapping[str, tuple[Any, Any]],
    spans: list[Span],
    holders: Mapping[int | None, Member],
) -> None:
    """Refuse invalid facts; raises ValidationError with the field."""
    said = Member(
        username=member.username, pk=member.pk, **{name: value for name, (_was, value) in changed.items()}
    )
    said.clean_fields(exclude={"user"})
    said.clean_name()
    # Nobody has or had the username of a new member.
    if member.pk is None and (fault := fault_in(member.username)):
        raise ValidationError({"username": str(fault)})
    holder = holders.get(said.fide_id)
    if holder is not None and holder.pk != member.pk:
        told = _("FIDE ID %(fide_id)s already belongs to “%(username)s”.")
        raise ValidationError({"fide_id": told % {"fide_id": said.fide_id, "username": holder.username}})
    try:
        check_spans(spans)
    except ValidationError as error:
        raise ValidationError({"spans": error.messages}) from None


def _changes(update: MemberUpdate) -> bool:
    return update.is_new or bool(update.facts) or update.before != update.spans


def _concerns_nothing(update: MemberUpdate) -> bool:
    """Return whether no game can depend on what a report changes."""
    is_same = "fide_id" not in update.facts and update.before == update.spans
    return update.is_new or (is_same and update.account is None)


def _has_played(member: Member) -> bool:
    """Return whether a FIDE ID could matter to anything: games, or a first rating."""
    if member.pk is None:
        return False
    openings = OpeningRating.objects.filter(member=member)
    return Game.objects.of(member.pk).exists() or openings.exists()


def _done_at_once(server: GameServer, update: MemberUpdate) -> bool:
    """Store the update if it affects no game; otherwise return False with nothing stored."""
    try:
        with transaction.atomic():
            done = update_members(updates=[update], note=server.system_user)
            concerned = any(one and (one.unrated or one.rated) for _update, one in done.done)
            moves_ratings = bool(done.replayed.moved or concerned)
            transaction.set_rollback(moves_ratings)
    except ValidationError as error:
        raise ValidationError({"spans": error.messages}) from None
    return not moves_ratings


def _decide(
    server: GameServer, member: Member, decided: Mapping[str, tuple[Any, Any]], account: int | None
) -> ChangeSet | None:
    """Propose FIDE ID and spans together, or change them if the office trusts the server."""
    fide_id = decided.get("fide_id", (None, member.fide_id))[1]
    stored = FullMembership.objects.spans_of([member.pk])[member.pk]
    spans = decided.get("spans", (None, stored))[1]
    asked = {
        "member": [str(member.pk)],
        "fide_id": [str(fide_id)] if fide_id else [],
        "span": span_texts(spans),
        "rate_games": ["on"],
        "account": [str(account)] if account is not None else [],
    }
    decision, _effect = decide_at_once(
        Proposal(
            kind=kind_of(ChangeMember.name),
            parameters={name: values for name, values in asked.items() if values},
            system_user=server.system_user,
            waits=not server.trusted,
        )
    )
    return decision


def _enter_opening(
    server: GameServer, member: Member, said: Mapping[str, Any], account: int | None
) -> ChangeSet | None:
    """Enter or propose a starting rating, replacing one that waited; return None if it is already stored."""
    opening = OpeningRating(member=member, source=server.system_user, **said)
    there = OpeningRating.objects.filter(member=member, category=opening.category)
    if any(all(getattr(one, name) == value for name, value in said.items()) for one in there):
        return None
    parameters = parameters_of(opening, EnterOpening.fields)
    if account is not None:
        parameters["account"] = [str(account)]
    said_before = waiting_for(member).filter(
        kind=EnterOpening.name,
        proposed_as=server.system_user,
        parameters__category=parameters["category"],
        parameters__effective_at=parameters["effective_at"],
    )
    for earlier in said_before:
        if earlier.parameters == parameters:
            return earlier
        withdraw(earlier)
    try:
        decision, _effect = decide_at_once(
            Proposal(
                kind=kind_of(EnterOpening.name),
                parameters=parameters,
                system_user=server.system_user,
                waits=not server.trusted,
            )
        )
    except ValidationError as error:
        raise ValidationError({"opening_ratings": error.messages}) from None
    return decision


def _openings_of(members: Iterable[int | None]) -> defaultdict[int | None, list[OpeningRating]]:
    """Return the starting ratings of these members."""
    found: defaultdict[int | None, list[OpeningRating]] = defaultdict(list)
    for one in OpeningRating.objects.filter(member__in=set(members) - {None}):
        found[one.member_id].append(one)
    return found


def _new_openings(
    sent: Sequence[Mapping[str, Any]], stored: Sequence[OpeningRating]
) -> list[Mapping[str, Any]] | None:
    """Return the starting ratings to be entered; None if one may contradict another, or lies ahead."""
    new: list[Mapping[str, Any]] = []
    for said in sent:
        there = [one for one in stored if one.category == said["category"]]
        if any(all(getattr(one, name) == value for name, value in said.items()) for one in there):
            continue
        if there or any(one["category"] == said["category"] for one in new):
            return None
        if said["effective_at"] > timezone.now():
            return None
        new.append(said)
    return new


class _RefusedTogetherError(Exception):
    """An error for starting ratings that a file of them doesn't take. ``keys``: those of their members."""

    def __init__(self, keys: Set[int]) -> None:
        super().__init__()
        self.keys = keys


def _enter_openings(
    server: GameServer, openings: Sequence[tuple[int, Member, Mapping[str, Any]]]
) -> ChangeSet | None:
    """Enter or propose the first starting ratings of many members, as one file of them.

    Raises _RefusedTogetherError with the keys that came with the members.
    """
    if not openings:
        return None
    rows = (
        (
            member.username,
            said["category"].slug,
            str(said["rating"]),
            utc_text(said["effective_at"]),
            str(said["games"]),
            "yes" if said["previously_unrated"] else "no",
        )
        for _key, member, said in openings
    )
    content = "".join(csv_pieces((*COLUMNS, *OPTIONAL_COLUMNS), rows)).encode()
    waiting = ChangeSet.objects.open().filter(
        kind=ImportOpenings.name,
        proposed_as=server.system_user,
        parameters__sha256=[sha256(content).hexdigest()],
    )
    if (same := waiting.first()) is not None:
        return same
    kept = keep_for_decision(content, server.system_user)
    try:
        decision, effect = decide_at_once(
            Proposal(
                kind=kind_of(ImportOpenings.name),
                parameters={name: [value] for name, value in kept.items()},
                system_user=server.system_user,
                waits=not server.trusted,
            )
        )
        if effect.report.refused:
            # The first line has the names of the columns.
            raise _RefusedTogetherError({openings[one.line - 2][0] for one in effect.report.refused})
    except BaseException:
        discard(kept["upload"])
        raise
    return decision
