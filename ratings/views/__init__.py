"""The public pages of ratings."""

from ratings.views.against import HeadToHeadView, OpponentView
from ratings.views.badges import BadgeView, EmbeddedCardView
from ratings.views.close_own_account import close_own_account
from ratings.views.coach import CoachView
from ratings.views.compare import CompareView
from ratings.views.compare_lists import CompareListsView
from ratings.views.distribution import DistributionView, ListDistributionView
from ratings.views.events import EventListView, EventView
from ratings.views.games import GameListView, GameView
from ratings.views.history import HistoryView
from ratings.views.home import HomeView, MyDataView, MyRatingsView
from ratings.views.how import HowView
from ratings.views.ledger import ChangeListView, ChangeView
from ratings.views.lists import LiveRatingView
from ratings.views.member_figures import OverTheBoardView, StatisticsView, TitlesView
from ratings.views.member_games import MemberGamesView
from ratings.views.months import MonthView, RecordsView
from ratings.views.profile import ProfileView
from ratings.views.published import (
    ArchiveView,
    LatestListView,
    ListLineView,
    ListReportView,
    PublishedListView,
)
from ratings.views.requested import RequestedListView, RequestListView
from ratings.views.sitemap import SITEMAPS, RobotsView
from ratings.views.top_lists import FederationsView, TopListView

__all__ = [
    "SITEMAPS",
    "ArchiveView",
    "BadgeView",
    "ChangeListView",
    "ChangeView",
    "CoachView",
    "CompareListsView",
    "CompareView",
    "DistributionView",
    "EmbeddedCardView",
    "EventListView",
    "EventView",
    "FederationsView",
    "GameListView",
    "GameView",
    "HeadToHeadView",
    "HistoryView",
    "HomeView",
    "HowView",
    "LatestListView",
    "ListDistributionView",
    "ListLineView",
    "ListReportView",
    "LiveRatingView",
    "MemberGamesView",
    "MonthView",
    "MyDataView",
    "MyRatingsView",
    "OpponentView",
    "OverTheBoardView",
    "ProfileView",
    "PublishedListView",
    "RecordsView",
    "RequestListView",
    "RequestedListView",
    "RobotsView",
    "StatisticsView",
    "TitlesView",
    "TopListView",
    "close_own_account",
]
