"""Addresses of the first version of the API."""

from django.urls import path

from ratings.arena.api.games import GameView
from ratings.arena.api.presence import PresenceView

urlpatterns = [
    path("games/<str:external_id>", GameView.as_view(), name="game"),
    path("games/<str:external_id>/presence", PresenceView.as_view(), name="presence"),
]
