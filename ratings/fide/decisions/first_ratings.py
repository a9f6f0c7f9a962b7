"""RBB 3.4: giving first ratings to waiting members, taking them back, and the members and lists they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext, plain
from foa.text import month_text, utc_text
from members.models import Member
from ratings.fide.services.entitlements import MissingList
from ratings.fide.services.first_ratings import (
    Determined,
    determine_first_ratings,
    take_back_first_ratings,
    waiting,
)
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import SomeOf
from ratings.rbb.decisions.base import LedgerKind, effect_of, listed, member_subject
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models import OpeningRating, Rating


class MembersForm(forms.Form):
    member = SomeOf(Member.objects.order_by("pk"), required=False)


class OfMembers(LedgerKind):
    """A decision about members. An empty choice means everybody."""

    form = MembersForm
    as_job = True

    def bind(self, parameters: Parameters) -> Any:
        return self.form(MultiValueDict(parameters))

    def subject(self, asked: Mapping[str, Any]) -> str:
        return listed(map(member_subject, asked["member"]))

    def chosen(self, decision: Decision) -> QuerySet[Member] | None:
        """Return the members whom a decision is about, or None for everybody."""
        chosen: QuerySet[Member] = decision.asked["member"]
        return chosen if chosen.exists() else None


def name_of_list(missing: MissingList) -> str:
    """Return the name of a list: its month, and its time control if it has only one."""
    name = gettext("%(month)s FIDE list") % {"month": month_text(missing.period)}
    return f"{name}, {missing.control}" if missing.control else name


def told_missing(lists: Mapping[MissingList, int]) -> list[Sentence]:
    """Return a sentence for each missing list: how many members wait for it, and how to get it."""
    said = []
    for missing, members in sorted(lists.items()):
        words = {"list": name_of_list(missing), "members": members}
        if missing.fide_id:
            words["fide_id"] = missing.fide_id
            text = gettext("%(list)s has several ratings for FIDE ID %(fide_id)d: choose one.")
        elif missing.is_kept:
            text = ngettext(
                "%(list)s: the worker will look up %(members)d member in it within the hour.",
                "%(list)s: the worker will look up %(members)d members in it within the hour.",
                members,
            )
        elif missing.sha256:
            text = ngettext(
                "%(list)s is missing (%(members)d member waiting): import its file again.",
                "%(list)s is missing (%(members)d members waiting): import its file again.",
                members,
            )
        else:
            text = ngettext(
                "%(list)s is missing (%(members)d member waiting): import it.",
                "%(list)s is missing (%(members)d members waiting): import it.",
                members,
            )
        said.append(Sentence(text % words))
    return said


WAITING: Final = 1_000
"""Maximum number of waiting members that a page lists."""


@dataclass(frozen=True, slots=True)
class FirstRatings:
    """The result for waiting members. The first thousand of them are shown."""

    determined: Determined
    waiting: Sequence[Any] = field(default_factory=list)
    more: bool = False

    @property
    def not_known(self) -> list[Sentence]:
        """Name the missing lists, each with the number of members who wait for it."""
        return told_missing(self.determined.not_known)


def listed_waiting(at: datetime) -> tuple[list[Any], bool]:
    """Return the members who wait at a moment, up to the limit of a page, and True if there are more."""
    members = list(waiting(at=at)[: WAITING + 1])
    return members[:WAITING], len(members) > WAITING


@register
class GiveFirstRatings(OfMembers):
    """RBB 3.4: decision to give first ratings to all waiting members, or to the chosen ones."""

    name = "first-ratings"
    title = _("Determine first ratings (RBB 3.4)")
    register_title = _("First ratings determined (RBB 3.4)")
    button = _("Determine now")
    permission = "ratings.add_openingrating"
    asks_reason = False
    template = "admin/fide/fidelist/_waiting.html"

    def apply(self, decision: Decision) -> Effect:
        """Give first ratings. The effect is empty if nobody can be given any."""
        members, more = listed_waiting(decision.at) if decision.looked_at else ([], False)
        done = determine_first_ratings(at=decision.at, members=self.chosen(decision))
        effect = effect_of(done.replayed)
        effect.facts += [_opening_fact(one, after=_opening_text(one)) for one in done.openings]
        effect.facts += _unrated_facts(done.unrated)
        effect.undo = ("take-back-first-ratings", {"determined_at": [decision.at.isoformat()]})
        effect.result = FirstRatings(done, members, more)
        effect.outcome = [_told_determined(done), *effect.result.not_known]
        return effect


class DeterminedForm(forms.Form):
    """Form for a determination, by its moment, which all of its rows share."""

    determined_at = forms.DateTimeField(label=_("Determined at"), widget=forms.HiddenInput)


@register
class TakeBackFirstRatings(LedgerKind):
    """RBB 3.4: decision to remove exactly what a determination made. Its members wait again."""

    name = "take-back-first-ratings"
    title = _("Reverse first ratings (RBB 3.4)")
    register_title = _("First ratings reversed (RBB 3.4)")
    button = _("Reverse")
    permission = "ratings.delete_openingrating"
    form = DeterminedForm
    as_job = True

    def apply(self, decision: Decision) -> Effect:
        """Remove the ratings. The effect is empty if none is left."""
        undone = take_back_first_ratings(determined_at=decision.asked["determined_at"])
        effect = effect_of(undone.replayed)
        effect.facts += [_opening_fact(one, before=_opening_text(one)) for one in undone.openings]
        effect.facts += [
            Fact("inputs", f"unrated {one.pk}", gettext("%(member)s: waiting again") % {"member": one})
            for one in undone.unrated
        ]
        told = gettext("First ratings reversed: %(openings)d. Members waiting again: %(members)d.") % {
            "openings": len(undone.openings),
            "members": undone.members,
        }
        effect.outcome = [Sentence(told)]
        effect.undo = ("first-ratings", {})
        effect.result = undone
        return effect


def _unrated_facts(members: Sequence[Member]) -> Iterator[Fact]:
    """Yield for each member that the lists give none, and the ratings that they keep."""
    kept: dict[int, list[Any]] = {}
    for rating in Rating.objects.filter(member__in=members, rating__isnull=False).order_by(
        "member", "category"
    ):
        words = {"category": CATEGORY_NAMES[rating.category], "rating": f"{rating.rating:.2f}"}
        kept.setdefault(rating.member_id, []).append(plain("%(category)s %(rating)s") % words)
    for one in members:
        ratings: list[Any] = kept.get(one.pk, [])
        told = (
            gettext("%(member)s: no rating on the FIDE lists; unchanged: %(ratings)s")
            if ratings
            else gettext("%(member)s: no rating on the FIDE lists, so they stay unrated (RBB 3.5)")
        )
        words = {"member": one, "ratings": plain(", ".join(["%s"] * len(ratings))) % tuple(ratings)}
        yield Fact("inputs", f"unrated {one.pk}", told % words)


def _opening_fact(opening: OpeningRating, *, before: str = "", after: str = "") -> Fact:
    label = f"{opening.member}, {CATEGORY_NAMES[opening.category]}"
    return Fact("inputs", f"{opening.category.slug} {opening.member_id}", label, before, after)


def _opening_text(opening: OpeningRating) -> str:
    """Return the rating, its source, and the moment from which it counts."""
    return f"{opening.rating:.2f} ({opening.source}; {utc_text(opening.effective_at)})"


def _told_determined(done: Determined) -> Sentence:
    text = gettext(
        "Members looked up: %(members)d. First ratings given: %(openings)d. Members without a rating "
        "on the lists: %(unrated)d."
    )
    words = {"members": done.members, "openings": len(done.openings), "unrated": len(done.unrated)}
    return Sentence(text % words, ((gettext("Changes"), f"{reverse('ratings:changes')}?kind=opening"),))
