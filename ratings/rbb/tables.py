"""The tables of games, ledger lines and ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Final, cast

from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django_tables2 import Column

from foa.addresses import address_of
from foa.text import NOTHING, date_text, month_text, points, whole
from foa.web.columns import (
    ChangeColumn,
    CountColumn,
    MomentColumn,
    NumberColumn,
    PointsColumn,
    moved,
    sparkline,
)
from foa.web.listing import OfficeTable
from members.flags import federation
from members.models import Member
from members.tables import FederationCodeColumn, named, player
from ratings.office import publications
from ratings.office.explanations import hundredths_text
from ratings.office.models import ChangeSet
from ratings.office.publications import ListsColumn
from ratings.rbb.event_standings import EventLine
from ratings.rbb.labels import (
    CATEGORY_NAMES,
    SCORE_KINDS,
    SCORES,
    half_points_text,
    late_and_withdrawn,
    without_end,
)
from ratings.rbb.lists.columns import ARCHIVE, CHANGES, COMPARED_LINES, EVENTS, GAMES
from ratings.rbb.lists.top_lists import Federation
from ratings.rbb.models import Game, RatingChange, RatingList, RatingListEntry
from ratings.rbb.models.fields import is_black
from ratings.rbb.strengths import Both, strengths_of
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

_MIDDLE = {"td": {"class": "middle"}, "th": {"class": "middle"}}
_WRAPPED = {"td": {"class": "wrapped"}}
_NAME = {"td": {"class": "name"}, "th": {"class": "name"}}
_TREND = {"td": {"class": "trend"}}
_STRONG_NUMBER = {"td": {"class": "number strong"}, "th": {"class": "number"}}
_WINNERS: Final[dict[str, str]] = {
    Game.Result.WHITE_WINS: "by-white",
    Game.Result.BLACK_WINS: "by-black",
    Game.Result.DRAW: "drawn",
}


class CategoryColumn(Column):  # type: ignore[misc]  # django_tables2 has no type stubs
    def render(self, record: Game | RatingChange) -> SafeString:
        """Return the category's name in its colour. In the admin, a column with choices already has text."""
        return _category(cast(Category, record.category), get_language() or "")


@cache
def _category(category: Category, _language: str) -> SafeString:
    return format_html('<span class="category {}">{}</span>', category.slug, CATEGORY_NAMES[category])


class _ShownColumn(NumberColumn):
    """A column that displays an exact rating (RBB 3.12)."""

    def render(self, value: Decimal) -> int:
        return displayed(to_hundredths(value))


class _NameColumn(Column):  # type: ignore[misc]
    """A column for a member's name, title and flag."""

    def render(self, record: Any) -> SafeString:
        return named(record.member, record.member.title, record.member.federation)


