"""Undoing the import of a file: deleting its games and members, unless something else uses them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from foa.history import name_author
from members.models import FullMembership, Member
from ratings.office.bulk import batches
from ratings.office.relations import relations_to
from ratings.office.subjects import MEMBER, keys_of_cases
from ratings.rbb.ledger.locks import lock_imports, lock_members
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models import ArenaEvent, Game, ImportBatch, RatingChange

_FOLLOWING: Final = (
    *("members.NameWord.member", "members.FullMembership.member"),
    *("ratings.RecalculatedLine.member", "ratings.RecalculatedLine.opponent", "ratings.LateLine.member"),
    *("fide.Determination.member", "desk.LikelyDuplicate.first", "desk.LikelyDuplicate.second"),
)
"""Relations of rows that are deleted with a member, or lose them as an opponent: no facts, or derived."""

_OF_GAMES: Final = ("ratings.Game.white", "ratings.Game.black")
_OF_LINES: Final = ("ratings.RatingChange.game", "ratings.Game.possibly_same")
"""Relations to games that don't keep one, or not always."""


@dataclass(slots=True)
class TakenBack:
    """The keys of what was deleted, and what stays, with the reasons."""

    games: list[int] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    spans: list[int] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    stays: list[tuple[Any, str]] = field(default_factory=list)
    replayed: ReplaySummary = field(default_factory=ReplaySummary)

    def __bool__(self) -> bool:
        return bool(self.games or self.members or self.spans)


@transaction.atomic
def take_back_games(*, batch: ImportBatch, members: Collection[int], by: Any, note: str) -> TakenBack:
    """Delete an import's games in one replay, then empty events and the members that it registered.

    Games that have been corrected, voided or disputed stay, and so do members with other games or anything
    else. Ratings that came from the file's games alone have gone with them.
    """
    lock_imports()
    registered = _locked(members)
    done = TakenBack()
    games = Game.objects.filter(batch=batch)
    games.lock()
    used = _used_games(games)
    done.stays += [(game, used[game.pk]) for game in games.with_names().filter(pk__in=used).order_by("pk")]
    done.games = [key for key in games.order_by("pk").values_list("pk", flat=True) if key not in used]
    events = list(games.exclude(event=None).order_by("event").values_list("event", flat=True).distinct())
    with deferred() as work:
        for some in batches(done.games):
            Game.objects.filter(pk__in=some).delete()
    _delete_empty_events(done, events)
    done.replayed = work.summary
    _delete_members(done, registered, by, note)
    return done


@transaction.atomic
def take_back_members(*, members: Collection[int], spans: Collection[int], by: Any, note: str) -> TakenBack:
    """Delete members registered by a file, and the spans of full membership that it gave to others.

    Members with anything else stay, and so do spans that have changed or contain rated games.
    """
    added = FullMembership.objects.filter(pk__in=spans).order_by("pk")
    locked, done = _locked([*members, *added.values_list("member", flat=True)]), TakenBack()
    registered = sorted(set(members).intersection(locked))
    _delete_members(done, registered, by, note)
    for span in added.select_related("member"):
        if FullMembership.history.filter(id=span.pk).exists():
            done.stays.append((span.member, _("the full membership has changed since")))
            continue
        name_author(span, by, note)
        key = span.pk
        try:
            span.delete()
        except ValidationError as refusal:
            done.stays.append((span.member, " ".join(refusal.messages)))
        else:
            done.spans.append(key)
    return done


def _locked(members: Collection[int]) -> list[int]:
    """Return the keys of the members that still exist, locked against changes and new games."""
    keys = list(Member.everybody.filter(pk__in=members).order_by("pk").values_list("pk", flat=True))
    lock_members(keys)
    return keys


def _used_games(games: Any) -> dict[int, str]:
    """Return the reasons why games stay, by their keys."""
    keys = games.order_by().values("pk")
    lines = RatingChange.objects.filter(pk__in=keys_of_cases("line"), game__in=keys)
    changed = dict.fromkeys(
        Game.history.filter(id__in=keys).values_list("id", flat=True), _("changed since the import")
    )
    # A game made void on arrival by a closure has no history.
    voided = games.filter(voided_at__isnull=False, pk__in=changed)
    void = dict.fromkeys(voided.values_list("pk", flat=True), _("void"))
    disputed = dict.fromkeys(
        (
            *games.filter(pk__in=keys_of_cases("game")).values_list("pk", flat=True),
            *lines.values_list("game", flat=True),
        ),
        _("it is the subject of a case"),
    )
    # Games that were told apart keep nothing.
    doubles = Game.objects.filter(possibly_same__in=keys).exclude(pk__in=keys).order_by()
    told = _("another game may be the same one, and that has to be decided first")
    asked = dict.fromkeys(doubles.to_tell_apart().values_list("possibly_same", flat=True), told)
    settled = doubles.filter(voided_at__isnull=False).values_list("possibly_same", flat=True)
    asked |= dict.fromkeys(settled, _("another report of it is void, since this one counts"))
    sent = _referred(keys, (one for one in relations_to(Game) if one not in _OF_LINES))
    return {**sent, **asked, **changed, **void, **disputed}


def _referred(keys: Any, relations: Iterable[str]) -> dict[int, str]:
    """Return the keys of rows that other rows refer to by these relations, with what refers to them."""
    found: dict[int, str] = {}
    for relation in relations:
        label, _dot, name = relation.rpartition(".")
        other = apps.get_model(label)
        rows = other._base_manager.filter(**{f"{name}__in": keys}).order_by()
        told = _("has %(what)s") % {"what": other._meta.verbose_name_plural}
        found |= dict.fromkeys(rows.values_list(name, flat=True).distinct(), told)
    return found


def _used_members(keys: list[int]) -> dict[int, str]:
    """Return the reasons why members stay, by their keys."""
    # Games last: they are the reason for ratings and lines of the ledger.
    others = [one for one in relations_to(Member) if one not in (*_OF_GAMES, *_FOLLOWING)]
    spans = FullMembership.history.filter(member__in=keys).values_list("member", flat=True)
    cases = keys_of_cases(MEMBER)
    return {
        **_referred(keys, (*others, *_OF_GAMES)),
        **dict.fromkeys(spans, _("the full membership has changed since")),
        **dict.fromkeys(Member.history.filter(id__in=keys).values_list("id", flat=True), _("changed since")),
        **dict.fromkeys((key for key in keys if key in cases), _("it is the subject of a case")),
    }


def _delete_empty_events(done: TakenBack, keys: list[int]) -> None:
    """Delete events without games. If a server sends a game of one again, the event is stored again."""
    events = ArenaEvent.objects.filter(pk__in=keys).order_by("pk")
    list(events.select_for_update())
    done.events = list(events.filter(games=None).values_list("pk", flat=True))
    events.filter(pk__in=done.events).delete()


def _delete_members(done: TakenBack, keys: list[int], by: Any, note: str) -> None:
    used = _used_members(keys)
    for member in Member.everybody.filter(pk__in=keys).order_by("pk"):
        if member.pk in used:
            done.stays.append((member, used[member.pk]))
            continue
        done.members.append(member.pk)
        name_author(member, by, note)
        member.delete()
