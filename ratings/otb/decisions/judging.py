"""B.02 0.4, 0.5, 4.12: accepting findings, refusing tournaments, taking both back, and appeals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.days import DayInput
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf
from ratings.office.kinds import Decision, register
from ratings.otb.decisions.base import (
    OtbKind,
    add_revisions,
    field_label,
    findings_link,
    refusals,
    status_slug,
    what_refuses,
)
from ratings.otb.findings import FINDS
from ratings.otb.labels import FINDS_TEXTS
from ratings.otb.models import AcceptedFinding, Refusal, Tournament
from ratings.otb.services.judging import (
    accept,
    decide_appeal,
    receive_appeal,
    refuse,
    take_back_refusal,
    withdraw_acceptance,
)
from ratings.otb.services.rating import as_rated
from ratings.rules.b02.eligibility import APPEAL_DAYS, Finds


class TournamentForm(forms.Form):
    """Name the tournament."""

    tournament = OneOf(Tournament.objects.select_related("report"))


class FindingForm(TournamentForm):
    """Which finding of which tournament."""

    finds = forms.TypedChoiceField(
        coerce=lambda number: FINDS[int(number)],
        choices=[(str(number), FINDS_TEXTS[finds]) for number, finds in FINDS.items()],
        widget=forms.HiddenInput,
        error_messages={"invalid_choice": _("No finding has this number.")},
    )


class AcceptanceForm(FindingForm):
    """Why the finding is accepted."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=AcceptedFinding._meta.get_field("reason").max_length,
        help_text=_("Everybody can read it on the page of the tournament."),
    )


def _text(label: Any, help_text: Any) -> Any:
    return forms.CharField(
        label=label, max_length=5_000, widget=AdminTextareaWidget(attrs={"rows": 4}), help_text=help_text
    )


class RefusalForm(TournamentForm):
    """Why the tournament is refused."""

    reason = _text(_("Reasons"), _("Everybody can read them on the page of the tournament."))


class TakingBackForm(TournamentForm):
    """Why a refusal is taken back."""

    reason = _text(_("Reason"), _("Everybody can read it on the page of the tournament."))


class AppealForm(TournamentForm):
    """What the organizer says against the refusal, and when they said it."""

    appealed_on = forms.DateField(
        label=_("Date of the appeal"),
        initial=lambda: timezone.now().date(),
        widget=DayInput(),
        help_text=_("The day on which the organizer appealed. Seven days are allowed (B.02 0.5)."),
    )
    appeal = _text(
        _("Appeal"), _("What the organizer says. Everybody can read it on the page of the tournament.")
    )


class AppealDecisionForm(TournamentForm):
    """Whether an appeal is upheld, and why."""

    upheld = forms.TypedChoiceField(
        label=_("Decision"),
        coerce=lambda text: text == "yes",
        choices=[("", "–"), ("yes", _("Uphold the appeal")), ("no", _("Dismiss the appeal"))],
        empty_value=None,
    )
    reason = _text(_("Reason"), _("Everybody can read it on the page of the tournament."))


class _OfFinding(OtbKind):
    """A decision about one finding."""

    permission = "otb.judge_tournament"

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament and the article."""
        return f"{asked['tournament']}, B.02 {asked['finds'].article}"

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
        """Keep who consented, and why. The tournament may then enter a closed list (7.13)."""
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
        add_revisions(effect, row.tournament, decision)
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
    """A decision about a tournament as a whole. What is said in it is on the page of the tournament."""

    permission = "otb.judge_tournament"
    asks_reason = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament."""
        return str(asked["tournament"])

    def effect(self, before: Tournament, refusal: Refusal, **said: tuple[str, str]) -> Effect:
        """How far the tournament has come, and what is said about it."""
        after = refusal.tournament
        pairs = {"status": (status_slug(before), status_slug(after))}
        facts = [
            Fact("inputs", f"tournament {after.pk} {name}", field_label(name), *pair)
            for name, pair in pairs.items()
            if pair[0] != pair[1]
        ]
        for name, pair in said.items():
            label = capfirst(str(Refusal._meta.get_field(name).verbose_name))  # type: ignore[union-attr]
            facts.append(Fact("inputs", f"tournament {after.pk} {name}", label, *pair))
        return Effect(facts=facts, objects=[after])

    def wait_again(self, effect: Effect, refusal: Refusal, decision: Decision) -> None:
        """What follows for a closed list that the tournament still enters (7.13)."""
        add_revisions(effect, refusal.tournament, decision)


