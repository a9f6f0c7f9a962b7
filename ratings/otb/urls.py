"""Addresses of tournaments over the board, and of the office's own lists of them."""

from datetime import date

from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from foa.files import FORMATS
from ratings.formats.trf import Version
from ratings.otb.views import lists, tournaments
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter

app_name = "otb"


class DayConverter:
    """Converter for a day such as ``2026-11-01``; days that don't exist have no page."""

    regex = "[12][0-9]{3}-[01][0-9]-[0-3][0-9]"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


class EndingConverter(StringConverter):
    """Converter for the ending of a list's file."""

    regex = "txt|xml|csv"


class TableConverter(StringConverter):
    """Converter for the ending of a table as a file."""

    regex = "|".join(FORMATS)


class TrfConverter:
    """Converter for the version of a report file: ``trf16`` or ``trf26``."""

    regex = "|".join(Version)

    def to_python(self, value: str) -> Version:
        return Version(value)

    def to_url(self, value: Version) -> str:
        return value.value


class FrlConverter(StringConverter):
    """Converter for the ending of a file in FIDE's layout."""

    regex = "txt|xml"


class ChapterConverter:
    """Converter for the chapter in addresses of lists; standard ones have none."""

    regex = "rapid|blitz"

    def to_python(self, value: str) -> Chapter:
        return Chapter.of(value)

    def to_url(self, value: Chapter) -> str:
        return value.slug


register_converter(ChapterConverter, "chapter")
register_converter(DayConverter, "date")
register_converter(EndingConverter, "ending")
register_converter(FrlConverter, "frl")
register_converter(TableConverter, "table")
register_converter(TrfConverter, "trf")


def _of_list(address: str) -> list[URLPattern]:
    """Return the pages and files of one list."""
    return [
        path(address, lists.OtbListView.as_view(), name="list"),
        path(f"{address}active/", lists.OtbListView.as_view(lists=Lists.ACTIVE), name="active"),
        path(f"{address}delisted/", lists.OtbListView.as_view(lists=Lists.DELISTED), name="delisted"),
        path(f"{address}titled/", lists.OtbListView.as_view(lists=Lists.TITLED), name="titled"),
        path(f"{address}top/", lists.OtbTopView.as_view(), name="top"),
        path(f"{address}report/", lists.OtbReportView.as_view(), name="report"),
        path(f"{address}list.<ending:ending>", lists.OtbFileView.as_view(), name="file"),
    ]


urlpatterns = [
    path("players/<int:fide_id>/", tournaments.PlayerView.as_view(), name="player"),
    path("tournaments/", tournaments.TournamentListView.as_view(), name="tournaments"),
    path("tournaments/<int:pk>/", tournaments.TournamentView.as_view(), name="tournament"),
    path(
        "tournaments/<int:pk>/crosstable.<table:ending>",
        tournaments.CrossTableFileView.as_view(),
        name="crosstable",
    ),
    path("tournaments/<int:pk>/rounds/<int:number>/", tournaments.RoundView.as_view(), name="round"),
    path("tournaments/<int:pk>/<trf:version>.trf", tournaments.TrfFileView.as_view(), name="trf"),
    path(
        "tournaments/<int:pk>/players/<int:number>/",
        tournaments.TournamentPlayerView.as_view(),
        name="tournament_player",
    ),
    path("otb/", lists.OtbArchiveView.as_view(), name="lists"),
    path("otb/<date:list_day>/combined.<frl:ending>", lists.CombinedFileView.as_view(), name="combined"),
    *_of_list("otb/<date:list_day>/<int:revision>/"),
    path("otb/<date:list_day>/<int:revision>/editions/", lists.OtbEditionsView.as_view(), name="editions"),
    *_of_list("otb/<chapter:chapter>/<date:list_day>/<int:revision>/"),
]
