"""RBB 2.1: changes of full membership in retrospect, decided together with the games that they affect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from foa.moments import parse_moment
from foa.said import gettext, plain
from foa.text import utc_text
from members.models import FullMembership, Member
from ratings.office.decision_types import Decision, register
from ratings.office.effects import AboutRow, Effect, Fact
from ratings.office.forms import OneOf, SomeOf
from ratings.rbb.decisions.base import LedgerKind, effect_of, member_subject
from ratings.rbb.decisions.games import game_label
from ratings.rbb.ledger.locks import lock_members
from ratings.rbb.memberships import SpansChanged, change_spans
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL, Condition, Span

_WHITE, _BLACK = _(Condition.WHITE.value), _(Condition.BLACK.value)
RATE_LABEL = _("Rate the games that were kept unrated only for lack of this membership")


class SpansField(forms.Field):
    """Hidden field for spans of full membership: begin and end in ISO 8601, separated by a slash."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[Span]:
        """Return the spans; an empty end means still a full member."""
        try:
            parts = [text.split("/") for text in value or ()]
            return [(parse_moment(begin), parse_moment(end) if end else None) for begin, end in parts]
        except ValueError:
            raise ValidationError(gettext("This isn’t a period of full membership.")) from None


def span_texts(spans: Iterable[Span]) -> list[str]:
    """Return spans in the form of :class:`SpansField`."""
    return [f"{utc_text(begin)}/{utc_text(end) if end else ''}" for begin, end in spans]


class MembershipForm(forms.Form):
    """Form for a member's new full membership, and whether to rate the games that it covers.

    ``game``: rate only these of the games that could be rated. ``removes``, ``restores``: when a change is
    taken back, its own spans after and before it; all others stay.
    """

    member = OneOf(Member.objects.all())
    span = SpansField(required=False)
    removes = SpansField(required=False)
    restores = SpansField(required=False)
    game = SomeOf(Game.objects.all(), required=False)
    rate_games = forms.BooleanField(label=RATE_LABEL, required=False, initial=True)


class MembershipKind(LedgerKind):
    """A decision that rates or unrates games because of full membership."""

    words = {
        **LedgerKind.words,
        "on the books": _("registered"),
        **dict(zip(NOT_FULL, (_WHITE, _BLACK, format_lazy("{}; {}", _WHITE, _BLACK)), strict=True)),
    }


@register
class ChangeMembership(MembershipKind):
    """Decision to change a member's spans of full membership, and to rate or unrate games accordingly."""

    name = "change-membership"
    title = _("Change full membership")
    register_title = _("Full membership changed")
    button = _("Change")
    permission = "members.correct_fullmembership"
    form = MembershipForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        return member_subject(asked["member"])

    def apply(self, decision: Decision) -> Effect:
        """Change spans and games, both or neither; do nothing if the spans are already stored."""
        asked, member, spans = decision.asked, decision.asked["member"], decision.asked["span"]
        chosen = {one.pk for one in asked["game"]}
        if asked["removes"] or asked["restores"]:
            lock_members([member.pk])
            stored = FullMembership.objects.spans_of([member.pk])[member.pk]
            spans = taken_back(member, stored, asked["removes"], asked["restores"])
        done = change_spans(
            member=member,
            spans=spans,
            rate=(chosen or None) if asked["rate_games"] else (),
            by=decision.by,
            note=decision.note,
        )
        effect = effect_of(done.replayed)
        effect.facts += membership_facts(done)
        effect.facts += [
            Fact("warnings", f"game {one.pk}", gettext("%s stays unrated.") % game_label(one))
            for one in asked["game"]
            if one not in done.rated
        ]
        if effect.is_empty:
            return Effect()
        effect.objects = [done.member]
        effect.undo = (self.name, before_parameters(done))
        return effect


def membership_facts(done: SpansChanged) -> list[Fact]:
    """Return the changed spans, and the games rated or unrated with them."""
    member, what = done.member, FullMembership._meta.verbose_name
    return [
        *(
            Fact(
                "inputs",
                f"{member.username} {_told(before or after)}",
                plain("%s: %s") % (member, what),
                _told(before),
                _told(after),
            )
            for before, after in done.spans
        ),
        *(
            Fact("inputs", str(AboutRow("game", game.pk)), game_label(game), before="rated", after=why)
            for game, why in done.unrated
        ),
        *(
            Fact(
                "inputs",
                str(AboutRow("game", game.pk)),
                game_label(game),
                "unrated",
                "void" if game.voided_at else "rated",
            )
            for game in done.rated
        ),
    ]


def before_parameters(done: SpansChanged) -> dict[str, list[str]]:
    """Return the parameters that restore spans and games: only these games would be rated again."""
    asked = {"member": [str(done.member.pk)], "span": span_texts(done.before), **own_spans(done)}
    if done.unrated:
        asked |= {"rate_games": ["on"], "game": [str(game.pk) for game, _why in done.unrated]}
    return {name: values for name, values in asked.items() if values}


def own_spans(done: SpansChanged) -> dict[str, list[str]]:
    """Return the spans that a change would remove and restore if it were taken back."""
    return {
        "removes": span_texts(after for _before, after in done.spans if after),
        "restores": span_texts(before for before, _after in done.spans if before),
    }


def taken_back(
    member: Member, stored: Iterable[Span], removes: Iterable[Span], restores: Iterable[Span]
) -> list[Span]:
    """Return a member's spans without those of a change, and with those before it.

    Raises ValidationError if one of its own has changed since.
    """
    removes, stored = list(removes), list(stored)
    later = [span for span in removes if span not in stored]
    if later:
        told = gettext(
            "%(member)s’s full membership has changed again since then, and no longer includes "
            "%(spans)s. Reverse the later change first, or change the membership yourself."
        )
        raise ValidationError(told % {"member": member, "spans": "; ".join(map(_told, later))})
    return [*(span for span in stored if span not in removes), *restores]


def _told(span: Span | None) -> str:
    """Return a span as text that reads the same in every language."""
    return "" if span is None else f"{utc_text(span[0])} – {utc_text(span[1]) if span[1] else '…'}"
