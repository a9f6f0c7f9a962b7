"""Subjects of cases in the arena: lines of the ledger, games, profiles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Exists, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.addresses import address_of
from foa.text import utc
from members.models import Member
from ratings.office.subjects import MEMBER, Remedy, SubjectKind, register
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models import Game, RatingChange, RecalculatedLine


@register
class LineSubject(SubjectKind):
    """A line of the ledger, including one removed by a recalculation. Its member may dispute it."""

    name = "line"
    noun = _("Ledger line")
    case = _("Disputed rating change")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        """Return ledger lines, and the last state of those that are gone."""
        lines = RatingChange.objects.select_related("member", "opponent", "game")
        found: dict[int, Any] = dict(lines.in_bulk(list(keys)))
        if missing := set(keys) - set(found):
            gone = RecalculatedLine.objects.filter(line__in=missing, gone=True).order_by("pk")
            found |= {one.line: one for one in gone.select_related("member", "opponent")}
        return found

    def heading(self, what: Any) -> str:
        """Return the member, category and moment of the line."""
        return f"{what.member}, {CATEGORY_NAMES[what.category]}, {utc(what.occurred_at)}"

    def address(self, what: Any) -> str:
        """Return the address of the line, which stays valid when the line is gone."""
        return address_of("ratings:change", what.line if isinstance(what, RecalculatedLine) else what.pk)

    def openers(self, what: Any) -> Sequence[Any]:
        return (what.member,)

    def parties(self, what: Any) -> Sequence[Any]:
        return [one for one in (what.member, what.opponent) if one]

    def has_party(self, key: Any, members: Collection[int]) -> Any:
        of_them = Q(member__in=members) | Q(opponent__in=members)
        gone = RecalculatedLine.objects.filter(of_them, line=key, gone=True)
        return Exists(RatingChange.objects.filter(of_them, pk=key)) | Exists(gone)

    def concerned(self, what: Any) -> Sequence[Any]:
        """Return the players, and what the line comes from unless the line is gone."""
        gone = isinstance(what, RecalculatedLine)
        events = () if gone else (what.game, what.opening, what.adjustment)
        return [*self.parties(what), *(one for one in events if one is not None)]

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Return the remedies for the line's event."""
        if isinstance(what, RecalculatedLine):
            return ()
        if what.game_id is not None:
            return _remedies_of_game(what.game)
        model = "openingrating" if what.opening_id is not None else "otbadjustment"
        key = what.opening_id if what.opening_id is not None else what.adjustment_id
        address = reverse(f"admin:ratings_{model}_change", args=(key,))
        return (Remedy(gettext("Correct …"), address, f"ratings.change_{model}"),)


@register
class GameSubject(SubjectKind):
    """A game. Both players may dispute it."""

    name = "game"
    noun = _("Game")
    case = _("Disputed game")
    button_to_log_in = _("Played this game? Log in to dispute it")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        return Game.objects.with_names().in_bulk(list(keys))

    def openers(self, what: Any) -> Sequence[Any]:
        return (what.white, what.black)

    def has_party(self, key: Any, members: Collection[int]) -> Any:
        return Exists(Game.objects.filter(Q(white__in=members) | Q(black__in=members), pk=key))

    def concerned(self, what: Any) -> Sequence[Any]:
        return (what.white, what.black, what)

    def remedies(self, what: Any) -> Sequence[Remedy]:
        return _remedies_of_game(what)


@register
class MemberSubject(SubjectKind):
    """A member's profile, or any other request from them."""

    name = MEMBER
    noun = _("Member")
    case = _("Request from a member")
    button = _("Ask us about this profile")

    def find(self, keys: Collection[int]) -> Mapping[int, Any]:
        return Member.objects.in_bulk(list(keys))

    def openers(self, what: Any) -> Sequence[Any]:
        return (what,)

    def has_party(self, key: Any, members: Collection[int]) -> Any:
        return Exists(Member.everybody.filter(pk__in=members).filter(pk=key))

    def remedies(self, what: Any) -> Sequence[Remedy]:
        """Return a link to the member's page, which leads to all decisions about them."""
        address = reverse("admin:members_member_change", args=(what.pk,))
        return (Remedy(gettext("Correct …"), address, "members.change_member"),)


def _remedies_of_game(game: Game) -> tuple[Remedy, ...]:
    correct = reverse("admin:ratings_game_change", args=(game.pk,))
    page, label = (
        ("void", gettext("Void …")) if game.voided_at is None else ("reinstate", gettext("Reinstate …"))
    )
    decide = f"{reverse(f'admin:ratings_game_{page}')}?game={game.pk}"
    return (
        Remedy(gettext("Correct …"), correct, "ratings.change_game"),
        Remedy(label, decide, "ratings.change_game"),
    )
