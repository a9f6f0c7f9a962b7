"""Tournaments and lists over the board in the API: the rows, filters and figures of the pages; read-only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import ChoiceFilter, DateFilter, NumberFilter
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from foa.list_rows import ListRows, exact, text, whole
from foa.spreadsheet import Cell
from foa.text import utc_text
from foa.web.listing import OfficeFilterSet
from members.filters import FederationFilter
from ratings.arena.api.public_pages import PagedView, PublicView, described, in_path, row_serializer
from ratings.formats.problems import FileRefused
from ratings.otb.models import (
    OtbList,
    Tournament,
    TournamentGame,
    TournamentPlayer,
    TournamentResult,
)
from ratings.otb.services.crosstable import cross_table_rows
from ratings.otb.services.files import LINES, TOP_LINES, active_by_rating, top_rows
from ratings.otb.services.rating import as_rated
from ratings.otb.tables import (
    OtbArchiveFilter,
    OtbArchiveTable,
    OtbEntryFilter,
    OtbTopFilter,
    TournamentFilter,
    TournamentTable,
)
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import GameReason, Outcome

_MOST: Final = 9999
"""Largest start number of a report."""

_TOURNAMENT: Final = in_path("id", "4711", "The number of the tournament.", kind=OpenApiTypes.INT)
_CHAPTERS: Final = [chapter.slug for chapter in Chapter]


def _in_points(parts: int) -> Any:
    """Return a function that writes whole numbers, of which so many make a point, as points: 7, 8.5."""
    return lambda number: f"{number / parts:g}"


def _with_results(players: QuerySet[Any]) -> QuerySet[Any]:
    results = TournamentResult.objects.filter(tournament=OuterRef("tournament"), number=OuterRef("number"))
    return players.annotate(
        **{f"its_{name}": Subquery(results.values(name)[:1]) for name in _OF_RESULTS}  # one row by its key
    )


_OF_RESULTS: Final = ("rating", "k", "rated_games", "half_points", "expected", "change", "outcome")

PLAYERS: Final = ListRows(
    "A player of a tournament, by final place.",
    _with_results,
    place=whole(help="As ranked in the report, or else by points and tie-breaks (C.07)."),
    number=whole(help="The start number."),
    fide_id=whole(null=True),
    name=text(),
    title=text(blank=True),
    federation=text(blank=True),
    team=text(blank=True),
    points=text(value=_in_points(10), null=True, help="In the whole tournament, as reported: 8.5."),
    buchholz_cut_1=text(value=_in_points(2), null=True),
    buchholz=text(value=_in_points(2), null=True),
    sonneborn_berger=text(value=_in_points(4), null=True),
    won=whole(
        null=True, help="Games won over the board. The tie-breaks are null if the report ranks everybody."
    ),
    rating=whole(
        "its_rating",
        null=True,
        help="The rating used in the calculation; null until the tournament is rated, "
        "and for an unrated player.",
    ),
    k=whole("its_k", null=True),
    rated_games=whole("its_rated_games", null=True, help="null until the tournament is rated."),
    score=text("its_half_points", value=_in_points(2), null=True, help="In the rated games."),
    expected=exact("its_expected", null=True),
    change=exact("its_change", null=True),
    outcome=text(
        "its_outcome",
        value=lambda number: Outcome(number).name.lower(),  # type: ignore[call-arg]  # by value
        choices=[outcome.name.lower() for outcome in Outcome],
        null=True,
    ),
)


def _with_names(games: QuerySet[Any]) -> QuerySet[Any]:
    def of(colour: str, column: str) -> Subquery:
        players = TournamentPlayer.objects.filter(tournament=OuterRef("tournament"), number=OuterRef(colour))
        return Subquery(players.values(column)[:1])

    return games.annotate(
        white_name=of("white", "name"),
        black_name=of("black", "name"),
        white_id=of("white", "fide_id"),
        black_id=of("black", "fide_id"),
    )


_REASONS: Final = [reason.name.lower() for reason in GameReason]


def _reason(number: int) -> str:
    return GameReason(number).name.lower()  # type: ignore[call-arg]  # by value


GAMES: Final = ListRows(
    "A pairing of a round, or a player’s round without an opponent.",
    _with_names,
    round=whole(),
    white=whole(help="The start number, even if the player has no opponent."),
    white_name=text(),
    white_fide_id=whole("white_id", null=True),
    black=whole(null=True, help="null: no opponent."),
    black_name=text(null=True),
    black_fide_id=whole("black_id", null=True),
    white_result=text(
        value=str.strip,
        blank=True,
        help="The TRF code: `1` `=` `0` played, `+` `-` a forfeit, `W` `D` `L` not to be rated, `H` `F` "
        "`U` `Z` a bye.",
    ),
    black_result=text(value=str.strip, blank=True),
    white_reason=text(value=_reason, choices=_REASONS, null=True, help="How it counts; null until rated."),
    white_expected=exact(null=True),
    black_reason=text(value=_reason, choices=_REASONS, null=True),
    black_expected=exact(null=True),
)


class TournamentsFilter(TournamentFilter):
    """Filters for tournaments; ``rated_for`` finds those of a rating period by the day of its list."""

    rated_for = DateFilter(label=gettext_lazy("Rating list"))


class PlayersFilter(OfficeFilterSet):
    federation = FederationFilter()
    fide_id = NumberFilter(
        label=gettext_lazy("FIDE ID"), min_value=1, max_value=999_999_999, decimal_places=0
    )


class GamesFilter(OfficeFilterSet):
    round = NumberFilter(label=gettext_lazy("Round"), min_value=1, max_value=_MOST, decimal_places=0)
    player = NumberFilter(
        label=gettext_lazy("Start number of a player"),
        method="filter_player",
        min_value=1,
        max_value=_MOST,
        decimal_places=0,
    )

    def filter_player(self, queryset: QuerySet[Any], name: str, value: Decimal) -> QuerySet[Any]:
        """Keep the rounds of this player."""
        return queryset.filter(Q(white=value) | Q(black=value))


@described(
    "tournaments",
    "TournamentRow",
    TournamentTable.in_files,
    summary="Over-the-board tournaments, latest first",
    description="`rated_for` is the day of a list; it returns the tournaments of that rating period.",
)
class TournamentsView(PagedView):
    """All tournaments over the board."""

    filterset_class = TournamentsFilter
    noun = "tournaments"

    def source(self, **place: Any) -> QuerySet[Any]:
        return Tournament.objects.order_by("-last_day", "-first_day", "-pk")


class TournamentDetailsSerializer(
    row_serializer("TournamentRow", TournamentTable.in_files)  # type: ignore[misc]  # made from the list
):
    """A tournament over the board."""

    url = serializers.CharField(help_text="The address of the page; its files are below it.")
    players = serializers.IntegerField(help_text="0 until we have the report.")
    received_at = serializers.DateTimeField(
        allow_null=True, help_text="When we received the report that counts."
    )
    part_of = serializers.IntegerField(allow_null=True, help_text="The league it is part of.")
    parts = serializers.ListField(
        child=serializers.IntegerField(), help_text="The parts of a league that is rated period by period."
    )


class TournamentView(PublicView):
    """A tournament."""

    @extend_schema(
        operation_id="tournament",
        summary="An over-the-board tournament",
        parameters=[_TOURNAMENT],
        responses=TournamentDetailsSerializer,
    )
    def get(self, request: Request, id: int) -> Response:
        """The tournament as in the list of tournaments, with the details from its page."""
        tournament = _tournament(id)
        (row,) = TournamentTable.in_files.of(Tournament.objects.filter(pk=tournament.pk))
        report = tournament.report
        more = (
            tournament.get_absolute_url(),
            tournament.players.count(),
            None if report is None else utc_text(report.received_at),
            tournament.part_of_id,
            list(tournament.parts.order_by("first_day", "pk").values_list("pk", flat=True)),
        )
        return Response(TournamentDetailsSerializer().to_representation((*row, *more)))


@described(
    "tournament_players",
    "TournamentPlayer",
    PLAYERS,
    summary="The standings of an over-the-board tournament",
    parameters=[_TOURNAMENT],
)
class PlayersView(PagedView):
    """The players of a tournament, by final place."""

    filterset_class = PlayersFilter
    noun = "players"

    def source(self, **place: Any) -> QuerySet[Any]:
        return TournamentPlayer.objects.filter(tournament=_tournament(place["id"])).order_by("place", "pk")


@described(
    "tournament_games",
    "TournamentPairing",
    GAMES,
    summary="The pairings of an over-the-board tournament, round by round",
    parameters=[_TOURNAMENT],
)
class GamesView(PagedView):
    """The pairings of a tournament."""

    filterset_class = GamesFilter
    noun = "games"

    def source(self, **place: Any) -> QuerySet[Any]:
        return TournamentGame.objects.filter(tournament=_tournament(place["id"])).order_by(
            "round", "white", "pk"
        )


class CrossTableRowSerializer(serializers.Serializer[Any]):
    """A player's line of a cross-table."""

    rank = serializers.IntegerField(help_text="The final place.")
    start_no = serializers.IntegerField()
    fide_id = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    federation = serializers.CharField(allow_blank=True)
    rating = serializers.IntegerField(allow_null=True, help_text="The rating used in the calculation.")
    rounds = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="12w1: won with White against rank 12. For a bye, only its TRF code.",
    )
    points = serializers.CharField(allow_null=True, help_text="As reported: 8.5.")
    buchholz_cut_1 = serializers.CharField(allow_null=True)
    buchholz = serializers.CharField(allow_null=True)
    sonneborn_berger = serializers.CharField(allow_null=True)
    won = serializers.IntegerField(allow_null=True)
    rated_games = serializers.IntegerField(help_text="If 0, the fields after it are null.")
    score = serializers.CharField(allow_null=True)
    average = serializers.IntegerField(allow_null=True, help_text="The opponents’ average.")
    expected = serializers.CharField(allow_null=True)
    change = serializers.CharField(allow_null=True)
    k = serializers.IntegerField(allow_null=True)
    new_rating = serializers.CharField(
        allow_null=True,
        help_text="The exact rating after the change; for an unrated player, the first rating.",
    )


