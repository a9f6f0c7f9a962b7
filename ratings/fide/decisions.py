"""What people decide about FIDE's lists: first ratings (RBB 3.4), announcing a month (RBB 3.15)."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.text import signed, utc_text
from ratings.decisions.base import LedgerKind, effect_of
from ratings.fide.services.announcing import Announced, announce, import_changes, undo_announcement
from ratings.fide.services.changes import COLUMNS, Change, NotAnnounced
from ratings.fide.services.first_ratings import (
    Determined,
    determine_first_ratings,
    take_back_first_ratings,
    waiting,
)
from ratings.fide.services.lists import month_of
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused
from ratings.labels import CATEGORY_NAMES
from ratings.models import OpeningRating
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.kinds import Decision, Parameters, register
from ratings.office.models import ChangeSet
from ratings.office.uploads import content_of, discard
from ratings.rules.rounding import from_hundredths

WAITING: Final = 1_000
"""So many waiting members a page lists."""


@dataclass(frozen=True, slots=True)
class FirstRatings:
    """What became of the members who waited, and, for who looks at it, the first thousand of them."""

    determined: Determined
    waiting: Sequence[Any] = field(default_factory=list)
    more: bool = False

    @property
    def not_known(self) -> list[Sentence]:
        """Who keeps waiting, and for which list."""
        text = gettext(
            "Still waiting: %(members)d full members since %(month)s. No complete FIDE list of that month"
            " or before was imported; import one, it only adds to the history."
        )
        return [
            Sentence(text % {"members": members, "month": f"{month:%Y-%m}"})
            for month, members in sorted(self.determined.not_known.items())
        ]


def listed_waiting(at: datetime) -> tuple[list[Any], bool]:
    """The members who wait for first ratings at a moment, as many as a page lists; whether there are more."""
    members = list(waiting(at=at)[: WAITING + 1])
    return members[:WAITING], len(members) > WAITING


@register
class GiveFirstRatings(LedgerKind):
    """RBB 3.4: first ratings for the members who wait for them."""

    name = "first-ratings"
    title = _("Determine first ratings (RBB 3.4)")
    button = _("Determine now")
    permission = "ratings.add_openingrating"
    as_job = True
    asks_reason = False
    template = "admin/fide/fidelist/_waiting.html"

    def public_heading(self, parameters: Parameters) -> str:
        """What was done, for the register."""
        return gettext("First ratings determined (RBB 3.4)")

    def apply(self, decision: Decision) -> Effect:
        """Look up everybody who waits; nothing to do where nobody can be looked up."""
        members, more = listed_waiting(decision.at) if decision.looked_at else ([], False)
        done = determine_first_ratings(at=decision.at)
        effect = effect_of(done.replayed)
        effect.facts += [_opening_fact(one, after=_opening_text(one)) for one in done.openings]
        effect.facts += [
            Fact("inputs", f"unrated {one.pk}", gettext("%(member)s: no rating (RBB 3.5)") % {"member": one})
            for one in done.unrated
        ]
        effect.undo = ("take-back-first-ratings", {"determined_at": [decision.at.isoformat()]})
        effect.result = FirstRatings(done, members, more)
        effect.outcome = [_told_determined(done), *effect.result.not_known]
        return effect


class DeterminedForm(forms.Form):
    """Which determination: by its moment, which each of its rows has."""

    determined_at = forms.DateTimeField(label=_("Determined at"), widget=forms.HiddenInput)


@register
class TakeBackFirstRatings(LedgerKind):
    """RBB 3.4: remove exactly what a determination made. Its members wait again."""

    name = "take-back-first-ratings"
    title = _("Take back first ratings (RBB 3.4)")
    button = _("Take back")
    permission = "ratings.delete_openingrating"
    form = DeterminedForm
    as_job = True

    def public_heading(self, parameters: Parameters) -> str:
        """What was done, for the register."""
        return gettext("First ratings taken back (RBB 3.4)")

    def apply(self, decision: Decision) -> Effect:
        """Nothing to do where nothing of it is left."""
        undone = take_back_first_ratings(determined_at=decision.asked["determined_at"])
        effect = effect_of(undone.replayed)
        effect.facts += [_opening_fact(one, before=_opening_text(one)) for one in undone.openings]
        effect.facts += [
            Fact("inputs", f"unrated {one.pk}", gettext("%(member)s: waits again") % {"member": one})
            for one in undone.unrated
        ]
        told = gettext("First ratings taken back: %(openings)d. Members who wait again: %(members)d.") % {
            "openings": len(undone.openings),
            "members": undone.members,
        }
        effect.outcome = [Sentence(told)]
        effect.undo = ("first-ratings", {})
        effect.result = undone
        return effect


class MonthForm(forms.Form):
    """Of which month the FIDE list is."""

    period = forms.CharField(label=_("Month"), max_length=10, widget=forms.HiddenInput)

    def clean_period(self) -> date:
        """Its first day."""
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
        """The month."""
        return str(self.title_of_month) % {"month": f"{asked['period']:%Y-%m}"}

    def public_heading(self, parameters: Parameters) -> str:
        """The month."""
        return str(self.register_of_month) % {"month": parameters["period"][0]}

    def announced(self, done: Announced) -> Effect:
        """What an announcement did; nothing to do where the month was announced before."""
        if not done.is_new:
            return Effect(result=done)
        effect, announcement = effect_of(done.replayed), done.announcement
        month = f"{announcement.period:%Y-%m}"
        effect.facts += [
            Fact("inputs", month, gettext("Announcement of %(month)s") % {"month": month},
                 after=announcement.source),
            *(_change_fact(one, after=_change_text(one)) for one in _by_name(done.changes)),
        ]  # fmt: skip
        told = ngettext(
            "%(period)s is announced: %(count)d adjustment.",
            "%(period)s is announced: %(count)d adjustments.",
            announcement.count,
        ) % {"period": month, "count": announcement.count}
        changes = (gettext("Changes"), f"{reverse('ratings:changes')}?kind=adjustment")
        effect.outcome = [Sentence(told, (changes,)), _told_left(done)]
        effect.objects = [announcement]
        effect.undo = ("take-back-announcement", {"period": [month]})
        effect.result = done
        return effect


@register
class Announce(_OfAMonth):
    """RBB 3.15: add the over-the-board changes of a FIDE list, once."""

    name = "announce"
    title = _("Announce a FIDE list")
    title_of_month = _("Announce the FIDE list of %(month)s")
    register_of_month = _("FIDE list of %(month)s announced")
    button = _("Announce")
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        """Both lists must have been imported."""
        with _answered():
            done = announce(period=decision.asked["period"], at=decision.at, by=decision.by)
        return self.announced(done)


class ChangesForm(MonthForm):
    """A file of changes that waits as an upload, and its month."""

    upload = forms.CharField(max_length=32, widget=forms.HiddenInput)
    sha256 = forms.CharField(max_length=64, widget=forms.HiddenInput)
    source = forms.CharField(max_length=255, widget=forms.HiddenInput)


@register
class AnnounceChanges(_OfAMonth):
    """RBB 3.15: announce a month with the changes of a file. The file goes once they are stored."""

    name = "announce-changes"
    title = _("Announce the changes of a file")
    title_of_month = _("Announce the changes of a file for %(month)s")
    register_of_month = _("Over-the-board changes of %(month)s announced")
    button = _("Announce")
    form = ChangesForm
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        """All of its rows or none."""
        asked = decision.asked
        rows = read_rows(io.BytesIO(content_of(asked["upload"], asked["sha256"])), required=COLUMNS)
        with _answered():
            done = import_changes(
                rows=rows, period=asked["period"], source=asked["source"], sha256=asked["sha256"],
                at=decision.at, by=decision.by,
            )  # fmt: skip
        # A preview is rolled back, and with it this.
        transaction.on_commit(partial(discard, asked["upload"]))
        return self.announced(done)


def decision_to_announce(period: date) -> ChangeSet | None:
    """The decision by which a month was announced, unless it was taken back; None for one without any."""
    undo = {"kind": "take-back-announcement", "parameters": {"period": [f"{period:%Y-%m}"]}}
    taken_back = ChangeSet.objects.applied().filter(undoes__isnull=False)
    return ChangeSet.objects.applied().filter(undo=undo).exclude(pk__in=taken_back.values("undoes")).first()


@register
class TakeBackAnnouncement(_OfAMonth):
    """RBB 3.15: take back the adjustments of an announcement, these and no others."""

    name = "take-back-announcement"
    title = _("Take back an announcement")
    title_of_month = _("Take back the announcement of %(month)s")
    register_of_month = _("Announcement of %(month)s taken back")
    button = _("Take back")

    def apply(self, decision: Decision) -> Effect:
        """Nothing takes back a file's announcement for good: the file has to be imported again."""
        with _answered():
            undone = undo_announcement(period=decision.asked["period"])
        effect, month = effect_of(undone.replayed), f"{undone.announcement.period:%Y-%m}"
        effect.facts += [
            Fact("inputs", month, gettext("Announcement of %(month)s") % {"month": month},
                 before=undone.announcement.source),
            *(_change_fact(one, before=_change_text(one)) for one in _by_name(undone.changes)),
        ]  # fmt: skip
        told = ngettext(
            "%(period)s: %(count)d adjustment was taken back, and %(moved)d ratings moved.",
            "%(period)s: %(count)d adjustments were taken back, and %(moved)d ratings moved.",
            len(undone.changes),
        )
        words = {"period": month, "count": len(undone.changes), "moved": len(effect.moves)}
        effect.outcome = [Sentence(told % words)]
        effect.undo = None if undone.announcement.sha256 else ("announce", {"period": [month]})
        effect.result = undone
        return effect


