"""URLs of FIDE's lists and players."""

from django.urls import path

from ratings.fide.views import lists

app_name = "fide"

urlpatterns = [
    path("players/", lists.PlayerListView.as_view(), name="players"),
    path("lists/", lists.FideListView.as_view(), name="lists"),
]