class CrossTableSerializer(serializers.Serializer[Any]):
    """The cross-table of a tournament."""

    tournament = serializers.CharField(help_text="Name of the tournament.")
    status = serializers.ChoiceField([status.name.lower() for status in Tournament.Status])
    players = CrossTableRowSerializer(many=True, help_text="By rank.")


class CrossTableView(PublicView):
    """The cross-table of a tournament."""

    @extend_schema(
        operation_id="tournament_crosstable",
        summary="The cross-table of an over-the-board tournament",
        description="If the tournament isn’t rated yet, the figures are what they would be today. 404 "
        "until we have its report, and for a league that is rated period by period: see its "
        "`parts`.",
        parameters=[_TOURNAMENT],
        responses=CrossTableSerializer,
    )
    def get(self, request: Request, id: int) -> Response:
        """Return the rows of the page's files."""
        tournament = _tournament(id)
        if tournament.by_period:
            raise NotFound(_("This league is rated period by period. See the cross-tables of its parts."))
        try:
            rated = as_rated(tournament)
        except FileRefused as refused:
            raise NotFound(str(refused)) from refused
        if rated is None:
            raise NotFound(_("We haven’t received a report on this tournament, so there is no cross-table."))
        return Response(
            {
                "tournament": tournament.name,
                "status": tournament.status_slug,
                "players": list(cross_table_rows(rated)),
            }
        )


