"""RBB 3.15: announcing the over-the-board changes of a month, from FIDE lists or a file, and undoing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any, BinaryIO, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foa.moments import parse_moment
from foa.said import Month, gettext, ngettext, plain
from foa.text import month_text
from ratings.fide.decisions.watch import change_text, watch_warning
from ratings.fide.services.announcing import (
    COLUMNS,
    Announced,
    NotAnnounced,
    announce,
    import_changes,
    undo_announcement,
)
from ratings.fide.services.entitlements import AnnouncedDifference
from ratings.fide.services.lists import month_of
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.importing import FileForm, FileReport, ImportKind
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.base import LedgerKind, effect_of
from ratings.rbb.labels import CATEGORY_NAMES


class MonthForm(forms.Form):
    """Form for the month of a FIDE list."""

    period = forms.CharField(label=_("Month"), max_length=10, widget=forms.HiddenInput)

    def clean_period(self) -> date:
        """Return the first day of the month."""
        return month_of(self.cleaned_data["period"])


class _OfAMonth(LedgerKind):
    """A decision about the over-the-board changes of a month."""

    permission = "fide.announce_fidelist"
    form = MonthForm
    as_job = True
    template = "admin/fide/fidelist/_announcement.html"
    title_of_month: ClassVar[Any]
    register_of_month: ClassVar[Any]

    def heading(self, asked: Mapping[str, Any]) -> str:
        return str(self.title_of_month) % {"month": month_text(asked["period"])}

    def subject(self, asked: Mapping[str, Any]) -> str:
        return plain("%s") % Month(asked["period"])

    def public_heading(self, parameters: Parameters) -> str:
        month = parse_moment(f"{parameters['period'][0]}-01")
        return str(self.register_of_month) % {"month": month_text(month)}

    def announced(self, done: Announced) -> Effect:
        """Return the effect of an announcement, which is empty if the month was announced before."""
        if not done.is_new:
            return Effect(result=done)
        effect, announcement = effect_of(done.replayed), done.announcement
        month = f"{announcement.period:%Y-%m}"
        effect.facts += [
            Fact(
                "inputs",
                month,
                gettext("Announcement of %(month)s") % {"month": month_text(announcement.period)},
                after=announcement.source,
            ),
            *(_change_fact(one, after=change_text(one)) for one in _by_name(done.changes)),
        ]
        if done.watched:
            effect.facts.append(watch_warning(done.watched))
        told = ngettext(
            "%(period)s is announced: %(count)d adjustment.",
            "%(period)s is announced: %(count)d adjustments.",
            announcement.count,
        ) % {"period": month_text(announcement.period), "count": announcement.count}
        changes = (gettext("Changes"), f"{reverse('ratings:changes')}?kind=adjustment")
        effect.outcome = [Sentence(told, (changes,)), _told_left(done)]
        effect.objects = [announcement]
        effect.undo = ("take-back-announcement", {"period": [month]})
        effect.result = done
        return effect


@register
class Announce(_OfAMonth):
    """RBB 3.15: decision to add the over-the-board changes of a FIDE list, once."""

    name = "announce"
    title = _("Announce a FIDE list")
    title_of_month = _("Announce the %(month)s FIDE list")
    register_of_month = _("%(month)s FIDE list announced")
    button = _("Announce")
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        """Announce the month. Both lists must have been imported."""
        with _answered():
            done = announce(period=decision.asked["period"], at=decision.at, by=decision.by)
        return self.announced(done)


class ChangesForm(FileForm, MonthForm):
    """A file of changes that waits as an upload, and its month."""

    period = forms.CharField(
        label=_("Month"), max_length=10, help_text=_("Month of the list, such as 2026-03.")
    )


@register
class AnnounceChanges(ImportKind, _OfAMonth):
    """RBB 3.15: decision to announce a month from a file. The file is deleted once its changes are stored."""

    name = "announce-changes"
    title = _("Announce over-the-board changes from a file")
    title_of_month = _("Announce changes for %(month)s from a file")
    register_of_month = _("%(month)s over-the-board changes announced")
    button = _("Announce")
    form = ChangesForm
    columns = COLUMNS
    about = _(
        "Over-the-board changes for a month (RBB 3.15), used instead of the difference between two "
        "FIDE lists."
    )
    is_whole = True
    lists = ("ratings.otbadjustment", "fide.fidelist")

    def heading(self, asked: Mapping[str, Any]) -> str:
        return _OfAMonth.heading(self, asked)

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        """Announce all rows of the file or none."""
        asked, rows = decision.asked, read_rows(file, required=COLUMNS)
        try:
            with _answered():
                done = import_changes(
                    rows=rows,
                    period=asked["period"],
                    source=asked["source"],
                    sha256=asked["sha256"],
                    at=decision.at,
                    by=decision.by,
                    refused=report.refused,
                )
        finally:
            report.read_as = rows.read_as
        effect = self.announced(done)
        report.said = [one.text for one in effect.outcome]
        return effect


def decision_to_announce(period: date) -> ChangeSet | None:
    """Return the decision that announced a month, or None if there is none or it was undone."""
    undo = {"kind": "take-back-announcement", "parameters": {"period": [f"{period:%Y-%m}"]}}
    taken_back = ChangeSet.objects.applied().filter(undoes__isnull=False)
    return ChangeSet.objects.applied().filter(undo=undo).exclude(pk__in=taken_back.values("undoes")).first()


@register
class TakeBackAnnouncement(_OfAMonth):
    """RBB 3.15: decision to remove exactly the adjustments of an announcement."""

    name = "take-back-announcement"
    title = _("Reverse an announcement")
    title_of_month = _("Reverse the %(month)s announcement")
    register_of_month = _("Announcement of %(month)s reversed")
    button = _("Reverse")

    def apply(self, decision: Decision) -> Effect:
        """Undo the announcement. One from a file can't be restored by undoing: the file is imported again."""
        with _answered():
            undone = undo_announcement(period=decision.asked["period"])
        effect, announcement = effect_of(undone.replayed), undone.announcement
        month = f"{announcement.period:%Y-%m}"
        effect.facts += [
            Fact(
                "inputs",
                month,
                gettext("Announcement of %(month)s") % {"month": month_text(announcement.period)},
                before=announcement.source,
            ),
            *(_change_fact(one, before=change_text(one)) for one in _by_name(undone.changes)),
        ]
        told = ngettext(
            "%(period)s: %(count)d adjustment reversed, %(moved)d ratings changed.",
            "%(period)s: %(count)d adjustments reversed, %(moved)d ratings changed.",
            len(undone.changes),
        )
        words = {
            "period": month_text(announcement.period),
            "count": len(undone.changes),
            "moved": len(effect.moves),
        }
        effect.outcome = [Sentence(told % words)]
        effect.undo = None if announcement.sha256 else ("announce", {"period": [month]})
        effect.result = undone
        return effect


@contextmanager
def _answered() -> Iterator[None]:
    """Turn reasons against an announcement into a ValidationError."""
    try:
        yield
    except (NotAnnounced, FileRefused) as refusal:
        raise ValidationError(f"{refusal}.") from refusal


def _by_name(changes: Sequence[AnnouncedDifference]) -> list[AnnouncedDifference]:
    return sorted(changes, key=lambda one: (str(one.member), one.member.pk, one.category))


def _change_fact(change: AnnouncedDifference, *, before: str = "", after: str = "") -> Fact:
    label = f"{change.member} ({change.member.fide_id}), {CATEGORY_NAMES[change.category]}"
    return Fact("inputs", f"{change.category.slug} {change.member.pk}", label, before, after)


def _told_left(done: Announced) -> Sentence:
    text = gettext(
        "Unchanged: %(unrated)d unrated, %(entered)d already entered, %(contained)d with a first "
        "rating from this list or a later one."
    )
    return Sentence(text % {"unrated": done.unrated, "entered": done.entered, "contained": done.contained})
