"""Over-the-board tournaments: the list of them, cross-table, findings, and why a player’s rating changed."""

from __future__ import annotations

from typing import Any, Final

from django.core.paginator import Paginator
from django.db.models import Max, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.generic import DetailView, TemplateView

from foa.files import FORMATS, download, file_response, in_blocks
from foa.web.caching import cached_for_visitors
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import FilteredTableView
from members.models import Member, member_of
from ratings.formats import trf
from ratings.formats.problems import FileRefused
from ratings.otb.explanation import explain
from ratings.otb.findings import cut_short, finding_rows
from ratings.otb.labels import edition_text
from ratings.otb.models import OtbList, Tournament, TournamentGame, TournamentPlayer, TournamentResult
from ratings.otb.pairing_grid import (
    RoundGame,
    average_rating,
    games_of_round,
    has_colours,
    own_games,
    pairing_grid,
    performance_of,
)
from ratings.otb.services.crosstable import cross_table_file, cross_table_line
from ratings.otb.services.player_record import card, latest_entry, prospect
from ratings.otb.services.rating import RatedTournament, as_rated, player_as_rated
from ratings.otb.services.rows import places_of
from ratings.otb.services.stages import event_stages, expected_list
from ratings.otb.services.standings import edition_of
from ratings.otb.services.trf_files import MEDIA_TYPE, trf_lines
from ratings.otb.services.trf_files import file_name as trf_file_name
from ratings.otb.tables import TournamentFilter, TournamentTable
from ratings.rules.b02.editions import EDITIONS
from ratings.rules.b02.types import Outcome

_PLAYERS_A_PAGE: Final = 100
_FINDINGS_SHOWN: Final = 100
_COMING: Final = 20
"""Maximum number of tournaments to come that are shown apart; the others are in the table."""


class TournamentListView(FilteredTableView):
    """Over-the-board tournaments, those that ended last first."""

    queryset = Tournament.objects.order_by("-last_day", "-first_day", "-pk")
    filterset_class = TournamentFilter
    table_class = TournamentTable
    template_name = "otb/tournaments.html"
    title = _("Over-the-board tournaments")
    intro = _("Each tournament is rated under the FIDE regulations in force on its first day.")
    file_name = "tournaments"
    noun = "tournaments"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:tournaments")

    @cached_property
    def coming(self) -> list[Tournament]:
        """The next tournaments, which the page without filters has above the table."""
        if self.request.GET.keys() & {"format", *self.filterset_class.base_filters}:
            return []
        planned = Tournament.objects.filter(first_day__gt=timezone.now().date())
        coming = planned.exclude(status=Tournament.Status.REFUSED)
        return list(coming.order_by("first_day", "pk")[:_COMING])

    def get_queryset(self) -> QuerySet[Tournament]:
        tournaments: QuerySet[Tournament] = super().get_queryset()
        if self.coming:
            tournaments = tournaments.exclude(pk__in=[one.pk for one in self.coming])
        return tournaments

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the tournaments to come, the next one first."""
        context = super().get_context_data(**kwargs)
        # Further pages go on with the table.
        if not self.request.GET.keys() & {"after", "before"}:
            context["coming"] = self.coming
        return context

    def get_table(self, **kwargs: Any) -> Any:
        """Add how large the page's tournaments are, and the lists that they were rated for."""
        table = super().get_table(**kwargs)
        keys = [one.pk for one in table.page.rows]
        # Places are 1, 2, 3, …, so the last one is the number of players.
        players = TournamentPlayer.objects.filter(tournament__in=keys).order_by().values_list("tournament")
        games = TournamentGame.objects.filter(tournament__in=keys).order_by().values_list("tournament")
        table.players = dict(players.annotate(Max("place")))
        table.rounds = dict(games.annotate(Max("round")))
        days = {one.rated_for for one in table.page.rows if one.rated_for is not None}
        table.lists = OtbList.objects.latest_by_day(days)
        return table


