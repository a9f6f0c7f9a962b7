"""Addresses of ratings, games and lists."""

from datetime import date

from django.urls import path, register_converter

from ratings import views
from ratings.rules.time_controls import Category
from ratings.services.lists.top_lists import GROUPS, Group, of_federation

app_name = "ratings"


class CategoryConverter:
    """``rapid``, ``blitz`` or ``bullet`` in an address."""

    regex = "|".join(category.slug for category in Category)

    def to_python(self, value: str) -> Category:
        return Category.from_slug(value)

    def to_url(self, value: str) -> str:
        return value


class MonthConverter:
    """``2026-11`` in an address: the first day of the month."""

    regex = "[12][0-9]{3}-(?:0[1-9]|1[0-2])"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date) -> str:
        return f"{value:%Y-%m}"


class GroupConverter:
    """``women``, ``juniors``, ``seniors``, ``improved`` or the code of a federation in an address."""

    regex = "|".join((*GROUPS, "[A-Z]{3}"))

    def to_python(self, value: str) -> Group:
        return GROUPS.get(value) or of_federation(value)

    def to_url(self, value: str) -> str:
        return value


register_converter(CategoryConverter, "category")
register_converter(GroupConverter, "group")
register_converter(MonthConverter, "month")

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
