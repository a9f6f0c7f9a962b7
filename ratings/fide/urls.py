"""Addresses of chess over the board: FIDE's lists, tournaments, and the office's own lists."""

from datetime import date

from django.urls import path, register_converter

from ratings.fide import views
from ratings.rules.fide_b02_lists import Lists

app_name = "fide"


class DayConverter:
    """``2026-11-01`` in an address; there is no page of a day that the calendar does not have."""

    regex = "[12][0-9]{3}-[01][0-9]-[0-3][0-9]"

    def to_python(self, value: str) -> date:
        """The day."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        """As it is written."""
        return value.isoformat()


class EndingConverter:
    """The ending of a file of a list."""

    regex = "txt|xml|csv"

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    def to_url(self, value: str) -> str:
        """As it is."""
        return value


register_converter(DayConverter, "date")
register_converter(EndingConverter, "ending")

_LIST = "otb/<date:list_day>/<int:revision>/"

urlpatterns = [
    path("players/", views.PlayerListView.as_view(), name="players"),
    path("players/<int:fide_id>/", views.PlayerView.as_view(), name="player"),
    path("lists/", views.FideListView.as_view(), name="lists"),
    path("tournaments/", views.TournamentListView.as_view(), name="tournaments"),
    path("tournaments/<int:pk>/", views.TournamentView.as_view(), name="tournament"),
    path("tournaments/<int:pk>/crosstable.csv", views.CrossTableFileView.as_view(), name="crosstable"),
    path(
        "tournaments/<int:pk>/players/<int:number>/",
        views.TournamentPlayerView.as_view(),
        name="tournament_player",
    ),
    path("otb/", views.OtbArchiveView.as_view(), name="otb_lists"),
    path(_LIST, views.OtbListView.as_view(), name="otb_list"),
    path(f"{_LIST}active/", views.OtbListView.as_view(lists=Lists.ACTIVE), name="otb_active"),
    path(f"{_LIST}delisted/", views.OtbListView.as_view(lists=Lists.DELISTED), name="otb_delisted"),
    path(f"{_LIST}titled/", views.OtbListView.as_view(lists=Lists.TITLED), name="otb_titled"),
    path(f"{_LIST}top/", views.OtbTopView.as_view(), name="otb_top"),
    path(f"{_LIST}list.<ending:ending>", views.OtbFileView.as_view(), name="otb_file"),
]
