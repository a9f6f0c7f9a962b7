"""Addresses of the first version of the API."""

from django.urls import path

from ratings.arena.api.bulk import GamesInBulkView
from ratings.arena.api.members import MemberOfServerView

urlpatterns = [
    path("games", GamesInBulkView.as_view(), name="games"),
    path("members/<str:username>", MemberOfServerView.as_view(), name="member"),
]
