"""Addresses of ratings, games and lists."""

from django.urls import path

from ratings import (
    converters,  # noqa: F401  # registers category, month and group
    views,
)

app_name = "ratings"


urlpatterns = [
    path("", views.HomeView.as_view(), name="home"),
    path("ratings/<category:category>/", views.LiveRatingView.as_view(), name="live"),
    path("lists/", views.ArchiveView.as_view(), name="lists"),
    path("lists/<category:category>/<month:month>/", views.LatestListView.as_view(), name="latest_list"),
    path(
        "lists/<category:category>/<month:month>/<int:revision>/",
        views.PublishedListView.as_view(),
        name="list",
    ),
    path(
        "lists/<category:category>/<month:month>/<int:revision>/report/",
        views.ListReportView.as_view(),
        name="list_report",
    ),
    path(
        "lists/<category:category>/<month:month>/<int:revision>/top/<group:group>/",
        views.TopListView.as_view(),
        name="top_list",
    ),
    path(
        "lists/<category:category>/<month:month>/<int:revision>/federations/",
        views.FederationsView.as_view(),
        name="federations",
    ),
    path("lists/lines/<int:pk>/", views.ListLineView.as_view(), name="list_line"),
    path("lists/requested/", views.RequestListView.as_view(), name="request_list"),
    path("lists/requested/<int:pk>/", views.RequestedListView.as_view(), name="requested_list"),
    path("my-ratings/", views.MyRatingsView.as_view(), name="mine"),
    path("how-ratings-work/", views.HowView.as_view(), name="how"),
    path("members/<int:pk>/", views.ProfileView.as_view(), name="profile"),
    path("members/<int:pk>/history/", views.HistoryView.as_view(), name="history"),
    path("members/<int:pk>/against/", views.OpponentView.as_view(), name="against"),
    path("members/<int:pk>/against/<int:other>/", views.HeadToHeadView.as_view(), name="head_to_head"),
    path("members/<int:pk>/first-rating/<category:category>/", views.CoachView.as_view(), name="coach"),
    path("games/", views.GameListView.as_view(), name="games"),
    path("games/<int:pk>/", views.GameView.as_view(), name="game"),
    path("changes/", views.ChangeListView.as_view(), name="changes"),
    path("changes/<int:pk>/", views.ChangeView.as_view(), name="change"),
]
