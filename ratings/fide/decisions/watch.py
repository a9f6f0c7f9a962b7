"""RBB 3.4, 3.15: replacing what was applied by what FIDE's lists give today; choosing one of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext
from foa.text import month_text, signed, utc_text
from members.models import Member
from ratings.fide.decisions.first_ratings import OfMembers, told_missing
from ratings.fide.models import CONTROL_NAMES, DoubleRating
from ratings.fide.services.adjustment_diff import ChangeDifference
from ratings.fide.services.doubles import choose
from ratings.fide.services.entitlements import AnnouncedDifference, FirstRatingGiven
from ratings.fide.services.watch import OpeningDifference, Redetermined, redetermine, watched
from ratings.formats.frl import FideControl
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import OneOf
from ratings.rbb.decisions.base import LedgerKind, effect_of
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rules.rounding import from_hundredths


@dataclass(frozen=True, slots=True)
class Watch:
    """The first-rating check. ``of_all``: it covers everybody, because nobody was chosen."""

    redetermined: Redetermined
    of_all: bool

    @property
    def members(self) -> list[Any]:
        """Return members whose stored figures differ from what the lists give."""
        return [one.member for one in self.redetermined.members]

    @property
    def not_known(self) -> list[Sentence]:
        """Name the missing lists, each with the number of members who wait for it."""
        return told_missing(self.redetermined.not_known)


@register
class RedetermineFirstRatings(OfMembers):
    """RBB 3.4: decision to determine first ratings again, with the changes of announced months.

    This can't be undone: what the lists give follows from FIDE ID and first day. Once these are corrected,
    the member is on the watch again.
    """

    name = "redetermine-first-ratings"
    title = _("First-rating check (RBB 3.4, 3.15)")
    register_title = _("First ratings determined again (RBB 3.4)")
    button = _("Apply the FIDE lists")
    permission = "ratings.change_openingrating"
    template = "admin/fide/fidelist/_watch.html"

    def apply(self, decision: Decision) -> Effect:
        """Store what the lists give. The effect is empty if nothing differs."""
        chosen = self.chosen(decision)
        done = redetermine(at=decision.at, members=chosen, by=decision.by, note=decision.note)
        effect = effect_of(done.replayed)
        for member, openings, changes, is_recorded in done.members:
            effect.facts += [_opening_fact(member, one) for one in openings]
            effect.facts += [_change_fact(one) for one in changes]
            if not is_recorded:
                label = gettext("%(member)s: record that first ratings were determined") % {"member": member}
                effect.facts.append(Fact("inputs", f"determination {member.pk}", label, after="yes"))
        effect.objects = [one.member for one in done.members]
        effect.result = Watch(done, chosen is None)
        told = ngettext(
            "%(count)d member matches the FIDE lists again.",
            "%(count)d members match the FIDE lists again.",
            len(done.members),
        )
        effect.outcome = [Sentence(told % {"count": len(done.members)}), *effect.result.not_known]
        return effect


def watch_warning(members: int) -> Fact:
    """Warn of that many members on the watch."""
    return Fact("warnings", "first-ratings", told_watched(members), after=str(members))


def told_watched(members: int) -> str:
    """Say how many members are on the watch."""
    text = ngettext(
        "%(count)d member differs from the FIDE lists: see the first-rating check.",
        "%(count)d members differ from the FIDE lists: see the first-rating check.",
        members,
    )
    return text % {"count": members}


def _opening_fact(member: Member, one: OpeningDifference) -> Fact:
    label = gettext("%(member)s, %(category)s: first rating") % {
        "member": member,
        "category": CATEGORY_NAMES[one.category],
    }
    before, after = (_opening_text(first) if first else "" for first in (one.was, one.wanted))
    return Fact("inputs", f"opening {one.category.slug} {member.pk}", label, before, after)


def _opening_text(first: FirstRatingGiven) -> str:
    rating = from_hundredths(first.rating)
    return f"{rating:.2f} ({first.source}; {utc_text(first.effective_at)})"


def _change_fact(one: ChangeDifference) -> Fact:
    label = gettext("%(member)s, %(category)s: change of the %(month)s list") % {
        "member": one.member,
        "category": CATEGORY_NAMES[one.category],
        "month": month_text(one.period),
    }
    before, after = (
        f"{change_text(change)}, {utc_text(change.at)}" if change else "" for change in (one.was, one.wanted)
    )
    key = f"change {one.category.slug} {one.member.pk} {one.period:%Y-%m}"
    return Fact("inputs", key, label, before, after)


def change_text(change: AnnouncedDifference) -> str:
    """Return the change, with the two published ratings if it comes from lists."""
    amount = signed(from_hundredths(change.amount))
    return amount if change.previous is None else f"{amount} ({change.new} − {change.previous})"


class RowForm(forms.Form):
    row = OneOf(DoubleRating.objects.select_related("fide_list"))


class _OfRow(LedgerKind):
    """A decision about the ratings of one FIDE ID in one list."""

    permission = "fide.import_fidelist"
    form = RowForm
    asks_reason = False

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the FIDE ID, the control and the list."""
        row = asked["row"]
        return f"{row.fide_id}, {row.control}, {row.fide_list.period:%Y-%m}"

    def effect(self, row: DoubleRating, chosen: DoubleRating | None) -> Effect:
        """Choose a row or none. Differences that follow for members wait for a rating officer."""
        before = DoubleRating.objects.beside(row).filter(is_chosen=True).select_related("fide_list").first()
        if before == chosen:
            raise ValidationError(gettext("This has already been decided."))
        choose(chosen, row)
        words = {"fide_id": row.fide_id, "control": CONTROL_NAMES[FideControl(row.control)]}
        label = gettext("FIDE ID %(fide_id)d, %(control)s: rating (line in the file)") % words
        key = f"double {row.fide_list_id} {row.fide_id} {row.control}"
        facts = [Fact("inputs", key, label, *("" if one is None else _text(one) for one in (before, chosen)))]
        members = Member.objects.filter(fide_id=row.fide_id)
        if differing := sum(1 for _one in watched(at=timezone.now(), members=members)):
            facts.append(watch_warning(differing))
        return Effect(
            facts=facts,
            objects=[row],
            undo=("take-back-double-rating", {"row": [str(row.pk)]})
            if before is None
            else ("choose-double-rating", {"row": [str(before.pk)]}),
        )