@method_decorator(cached_for_visitors, name="dispatch")
class TournamentView(DetailView[Tournament]):
    """A tournament: facts, cross-table, findings, and the source of the report."""

    template_name = "otb/tournament.html"
    context_object_name = "tournament"
    queryset = Tournament.objects.with_report().select_related("report__received_by")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the tournament as it was rated, or as it would be now."""
        tournament = self.object
        rated, unreadable = rated_or_why_not(tournament)
        context: dict[str, Any] = {}
        if rated is not None and tournament.by_period:
            context = {"findings": cut_short(finding_rows(rated), _FINDINGS_SHOWN)}
        elif rated is not None:
            ties = places_of(tournament)
            participants = {one.reported.start_rank: one for one in rated.participants}
            placed = [participants[number] for number in ties]
            page = Paginator(placed, _PLAYERS_A_PAGE).get_page(self.request.GET.get("page"))
            context = {
                "page": page,
                "grid": pairing_grid(rated, placed, ties, page.start_index() - 1, page.end_index()),
                "as_swiss": rated.rating.kind != tournament.kind,
                "average": average_rating(rated),
                "rounds": range(1, rated.report.rounds + 1),
                "own": own_games_of(self.request, rated),
                "has_colours": has_colours(rated),
                # Of more players a page would be too long; the cross-table has them by pages.
                "starters": sorted(placed, key=lambda one: one.reported.start_rank)
                if len(placed) <= _PLAYERS_A_PAGE
                else (),
                "findings": cut_short(finding_rows(rated), _FINDINGS_SHOWN),
            }
        stages = list(event_stages(tournament))
        expected, missed = expected_list(tournament)
        return super().get_context_data(
            rated=rated,
            unreadable=unreadable,
            would=tournament.status != Tournament.Status.RATED,
            refusals=tournament.refusals.order_by("-pk"),
            parts=tournament.parts.order_by("first_day", "pk"),
            cross_table_formats=[name for name in FORMATS if name != "json"],
            trf_versions=list(trf.Version),
            stages=stages if len(stages) > 1 else (),
            expected=expected,
            missed=missed,
            otb_list=tournament.rated_for
            and OtbList.objects.in_chapter(tournament.chapter).latest_of(tournament.rated_for),
            **context,
            **kwargs,
        )


@method_decorator(cached_for_visitors, name="dispatch")
class RoundView(DetailView[Tournament]):
    """The pairings of a round with their results, first that of the player who is logged in."""

    template_name = "otb/round.html"
    context_object_name = "tournament"
    queryset = Tournament.objects.with_report()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the pairings; 404 for a round that the report doesn't have."""
        tournament, number = not_in_parts(self.object), self.kwargs["number"]
        rated, unreadable = rated_or_why_not(tournament)
        if rated is None or not 1 <= number <= rated.report.rounds:
            raise Http404(unreadable or gettext("We have no pairings for this round."))
        games = games_of_round(rated, number)
        days = rated.report.round_dates
        return super().get_context_data(
            number=number,
            day=days[number - 1] if number <= len(days) else None,
            rounds=range(1, rated.report.rounds + 1),
            games=games,
            own=[game for game in own_games_of(self.request, rated) if game.round == number],
            has_colours=has_colours(rated),
            would=tournament.status != Tournament.Status.RATED,
            **kwargs,
        )


def own_games_of(request: HttpRequest, rated: RatedTournament) -> list[RoundGame]:
    """Return the rounds of the member who is logged in; none unless they played here, by their FIDE ID."""
    member = member_of(request.user)
    if member is None or member.fide_id is None:
        return []
    numbers = (
        one.reported.start_rank for one in rated.participants if one.reported.fide_id == member.fide_id
    )
    number = next(numbers, None)
    return [] if number is None else own_games(rated, number)