class _ListedNameColumn(Column):  # type: ignore[misc]
    """A column for a member's name, title and flag as they were when the list was published."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            verbose_name=_("Name"),
            accessor="known_as",
            attrs=_NAME,
            linkify=lambda record: address_of("ratings:profile", record.member_id),
            **kwargs,
        )

    def render(self, record: RatingListEntry) -> SafeString:
        return named(record.known_as, record.title, record.federation)


class GameTable(OfficeTable):
    """Games: the latest to end first, those without an end last."""

    in_files = GAMES
    phone = ("ended_at", "white", "result", "black")
    sizes = "games"

    ended_at = MomentColumn(verbose_name=_("Ended (UTC)"), linkify=True, orderable=True, empty_values=())
    white = Column(verbose_name=_("White"), attrs=_NAME)
    result = Column(verbose_name=_("Result"), attrs=_MIDDLE, empty_values=())
    black = Column(verbose_name=_("Black"), attrs=_NAME)
    category = CategoryColumn(verbose_name=_("Category"))
    time_control = Column(verbose_name=_("Time control"), attrs={"td": {"class": "moment"}})
    status = Column(verbose_name=_("Status"), empty_values=(), accessor="pk")

    def render_ended_at(self, record: Game, column: MomentColumn) -> SafeString:
        """Return the end, with the category and control for phones, which don't show their columns."""
        category = CATEGORY_NAMES[record.category] if record.category else ""
        about = f"{category} {record.time_control.control.short}".strip()
        end = self._end(record, column)
        return format_html('{}<small class="on-phones"> · {}</small>', end, about)

    def _end(self, record: Game, column: MomentColumn) -> SafeString | str:
        """Return the end, or why the game has none."""
        if record.ended_at:
            return column.render(record.ended_at)
        if record.is_forgotten(timezone.now()):
            return without_end(record)
        return format_html('<span class="live">{}</span>', gettext("live"))

    @cached_property
    def strengths(self) -> dict[int, Both]:
        """Both players' ratings and changes, for all games of the table at once."""
        return strengths_of(list(self.data))

    def render_white(self, record: Game) -> SafeString:
        white, _black = self.strengths.get(record.pk, ("", ""))
        return format_html("{} {}", player(record.white), white)

    def render_black(self, record: Game) -> SafeString:
        _white, black = self.strengths.get(record.pk, ("", ""))
        return format_html("{} {}", player(record.black), black)

    def render_result(self, record: Game, value: str) -> SafeString | str:
        """Return the result in the winner's colour; without a result, how the game ended."""
        if not record.result:
            return record.get_termination_display() if record.ended_unplayed else NOTHING
        return format_html('<span class="score {}">{}</span>', _WINNERS.get(record.result, ""), value)

    def render_time_control(self, record: Game) -> str:
        """Return the control as players call it: 3+2."""
        return record.time_control.control.short

    def render_status(self, record: Game) -> str:
        """Return why a game doesn't count; nothing for rated games, which most are."""
        if record.voided_at:
            return gettext("void")
        return "" if record.rated else pgettext("game", "unrated")


class EventGameTable(GameTable):
    """Games of an event. The page is about the event, so their order is fixed."""

    ended_at = MomentColumn(verbose_name=_("Ended (UTC)"), linkify=True, empty_values=())
    round = NumberColumn(verbose_name=_("Round"))

    class Meta:
        sequence = ("ended_at", "round", "...")


class StandingsTable(OfficeTable):
    """The players of an event, best first."""

    phone = ("place", "member", "half_points", "performance")
    sizes = "standings"

    place = NumberColumn(verbose_name=_("Place"))
    member = Column(verbose_name=_("Player"), attrs=_NAME)
    half_points = NumberColumn(verbose_name=_("Points"))
    games = NumberColumn(verbose_name=_("Games"))
    performance = NumberColumn(verbose_name=_("Performance"))

    def render_member(self, record: EventLine) -> SafeString:
        """Return the player with their rating at the beginning of the event."""
        return format_html("{} {}", player(record.member), record.strength or "")

    def render_half_points(self, value: int) -> str:
        return half_points_text(value)


class EventTable(OfficeTable):
    """The events of arenas."""

    in_files = EVENTS
    phone = ("name", "games")

    name = Column(verbose_name=pgettext_lazy("of an arena", "Event"), linkify=True, attrs=_NAME)
    started_at = MomentColumn(verbose_name=_("First game (UTC)"))
    ended_at = MomentColumn(verbose_name=_("Last game (UTC)"))
    games = NumberColumn(verbose_name=_("Games"), accessor="number")


def _game_and_reason(record: RatingChange) -> SafeString:
    """Return a link to the game of a line, and why it isn't rated."""
    address = address_of("ratings:game", record.game_id)  # type: ignore[arg-type]  # a line of a game
    link = format_html('<a href="{}">{}</a>', address, gettext("Game %d") % record.game_id)
    return link if record.why is Reason.RATED else format_html("{} · {}", link, record.get_reason_display())


