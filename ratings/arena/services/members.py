"""Members as a game server says they are: what moves no rating at once, the rest by a decision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foa.text import points
from members.comparing import MemberUpdate, begin_of
from members.inviting import invite, is_invited, may_be_invited
from members.models import FullMembership, Member
from members.usernames import composed
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
    """A member as stored. ``decisions``: those of the request's parts that could move ratings."""

    member: Member
    is_new: bool
    decisions: tuple[ChangeSet, ...] = ()

    @property
    def waits(self) -> bool:
        """True if a person has to confirm a part of it."""
        return any(one.state != ChangeSet.State.APPLIED for one in self.decisions)


class _MovesRatingsError(Exception):
    """What was done touches games, so it is taken back and decided."""


def waiting_for(member: Member) -> QuerySet[ChangeSet]:
    """Return what servers said of a member and a person has to confirm, oldest first."""
    kinds = (ChangeMember.name, EnterOpening.name)
    about = ChangeSet.objects.open().filter(kind__in=kinds, parameters__member=[str(member.pk)])
    return about.exclude(proposed_as="").order_by("pk")


def put_member(
    server: GameServer,
    username: str,
    *,
    facts: Mapping[str, Any],
    spans: Collection[Span] | None,
    openings: Collection[Mapping[str, Any]] = (),
) -> MemberPut:
    """Make a member what the server says; what it doesn't say stays as it is.

    ``facts``: some of ``members.importing.FACTS``. ``spans``: all spans of full membership, None for those
    that are stored. ``openings``: category, rating, games, previously_unrated and effective_at of each
    starting rating. The username in another writing is the same member. Other spans that concern games, the
    FIDE ID of somebody who has played (RBB 3.4) and starting ratings are decisions: applied at once for a
    trusted server, else they wait, and replace what waited from this server. Raises ValidationError with the
    field.
    """
    try:
        return _put(server, username, facts, spans, openings)
    except IntegrityError:
        # Somebody else has stored this username or FIDE ID meanwhile.
        return _put(server, username, facts, spans, openings)


@transaction.atomic
def _put(
    server: GameServer,
    username: str,
    facts: Mapping[str, Any],
    spans: Collection[Span] | None,
    openings: Collection[Mapping[str, Any]],
) -> MemberPut:
    locked = Member.objects.select_for_update(no_key=True)
    found = [one for _username, one in locked.by_username([username])]
    if len(found) > 1:
        raise ValidationError({"username": _("Several members have this username. Write to the office.")})
    member = found[0] if found else Member(username=composed(username))
    held = sorted(FullMembership.objects.spans_of([member.pk])[member.pk], key=begin_of) if found else []
    after = held if spans is None else sorted(spans, key=begin_of)
    changed = {name: (was, value) for name, value in facts.items() if (was := getattr(member, name)) != value}
    _check(member, changed)
    decided = {"fide_id": changed.pop("fide_id")} if "fide_id" in changed and _has_played(member) else {}
    if not _done_at_once(server, MemberUpdate(member, not found, changed, held, after)):
        _done_at_once(server, MemberUpdate(member, not found, changed, held, held))
        decided["spans"] = held, after
    decision = _decide(server, member, decided) if decided else None
    if spans is not None or "fide_id" in facts:
        said_before = waiting_for(member).filter(kind=ChangeMember.name, proposed_as=_user(server))
        for earlier in said_before.exclude(pk=decision.pk) if decision else said_before:
            withdraw(earlier)
    entered = [one for said in openings if (one := _enter_opening(server, member, said))]
    member.refresh_from_db()
    return MemberPut(member, not found, tuple(filter(None, (decision, *entered))))


def invite_for(server: GameServer, member: Member, email: str, language: str) -> None:
    """Invite a member by mail, unless they have a login, are invited already, or too many were today."""
    now = timezone.now()
    if may_be_invited(member) and not is_invited(member, now):
        with suppress(ValidationError):
            invite(member=member, email=email, by=_user(server), language=language, at=now)


def _check(member: Member, changed: Mapping[str, tuple[Any, Any]]) -> None:
    """Refuse what no member can be; raises ValidationError with the field."""
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
    """Return whether there is anything that a FIDE ID could bear on: games, or a first rating."""
    if member.pk is None:
        return False
    openings = OpeningRating.objects.filter(member=member)
    return Game.objects.of(member.pk).exists() or openings.exists()


def _done_at_once(server: GameServer, update: MemberUpdate) -> bool:
    """Store it if it concerns no game; False, and nothing done, if it does."""
    try:
        with transaction.atomic():
            done = update_members(updates=[update], note=_user(server))
            if done.replayed.moved or any(one and (one.unrated or one.rated) for _update, one in done.done):
                raise _MovesRatingsError
    except _MovesRatingsError:
        return False
    except ValidationError as error:
        raise ValidationError({"spans": error.messages}) from None
    return True


def _decide(server: GameServer, member: Member, decided: Mapping[str, tuple[Any, Any]]) -> ChangeSet | None:
    """Propose FIDE ID and spans together, or change them where the office trusts the server."""
    fide_id = decided.get("fide_id", (None, member.fide_id))[1]
    stored = FullMembership.objects.spans_of([member.pk])[member.pk]
    spans = decided.get("spans", (None, sorted(stored, key=begin_of)))[1]
    asked = {
        "member": [str(member.pk)],
        "fide_id": [str(fide_id)] if fide_id else [],
        "span": span_texts(spans),
        "rate_games": ["on"],
    }
    decision, _effect = decide_at_once(
        Proposal(
            kind=kind_of(ChangeMember.name),
            parameters={name: values for name, values in asked.items() if values},
            system_user=_user(server),
            waits=not server.trusted,
        )
    )
    return decision


def _enter_opening(server: GameServer, member: Member, said: Mapping[str, Any]) -> ChangeSet | None:
    """Enter a starting rating, or propose it; None where it is stored. Replaces one that waited."""
    opening = OpeningRating(member=member, source=_user(server), **said)
    there = OpeningRating.objects.filter(
        member=member, category=opening.category, effective_at=opening.effective_at
    ).first()
    if there is not None:
        if all(getattr(there, name) == value for name, value in said.items()):
            return None
        told = _("The member started with %(rating)s at this moment. Ask the office to correct it.")
        raise ValidationError({"opening_ratings": told % {"rating": points(there.rating)}})
    parameters = parameters_of(opening, EnterOpening.fields)
    said_before = waiting_for(member).filter(
        kind=EnterOpening.name,
        proposed_as=_user(server),
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
                system_user=_user(server),
                waits=not server.trusted,
            )
        )
    except ValidationError as error:
        raise ValidationError({"opening_ratings": error.messages}) from None
    return decision


def _user(server: GameServer) -> str:
    return f"server {server}"
