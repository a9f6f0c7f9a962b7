"""Members as game servers report them. What moves no rating is stored at once; the rest is decided."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foa.db_errors import again_after_conflicts
from foa.text import points
from members.comparing import MemberUpdate, begin_of
from members.former import accounts_called
from members.inviting import invite, is_invited, may_be_invited
from members.models import FullMembership, Member
from members.usernames import composed, key_of
from ratings.arena.models import GameServer
from ratings.office.deciding import Proposal, decide_at_once, withdraw
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.inputs import EnterOpening, parameters_of
from ratings.rbb.decisions.members import ChangeMember
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.member_files import update_members
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.rbb.conditions import Span


class MemberPut(NamedTuple):
    """A member as stored. ``decisions``: those for the parts of the request that could move ratings."""

    member: Member
    is_new: bool
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
def put_member(
    server: GameServer,
    username: str,
    *,
    facts: Mapping[str, Any],
    spans: Collection[Span] | None,
    openings: Collection[Mapping[str, Any]] = (),
) -> MemberPut:
    """Update a member from a server's report. What the report leaves out stays unchanged.

    ``facts``: some of ``members.importing.FACTS``. ``spans``: all spans of full membership, None to keep
    those stored. ``openings``: category, rating, games, previously_unrated and effective_at of each starting
    rating. A different spelling of the username means the same member. Changed spans that affect games, the
    FIDE ID of a member who has played (RBB 3.4), and starting ratings are decisions. For a trusted server
    they are applied at once; otherwise they wait, and replace earlier waiting ones from this server. Raises
    ValidationError with the field.
    """
    locked = Member.objects.select_for_update(no_key=True)
    found = [one for _username, one in locked.by_username([username])]
    if len(found) > 1:
        raise ValidationError({"username": _("Several members have this username. Write to the office.")})
    member = found[0] if found else Member(username=composed(username))
    is_former = bool(found) and member.username_key != key_of(username)
    account = accounts_called([username]).get(key_of(username)) if is_former else None
    held = FullMembership.objects.spans_of([member.pk])[member.pk] if found else []
    after = held if spans is None else sorted(spans, key=begin_of)
    changed = {name: (was, value) for name, value in facts.items() if (was := getattr(member, name)) != value}
    _check(member, changed)
    decided = {"fide_id": changed.pop("fide_id")} if "fide_id" in changed and _has_played(member) else {}
    if not _done_at_once(server, MemberUpdate(member, not found, changed, held, after, account)):
        _done_at_once(server, MemberUpdate(member, not found, changed, held, held, account))
        decided["spans"] = held, after
    decision = _decide(server, member, decided, account) if decided else None
    if spans is not None or "fide_id" in facts:
        said_before = waiting_for(member).filter(kind=ChangeMember.name, proposed_as=server.system_user)
        for earlier in said_before.exclude(pk=decision.pk) if decision else said_before:
            withdraw(earlier)
    entered = [one for said in openings if (one := _enter_opening(server, member, said, account))]
    member.refresh_from_db()
    return MemberPut(member, not found, tuple(filter(None, (decision, *entered))))


def invite_for(server: GameServer, member: Member, email: str, language: str) -> None:
    """Invite a member by mail, unless they have a login or an invitation, or today's limit is reached."""
    now = timezone.now()
    if may_be_invited(member) and not is_invited(member, now):
        with suppress(ValidationError):
            invite(member=member, email=email, by=server.system_user, language=language, at=now)


def _check(member: Member, changed: Mapping[str, tuple[Any, Any]]) -> None:
    """Refuse invalid facts; raises ValidationError with the field."""
    said = Member(
        username=member.username, pk=member.pk, **{name: value for name, (_was, value) in changed.items()}
    )
    said.clean_fields(exclude={"user"})
    said.clean()
    fide_id = said.fide_id
    holder = Member.objects.filter(fide_id=fide_id).exclude(pk=member.pk).first() if fide_id else None
    if holder is not None:
        told = _("FIDE ID %(fide_id)s already belongs to “%(username)s”.")
        raise ValidationError({"fide_id": told % {"fide_id": fide_id, "username": holder.username}})


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
    there = OpeningRating.objects.filter(
        member=member, category=opening.category, effective_at=opening.effective_at
    ).first()
    if there is not None:
        if all(getattr(there, name) == value for name, value in said.items()):
            return None
        told = _("The member started with %(rating)s at this moment. Ask the office to correct it.")
        raise ValidationError({"opening_ratings": told % {"rating": points(there.rating)}})
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