def _tournament(key: int) -> Tournament:
    found = Tournament.objects.with_report().filter(pk=key).first()
    if found is None:
        raise NotFound(_("There’s no tournament %(number)s.") % {"number": key})
    return found


class ListsFilter(OtbArchiveFilter):
    """Filters for lists; all revisions are there."""

    revisions = None  # type: ignore[assignment]  # so a filter is left out


@described(
    "board_lists",
    "BoardList",
    OtbArchiveTable.in_files,
    summary="Over-the-board lists, latest first",
    description="Each list ends a rating period; `tournaments?rated_for=` with its `list_day` returns "
    "the tournaments rated for it. All revisions are included.",
)
class BoardListsView(PagedView):
    """The office's own lists over the board."""

    filterset_class = ListsFilter
    noun = "lists"

    def source(self, **place: Any) -> QuerySet[Any]:
        return OtbList.objects.order_by("-list_day", "chapter", "-revision", "pk")


_FACTS: Final[Mapping[str, Any]] = {
    "chapter": serializers.ChoiceField(_CHAPTERS),
    "list_day": serializers.DateField(),
    "revision": serializers.IntegerField(),
    "published_at": serializers.DateTimeField(),
    "checksum": serializers.CharField(help_text="SHA-256 of the list as TXT."),
}
_LIST: Final = [
    in_path("chapter", "standard", "The rating type.", of=_CHAPTERS),
    in_path("list_day", "2026-04-01", "The day of the list.", kind=OpenApiTypes.DATE),
    in_path(
        "revision", "1", "The revision. Each list is first published as revision 1.", kind=OpenApiTypes.INT
    ),
]


_PARTS: Final = {"active": Lists.ACTIVE, "delisted": Lists.DELISTED, "titled": Lists.TITLED}


