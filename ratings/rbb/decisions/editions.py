"""Editions of RBB: putting other numbers into force from a day on, and withdrawing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext as now_gettext
from django.utils.translation import gettext_lazy as _

from foa.current_change_set import change_set_under_way
from foa.moments import beginning_of
from foa.said import gettext, plain
from foa.web.days import DayInput
from ratings.formats.variants import MOST_TEXT, Variant, VariantRefused, read_variant
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.rbb.decisions.base import LedgerKind, effect_of
from ratings.rbb.decisions.games import MANY_GAMES
from ratings.rbb.edition_words import amendment_text, changes
from ratings.rbb.ledger.locks import lock_replays
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import Progress
from ratings.rbb.models import Game, RuleEdition
from ratings.rules.rbb.editions import Edition
from ratings.rules.time_controls import Category

_ONLY_ASKED: Final[dict[str, Promise]] = {
    "floor": _("the floor is 100 (RBB 3.2)"),
    "first_rating.games": _("a first rating needs five results (RBB 3.6)"),
    "first_rating.start": _("a first rating comes from a FIDE list or from results (RBB 3.4, 3.6)"),
    "expected.formula": _("expected scores are those of table 4.2 (RBB 3.9.1)"),
    "expected.white_advantage": _("the rules treat White and Black alike (RBB 3.9.1)"),
    "age": _("not every member’s year of birth is known"),
    "yardstick": _("this is a different rating system"),
}
"""Reasons why a field can be asked about in the lab, but not put into force."""


_EXAMPLE: Final = '[[k.rule]]\nk = 15\ncategory = "blitz"\nrating_from = 2000'


def edition_before(since: date) -> Edition:
    """Return the edition in force until a day, as the editions stand now."""
    earlier = RuleEdition.objects.filter(since__lt=since)
    return earlier.editions().all[-1]


class EditionForm(forms.Form):
    """Form for the day and the rules of an edition."""

    since = forms.DateField(
        label=_("In force from"),
        widget=DayInput(),
        help_text=_("From 00:00 UTC. If this day is in the past, all games since then are rated again."),
    )
    toml = forms.CharField(
        label=_("Rules, in TOML"),
        max_length=MOST_TEXT,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "rows": 12,
                "cols": 80,
                "spellcheck": "false",
                "translate": "no",
                "class": "vLargeTextField",
                "placeholder": _EXAMPLE,
            }
        ),
        help_text=_(
            "Anything you leave out stays as it is. docs/lab.md lists all fields. To try out a rule "
            "first, ask a policy question."
        ),
    )

    def clean_since(self) -> date:
        """Refuse the day of another edition."""
        since: date = self.cleaned_data["since"]
        if RuleEdition.objects.filter(since=since).exists():
            fault = now_gettext("An edition is already in force from this day. Withdraw it first.")
            raise ValidationError(fault)
        return since

    def clean_toml(self) -> str:
        """Refuse what can't be read, and what can only be asked about, field by field."""
        toml: str = self.cleaned_data["toml"].replace("\r\n", "\n")
        try:
            self.variant = read_variant(toml)
        except VariantRefused as refused:
            raise ValidationError(refused.faults) from refused
        if faults := list(_why_not(self.variant)):
            raise ValidationError(faults)
        return toml

    def clean(self) -> dict[str, Any]:
        """Refuse rules that say another day, or that change nothing."""
        cleaned = super().clean() or {}
        since = cleaned.get("since")
        if since is None or "toml" not in cleaned:
            return cleaned
        if self.variant.since not in (None, beginning_of(since)):
            self.add_error("toml", _("since: this differs from the day above. Remove this line."))
        elif not list(changes(self.variant.amendment, edition_before(since))):
            self.add_error("toml", _("This changes nothing: these numbers are already in force on that day."))
        return cleaned


def _why_not(variant: Variant) -> Iterator[str]:
    """Yield why a variant can't be put into force."""
    for field in variant.only_asked:
        words = {"field": field, "why": _ONLY_ASKED[field.rpartition(".")[2] if "rule" in field else field]}
        yield (
            now_gettext(
                "%(field)s: you can ask a policy question about this, but not put it into force: %(why)s."
            )
            % words
        )
    amendment = variant.amendment
    ks = [*amendment.k, amendment.k_new, *(rule.k for rule in amendment.k_rules)]
    if 0 in ks:
        yield now_gettext("k: with K = 0 games would change nothing. Use 1 or more.")


