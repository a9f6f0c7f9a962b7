"""B.02 9.2: an event that turns out to have been announced as not rated, or not to have been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.otb.decisions.base import (
    OtbKind,
    field_label,
    moves_of_revisions,
    refusals,
    revisions_of,
)
from ratings.otb.decisions.judging import TournamentForm
from ratings.otb.models import Tournament
from ratings.otb.services.unrated import announce_unrated, withdraw_announcement


class _OfAnnouncement(OtbKind):
    """A decision about what was announced."""

    permission = "otb.judge_tournament"
    form = TournamentForm

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Name the tournament."""
        return str(asked["tournament"])

    def fact(self, tournament: Tournament, before: str, after: str) -> Fact:
        """Return what is registered."""
        label = field_label("announced_unrated")
        return Fact("inputs", f"tournament {tournament.pk} announced unrated", label, before, after)


@register
class AnnounceUnrated(_OfAnnouncement):
    """It isn't rated; where it was, its period and every later one are rated again without it."""

    name = "announce-unrated"
    title = _("Register a tournament as announced as not rated")
    register_title = _("Tournament registered as announced as not rated")
    button = _("Register")
    as_job = True

    def apply(self, decision: Decision) -> Effect:
        """Keep that it was announced, and take it out of its list."""
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
    """It can be rated, with the next list."""

    name = "withdraw-announcement"
    title = _("Register that a tournament was not announced as not rated")
    register_title = _("Tournament registered as not announced as not rated")
    button = _("Register")

    def apply(self, decision: Decision) -> Effect:
        """It waits for the next list, or for its report."""
        with refusals():
            stored = withdraw_announcement(decision.asked["tournament"])
        told = gettext("%(tournament)s can be rated.") % {"tournament": stored}
        return Effect(
            facts=[self.fact(stored, "yes", "no")],
            outcome=[Sentence(told, ((gettext("Tournament"), stored.get_absolute_url()),))],
            objects=[stored],
            undo=("announce-unrated", {"tournament": [str(stored.pk)]}),
        )
