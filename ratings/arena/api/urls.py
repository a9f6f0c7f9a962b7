"""Addresses of the first version of the API."""

from django.urls import path

from ratings.arena.api.bulk import GamesInBulkView

urlpatterns = [
    path("games", GamesInBulkView.as_view(), name="games"),
]