@method_decorator(cached_for_visitors, name="dispatch")
class CrossTableFileView(View):
    """The cross-table as a file: CSV, XLSX or JSON."""

    def get(self, request: HttpRequest, pk: int, ending: str) -> HttpResponseBase:
        """Return the file; 404 before there is a report."""
        tournament = get_object_or_404(Tournament.objects.with_report(), pk=pk)
        rated, _unreadable = rated_or_why_not(not_in_parts(tournament))
        if rated is None:
            raise Http404(
                gettext("We haven’t received a report on this tournament, so there is no cross-table.")
            )
        response = file_response(cross_table_file(rated), ending, FORMATS[ending])
        if ending == "json":
            Deprecation(*JSON_GOES, "arena:tournament_crosstable", {"id": pk}).tell(response)
        return response


@method_decorator(cached_for_visitors, name="dispatch")
class TrfFileView(View):
    """A tournament as a report file for pairing programs and other offices."""

    def get(self, request: HttpRequest, pk: int, version: trf.Version) -> HttpResponseBase:
        """Return the file; 404 before there is a report."""
        tournament = get_object_or_404(Tournament.objects.with_report(), pk=pk)
        if tournament.report is None:
            raise Http404(gettext("We haven’t received a report on this tournament."))
        try:
            lines = trf_lines(tournament, version)
        except FileRefused as refused:
            raise Http404(str(refused)) from refused
        return download(lambda: in_blocks(lines), trf_file_name(tournament, version), MEDIA_TYPE)


@method_decorator(cached_for_visitors, name="dispatch")
class TournamentPlayerView(DetailView[Tournament]):
    """A player’s games in a tournament, and how their rating change is calculated."""

    template_name = "otb/tournament_player.html"
    context_object_name = "tournament"
    queryset = Tournament.objects.with_report()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add games and steps, and the players placed before and after."""
        tournament, number = not_in_parts(self.object), self.kwargs["number"]
        try:
            found = player_as_rated(tournament, number)
        except FileRefused as refused:
            raise Http404(str(refused)) from refused
        if tournament.report_id is None:
            raise Http404(gettext("We haven’t received a report on this tournament."))
        if found is None:
            raise Http404(gettext("No player of this tournament has this start number."))
        rated, participant = found
        players = tournament.players
        places = players.aggregate(own=Max("place", filter=Q(number=number)), last=Max("place"))
        place = places["own"]
        beside = {one.place: one for one in players.filter(place__in=(place - 1, place + 1))}
        fide_id = participant.reported.fide_id
        is_new = participant.result.rating is None
        chapter = tournament.chapter
        entry = latest_entry(fide_id, chapter) if is_new and fide_id is not None else None
        return super().get_context_data(
            participant=participant,
            rated_by=rated.edition,
            outcome_cited=rated.edition.cite(participant.result.outcome),
            place=place,
            count=places["last"],
            line=cross_table_line(participant),
            performance=performance_of(participant),
            explanation=explain(rated, participant),
            would=tournament.status != Tournament.Status.RATED,
            entry=entry,
            prospect=prospect(fide_id, chapter, entry) if is_new and fide_id is not None else None,
            is_new=is_new,
            previous=beside.get(place - 1),
            following=beside.get(place + 1),
            **kwargs,
        )


def not_in_parts(tournament: Tournament) -> Tournament:
    """Raise Http404 for a league that is rated period by period: its parts have the figures (4.13)."""
    if tournament.by_period:
        raise Http404(gettext("This league is rated period by period. See the cross-tables of its parts."))
    return tournament


def rated_or_why_not(tournament: Tournament) -> tuple[RatedTournament | None, str]:
    """Return the rated tournament, or None and why: it has no report, or its rows aren't ready."""
    try:
        return as_rated(tournament), ""
    except FileRefused as refused:
        return None, str(refused)


_WORDS_BY_EDITION: Final = {one for one in Outcome for edition in EDITIONS if edition.text(one) != one.text}


class PlayerView(TemplateView):
    """A player over the board: name, lists, tournaments, and the way to a first rating."""

    template_name = "otb/player.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add everything the office has under this FIDE ID."""
        found = card(kwargs["fide_id"])
        if found is None:
            raise Http404(gettext("We have no player with this FIDE ID."))
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
    return gettext(outcome.text)
