"""Reports of tournaments: the first one of a tournament, and one that takes the place of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext, plain
from foa.text import date_text
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf
from ratings.office.importing import FileForm
from ratings.office.uploads import content_of
from ratings.otb.citations import cited
from ratings.otb.decisions.base import (
    OtbKind,
    Revision,
    field_label,
    findings_link,
    list_fact,
    moves_of_revisions,
    refusals,
    revisions_of,
    what_refuses,
)
from ratings.otb.findings import FINDS
from ratings.otb.models import KIND_CHOICES, RatingAdministrator, Tournament, TournamentReport
from ratings.otb.services.rating import as_rated
from ratings.otb.services.receiving import Received, Upload, receive
from ratings.rules.b02.types import Topic, TournamentType

_FIELDS: Final = (
    "name",
    "city",
    "federation",
    "kind",
    "first_day",
    "last_day",
    "time_control",
    "planned_games",
    "registered_on",
    "status",
    "rated_for",
)


class ReceivingForm(FileForm):
    """Form for a kept file with its options. ``tournament``: if empty, the report decides."""

    tournament = OneOf(Tournament.objects.select_related("report"), required=False)
    kind = forms.TypedChoiceField(
        required=False,
        empty_value=None,
        coerce=lambda text: TournamentType(int(text)),
        widget=forms.HiddenInput,
        choices=KIND_CHOICES,
    )
    registered_on = forms.DateField(required=False, widget=forms.HiddenInput)
    skip = forms.BooleanField(required=False, widget=forms.HiddenInput)
    accept = forms.CharField(required=False, max_length=500, widget=forms.HiddenInput)


class ReplacingForm(ReceivingForm):
    """Form for a tournament that has a report. ``report``: an earlier one, instead of a file."""

    tournament = OneOf(Tournament.objects.select_related("report"))
    report = OneOf(TournamentReport.objects.all(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.data.get("report"):
            for name in FileForm.base_fields:
                self.fields[name].required = False

    def clean(self) -> dict[str, Any]:
        """Refuse a report of another tournament."""
        cleaned = super().clean() or {}
        report, tournament = cleaned.get("report"), cleaned.get("tournament")
        if report and tournament and report.tournament_id != tournament.pk:
            self.add_error("report", gettext("This report is for another tournament."))
        return cleaned


class _OfReport(OtbKind):
    """A decision about a report."""

    permission = "otb.receive_tournament"
    template = "admin/otb/tournament/_received.html"

    def apply(self, decision: Decision) -> Effect:
        """Store the report. If it replaces a rated one, rate again."""
        asked, upload = decision.asked, _upload(decision.asked)
        with refusals():
            received = receive(upload, at=decision.at, by=decision.by, tournament=asked["tournament"])
        if not received.is_new:
            return Effect(result=received)
        self.check(received.before)
        revisions = revisions_of(received.revised)
        return Effect(
            moves=moves_of_revisions(revisions),
            facts=[*_changes(received, upload), *_warnings(received), *_lists(revisions)],
            outcome=_told(received, revisions, upload.source),
            objects=[received.tournament],
            undo=self.undo(received) if not upload.accept else None,
            result=received,
        )

    def check(self, before: Tournament | None) -> None:
        """Raise ValidationError if this decision isn't for the tournament as it was."""
        raise NotImplementedError

    def undo(self, received: Received) -> tuple[str, Mapping[str, list[str]]] | None:
        """Return what would take it back."""
        return None


@register
class ReceiveReport(_OfReport):
    """Decision to receive a tournament's first report, which also registers it if necessary."""

    name = "receive-report"
    title = _("Import a tournament report")
    register_title = _("Tournament report received")
    button = _("Import the report")
    form = ReceivingForm
    asks_reason = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the file, and the tournament if that is known."""
        tournament, source = asked["tournament"], asked["source"]
        return source if tournament is None else f"{tournament}, {source}"

    def check(self, before: Tournament | None) -> None:
        """Refuse a tournament that has a report."""
        if before is not None and before.report_id is not None:
            raise ValidationError(gettext("The tournament already has a report. You can replace it."))


@register
class ReplaceReport(_OfReport):
    """Decision to replace a report. If its period is closed, that and every later one are rated again."""

    name = "replace-report"
    title = _("Replace a tournament report")
    register_title = _("Tournament report replaced")
    button = _("Replace the report")
    form = ReplacingForm
    as_job = True

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament and the file."""
        report = asked["report"]
        return f"{asked['tournament']}, {report.source if report else asked['source']}"

    def check(self, before: Tournament | None) -> None:
        """Refuse a tournament without a report."""
        if before is None or before.report_id is None:
            raise ValidationError(gettext("The tournament has no report yet."))

    def undo(self, received: Received) -> tuple[str, Mapping[str, list[str]]] | None:
        """Return the previous report, if status, list and day of registration would be as before."""
        was, now = received.before, received.tournament
        if was is None or (was.status, was.rated_for) != (now.status, now.rated_for):
            return None
        if was.registered_on is None and now.registered_on is not None:
            return None
        asked: dict[str, Any] = {"tournament": now.pk, "report": was.report_id, "kind": was.kind}
        if was.registered_on is not None:
            asked["registered_on"] = was.registered_on
        return self.name, {name: [str(value)] for name, value in asked.items()}


