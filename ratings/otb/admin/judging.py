"""B.02 0.4, 0.5: findings of a tournament, with the ways to accept them, refusals and appeals."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext

from ratings.formats.problems import FileRefused
from ratings.office.admin.deciding import DecisionPages
from ratings.office.decision_types import kind_of
from ratings.otb.findings import FindingRow, cut_short, finding_rows
from ratings.otb.models import Tournament
from ratings.otb.services.rating import as_rated
from ratings.rules.b02.eligibility import APPEAL_DAYS


class JudgingAdmin(DecisionPages):
    """The page of the findings of a tournament. It decides nothing: it leads to the decisions."""

    def get_urls(self) -> list[URLPattern]:
        """Beside the other pages the one of the findings."""
        view = self.admin_site.admin_view(self.judge_view)
        return [path("<int:pk>/judge/", view, name="otb_tournament_judge"), *super().get_urls()]

    def decision_view(self, request: HttpRequest, decision: str, **fixed: Any) -> HttpResponse:
        """Show the findings again, with what was typed, if none can be accepted so."""
        if decision == "accept-finding" and "finds" in request.GET:
            asked = {**dict(request.GET.lists()), "tournament": [str(fixed["tournament"])]}
            accepting = kind_of(decision).bind(asked)
            if accepting.errors and "finds" not in accepting.errors:
                return self.judge_view(request, fixed["tournament"], accepting)
        return super().decision_view(request, decision, **fixed)

    def judge_view(self, request: HttpRequest, pk: int, accepting: Any = None) -> HttpResponse:
        """Show what was found, and what can be decided about it.

        ``accepting``: the form of findings that can't be accepted so.
        """
        if not self.may_decide(request, "accept-finding"):
            raise PermissionDenied
        tournament: Any = get_object_or_404(Tournament.objects.select_related("report"), pk=pk)
        rows: list[FindingRow] = []
        unreadable = ""
        try:
            rated = as_rated(tournament)
        except FileRefused as refusal:
            unreadable = str(refusal)
        else:
            typed = _typed(request)
            rows = (
                [one._replace(typed=typed.get(str(one.finds.value), "")) for one in finding_rows(rated)]
                if rated
                else []
            )
        refusing = [row.sentence for row in rows if row.refuses and row.accepted is None]
        # What was found is what the organizer is told, unless somebody writes it better.
        form = kind_of("refuse-tournament").form(initial={"reason": "\n".join(refusing)})
        status = Tournament.Status(tournament.status)
        standing = tournament.refusal
        return TemplateResponse(
            request,
            "admin/otb/tournament/judge.html",
            {
                **self.admin_site.each_context(request),
                "title": gettext("Findings: %(tournament)s") % {"tournament": tournament},
                "opts": self.opts,
                "tournament": tournament,
                "findings": cut_short(rows),
                "accepting": accepting,
                "refusing": len(refusing),
                "form": form,
                "unreadable": unreadable,
                "may_accept": status is not Tournament.Status.RATED,
                "may_refuse": status in (Tournament.Status.REGISTERED, Tournament.Status.RECEIVED),
                "refusals": tournament.refusals.order_by("-pk"),
                "refusal": standing,
                "appeal_form": kind_of("receive-appeal").form(),
                "decision_form": kind_of("decide-appeal").form(),
                "taking_back_form": kind_of("take-back-refusal").form(),
                "may_appeal": standing is not None and standing.appealed_on is None,
                "appeal_days": APPEAL_DAYS,
            },
        )


def _typed(request: HttpRequest) -> dict[str, str]:
    """Return the reasons in the address, by number of the finding."""
    return dict(zip(request.GET.getlist("finds"), request.GET.getlist("reason"), strict=False))
