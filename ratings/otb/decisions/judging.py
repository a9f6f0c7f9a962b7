"""B.02 0.4, 0.5, 4.12, 9.2: accepted findings, refusals, appeals, and events announced as unrated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.said import capital, gettext, plain
from foa.web.days import DayInput
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf
from ratings.otb.decisions.base import (
    OtbKind,
    add_revisions,
    field_label,
    findings_link,
    moves_of_revisions,
    refusals,
    revisions_of,
    what_refuses,
)
from ratings.otb.findings import FINDS
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
from ratings.otb.services.standings import edition_of
from ratings.otb.services.unrated import announce_unrated, withdraw_announcement
from ratings.rules.b02.eligibility import APPEAL_DAYS
from ratings.rules.b02.findings import Finds


class TournamentForm(forms.Form):
    """Name the tournament."""

    tournament = OneOf(Tournament.objects.with_report())


class FindingsForm(TournamentForm):
    """Form for findings of a tournament."""

    finds = forms.TypedMultipleChoiceField(
        coerce=lambda number: FINDS[int(number)],
        choices=[(str(number), _(finds.text)) for number, finds in FINDS.items()],
        widget=forms.MultipleHiddenInput,
        error_messages={"invalid_choice": _("No finding has this number.")},
    )


class _Texts(forms.Field):
    """Texts in the order in which they were entered, some of them empty."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[str]:
        """Return the texts without blanks around them; raises ValidationError for one that is too long."""
        texts = [str(one).strip() for one in value or ()]
        limit = AcceptedFinding._meta.get_field("reason").max_length or 0
        if any(len(one) > limit for one in texts):
            raise ValidationError(gettext("A reason can’t be longer than %d characters.") % limit)
        return texts


class AcceptanceForm(FindingsForm):
    """Reasons for accepting findings. One without a reason isn't accepted."""

    reason = _Texts(required=False)

    def clean(self) -> dict[str, Any]:
        """Put findings and reasons together. Raises ValidationError if none has a reason."""
        cleaned = super().clean() or {}
        finds, reasons = cleaned.get("finds") or [], cleaned.get("reason") or []
        if len(finds) != len(set(finds)) or len(reasons) > len(finds):
            raise ValidationError(gettext("Enter one reason for each finding."))
        accepted = [(one, why) for one, why in zip(finds, reasons, strict=False) if why]
        if finds and "reason" in cleaned and not accepted:
            raise ValidationError(gettext("Say why it is accepted."))
        return {**cleaned, "accepted": accepted}


def _text(label: Any, help_text: Any) -> Any:
    return forms.CharField(
        label=label, max_length=5_000, widget=AdminTextareaWidget(attrs={"rows": 4}), help_text=help_text
    )


class RefusalForm(TournamentForm):
    """Form for the refusal of a tournament."""

    reason = _text(_("Reasons"), _("Shown publicly on the tournament’s page."))


class TakingBackForm(TournamentForm):
    """Form for taking a refusal back."""

    reason = _text(_("Reason"), _("Shown publicly on the tournament’s page."))


class AppealForm(TournamentForm):
    """Form for the organizer's appeal and its moment."""

    appealed_on = forms.DateField(
        label=_("Date of the appeal"),
        initial=lambda: timezone.now().date(),
        widget=DayInput(),
        help_text=_("The day the organizer appealed. They have seven days (B.02 0.5)."),
    )
    appeal = _text(_("Appeal"), _("The organizer’s reasons. Shown publicly on the tournament’s page."))


class AppealDecisionForm(TournamentForm):
    """Form for the decision of an appeal, with its reason."""

    upheld = forms.TypedChoiceField(
        label=_("Decision"),
        coerce=lambda text: text == "yes",
        choices=[("", "–"), ("yes", _("Uphold the appeal")), ("no", _("Dismiss the appeal"))],
        empty_value=None,
    )
    reason = _text(_("Reason"), _("Shown publicly on the tournament’s page."))


