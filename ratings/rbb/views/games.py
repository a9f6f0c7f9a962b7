"""The lists of games and of ledger lines, and the page of each."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import quote

from django.db.models import OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.files import FORMATS, FileFormat
from foa.web import paging
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import NegotiatedView
from ratings.formats.main_line import NOT_BEGUN, MainLine, main_line
from ratings.office.page_sections import Page, sections_of
from ratings.rbb.explanation.lines import (
    explained_line,
    gone_line,
    line_after,
    notes_of,
    other_line,
    prospects_of,
    sides_of,
    why_they_differ,
)
from ratings.rbb.explanation.sentences import sentence
from ratings.rbb.filters import ChangeFilter, GameFilter
from ratings.rbb.lists.pgn import PGN, pgn_of
from ratings.rbb.models import Game, RatingChange, RecalculatedLine
from ratings.rbb.tables import ChangeTable, GameTable
from ratings.rbb.views.member_lists import MemberFilteredView
from ratings.rules.rbb.variants import STANDARD

_LONGEST_ADDRESS: Final = 2_000
"""Maximum number of characters in an address that every browser and proxy accepts."""


class GameListView(MemberFilteredView):
    """All games: the latest to end first, those without an end last."""

    queryset = Game.objects.with_names()
    filterset_class = GameFilter
    table_class = GameTable
    is_long = True
    template_name = "ratings/games.html"
    title = _("Games")
    formats: ClassVar[Mapping[str, FileFormat[Any]]] = {**FORMATS, "pgn": PGN}
    file_name = "games"
    noun = "games"

    def of(self, rows: QuerySet[Any], key: OuterRef) -> QuerySet[Any]:
        return rows.filter(Q(white=key) | Q(black=key))

    def page(self, queryset: QuerySet[Any]) -> paging.Page:
        """Read only what the table shows; files have more."""
        return super().page(queryset.as_shown())  # type: ignore[attr-defined]

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:all_games")


class GameView(NegotiatedView[Game]):
    """A game: the facts, why each rating changed or didn't, and the moves. As HTML or PGN."""

    template_name = "ratings/game.html"
    context_object_name = "game"
    formats = ("pgn",)

    def get_queryset(self) -> QuerySet[Game]:
        return Game.objects.with_names()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add White, then Black; a link if the external id is an address."""
        game = self.object
        sides = sides_of(game, with_neighbours=True)
        is_played = game.ended_at is None and not game.is_forgotten(timezone.now())
        line = main_line(game.pgn)
        if line is None and is_played and game.variant == STANDARD and not game.pgn:
            line = NOT_BEGUN
        prospects = prospects_of(game) if is_played else None
        return super().get_context_data(
            sides=sides,
            prospects=prospects,
            players=zip(sides, prospects or (None, None), strict=True),
            why_they_differ=why_they_differ(*(side.line for side in sides)),
            notes=notes_of(game, sides),
            duration=game.ended_at and game.ended_at - game.started_at,
            is_played=is_played,
            clocks=game.running_clocks if is_played else None,
            **self._board(line),
            parts=sections_of(Page.GAME, game),
            analysis=_analysis(line) if game.ended_at else "",
            pgn=_as_file(game) if line and game.pgn else game.pgn,
            link=game.external_id if (game.external_id or "").startswith(("https://", "http://")) else "",
            **kwargs,
        )

    def _board(self, line: MainLine | None) -> dict[str, Any]:
        """Return the moves, and the position after the requested half-move, by default the last one."""
        if line is None:
            return {"main_line": None}
        last = len(line.plies)
        asked = self.request.GET.get("ply", "")
        count = min(int(asked), last) if asked.isdecimal() and len(asked) < 5 else last
        return {
            "main_line": line,
            "shown": line.after(count),
            "shows_last": count == last,
            "previous": max(count - 1, 0),
            "following": min(count + 1, last),
        }

    def in_format(self, name: str) -> HttpResponse:
        """Return the PGN as a file."""
        if not self.object.pgn:
            raise Http404(gettext("We don’t have the moves of this game."))
        return HttpResponse(
            f"{_as_file(self.object)}\n",
            content_type="application/x-chess-pgn",
            headers={"Content-Disposition": f'attachment; filename="game-{self.object.pk}.pgn"'},
        )


def _as_file(game: Game) -> str:
    """Return the stored PGN; moves without tags are written as in the list of games."""
    return game.pgn if game.pgn.lstrip().startswith("[") else pgn_of(game).removesuffix("\n")


def _analysis(line: MainLine | None) -> str:
    """Return the address of lichess.org's analysis of these moves; empty if there are none or too many."""
    if line is None or not line.plies or not line.is_standard:
        return ""
    address = f"https://lichess.org/analysis/pgn/{quote('_'.join(ply.san for ply in line.plies))}"
    return address if len(address) <= _LONGEST_ADDRESS else ""


class ChangeListView(MemberFilteredView):
    """Every line of the ledger, latest first."""

    queryset = RatingChange.objects.with_events()
    filterset_class = ChangeFilter
    table_class = ChangeTable
    is_long = True
    title = _("Rating changes")
    intro = _("Every game, starting rating and adjustment, including those that left the rating unchanged.")
    file_name = "rating-changes"
    noun = "changes"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:explanations")


class _Other(NamedTuple):
    """The opponent's line of a game, and the reason if its change isn't the reverse of the member's.

    ``why`` is empty if it is, or if the member's own explanation gives the reason.
    """

    line: RatingChange
    why: str

    @classmethod
    def of(cls, line: RatingChange) -> _Other | None:
        other = other_line(line)
        if other is None:
            return None
        return cls(other, sentence(other) if line.before is None else why_they_differ(line, other))


class ChangeView(NegotiatedView[RatingChange]):
    """A line of the ledger, explained, with links to the lines before and after it."""

    template_name = "ratings/change.html"
    context_object_name = "change"
    formats = ()

    def get_queryset(self) -> QuerySet[RatingChange]:
        """Select the line's event, that event's FIDE lists, and whether there are moves."""
        return RatingChange.objects.with_event_of(self.kwargs["pk"]).annotate(has_moves=Q(game__pgn__gt=""))

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the page. A removed line keeps its address, and says why it is gone: 410."""
        try:
            return super().get(request, *args, **kwargs)
        except Http404:
            gone = gone_line(self.kwargs["pk"])
            if gone is None:
                raise
            return _gone(request, gone)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the explanation, the keys of the neighbours in the category, and the opponent's line."""
        return super().get_context_data(
            **explained_line(self.object)._asdict(),
            other=_Other.of(self.object),
            **kwargs,
        )


def _gone(request: HttpRequest, gone: RecalculatedLine) -> HttpResponse:
    """Return the page of a line that a recalculation removed: its values, the decision and the next line."""
    context = {
        "gone": gone,
        "recalculation": gone.recalculation,
        "decision": gone.recalculation.change_set,
        "following": line_after(gone),
    }
    return render(request, "ratings/gone_change.html", context, status=HTTPStatus.GONE)