def _text(row: DoubleRating) -> str:
    return f"{row.rating} ({row.line})"


@register
class ChooseDoubleRating(_OfRow):
    """Decision that one of the ratings counts."""

    name = "choose-double-rating"
    title = _("Choose between duplicate ratings on a FIDE list")
    register_title = _("Duplicate rating on a FIDE list resolved")
    button = _("Choose this rating")

    def apply(self, decision: Decision) -> Effect:
        row = decision.asked["row"]
        effect = self.effect(row, row)
        told = gettext("FIDE ID %(fide_id)d: rating %(rating)d counts.")
        effect.outcome = [Sentence(told % {"fide_id": row.fide_id, "rating": row.rating})]
        return effect


@register
class TakeBackDoubleRating(_OfRow):
    """Decision that withdraws the choice. A rating may still count because a later list has it."""

    name = "take-back-double-rating"
    title = _("Reverse the choice between duplicate ratings on a FIDE list")
    register_title = _("Choice between duplicate ratings on a FIDE list reversed")
    button = _("Reverse the choice")

    def apply(self, decision: Decision) -> Effect:
        row = decision.asked["row"]
        effect = self.effect(row, None)
        told = gettext("FIDE ID %(fide_id)d: none of its ratings in this list is chosen.")
        effect.outcome = [Sentence(told % {"fide_id": row.fide_id})]
        return effect