@contextmanager
def _answered() -> Iterator[None]:
    """What stands against an announcement is an answer."""
    try:
        yield
    except (NotAnnounced, FileRefused) as refusal:
        raise ValidationError(f"{refusal}.") from refusal


def _by_name(changes: Sequence[Change]) -> list[Change]:
    return sorted(changes, key=lambda one: (str(one.member), one.member.pk, one.category))


def _change_fact(change: Change, *, before: str = "", after: str = "") -> Fact:
    label = f"{change.member} ({change.member.fide_id}), {CATEGORY_NAMES[change.category]}"
    return Fact("inputs", f"{change.category.slug} {change.member.pk}", label, before, after)


def _change_text(change: Change) -> str:
    """The change; between which published ratings, where lists say so."""
    amount = signed(from_hundredths(change.amount))
    return amount if change.previous is None else f"{amount} ({change.new} − {change.previous})"


def _opening_fact(opening: OpeningRating, *, before: str = "", after: str = "") -> Fact:
    label = f"{opening.member}, {CATEGORY_NAMES[opening.category]}"
    return Fact("inputs", f"{opening.category.slug} {opening.member_id}", label, before, after)


def _opening_text(opening: OpeningRating) -> str:
    """The rating, where it comes from, and from when on it counts."""
    return f"{opening.rating:.2f} ({opening.source}; {utc_text(opening.effective_at)})"


def _told_left(done: Announced) -> Sentence:
    text = gettext(
        "Left as they are: %(unrated)d unrated, %(entered)d entered before, %(contained)d with a first"
        " rating of this list or a later one."
    )
    return Sentence(text % {"unrated": done.unrated, "entered": done.entered, "contained": done.contained})


def _told_determined(done: Determined) -> Sentence:
    text = gettext(
        "Members looked up: %(members)d. First ratings given: %(openings)d. Members without any"
        " (RBB 3.5): %(unrated)d."
    )
    words = {"members": done.members, "openings": len(done.openings), "unrated": len(done.unrated)}
    return Sentence(text % words, ((gettext("Changes"), f"{reverse('ratings:changes')}?kind=opening"),))
