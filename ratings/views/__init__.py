"""The public pages of ratings."""

from ratings.views.against import HeadToHeadView, OpponentView
from ratings.views.coach import CoachView
from ratings.views.games import GameListView, GameView
from ratings.views.history import HistoryView
from ratings.views.home import HomeView, MyRatingsView
from ratings.views.how import HowView
from ratings.views.ledger import ChangeListView, ChangeView
from ratings.views.lists import LiveRatingView
from ratings.views.profile import ProfileView
from ratings.views.published import (
    ArchiveView,
    LatestListView,
    ListLineView,
    ListReportView,
    PublishedListView,
)
from ratings.views.requested import RequestedListView, RequestListView
from ratings.views.top_lists import FederationsView, TopListView

__all__ = [
    "ArchiveView",
    "ChangeListView",
    "ChangeView",
    "CoachView",
    "FederationsView",
    "GameListView",
    "GameView",
    "HeadToHeadView",
    "HistoryView",
    "HomeView",
    "HowView",
    "LatestListView",
    "ListLineView",
    "ListReportView",
    "LiveRatingView",
    "MyRatingsView",
    "OpponentView",
    "ProfileView",
    "PublishedListView",
    "RequestListView",
    "RequestedListView",
    "TopListView",
]