def _upload(asked: Mapping[str, Any]) -> Upload:
    """Return the report with its options. Raises ValidationError if the file is gone."""
    said = {name: asked[name] for name in ("kind", "registered_on", "accept")}
    if stored := asked.get("report"):
        return Upload(
            content=bytes(stored.content),
            source=stored.source,
            skip_unknown_federations=stored.skip_unknown_federations,
            **said,
        )
    content = content_of(asked["upload"], asked["sha256"])
    return Upload(content=content, source=asked["source"], skip_unknown_federations=asked["skip"], **said)


def _changes(received: Received, upload: Upload) -> list[Fact]:
    """Return the changed fields of the tournament, its report, and the findings accepted with it."""
    was, now = received.before, received.tournament
    before, after = ({} if one is None else _values(one) for one in (was, now))
    key = "tournament new" if was is None else f"tournament {was.pk}"
    facts = [
        Fact("inputs", f"{key} {name}", field_label(name), before.get(name, ""), after[name])
        for name in _FIELDS
        if before.get(name, "") != after[name]
    ]
    facts += [
        Fact("inputs", f"{key} part {one.name}", one.name, one.before, one.after) for one in received.parts
    ]
    sha256 = "" if was is None or was.report is None else was.report.sha256
    facts.insert(0, Fact("inputs", f"{key} report", gettext("Report (SHA-256)"), sha256, upload.sha256))
    for finds in map(FINDS.__getitem__, received.consented):
        told = f"{received.rated.edition.cite(finds)}, {_(finds.text)}"
        facts.append(Fact("inputs", f"{key} finding {finds.value}", told, after=upload.accept))
    return facts


def _warnings(received: Received) -> list[Fact]:
    """Warn of rating again, of findings that keep it from being rated, and of a missing administrator."""
    warnings = what_refuses(received.rated)
    for one in received.parts:
        if one.part is not None:
            refusals_of_part = what_refuses(as_rated(one.part))
            warnings += [
                fact._replace(key=f"{one.name} {fact.key}", label=plain("%s: %s") % (one.name, fact.label))
                for fact in refusals_of_part
            ]
    if received.before is not None and received.before.rated_for is not None:
        told = gettext(
            "The tournament has already been rated. Its period and all later ones will be recalculated."
        )
        warnings.insert(0, Fact("warnings", "rated again", told, after=str(received.before.rated_for)))
    tournament = received.tournament
    federation, on = tournament.federation, tournament.first_day
    if federation and RatingAdministrator.objects.in_office(federation, on) is None:
        told = gettext("%(federation)s hasn’t registered a rating administrator (B.02 9.3).")
        warnings.append(Fact("warnings", "administrator", told % {"federation": federation}))
    if missed := missed_list(received):
        warnings.append(Fact("warnings", "next list", missed, str(received.missed), str(received.expected)))
    return warnings


def missed_list(received: Received) -> str:
    """B.02 7.13: say that the list was closed before the report came, and which is next, or return ""."""
    if received.missed is None:
        return ""
    text = gettext(
        "The %(missed)s list is closed, so the tournament will count for the %(expected)s list%(article)s."
    )
    days = {"missed": received.missed, "expected": received.expected}
    article = cited(received.rated.edition, Topic.CLOSING_DAY)
    return text % {"article": article, **{name: day and date_text(day) for name, day in days.items()}}


def _lists(revisions: Iterable[Revision]) -> list[Fact]:
    facts = []
    for one in revisions:
        moved = len(one.moved)
        text = ngettext("%(list)s: %(moved)d rating changes.", "%(list)s: %(moved)d ratings change.", moved)
        facts.append(list_fact(one.otb_list, text % {"list": one.otb_list, "moved": moved}))
    return facts


def _told(received: Received, revisions: Sequence[Revision], source: str) -> list[Sentence]:
    before, tournament = received.before, received.tournament
    link = ((gettext("Tournament"), tournament.get_absolute_url()),)
    if before is None or before.report_id is None:
        told = gettext("Report %(source)s received.") % {"source": source}
    else:
        told = gettext("New report for %(tournament)s received.") % {"tournament": tournament}
    told_of = [Sentence(told, link)]
    if before is None or before.status != Tournament.Status.RATED:
        told_of += [one.told for one in revisions]
        late = missed_list(received)
        return [*told_of, Sentence(late)] if late else told_of
    if tournament.status != Tournament.Status.RATED:
        told = (
            gettext("With this report, the tournament can’t be rated, so it no longer counts for any list.")
            if received.rated.refusals
            else gettext("With its new dates, the tournament counts for a later list.")
        )
        told_of.append(Sentence(told, findings_link(tournament)))
    told_of += [one.told for one in revisions]
    if not revisions:
        told_of.append(Sentence(gettext("No published list changes.")))
    return told_of


def _values(tournament: Tournament) -> dict[str, str]:
    """Return a tournament's fields as text, the same in all languages."""
    values = {name: getattr(tournament, name) for name in _FIELDS}
    values |= {"kind": TournamentType(tournament.kind).slug, "status": tournament.status_slug}
    return {name: "" if value is None else str(value) for name, value in values.items()}
