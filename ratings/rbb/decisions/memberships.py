"""RBB 2.1: full membership that changes in hindsight, decided together with the games it covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.moments import parse_moment
from foa.text import utc_text
from members.models import FullMembership, Member
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact
from ratings.office.forms import OneOf, SomeOf
from ratings.rbb.decisions.base import LedgerKind, effect_of, member_subject
from ratings.rbb.decisions.games import game_label
from ratings.rbb.labels import CONDITION_TEXTS
from ratings.rbb.memberships import SpansChanged, change_spans
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL, Condition, Span

_WHITE, _BLACK = CONDITION_TEXTS[Condition.WHITE], CONDITION_TEXTS[Condition.BLACK]
RATE_LABEL = _("Rate the games that were kept unrated only for lack of this membership")


class SpansField(forms.Field):
    """Spans of full membership, hidden in the page: begin and end as ISO 8601, with a slash between them."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[Span]:
        """The spans; an end that is empty: still a full member."""
        try:
            parts = [text.split("/") for text in value or ()]
            return [(parse_moment(begin), parse_moment(end) if end else None) for begin, end in parts]
        except ValueError:
            raise ValidationError(gettext("This is not a span of full membership.")) from None


def span_texts(spans: Iterable[Span]) -> list[str]:
    """Spans as :class:`SpansField` takes them."""
    return [f"{utc_text(begin)}/{utc_text(end) if end else ''}" for begin, end in spans]


class MembershipForm(forms.Form):
    """Whose full membership, what it is from now on, and whether games are rated that it covers.

    ``game``: only these are rated of those that could be.
    """

    member = OneOf(Member.objects.all())
    span = SpansField(required=False)
    game = SomeOf(Game.objects.all(), required=False)
    rate_games = forms.BooleanField(label=RATE_LABEL, required=False, initial=True)


class MembershipKind(LedgerKind):
    """A decision after which games are rated or unrated for full membership."""

    words = {
        **LedgerKind.words,
        "rated": _("rated"),
        "unrated": _("unrated"),
        "void": _("void"),
        "on the books": _("registered"),
        **dict(zip(NOT_FULL, (_WHITE, _BLACK, format_lazy("{}; {}", _WHITE, _BLACK)), strict=True)),
    }


@register
class ChangeMembership(MembershipKind):
    """Give a member other spans of full membership, and their games what follows."""

    name = "change-membership"
    title = _("Change full membership")
    button = _("Change")
    permission = "members.correct_fullmembership"
    form = MembershipForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the member."""
        return member_subject(asked["member"])

    def apply(self, decision: Decision) -> Effect:
        """Spans and games, or nothing; nothing to do where the spans are these already."""
        asked = decision.asked
        chosen = {one.pk for one in asked["game"]}
        done = change_spans(
            member=asked["member"],
            spans=asked["span"],
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
    """The spans that changed, and the games that became rated or unrated with them."""
    member, what = done.member, FullMembership._meta.verbose_name
    return [
        *(
            Fact(
                "inputs",
                f"{member.username} {_told(before or after)}",
                f"{member}: {what}",
                _told(before),
                _told(after),
            )
            for before, after in done.spans
        ),
        *(
            Fact("inputs", f"game {game.pk}", game_label(game), before="rated", after=why)
            for game, why in done.unrated
        ),
        *(
            Fact(
                "inputs",
                f"game {game.pk}",
                game_label(game),
                "unrated",
                "void" if game.voided_at else "rated",
            )
            for game in done.rated
        ),
    ]


def before_parameters(done: SpansChanged) -> dict[str, list[str]]:
    """What the form takes to have spans and games as they were: of the games only these are rated again."""
    asked = {"member": [str(done.member.pk)], "span": span_texts(done.before)}
    if done.unrated:
        asked |= {"rate_games": ["on"], "game": [str(game.pk) for game, _why in done.unrated]}
    return {name: values for name, values in asked.items() if values}


def _told(span: Span | None) -> str:
    """A span that reads the same in every language."""
    return "" if span is None else f"{utc_text(span[0])} – {utc_text(span[1]) if span[1] else '…'}"
