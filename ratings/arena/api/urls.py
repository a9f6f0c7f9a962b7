"""Addresses of the first version of the API: those of the arena, and those of the other rooms."""

from importlib import import_module

from django.urls import path

from ratings.arena.api.bulk import OwnGamesView
from ratings.arena.api.changes import ChangesView
from ratings.arena.api.clocks import ClocksView
from ratings.arena.api.comparing import AgainstView, CompareMembersView, FirstRatingView
from ratings.arena.api.decisions import DecisionsView, MovedView
from ratings.arena.api.figures import (
    CalendarView,
    EditionsView,
    LeadersView,
    ListDistributionView,
    LiveDistributionView,
    MonthView,
    RecordsView,
)
from ratings.arena.api.games import GameView
from ratings.arena.api.lists import (
    CompareListsView,
    LiveRatingsView,
    PublishedListMembersView,
    PublishedListsView,
    PublishedListView,
    RequestedListMembersView,
    TopListView,
)
from ratings.arena.api.lookup import LookupView
from ratings.arena.api.many_members import MembersInBulkView
from ratings.arena.api.member_figures import (
    ChartView,
    OverTheBoardView,
    RatingsView,
    StatisticsView,
    TitlesView,
)
from ratings.arena.api.members import MemberOfServerView
from ratings.arena.api.presence import PresenceView
from ratings.arena.api.public import (
    AllGamesView,
    AnyGameView,
    EventsView,
    EventView,
    ExplanationsView,
    ExplanationView,
    MemberHistoryView,
)
from ratings.arena.api.reference import SchemaView
from ratings.arena.api.streams import ChangesStreamView, PageStreamView
from ratings.arena.api.webhooks import RotateView, TrialView, WebhooksView, WebhookView
from ratings.office import rooms
from ratings.rbb import converters  # noqa: F401  # registers category and month

_LIST = "lists/<category:category>/<month:month>/<int:revision>"

urlpatterns = [
    path("games", OwnGamesView.as_view(), name="games"),
    path("games/<str:external_id>", GameView.as_view(), name="game"),
    path("games/<str:external_id>/clocks", ClocksView.as_view(), name="clocks"),
    path("games/<str:external_id>/presence", PresenceView.as_view(), name="presence"),
    path("schema", SchemaView.as_view(), name="schema"),
    path("ratings/<category:category>", LiveRatingsView.as_view(), name="live_ratings"),
    path(
        "ratings/<category:category>/distribution", LiveDistributionView.as_view(), name="live_distribution"
    ),
    path("lists", PublishedListsView.as_view(), name="published_lists"),
    path(_LIST, PublishedListView.as_view(), name="published_list"),
    path(f"{_LIST}/members", PublishedListMembersView.as_view(), name="published_list_members"),
    path(f"{_LIST}/top/<group:group>", TopListView.as_view(), name="published_top"),
    path("lists/<category:category>/compare", CompareListsView.as_view(), name="compare_lists"),
    path(
        "lists/requested/<int:id>/members", RequestedListMembersView.as_view(), name="requested_list_members"
    ),
    path(f"{_LIST}/distribution", ListDistributionView.as_view(), name="list_distribution"),
    path("leaders/<category:category>/<leaders:group>", LeadersView.as_view(), name="leaders"),
    # Some old usernames, from before they were checked, contain slashes.
    path("members/<path:username>/ratings", RatingsView.as_view(), name="member_ratings"),
    path("members/<path:username>/statistics", StatisticsView.as_view(), name="member_statistics"),
    path("members/<path:username>/titles", TitlesView.as_view(), name="member_titles"),
    path("members/<path:username>/chart", ChartView.as_view(), name="member_chart"),
    path("members/<path:username>/over-the-board", OverTheBoardView.as_view(), name="member_over_the_board"),
    path("decisions", DecisionsView.as_view(), name="decisions"),
    path("decisions/<int:id>/moved", MovedView.as_view(), name="decision_moved"),
    path("months/<month:month>", MonthView.as_view(), name="month"),
    path("calendar", CalendarView.as_view(), name="calendar"),
    path("editions", EditionsView.as_view(), name="editions"),
    path("records", RecordsView.as_view(), name="records"),
    path("members", MembersInBulkView.as_view(), name="members"),
    path("members/lookup", LookupView.as_view(), {"username": "lookup"}, name="lookup"),
    path("members/<str:username>/against/<str:opponent>", AgainstView.as_view(), name="against"),
    path(
        "members/<str:username>/first-rating/<category:category>",
        FirstRatingView.as_view(),
        name="first_rating",
    ),
    path("compare", CompareMembersView.as_view(), name="compare"),
    path("members/<str:username>/history", MemberHistoryView.as_view(), name="member_history"),
    path("members/<str:username>", MemberOfServerView.as_view(), name="member"),
    path("events", EventsView.as_view(), name="events"),
    path("events/<int:id>", EventView.as_view(), name="event"),
    path("all-games", AllGamesView.as_view(), name="all_games"),
    path("all-games/<int:id>", AnyGameView.as_view(), name="any_game"),
    path("explanations", ExplanationsView.as_view(), name="explanations"),
    path("explanations/<int:id>", ExplanationView.as_view(), name="explanation"),
    path("changes", ChangesView.as_view(), name="changes"),
    path("stream/changes", ChangesStreamView.as_view(), name="follow_changes"),
    path("stream/pages", PageStreamView.as_view(), name="follow_page"),
    path("webhooks", WebhooksView.as_view(), name="webhooks"),
    path("webhooks/<int:key>", WebhookView.as_view(), name="webhook"),
    path("webhooks/<int:key>/rotate", RotateView.as_view(), name="rotate_webhook"),
    path("webhooks/<int:key>/test", TrialView.as_view(), name="test_webhook"),
    *(address for room in rooms.installed() if room.api for address in import_module(room.api).urlpatterns),
]
