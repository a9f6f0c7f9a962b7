"""Addresses of ratings, games and lists."""

from collections.abc import Callable

from django.contrib.sitemaps.views import index, sitemap
from django.http import HttpResponseBase
from django.urls import URLPattern, path

from ratings.rbb import (
    converters,  # noqa: F401  # registers category, month and group
    views,
)
from ratings.rbb.views.redirect_merged import redirect_merged

app_name = "ratings"

_LIST = "lists/<category:category>/<month:month>/<int:revision>/"


def _of_member(rest: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """Return a page of a member by key, which stays valid after a merge."""
    return path(f"members/<int:pk>/{rest}", redirect_merged(view), name=name)


urlpatterns = [
    path("", views.HomeView.as_view(), name="home"),
    path("robots.txt", views.RobotsView.as_view(), name="robots"),
    path(
        "sitemap.xml",
        index,
        {"sitemaps": views.SITEMAPS, "sitemap_url_name": "ratings:sitemap_section"},
        name="sitemap",
    ),
    path("sitemap-<section>.xml", sitemap, {"sitemaps": views.SITEMAPS}, name="sitemap_section"),
    path("ratings/<category:category>/", views.LiveRatingView.as_view(), name="live"),
    path("ratings/<category:category>/distribution/", views.DistributionView.as_view(), name="distribution"),
    path("lists/", views.ArchiveView.as_view(), name="lists"),
    path("lists/<category:category>/<month:month>/", views.LatestListView.as_view(), name="latest_list"),
    path(_LIST, views.PublishedListView.as_view(), name="list"),
    path(f"{_LIST}report/", views.ListReportView.as_view(), name="list_report"),
    path(f"{_LIST}distribution/", views.ListDistributionView.as_view(), name="list_distribution"),
    path(f"{_LIST}top/<group:group>/", views.TopListView.as_view(), name="top_list"),
    path(f"{_LIST}federations/", views.FederationsView.as_view(), name="federations"),
    path("lists/<category:category>/compare/", views.CompareListsView.as_view(), name="compare_lists"),
    path("months/<month:month>/", views.MonthView.as_view(), name="month"),
    path("records/", views.RecordsView.as_view(), name="records"),
    path("lists/lines/<int:pk>/", views.ListLineView.as_view(), name="list_line"),
    path("lists/requested/", views.RequestListView.as_view(), name="request_list"),
    path("lists/requested/<int:pk>/", views.RequestedListView.as_view(), name="requested_list"),
    path("my-ratings/", views.MyRatingsView.as_view(), name="mine"),
    path("my-ratings/data/", views.MyDataView.as_view(), name="my_data"),
    path("my-ratings/close/", views.close_own_account, name="close_own_account"),
    path("how-ratings-work/", views.HowView.as_view(), name="how"),
    path("how-ratings-work/<slug:slug>/", views.HowView.as_view(), name="how_book"),
    _of_member("", views.ProfileView.as_view(), "profile"),
    _of_member("games/", views.MemberGamesView.as_view(), "profile_games"),
    _of_member("statistics/", views.StatisticsView.as_view(), "profile_statistics"),
    _of_member("titles/", views.TitlesView.as_view(), "profile_titles"),
    _of_member("over-the-board/", views.OverTheBoardView.as_view(), "profile_otb"),
    # Some old usernames, from before they were checked, contain slashes.
    path("members/<path:username>/badge.svg", views.BadgeView.as_view(), name="badge"),
    path("members/<path:username>/card/", views.EmbeddedCardView.as_view(), name="embedded_card"),
    path("compare/", views.CompareView.as_view(), name="compare"),
    _of_member("history/", views.HistoryView.as_view(), "history"),
    _of_member("against/", views.OpponentView.as_view(), "against"),
    _of_member("against/<int:other>/", views.HeadToHeadView.as_view(), "head_to_head"),
    _of_member("first-rating/<category:category>/", views.CoachView.as_view(), "coach"),
    path("games/", views.GameListView.as_view(), name="games"),
    path("games/<int:pk>/", views.GameView.as_view(), name="game"),
    path("events/", views.EventListView.as_view(), name="events"),
    path("events/<int:pk>/", views.EventView.as_view(), name="event"),
    path("changes/", views.ChangeListView.as_view(), name="changes"),
    path("changes/<int:pk>/", views.ChangeView.as_view(), name="change"),
]