class ChangeTable(OfficeTable):
    """Lines of the ledger, latest first. The moment links to the line's own page."""

    in_files = CHANGES
    phone = ("member", "change", "after")
    sizes = "changes"

    occurred_at = MomentColumn(
        verbose_name=_("Time (UTC)"),
        orderable=True,
        linkify=lambda record: address_of("ratings:change", record.pk),
    )
    member = Column(verbose_name=_("Member"), attrs=_NAME)
    category = CategoryColumn(verbose_name=_("Category"))
    event = Column(verbose_name=_("Opponent or cause"), accessor="pk", attrs={"td": {"class": "opponent"}})
    half_points = NumberColumn(verbose_name=_("Score"))
    difference = NumberColumn(verbose_name="D")
    expected = NumberColumn(verbose_name="PD")
    k = NumberColumn(verbose_name="K")
    before = PointsColumn(verbose_name=_("Before"))
    change = ChangeColumn(verbose_name=pgettext_lazy("rating", "Change"))
    after = PointsColumn(verbose_name=_("After"))

    def render_member(self, record: RatingChange, value: Member) -> SafeString:
        """Return the member with two lines for phones, which don't show the columns that they repeat."""
        when = f"{date_text(record.occurred_at)} · {CATEGORY_NAMES[Category(record.category)]}"
        what = record.kind.label if record.game_id is None else _game_and_reason(record)
        return format_html(
            '{} <small class="on-phones">{}</small><small class="on-phones">{}</small>',
            player(value),
            when,
            what,
        )

    def render_event(self, record: RatingChange) -> SafeString:
        """Return the opponent with their rating before the game; the source of an opening or adjustment."""
        if record.opponent is None:
            source = record.event.source  # type: ignore[union-attr]  # no game, so it has a source
            return format_html('{} <small class="whole">{}</small>', record.kind.label, source)
        rating = gettext("unrated") if record.opponent_rating is None else points(record.opponent_rating)
        return format_html(
            "{} <small>{} · {}</small>", player(record.opponent), rating, _game_and_reason(record)
        )

    def render_expected(self, value: Hundredths) -> str:
        """Return PD with two decimals: 0.64."""
        return hundredths_text(value)

    def render_half_points(self, value: int) -> str:
        return SCORES[value]

    def render_k(self, record: RatingChange, value: int) -> SafeString:
        """Return K with its paragraph as a tooltip."""
        return format_html('<span title="RBB {}">{}</span>', record.k_article, value)


class PlayedGameTable(OfficeTable):
    """Games from one player's side: ledger lines of a member, latest first."""

    phone: ClassVar[tuple[str, ...]] = ("opponent", "half_points", "change", "after")

    occurred_at = MomentColumn(
        verbose_name=_("Ended (UTC)"), linkify=lambda record: address_of("ratings:game", record.game_id)
    )
    category = CategoryColumn(verbose_name=_("Category"))
    colour = Column(verbose_name=_("Colour"), accessor="pk")
    opponent = Column(verbose_name=_("Opponent"), attrs=_NAME)
    opponent_rating = _ShownColumn(verbose_name=_("Opponent’s rating"))
    half_points = NumberColumn(verbose_name=_("Score"))
    change = ChangeColumn(verbose_name=pgettext_lazy("rating", "Change"))
    after = _ShownColumn(verbose_name=_("Rating after"), attrs=_STRONG_NUMBER)

    def render_opponent(self, value: Member) -> SafeString:
        return player(value)

    def render_colour(self, value: int) -> str:
        return gettext("Black") if is_black(value) else gettext("White")

    def render_half_points(self, value: int) -> SafeString:
        return format_html('<span class="score {}">{}</span>', SCORE_KINDS[value], SCORES[value])


class LineGameTable(PlayedGameTable):
    """A member's games of the period of a list, which has one category."""

    class Meta:
        exclude = ("category",)


class MutualGameTable(PlayedGameTable):
    """Games between two members, with the effect on both."""

    phone: ClassVar[tuple[str, ...]] = ("occurred_at", "half_points", "change")

    opponent_change = ChangeColumn(verbose_name=_("Opponent’s change"))

    class Meta:
        exclude = ("opponent",)


class _SinceColumn(NumberColumn):
    """A column for the change of the displayed rating since the previous list; “new” for new members."""

    def render(self, value: int | None) -> SafeString | str:
        return pgettext("on a list", "new") if value is None else moved(value, whole(value))


class _TrendColumn(Column):  # type: ignore[misc]
    """A column for the displayed ratings on the last lists, as a line."""

    def render(self, value: list[int | None]) -> SafeString:
        known = [rating for rating in value if rating is not None]
        words = gettext("from %(first)d to %(last)d") % {"first": known[0], "last": known[-1]}
        return sparkline(value, words)


