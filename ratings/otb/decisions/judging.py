"""B.02 0.4, 0.5, 4.12: accepting findings and refusing tournaments, and taking both back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf
from ratings.office.kinds import Decision, register
from ratings.otb.decisions.base import (
    OtbKind,
    field_label,
    findings_link,
    refusals,
    status_slug,
    what_refuses,
)
from ratings.otb.findings import FINDS
from ratings.otb.labels import FINDS_TEXTS
from ratings.otb.models import AcceptedFinding, Tournament
from ratings.otb.services.judging import accept, refuse, take_back_refusal, withdraw_acceptance
from ratings.otb.services.rating import as_rated
from ratings.rules.b02.eligibility import APPEAL_DAYS, Finds


class TournamentForm(forms.Form):
    """Which tournament."""

    tournament = OneOf(Tournament.objects.select_related("report"))


class FindingForm(TournamentForm):
    """Which finding of which tournament."""

    finds = forms.TypedChoiceField(
        coerce=lambda number: FINDS[int(number)],
        choices=[(str(number), FINDS_TEXTS[finds]) for number, finds in FINDS.items()],
        widget=forms.HiddenInput,
        error_messages={"invalid_choice": _("There is no finding with this number.")},
    )


class AcceptanceForm(FindingForm):
    """Why the finding is accepted."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=AcceptedFinding._meta.get_field("reason").max_length,
        help_text=_("Everybody can read it on the page of the tournament."),
    )


class RefusalForm(TournamentForm):
    """Why the tournament is refused."""

    reason = forms.CharField(
        label=_("Reasons"),
        max_length=5_000,
        widget=AdminTextareaWidget(attrs={"rows": 4}),
        help_text=_("Everybody can read them on the page of the tournament."),
    )


class _OfFinding(OtbKind):
    """A decision about one finding."""

    permission = "otb.judge_tournament"

    def heading(self, asked: Mapping[str, Any]) -> str:
        """Of which tournament, and by which article."""
        return f"{self.title}: {asked['tournament']}, B.02 {asked['finds'].article}"

    def effect(self, row: AcceptedFinding, finds: Finds, before: str = "", after: str = "") -> Effect:
        """Whether it is accepted, and what still keeps the tournament from being rated."""
        tournament = row.tournament
        told = f"B.02 {finds.article}, {FINDS_TEXTS[finds]}"
        with refusals():
            warnings = what_refuses(as_rated(tournament))
        fact = Fact("inputs", f"tournament {tournament.pk} finding {finds.value}", told, before, after)
        return Effect(facts=[fact, *warnings], objects=[tournament])


@register
class AcceptFinding(_OfFinding):
    """B.02 0.4, 4.12: let a finding pass that needs consent."""

    name = "accept-finding"
    title = _("Accept a finding")
    button = _("Accept")
    form = AcceptanceForm
    # The reason is on the page of the tournament.
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        """Keep who consented, and why."""
        tournament, finds, reason = (decision.asked[name] for name in ("tournament", "finds", "reason"))
        with refusals():
            row = accept(tournament, finds, reason, decision.by, decision.at)
        effect = self.effect(row, finds, after=row.reason)
        told = gettext("Accepted (B.02 %(article)s, %(finding)s): %(reason)s")
        words = {"article": finds.article, "finding": FINDS_TEXTS[finds], "reason": row.reason}
        effect.outcome = [Sentence(told % words, findings_link(tournament))]
        effect.undo = (
            "withdraw-acceptance",
            {"tournament": [str(tournament.pk)], "finds": [str(finds.value)]},
        )
        return effect


@register
class WithdrawAcceptance(_OfFinding):
    """Let a finding count again that was accepted."""

    name = "withdraw-acceptance"
    title = _("Withdraw the acceptance of a finding")
    button = _("Withdraw")
    form = FindingForm

    def apply(self, decision: Decision) -> Effect:
        """Until it is accepted again, the tournament isn't rated."""
        tournament, finds = decision.asked["tournament"], decision.asked["finds"]
        with refusals():
            row = withdraw_acceptance(tournament, finds)
        effect = self.effect(row, finds, before=row.reason)
        told = gettext("No longer accepted: B.02 %(article)s, %(finding)s.")
        words = {"article": finds.article, "finding": FINDS_TEXTS[finds]}
        effect.outcome = [Sentence(told % words, findings_link(tournament))]
        asked = {"tournament": [str(tournament.pk)], "finds": [str(finds.value)], "reason": [row.reason]}
        effect.undo = ("accept-finding", asked)
        return effect


class _OfRefusal(OtbKind):
    """A decision about a tournament as a whole."""

    permission = "otb.judge_tournament"

    def heading(self, asked: Mapping[str, Any]) -> str:
        """Which tournament."""
        return f"{self.title}: {asked['tournament']}"

    def effect(self, before: Tournament, after: Tournament) -> Effect:
        """How far the tournament has come, and the reasons of its refusal."""
        pairs = {
            "status": (status_slug(before), status_slug(after)),
            "refusal": (before.refusal, after.refusal),
        }
        facts = [
            Fact("inputs", f"tournament {after.pk} {name}", field_label(name), *pair)
            for name, pair in pairs.items()
            if pair[0] != pair[1]
        ]
        return Effect(facts=facts, objects=[after])


@register
class RefuseTournament(_OfRefusal):
    """B.02 0.5: refuse a tournament."""

    name = "refuse-tournament"
    title = _("Refuse a tournament")
    button = _("Refuse")
    form = RefusalForm
    asks_by_post = True
    # The reasons are on the page of the tournament.
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        """Its organizer may appeal for seven days."""
        tournament = decision.asked["tournament"]
        with refusals():
            stored = refuse(tournament, decision.asked["reason"], decision.at.date())
        effect = self.effect(tournament, stored)
        told = gettext("Refused. The organizer may appeal for %(days)d days (B.02 0.5).")
        effect.outcome = [Sentence(told % {"days": APPEAL_DAYS}, findings_link(stored))]
        effect.undo = ("take-back-refusal", {"tournament": [str(stored.pk)]})
        return effect


@register
class TakeBackRefusal(_OfRefusal):
    """B.02 0.5: an appeal was upheld."""

    name = "take-back-refusal"
    title = _("Take back the refusal of a tournament")
    button = _("Take back")
    form = TournamentForm

    def apply(self, decision: Decision) -> Effect:
        """The tournament waits again to be rated; without a report, to be reported."""
        tournament = decision.asked["tournament"]
        with refusals():
            stored = take_back_refusal(tournament)
        effect = self.effect(tournament, stored)
        effect.outcome = [Sentence(gettext("The refusal was taken back."), findings_link(stored))]
        if tournament.refusal and stored.status == Tournament.Status.RECEIVED:
            asked = {"tournament": [str(stored.pk)], "reason": [tournament.refusal]}
            effect.undo = ("refuse-tournament", asked)
        return effect
