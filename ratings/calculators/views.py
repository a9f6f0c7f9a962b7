"""Pages of the calculators. Each result has a link, unless it would be too long. Nothing is stored."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import TemplateView

from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import Negotiated, json_response
from ratings.calculators.forms import FideForm, FirstRatingForm, NeededForm, TournamentForm, WhatIfForm
from ratings.calculators.results import (
    edition_json,
    fide_result,
    first_rating_result,
    needed_result,
    tournament_result,
)
from ratings.calculators.what_if import (
    EDITIONS,
    OF_2009,
    STANDARD,
    final_json,
    standing_json,
    step_json,
    steps,
)
from ratings.otb.citations import cited
from ratings.otb.labels import edition_text
from ratings.rbb.models.editions import DecidedEditions
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import GameReason, Outcome, Topic
from ratings.rules.rbb.rating import Reason

LONGEST_ADDRESS: Final = 8_000
"""Maximum length of an address; gunicorn accepts request lines of up to 8190 bytes."""


class IndexView(TemplateView):
    template_name = "calculators/index.html"


# A POST changes nothing, so it needs neither token nor cookie.
@method_decorator(csrf_exempt, name="dispatch")
class CalculatorView(Negotiated, TemplateView):
    """A form and, at the same address, its result as HTML or JSON. Faults are status 400, by field.

    ``name``: that of its address. An address without the field ``filled_by`` only fills in the form, so that
    a link can name a member. Long lists of games are sent by POST.
    """

    form_class: ClassVar[type[forms.Form]]
    filled_by: ClassVar[str] = "games"
    title: ClassVar[str | Promise]
    name: ClassVar[str]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer as if the form had been sent by GET."""
        return self.get(request, *args, **kwargs)

    @property
    def query(self) -> QueryDict:
        """Return the form data as sent."""
        return self.request.POST if self.request.method == "POST" else self.request.GET

    @property
    def address(self) -> str:
        """Return the address of the result, or "" if it would be too long."""
        query = self.query.copy()
        query.pop("format", None)
        address = f"{self.request.path}?{query.urlencode()}"
        return address if len(address) <= LONGEST_ADDRESS else ""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the form as it was filled in, and the result if the form is valid."""
        query = self.query
        asked = self.format == "json" or self.filled_by in query
        form = self.form_class(query) if asked else self.form_class(initial=query.dict())
        context = super().get_context_data(
            form=form,
            query=query,
            address=self.address,
            title=self.title,
            **kwargs,
        )
        if asked and form.is_valid():
            context |= self.calculate(form.cleaned_data)
        return context

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Answer with status 400 if there are faults, in the requested format."""
        errors = context["form"].errors
        if errors and self.format == "json":
            error = {"status": 400, "message": _("Please correct the fields named below."), "fields": errors}
            return json_response({"error": error}, 400)
        return super().render_to_response(context, status=400 if errors else 200, **kwargs)

    def calculate(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a valid form as ``result``, with what only the page needs."""
        raise NotImplementedError

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the result with its address."""
        return {"url": self.address, **context["result"]}

    def json_deprecated(self) -> Deprecation:
        """Return when it goes."""
        return Deprecation(*JSON_GOES, f"arena:calculate_{self.name}")


class FideView(CalculatorView):
    """FIDE formula page: an estimate."""

    template_name = "calculators/fide.html"
    form_class = FideForm
    name = "fide"
    title = gettext_lazy("FIDE rating estimate")

    def calculate(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"result": fide_result(data)}


class WhatIfView(CalculatorView):
    """RBB: hypothetical games under the official rules, step by step."""

    template_name = "calculators/what_if.html"
    form_class = WhatIfForm
    name = "what_if"
    title = gettext_lazy("What if?")

    def calculate(self, data: dict[str, Any]) -> dict[str, Any]:
        """Explain each step as the explanation page does."""
        category, standing, member = data["category"], data["standing"], data["member"]
        editions, now = DecidedEditions(), timezone.now()
        found = steps(category, standing, member, data["games"], editions, at=now)
        edition = editions.at(now)
        return {
            "member": member,
            "category": category,
            "steps": found,
            "result": {
                "category": category.slug,
                "start": standing_json(standing, member),
                "games": [step_json(step) for step in found],
                "final": final_json(category, standing, found[-1].line, edition),
                **edition_json(edition),
            },
        }


class NeededView(CalculatorView):
    """Calculator of the score needed for a target."""

    template_name = "calculators/needed.html"
    form_class = NeededForm
    name = "needed"
    filled_by = "opponents"
    title = gettext_lazy("What do I need?")

    def calculate(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"member": data["member"], "result": needed_result(data)}


class FirstRatingView(CalculatorView):
    """Calculator of performance (table 4.1) and first rating (RBB 3.7)."""

    template_name = "calculators/first_rating.html"
    form_class = FirstRatingForm
    name = "first_rating"
    title = gettext_lazy("First rating and performance")

    def calculate(self, data: dict[str, Any]) -> dict[str, Any]:
        """Add the reason of each game in words."""
        result = first_rating_result(data)
        reasons = [
            (game, _(Reason[game["reason"].upper()].text) if game["reason"] else None)
            for game in result["games"]
        ]
        return {"result": result, "reasons": reasons}


class TournamentView(CalculatorView):
    template_name = "calculators/tournament.html"
    form_class = TournamentForm
    name = "tournament"
    title = gettext_lazy("Over-the-board tournament")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the editions whose figures the notes name."""
        return super().get_context_data(standard=EDITIONS[STANDARD], of_2009=EDITIONS[OF_2009], **kwargs)

    def calculate(self, data: dict[str, Any]) -> dict[str, Any]:
        """Add the terms and articles of the edition, if one is the chosen rule book."""
        result = tournament_result(data)
        reasons = [
            (game, _(GameReason[game["reason"].upper()].text) if "reason" in game else None)
            for game in result["games"]
        ]
        found = {"result": result, "reasons": reasons}
        edition = EDITIONS.get(result["rule_book"])
        if edition is None:
            return found
        return found | {
            "edition": edition,
            "with_hypothetical": edition.has(Topic.OPPONENTS),
            "outcome": edition_text(Outcome[result["outcome"].upper()], edition),
            "needs_id": cited(edition, Finds.NO_FIDE_ID),
            "limits_k": cited(edition, Topic.K),
        }