class _ListTable(OfficeTable):
    """The columns shared by live and published lists."""

    phone = ("rank", "member", "displayed", "since")
    sizes = "ranks"
    unindexed: ClassVar[tuple[str, ...]] = ("games",)

    rank = NumberColumn(verbose_name=_("Rank"))
    member = _NameColumn(
        verbose_name=_("Name"),
        attrs=_NAME,
        linkify=True,
        orderable=True,
        order_by=("member__name", "member__username"),
    )
    federation = FederationCodeColumn(accessor="member__federation")
    displayed = NumberColumn(
        verbose_name=_("Rating"), attrs=_STRONG_NUMBER, orderable=True, order_by=("rating",)
    )
    since = _SinceColumn(verbose_name=pgettext_lazy("rating", "Change"), empty_values=())
    trend = _TrendColumn(verbose_name=_("Trend"), attrs=_TREND)


class LiveRatingTable(_ListTable):
    """The rated members of a category now, highest first."""

    games = NumberColumn(verbose_name=_("Games"), orderable=True)
    rating = PointsColumn(verbose_name=_("Exact rating"), orderable=True)


class ImprovedLeaderTable(LiveRatingTable):
    """The members whose ratings rose most lately."""

    phone = ("rank", "member", "displayed", "change")

    change = ChangeColumn(verbose_name=pgettext_lazy("rating", "Gain"))

    class Meta:
        sequence = ("rank", "member", "federation", "displayed", "change", "trend", "...")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns.hide("since")


class ActiveLeaderTable(LiveRatingTable):
    """The members with the most rated games lately."""

    phone = ("rank", "member", "displayed", "period_games")

    period_games = NumberColumn(verbose_name=_("In 30 days"))

    class Meta:
        sequence = ("rank", "member", "federation", "displayed", "period_games", "since", "trend", "...")


class PastRatingTable(LiveRatingTable):
    """The rated members at a moment, from their last ledger lines at the time."""

    displayed = _ShownColumn(
        verbose_name=_("Rating"), accessor="after", attrs=_STRONG_NUMBER, orderable=True, order_by=("after",)
    )
    rating = PointsColumn(verbose_name=_("Exact rating"), accessor="after", orderable=True)


class ArchiveTable(publications.ArchiveTable):
    """The months with published lists."""

    in_files = ARCHIVE
    phone = ("month", "rapid", "blitz", "bullet")
    day = "month"
    kind = "category"

    month = Column(verbose_name=_("Month"), attrs=_NAME)
    rapid = ListsColumn(Category.RAPID, CATEGORY_NAMES[Category.RAPID])
    blitz = ListsColumn(Category.BLITZ, CATEGORY_NAMES[Category.BLITZ])
    bullet = ListsColumn(Category.BULLET, CATEGORY_NAMES[Category.BULLET])
    period_games = CountColumn(verbose_name=_("Games"))

    def size(self, one: RatingList) -> str:
        return ngettext("%d member", "%d members", one.members) % one.members

    def render_month(self, value: date) -> str:
        return month_text(value)

    def render_period_games(self, record: RatingList, column: CountColumn) -> SafeString | str:
        """Return the games of the month's lists, as last revised. The first lists have all games before."""
        lists = self.last_of_day(record)
        games = column.render(sum(one.period_games or 0 for one in lists))
        if any(one.previous_id for one in lists):
            return games
        return format_html('{}<small class="second">{}</small>', games, gettext("since the first game"))


class PublishedListTable(_ListTable):
    """A published list, by position; equal displayed ratings share a rank."""

    unindexed = ("member", "period_games", "games")

    rank = NumberColumn(verbose_name=_("Rank"), orderable=True, order_by=("position",))
    member = _ListedNameColumn(orderable=True, order_by=("name", "username"))
    federation = FederationCodeColumn()
    period_games = NumberColumn(verbose_name=_("Games in the period"), orderable=True)
    games = NumberColumn(verbose_name=_("Games"), orderable=True)
    k = NumberColumn(verbose_name="K")
    rating = PointsColumn(verbose_name=_("Exact rating"), linkify=True)

    def render_period_games(self, record: RatingListEntry, value: int) -> SafeString | int:
        """Return the number of games, with how many were entered late and how many others were withdrawn."""
        apart = late_and_withdrawn(record)
        return format_html("{} <small>({})</small>", value, ", ".join(apart)) if apart else value


