"""The page of a member: where he stands, how he came there, whom he played."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.decorators import method_decorator

from foa.moments import asked_moment
from foa.web.caching import cached_for_visitors
from foa.web.typed import DetailView
from members.models import Member
from ratings import profile
from ratings.fide.models import CONTROL_NAMES
from ratings.fide.services.published import over_the_board
from ratings.models import Rating, RatingList, RatingListEntry
from ratings.models.keys import Kind
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths
from ratings.services.ledger.history import history
from ratings.services.lists.looking_back import look_back
from ratings.summaries import kept_summary
from ratings.tables import ChangeTable, PlayedGameTable

LATEST_LINES = 20
LATEST_GAMES = 10


@method_decorator(cached_for_visitors, name="dispatch")
class ProfileView(DetailView[Member]):
    """One member: who he is, his live and published ratings, his history, results and opponents.

    ``?as_of=T`` looks back to a moment: all but who he is and his memberships is as it was then.
    """

    template_name = "ratings/profile.html"
    context_object_name = "member"

    def get_queryset(self) -> QuerySet[Member]:
        """With his spans of full membership."""
        return Member.objects.prefetch_related("full_memberships")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Everything from the ledger, counted once for each event; ranks, published ratings, names."""
        member = self.object
        as_of = asked_moment(self.request.GET)
        moment = as_of or timezone.now()
        changes = member.rating_changes.all() if as_of is None else member.rating_changes.until(as_of)
        if as_of is None:
            kept_as, found = kept_summary(member, moment)
        else:
            kept_as, found = "", profile.summary(history(changes), moment)
        standings = found.standings_at(moment)
        entries = {entry.rating_list.category: entry for entry in _latest_entries(member, moment)}
        beaten = {one.best_win.opponent_id for one in found.statistics if one.best_win}
        members = Member.objects.in_bulk({*beaten, *(pk for pk, _ in found.opponents)})
        lines = changes.with_events()
        games = changes.of_kind(Kind.GAME).select_related("opponent")
        return super().get_context_data(
            look_back=None if as_of is None else look_back(as_of, list(Category)),
            standings=[
                (
                    standing,
                    # Of a moment that is over it would mean to rank everybody.
                    _rank(standing) if as_of is None else None,
                    *_published(standing, entries.get(standing.category)),
                )
                for standing in standings
            ],
            statistics=[
                (one, members.get(one.best_win.opponent_id) if one.best_win else None)
                for one in found.statistics
                if one.results.both.games
            ],
            # Of a moment that is over they would be those of today.
            over_the_board=[
                (CONTROL_NAMES[one.control], one.rating, one.period)
                for one in (over_the_board(member) if as_of is None else [])
            ],
            categories=list(Category),
            titles=found.titles,
            # What the part of the page with all the tables depends on, beside the language.
            figures=kept_as and (kept_as, sorted((pk, str(one)) for pk, one in members.items())),
            opponents=[(members[pk], results) for pk, results in found.opponents],
            drawn=any(standing.peak is not None for standing in standings),
            latest_changes=ChangeTable(list(lines[:LATEST_LINES]), exclude=("member",)),
            latest_games=PlayedGameTable(list(games[:LATEST_GAMES])),
            **kwargs,
        )


def _rank(standing: profile.Standing) -> int | None:
    """One more than the members with a higher displayed rating: equal ones share a rank, as on a list."""
    if standing.shown is None:
        return None
    # A rating shows as more from half a point above: so the index of exact ratings answers.
    higher = from_hundredths(Hundredths(100 * standing.shown + 50))
    return 1 + Rating.objects.filter(category=standing.category, rating__gte=higher).count()


def _published(
    standing: profile.Standing, entry: RatingListEntry | None
) -> tuple[RatingListEntry | None, Decimal | None]:
    """His line on a published list, and how far he has come since, None where he lost his rating."""
    since = None if entry is None or standing.rating is None else standing.rating - entry.rating
    return entry, since


def _latest_entries(member: Member, moment: datetime) -> QuerySet[RatingListEntry]:
    """His lines on the monthly list of each category that was the latest at this moment."""
    latest = RatingList.objects.of(OuterRef("rating_list__category")).until(moment)
    return member.list_entries.filter(rating_list=Subquery(latest.values("pk")[:1])).select_related(
        "rating_list"
    )
