"""The public pages about ratings."""

from ratings.rbb.views.against import HeadToHeadView, OpponentView
from ratings.rbb.views.badges import BadgeView, EmbeddedCardView
from ratings.rbb.views.close_own_account import close_own_account
from ratings.rbb.views.coach import CoachView
from ratings.rbb.views.compare import CompareView
from ratings.rbb.views.compare_lists import CompareListsView
from ratings.rbb.views.distribution import DistributionView, ListDistributionView
from ratings.rbb.views.events import EventListView, EventView
from ratings.rbb.views.games import GameListView, GameView
from ratings.rbb.views.history import HistoryView
from ratings.rbb.views.home import HomeView, MyDataView, MyRatingsView
from ratings.rbb.views.how import HowView
from ratings.rbb.views.ledger import ChangeListView, ChangeView
from ratings.rbb.views.lists import LiveRatingView
from ratings.rbb.views.member_figures import OverTheBoardView, StatisticsView, TitlesView
from ratings.rbb.views.member_games import MemberGamesView
from ratings.rbb.views.months import MonthView, RecordsView
from ratings.rbb.views.profile import ProfileView
from ratings.rbb.views.published import (
    ArchiveView,
    LatestListView,
    ListLineView,
    ListReportView,
    PublishedListView,
)
from ratings.rbb.views.requested import RequestedListView, RequestListView
from ratings.rbb.views.sitemap import SITEMAPS, RobotsView
from ratings.rbb.views.top_lists import FederationsView, TopListView

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