class ComparedTable(OfficeTable):
    """Lines of two lists: both ratings, and the exact change between them."""

    in_files = COMPARED_LINES
    phone = ("member", "after", "moved")

    member = _ListedNameColumn()
    federation = FederationCodeColumn()
    before = _ShownColumn(verbose_name=_("Before"))
    after = _ShownColumn(verbose_name=_("After"), attrs=_STRONG_NUMBER)
    moved = ChangeColumn(verbose_name=pgettext_lazy("rating", "Change"))
    games = NumberColumn(verbose_name=_("Games"))
    causes = Column(verbose_name=_("Cause"), accessor="member_id", attrs=_WRAPPED)

    decisions: Mapping[int, Sequence[ChangeSet]] = MappingProxyType({})
    is_late = False

    def render_games(self, record: Any, value: int) -> str:
        """Return the number of games, before and after if it has changed."""
        before = getattr(record, "games_before", value)
        return str(value) if before in (None, value) else f"{before} → {value}"

    def render_causes(self, value: int) -> SafeString | str:
        """Return the decisions that changed the line, except those that would identify a member."""
        causes = [one.beside_names for one in self.decisions.get(value, ())]
        if not causes and self.is_late:
            causes = [("", gettext("Late result"))]
        return (
            format_html_join(
                ", ",
                "{}",
                (
                    (format_html('<a href="{}">{}</a>', address, text) if address else text,)
                    for address, text in causes
                ),
            )
            or NOTHING
        )


class TopListTable(PublishedListTable):
    """The top of a group on a list, with ranks in the group and on the whole list."""

    phone = ("top_rank", "member", "displayed", "since")

    top_rank = NumberColumn(verbose_name=_("Rank"), accessor="pk")
    rank = NumberColumn(verbose_name=_("Overall rank"))

    class Meta:
        sequence = ("top_rank", "member", "federation", "displayed", "since", "trend", "...", "rank")

    def __init__(self, ranked: Sequence[tuple[int, RatingListEntry]], **kwargs: Any) -> None:
        self.ranks = {entry.pk: rank for rank, entry in ranked}
        super().__init__([entry for _rank, entry in ranked], **kwargs)

    def render_top_rank(self, value: int) -> int:
        return self.ranks[value]


class MostImprovedTable(TopListTable):
    """The members who gained most, by the exact change."""

    phone = ("top_rank", "member", "displayed", "change")

    change = ChangeColumn(verbose_name=pgettext_lazy("rating", "Change"))

    class Meta:
        sequence = ("top_rank", "member", "federation", "displayed", "change", "trend", "...", "rank")

    def __init__(self, ranked: Sequence[tuple[int, RatingListEntry]], **kwargs: Any) -> None:
        super().__init__(ranked, **kwargs)
        self.columns.hide("since")


class ActiveTable(TopListTable):
    """The members with the most rated games in the period of a list."""

    phone = ("top_rank", "member", "displayed", "period_games")

    class Meta:
        sequence = ("top_rank", "member", "federation", "displayed", "period_games", "since", "trend", "...")


class FederationTable(OfficeTable):
    """Federations, each with a link to its best players. ``best_of``: its address by code."""

    phone = ("code", "members", "average")

    code = Column(verbose_name=_("Federation"), linkify=lambda record, table: table.best_of(record.code))
    members = CountColumn(verbose_name=_("Members"))
    best = _ShownColumn(verbose_name=_("Best"))
    average = PointsColumn(verbose_name=_("Average of the top ten"), attrs=_STRONG_NUMBER)

    def __init__(self, found: Sequence[Federation], best_of: Callable[[str], str], **kwargs: Any) -> None:
        self.best_of = best_of
        super().__init__(found, **kwargs)

    def render_code(self, value: str) -> SafeString:
        """Return the federation with its flag."""
        return federation(value)