class EntriesFilter(OtbEntryFilter):
    """Filters for the lines of a list; ``part`` takes another than that of everybody with a rating."""

    part = ChoiceFilter(
        label=gettext_lazy("Active players, those who lost their rating, or titled players without one"),
        choices=[(name, name) for name in _PARTS],
        method="filter_part",
    )

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Take the part of the list before the other filters."""
        part = _PARTS.get(self.form.cleaned_data["part"], Lists.ALPHABETICAL)
        found: QuerySet[Any] = super().filter_queryset(queryset.on(part))  # type: ignore[attr-defined]
        return found

    def filter_part(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Leave the rows as they are: they are of this part already."""
        return queryset


@described(
    "board_list_players",
    "BoardListLine",
    LINES,
    summary="The lines of an over-the-board list, by name",
    description="Everybody with a rating; the flag `i` marks inactive players. The list never changes.",
    about=_FACTS,
    parameters=_LIST,
)
class BoardListPlayersView(PagedView):
    """The players on a list over the board."""

    filterset_class = EntriesFilter
    noun = "players"
    otb_list: OtbList

    def source(self, **place: Any) -> QuerySet[Any]:
        self.otb_list = _list(**place)
        return self.otb_list.entries.order_by("folded", "fide_id")

    def about(self) -> Mapping[str, Cell]:
        return _facts(self.otb_list)


class BoardListTopView(PublicView):
    """The first hundred of a list over the board."""

    @extend_schema(
        operation_id="board_list_top",
        summary="The top hundred active players of an over-the-board list",
        parameters=[
            *_LIST,
            OpenApiParameter(
                "federation",
                {"type": "string", "pattern": "^[A-Z]{3}$"},
                description="Only the top hundred of this federation: its three-letter code, such as NOR.",
            ),
        ],
        responses=inline_serializer(
            "BoardListTop", {**_FACTS, "players": row_serializer("BoardTopLine", TOP_LINES)(many=True)}
        ),
    )
    def get(self, request: Request, **place: Any) -> Response:
        """The rows shown on the list's page."""
        otb_list = _list(**place)
        filterset = OtbTopFilter(request.query_params, active_by_rating(otb_list), request=request)
        if not filterset.is_valid():
            raise ValidationError({name: list(texts) for name, texts in filterset.errors.items()})
        rows = [dict(zip(TOP_LINES.names, row, strict=True)) for row in top_rows(filterset.qs)]
        return Response({**_facts(otb_list), "players": rows})


def _facts(otb_list: OtbList) -> dict[str, Cell]:
    return {
        "chapter": Chapter(otb_list.chapter).slug,
        "list_day": otb_list.list_day.isoformat(),
        "revision": otb_list.revision,
        "published_at": utc_text(otb_list.published_at),
        "checksum": otb_list.checksum,
    }


def _list(chapter: str, list_day: str, revision: int) -> OtbList:
    try:
        lists = OtbList.objects.in_chapter(Chapter.of(chapter)).of(date.fromisoformat(list_day))
        found = lists.in_revision(revision).first()
    except (KeyError, ValueError):
        found = None
    if found is None:
        raise NotFound(_("This list was not published."))
    return found


def _latest_tournament() -> dict[str, Any]:
    """Return the latest tournament that has a cross-table."""
    found = (
        Tournament.objects.filter(by_period=False).exclude(report=None).order_by("-last_day", "-pk").first()
    )
    return {"id": None if found is None else found.pk}


def _latest_list() -> dict[str, Any]:
    found = OtbList.objects.order_by("-list_day", "chapter", "-revision").first()
    if found is None:
        return {}
    chapter = Chapter(found.chapter).slug
    return {"chapter": chapter, "list_day": found.list_day, "revision": found.revision}


EXAMPLES: Final = {"tournaments": _latest_tournament, "over-the-board": _latest_list}

urlpatterns = [
    path("tournaments", TournamentsView.as_view(), name="tournaments"),
    path("tournaments/<int:id>", TournamentView.as_view(), name="tournament"),
    path("tournaments/<int:id>/players", PlayersView.as_view(), name="tournament_players"),
    path("tournaments/<int:id>/games", GamesView.as_view(), name="tournament_games"),
    path("tournaments/<int:id>/crosstable", CrossTableView.as_view(), name="tournament_crosstable"),
    path("over-the-board/lists", BoardListsView.as_view(), name="board_lists"),
    path(
        "over-the-board/lists/<str:chapter>/<str:list_day>/<int:revision>/players",
        BoardListPlayersView.as_view(),
        name="board_list_players",
    ),
    path(
        "over-the-board/lists/<str:chapter>/<str:list_day>/<int:revision>/top",
        BoardListTopView.as_view(),
        name="board_list_top",
    ),
]