@register
class RefuseTournament(_OfRefusal):
    """B.02 0.4, 0.5: refuse a tournament, also one of which there is no report yet."""

    name = "refuse-tournament"
    title = _("Refuse a tournament")
    button = _("Refuse")
    form = RefusalForm
    asks_by_post = True
    template = "admin/otb/tournament/_refusing.html"

    def apply(self, decision: Decision) -> Effect:
        """Its organizer may appeal for seven days. It is taken back with a reason, not by undoing."""
        tournament = decision.asked["tournament"]
        with refusals():
            refusal = refuse(tournament, decision.asked["reason"], decision.at.date(), decision.by)
        effect = self.effect(tournament, refusal, text=("", refusal.text))
        effect.result = refusal
        told = gettext("Refused. The organizer may appeal for %(days)d days (B.02 0.5).")
        effect.outcome = [Sentence(told % {"days": APPEAL_DAYS}, findings_link(refusal.tournament))]
        return effect


@register
class TakeBackRefusal(_OfRefusal):
    """B.02 0.5: a refusal was a mistake of the office."""

    name = "take-back-refusal"
    title = _("Take back the refusal of a tournament")
    button = _("Take back")
    form = TakingBackForm
    asks_by_post = True

    def apply(self, decision: Decision) -> Effect:
        """The tournament waits again to be rated; without a report, to be reported."""
        tournament = decision.asked["tournament"]
        with refusals():
            refusal = take_back_refusal(tournament, decision.asked["reason"], decision.at.date())
        effect = self.effect(
            tournament, refusal, end_reason=("", refusal.end_reason), text=(refusal.text, "")
        )
        effect.outcome = [Sentence(gettext("The refusal was taken back."), findings_link(refusal.tournament))]
        if refusal.text:
            asked = {"tournament": [str(refusal.tournament.pk)], "reason": [refusal.text]}
            effect.undo = ("refuse-tournament", asked)
        self.wait_again(effect, refusal, decision)
        return effect


@register
class ReceiveAppeal(_OfRefusal):
    """B.02 0.5: note the appeal of an organizer."""

    name = "receive-appeal"
    title = _("Note an appeal against the refusal of a tournament")
    button = _("Note the appeal")
    form = AppealForm
    asks_by_post = True

    def apply(self, decision: Decision) -> Effect:
        """Only within seven days of the refusal; it then waits for its decision."""
        asked = decision.asked
        tournament, on = asked["tournament"], asked["appealed_on"]
        with refusals():
            refusal = receive_appeal(tournament, asked["appeal"], on, decision.at.date())
        effect = self.effect(tournament, refusal, appealed_on=("", str(on)), appeal=("", refusal.appeal))
        effect.outcome = [Sentence(gettext("The appeal was noted."), findings_link(refusal.tournament))]
        return effect


@register
class DecideAppeal(_OfRefusal):
    """B.02 0.5: uphold or dismiss the appeal of an organizer."""

    name = "decide-appeal"
    title = _("Decide an appeal against the refusal of a tournament")
    button = _("Decide the appeal")
    form = AppealDecisionForm
    asks_by_post = True
    words = {**OtbKind.words, "upheld": _("upheld"), "dismissed": _("dismissed")}

    def apply(self, decision: Decision) -> Effect:
        """Upheld, the tournament waits again; dismissed, the refusal stands. Either with its reason."""
        asked = decision.asked
        tournament, upheld = asked["tournament"], asked["upheld"]
        with refusals():
            refusal = decide_appeal(tournament, upheld, asked["reason"], decision.at.date(), decision.by)
        effect = self.effect(
            tournament,
            refusal,
            appeal=(refusal.appeal, "upheld" if upheld else "dismissed"),
            decision=("", refusal.decision),
        )
        told = gettext("The appeal was upheld.") if upheld else gettext("The appeal was dismissed.")
        effect.outcome = [Sentence(told, findings_link(refusal.tournament))]
        if upheld:
            self.wait_again(effect, refusal, decision)
        return effect