class _OfFindings(OtbKind):
    """A decision about findings."""

    permission = "otb.judge_tournament"

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament and the articles."""
        finds = [one for one, _why in asked["accepted"]] if "accepted" in asked else asked["finds"]
        edition = edition_of(asked["tournament"])
        articles = ", ".join(dict.fromkeys(map(edition.article, finds)))
        return f"{asked['tournament']}, {edition.cited_as} {articles}"

    def effect(self, tournament: Tournament, facts: list[Fact]) -> Effect:
        """Return the accepted findings, and those that still keep the tournament from being rated."""
        with refusals():
            warnings = what_refuses(as_rated(tournament))
        return Effect(facts=[*facts, *warnings], objects=[tournament])


def _fact(tournament: Tournament, finds: Finds, cited: str, before: str = "", after: str = "") -> Fact:
    told = f"{cited}, {_(finds.text)}"
    return Fact("inputs", f"tournament {tournament.pk} finding {finds.value}", told, before, after)


@register
class AcceptFindings(_OfFindings):
    """B.02 0.4, 4.12: let findings pass that need consent, each for a reason."""

    name = "accept-finding"
    title = _("Accept findings")
    register_title = _("Findings accepted")
    button = _("Accept")
    form = AcceptanceForm
    # The reason is on the page of the tournament.
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        """Store who consented, and why. The tournament may then enter a closed list (7.13)."""
        tournament, accepted = decision.asked["tournament"], decision.asked["accepted"]
        facts, outcome = [], []
        for finds, reason in accepted:
            with refusals():
                tournament = accept(tournament, finds, reason, decision.by, decision.at).tournament
            article = edition_of(tournament).cite(finds)
            facts.append(_fact(tournament, finds, article, after=reason))
            told = gettext("Accepted (%(article)s, %(finding)s): %(reason)s")
            words = {"article": article, "finding": _(finds.text), "reason": reason}
            outcome.append(Sentence(told % words, findings_link(tournament)))
        effect = self.effect(tournament, facts)
        effect.outcome = outcome
        numbers = [str(finds.value) for finds, _reason in accepted]
        effect.undo = ("withdraw-acceptance", {"tournament": [str(tournament.pk)], "finds": numbers})
        add_revisions(effect, tournament, decision)
        return effect


@register
class WithdrawAcceptance(_OfFindings):
    """Decision that accepted findings count again."""

    name = "withdraw-acceptance"
    title = _("Withdraw the acceptance of findings")
    register_title = _("Acceptance of findings withdrawn")
    button = _("Withdraw")
    form = FindingsForm

    def apply(self, decision: Decision) -> Effect:
        """Remove the acceptances. Until they are given again, the tournament isn't rated."""
        tournament, all_finds = decision.asked["tournament"], decision.asked["finds"]
        facts, outcome, reasons = [], [], []
        for finds in all_finds:
            with refusals():
                row = withdraw_acceptance(tournament, finds)
            tournament = row.tournament
            reasons.append(row.reason)
            article = edition_of(tournament).cite(finds)
            facts.append(_fact(tournament, finds, article, before=row.reason))
            told = gettext("No longer accepted: %(article)s, %(finding)s.")
            words = {"article": article, "finding": _(finds.text)}
            outcome.append(Sentence(told % words, findings_link(tournament)))
        effect = self.effect(tournament, facts)
        effect.outcome = outcome
        numbers = [str(finds.value) for finds in all_finds]
        asked = {"tournament": [str(tournament.pk)], "finds": numbers, "reason": reasons}
        effect.undo = ("accept-finding", asked)
        return effect


class _OfRefusal(OtbKind):
    """A decision about a tournament as a whole. Its reasons are shown on the tournament's page."""

    permission = "otb.judge_tournament"
    asks_reason = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament."""
        return str(asked["tournament"])

    def effect(self, before: Tournament, refusal: Refusal, **said: tuple[str, str]) -> Effect:
        """Return the change of status, and the reasons given."""
        after, facts = refusal.tournament, []
        if before.status != after.status:
            pair = before.status_slug, after.status_slug
            facts.append(Fact("inputs", f"tournament {after.pk} status", field_label("status"), *pair))
        for name, pair in said.items():
            label = capital(plain("%s") % Refusal._meta.get_field(name).verbose_name)  # type: ignore[union-attr]
            facts.append(Fact("inputs", f"tournament {after.pk} {name}", label, *pair))
        return Effect(facts=facts, objects=[after])


@register
class RefuseTournament(_OfRefusal):
    """B.02 0.4, 0.5: decision to refuse a tournament, even before its report has come."""

    name = "refuse-tournament"
    title = _("Refuse a tournament")
    register_title = _("Tournament refused")
    button = _("Refuse")
    form = RefusalForm
    asks_by_post = True
    template = "admin/otb/tournament/_refusing.html"

    def apply(self, decision: Decision) -> Effect:
        """Refuse it. The organizer may appeal for seven days. To take it back, a reason is needed."""
        tournament = decision.asked["tournament"]
        with refusals():
            refusal = refuse(tournament, decision.asked["reason"], decision.at.date(), decision.by)
        effect = self.effect(tournament, refusal, text=("", refusal.text))
        effect.result = refusal
        told = gettext("Refused. The organizer has %(days)d days to appeal (B.02 0.5).")
        effect.outcome = [Sentence(told % {"days": APPEAL_DAYS}, findings_link(refusal.tournament))]
        return effect


@register
class TakeBackRefusal(_OfRefusal):
    """B.02 0.5: decision that a refusal was the office's mistake."""

    name = "take-back-refusal"
    title = _("Reverse the refusal of a tournament")
    register_title = _("Refusal of a tournament reversed")
    button = _("Reverse")
    form = TakingBackForm
    asks_by_post = True

    def apply(self, decision: Decision) -> Effect:
        """Let the tournament wait again to be rated or, without a report, to be reported."""
        tournament = decision.asked["tournament"]
        with refusals():
            refusal = take_back_refusal(tournament, decision.asked["reason"], decision.at.date())
        effect = self.effect(
            tournament, refusal, end_reason=("", refusal.end_reason), text=(refusal.text, "")
        )
        effect.outcome = [Sentence(gettext("The refusal was reversed."), findings_link(refusal.tournament))]
        if refusal.text:
            asked = {"tournament": [str(refusal.tournament.pk)], "reason": [refusal.text]}
            effect.undo = ("refuse-tournament", asked)
        add_revisions(effect, refusal.tournament, decision)
        return effect


