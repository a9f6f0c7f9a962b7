"""The card of a player over the board."""

from __future__ import annotations

from typing import Any, Final

from django.http import Http404
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from members.models import Member
from ratings.otb.labels import edition_text
from ratings.otb.models import TournamentResult
from ratings.otb.services.player_record import card
from ratings.otb.services.standings import edition_of
from ratings.rules.b02.editions import EDITIONS
from ratings.rules.b02.types import Outcome

_WORDS_BY_EDITION: Final = {one for one in Outcome for edition in EDITIONS if edition.text(one) != one.text}


class PlayerView(TemplateView):
    """Name, lists, tournaments, and what a first rating still needs."""

    template_name = "otb/player.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Everything the office has under this FIDE ID."""
        found = card(kwargs["fide_id"])
        if found is None:
            raise Http404(_("The office has no player with this FIDE ID."))
        return super().get_context_data(
            card=found,
            results=[(result, _outcome(result)) for result in found.results],
            member=Member.objects.filter(fide_id=found.fide_id).first(),
            **kwargs,
        )


def _outcome(result: TournamentResult) -> str:
    outcome = Outcome(result.outcome)  # type: ignore[call-arg]  # by value
    # Which edition it is may take a query.
    if outcome in _WORDS_BY_EDITION:
        return edition_text(outcome, edition_of(result.tournament))
    return _(outcome.text)
