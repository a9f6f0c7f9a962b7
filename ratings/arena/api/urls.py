"""Addresses of the first version of the API."""

from django.urls import path

from ratings.arena.api.changes import ChangesView

urlpatterns = [
    path("changes", ChangesView.as_view(), name="changes"),
]