@register
class ReceiveAppeal(_OfRefusal):
    """B.02 0.5: decision that notes an organizer's appeal."""

    name = "receive-appeal"
    title = _("Record an appeal against the refusal of a tournament")
    register_title = _("Appeal against the refusal of a tournament recorded")
    button = _("Record the appeal")
    form = AppealForm
    asks_by_post = True

    def apply(self, decision: Decision) -> Effect:
        """Note the appeal, within seven days of the refusal. It then waits for its decision."""
        asked = decision.asked
        tournament, on = asked["tournament"], asked["appealed_on"]
        with refusals():
            refusal = receive_appeal(tournament, asked["appeal"], on, decision.at.date())
        effect = self.effect(tournament, refusal, appealed_on=("", str(on)), appeal=("", refusal.appeal))
        effect.outcome = [Sentence(gettext("The appeal was recorded."), findings_link(refusal.tournament))]
        return effect


@register
class DecideAppeal(_OfRefusal):
    """B.02 0.5: decision to uphold or dismiss an organizer's appeal."""

    name = "decide-appeal"
    title = _("Decide an appeal against the refusal of a tournament")
    register_title = _("Appeal against the refusal of a tournament decided")
    button = _("Decide the appeal")
    form = AppealDecisionForm
    asks_by_post = True
    words = {**OtbKind.words, "upheld": _("upheld"), "dismissed": _("dismissed")}

    def apply(self, decision: Decision) -> Effect:
        """Uphold the appeal, so that the tournament waits again, or dismiss it."""
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
            add_revisions(effect, refusal.tournament, decision)
        return effect


class _OfAnnouncement(OtbKind):
    """A decision about what the organizer announced."""

    permission = "otb.judge_tournament"
    form = TournamentForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament."""
        return str(asked["tournament"])

    def fact(self, tournament: Tournament, before: str, after: str) -> Fact:
        """Return the change of what is registered."""
        label = field_label("announced_unrated")
        return Fact("inputs", f"tournament {tournament.pk} announced unrated", label, before, after)


@register
class AnnounceUnrated(_OfAnnouncement):
    """Decision that an event isn't rated. If it was, its period and all later ones are rated again."""

    name = "announce-unrated"
    title = _("Record the announcement of a tournament as unrated")
    register_title = _("Announcement as unrated recorded")
    button = _("Record")
    as_job = True

    def apply(self, decision: Decision) -> Effect:
        """Register the announcement, and take the event out of its list."""
        before = decision.asked["tournament"]
        was = {one.pk: one for one in (before, *before.parts.all())}
        with refusals():
            stored, lists = announce_unrated(before, at=decision.at, by=decision.by)
        revised = revisions_of(lists)
        facts = [] if before.announced_unrated else [self.fact(stored, "no", "yes")]
        facts += [
            Fact(
                "inputs",
                f"tournament {one.pk} status",
                str(one),
                was[one.pk].status_slug,
                one.status_slug,
            )
            for one in (stored, *stored.parts.all())
            if one.status != was[one.pk].status
        ]
        facts += [one.fact for one in revised]
        told = gettext("%(tournament)s is not rated (B.02 9.2).") % {"tournament": stored}
        link = ((gettext("Tournament"), stored.get_absolute_url()),)
        rated = any(one.rated_for is not None for one in was.values())
        return Effect(
            moves=moves_of_revisions(revised),
            facts=facts,
            outcome=[Sentence(told, link), *(one.told for one in revised)],
            objects=[stored],
            # What was rated waits for the next list, and doesn't go back to its own.
            undo=None if rated else ("withdraw-announcement", {"tournament": [str(stored.pk)]}),
        )


@register
class WithdrawAnnouncement(_OfAnnouncement):
    """Decision that an event can be rated, with the next list."""

    name = "withdraw-announcement"
    title = _("Remove the announcement of a tournament as unrated")
    register_title = _("Announcement as unrated removed")
    button = _("Record")

    def apply(self, decision: Decision) -> Effect:
        """Let it wait for the next list, or for its report."""
        with refusals():
            stored = withdraw_announcement(decision.asked["tournament"])
        told = gettext("%(tournament)s can be rated.") % {"tournament": stored}
        return Effect(
            facts=[self.fact(stored, "yes", "no")],
            outcome=[Sentence(told, ((gettext("Tournament"), stored.get_absolute_url()),))],
            objects=[stored],
            undo=("announce-unrated", {"tournament": [str(stored.pk)]}),
        )
