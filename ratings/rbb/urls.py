"""Addresses of ratings, games and lists."""

from collections.abc import Callable

from django.contrib.sitemaps import views as sitemaps
from django.http import HttpResponseBase
from django.urls import URLPattern, path

from ratings.rbb import converters  # noqa: F401  # registers category, month and group
from ratings.rbb.views import (
    about,
    badges,
    compare,
    compare_lists,
    distribution,
    events,
    games,
    home,
    how,
    leaders,
    lists,
    member_figures,
    member_games,
    member_page,
    members,
    months,
    profile,
    published,
    search,
    sitemap,
)
from ratings.rbb.views.member_page import redirect_merged
from ratings.rules.time_controls import Category

app_name = "ratings"

_LIST = "lists/<category:category>/<month:month>/<int:revision>/"


def _of_member(rest: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """Return a page of a member by key, which stays valid after a merge."""
    return path(f"members/<int:pk>/{rest}", redirect_merged(view), name=name)


urlpatterns = [
    path("", home.HomeView.as_view(), name="home"),
    path("robots.txt", sitemap.RobotsView.as_view(), name="robots"),
    path(
        "sitemap.xml",
        sitemaps.index,
        {"sitemaps": sitemap.SITEMAPS, "sitemap_url_name": "ratings:sitemap_section"},
        name="sitemap",
    ),
    path("sitemap-<section>.xml", sitemaps.sitemap, {"sitemaps": sitemap.SITEMAPS}, name="sitemap_section"),
    path("ratings/<category:category>/", lists.LiveRatingView.as_view(), name="live"),
    path(
        "ratings/<category:category>/distribution/",
        distribution.DistributionView.as_view(),
        name="distribution",
    ),
    path("leaders/", leaders.LeadersView.as_view(), {"category": Category.RAPID}, name="leaders"),
    path("leaders/<category:category>/", leaders.LeadersView.as_view(), name="leaders_in"),
    path(
        "leaders/<category:category>/federations/",
        leaders.FederationLeadersView.as_view(),
        name="leading_federations",
    ),
    path(
        "leaders/<category:category>/<leaders:group>/", leaders.GroupLeadersView.as_view(), name="leaders_of"
    ),
    path("lists/", published.ArchiveView.as_view(), name="lists"),
    path("lists/<category:category>/<month:month>/", published.LatestListView.as_view(), name="latest_list"),
    path(_LIST, published.PublishedListView.as_view(), name="list"),
    path(f"{_LIST}report/", published.ListReportView.as_view(), name="list_report"),
    path(f"{_LIST}distribution/", distribution.ListDistributionView.as_view(), name="list_distribution"),
    path(f"{_LIST}top/<group:group>/", published.TopListView.as_view(), name="top_list"),
    path(f"{_LIST}federations/", published.FederationsView.as_view(), name="federations"),
    path(
        "lists/<category:category>/compare/", compare_lists.CompareListsView.as_view(), name="compare_lists"
    ),
    path("months/<month:month>/", months.MonthView.as_view(), name="month"),
    path("records/", months.RecordsView.as_view(), name="records"),
    path("lists/lines/<int:pk>/", published.ListLineView.as_view(), name="list_line"),
    path("lists/requested/", published.RequestListView.as_view(), name="request_list"),
    path("lists/requested/<int:pk>/", published.RequestedListView.as_view(), name="requested_list"),
    path("my-ratings/", home.MyRatingsView.as_view(), name="mine"),
    path("my-ratings/data/", home.MyDataView.as_view(), name="my_data"),
    path("my-ratings/close/", profile.close_own_account, name="close_own_account"),
    path("about/", about.AboutView.as_view(), name="about"),
    path("how-ratings-work/", how.HowView.as_view(), name="how"),
    path("how-ratings-work/<slug:slug>/", how.HowView.as_view(), name="how_book"),
    path("members/", members.MemberListView.as_view(), name="members"),
    path("search/", search.SearchView.as_view(), name="search"),
    path("search/suggestions/", search.SuggestionsView.as_view(), name="suggestions"),
    _of_member("", profile.ProfileView.as_view(), "profile"),
    _of_member("games/", member_games.MemberGamesView.as_view(), "profile_games"),
    _of_member("statistics/", member_figures.StatisticsView.as_view(), "profile_statistics"),
    _of_member("titles/", member_figures.TitlesView.as_view(), "profile_titles"),
    _of_member("over-the-board/", member_figures.OverTheBoardView.as_view(), "profile_otb"),
    # Some old usernames, from before they were checked, contain slashes.
    path("members/<path:username>/badge.svg", badges.BadgeView.as_view(), name="badge"),
    path("members/<path:username>/card/", badges.EmbeddedCardView.as_view(), name="embedded_card"),
    path("compare/", compare.CompareView.as_view(), name="compare"),
    _of_member("history/", member_page.HistoryView.as_view(), "history"),
    _of_member("against/", compare.OpponentView.as_view(), "against"),
    _of_member("against/<int:other>/", compare.HeadToHeadView.as_view(), "head_to_head"),
    _of_member("first-rating/<category:category>/", how.CoachView.as_view(), "coach"),
    path("games/", games.GameListView.as_view(), name="games"),
    path("games/<int:pk>/", games.GameView.as_view(), name="game"),
    path("events/", events.EventListView.as_view(), name="events"),
    path("events/<int:pk>/", events.EventView.as_view(), name="event"),
    path("changes/", games.ChangeListView.as_view(), name="changes"),
    path("changes/<int:pk>/", games.ChangeView.as_view(), name="change"),
]
