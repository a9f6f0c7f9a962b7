"""URLs of FIDE's lists and players."""

from django.urls import path

from ratings.fide import views

app_name = "fide"

urlpatterns = [
    path("players/", views.PlayerListView.as_view(), name="players"),
    path("lists/", views.FideListView.as_view(), name="lists"),
]