class _OfEditions(LedgerKind):
    """A decision about an edition."""

    asks_by_post = True

    def lock(self, form: Any) -> bool:
        """Keep every replay out: what an edition changes depends on those before it."""
        for category in Category:
            lock_replays(category)
        return True

    def is_long(self, asked: Mapping[str, Any]) -> bool:
        """Return True if many games were played since."""
        since = beginning_of(asked["since"])
        return Game.objects.counting().filter(ended_at__gte=since)[:MANY_GAMES].count() >= MANY_GAMES

    def subject(self, asked: Mapping[str, Any]) -> str:
        return gettext("from %(day)s") % {"day": asked["since"]}

    def facts(self, edition: RuleEdition, *, gone: bool = False) -> list[Fact]:
        """Return each number that an edition changes."""
        return [
            Fact(
                "inputs",
                f"edition {edition.since} {change.key}",
                plain("%s, %s") % (edition, change.label),
                *((change.after, change.before) if gone else (change.before, change.after)),
            )
            for change in changes(edition.amendment, edition_before(edition.since))
        ]

    def progress(self, decision: Decision) -> Progress:
        return lambda done: decision.tell(done, None, gettext("Replaying events."))

    def outcome(self, edition: RuleEdition, decision: Decision) -> list[Sentence]:
        """Say when it begins, if that is to come."""
        if edition.since <= decision.at.date():
            return []
        words = {"day": edition.since}
        return [
            Sentence(gettext("No rating changes before the edition comes into force on %(day)s.") % words)
        ]


@register
class PutIntoForce(_OfEditions):
    """Decision to apply other numbers of RBB section 3 from a day on."""

    name = "put-edition-into-force"
    title = _("Put an edition of the RBB into force")
    register_title = _("Edition of the RBB put into force")
    button = _("Put into force")
    permission = "ratings.add_ruleedition"
    form = EditionForm

    def bind(self, parameters: Parameters) -> Any:
        """Return the form; if only the rules are given, with these filled in."""
        if set(parameters) == {"toml"}:
            return EditionForm(initial={"toml": parameters["toml"][0]})
        return super().bind(parameters)

    def public_heading(self, parameters: Parameters) -> str:
        """Say what applies, and from when on."""
        try:
            amendment = read_variant(parameters["toml"][0]).amendment
        except VariantRefused:
            # A later program may not know what an earlier one stored.
            return str(self.register_title)
        words = {"day": date.fromisoformat(parameters["since"][0]), "what": amendment_text(amendment)}
        return gettext("RBB from %(day)s: %(what)s") % words

    def apply(self, decision: Decision) -> Effect:
        """Store the edition and replay what it reaches."""
        edition = RuleEdition(
            since=decision.asked["since"], toml=decision.asked["toml"], change_set_id=change_set_under_way()
        )
        with deferred(self.progress(decision)) as work:
            edition.save()
        effect = effect_of(work.summary)
        effect.facts += self.facts(edition)
        effect.outcome = self.outcome(edition, decision)
        effect.objects = [edition]
        effect.undo = (Withdraw.name, {"since": [edition.since.isoformat()]})
        return effect


class WithdrawForm(forms.Form):
    """Form for the day of an edition."""

    since = forms.DateField(label=_("In force from"), widget=DayInput())

    def clean_since(self) -> date:
        """Refuse a day without an edition."""
        since: date = self.cleaned_data["since"]
        if not RuleEdition.objects.filter(since=since).exists():
            raise ValidationError(now_gettext("No edition is in force from this day."))
        return since


@register
class Withdraw(_OfEditions):
    """Decision to withdraw an edition, as if it had never been in force."""

    name = "withdraw-edition"
    title = _("Withdraw an edition of the RBB")
    register_title = _("Edition of the RBB withdrawn")
    button = _("Withdraw")
    permission = "ratings.delete_ruleedition"
    form = WithdrawForm
    asks_by_post = False

    def public_heading(self, parameters: Parameters) -> str:
        """Say which."""
        day = date.fromisoformat(parameters["since"][0])
        return gettext("%(day)s edition of the RBB withdrawn") % {"day": day}

    def apply(self, decision: Decision) -> Effect:
        """Delete the edition and replay what it had reached."""
        edition = RuleEdition.objects.get(since=decision.asked["since"])
        facts = self.facts(edition, gone=True)
        parameters = {"since": [edition.since.isoformat()], "toml": [edition.toml]}
        with deferred(self.progress(decision)) as work:
            edition.delete()
        effect = effect_of(work.summary)
        effect.facts += facts
        effect.undo = (PutIntoForce.name, parameters)
        return effect
