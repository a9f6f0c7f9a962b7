"""Addresses of the first version of the API."""

from django.urls import path

from ratings.arena.api.changes import ChangesView
from ratings.arena.api.webhooks import RotateView, TrialView, WebhooksView, WebhookView

urlpatterns = [
    path("changes", ChangesView.as_view(), name="changes"),
    path("webhooks", WebhooksView.as_view(), name="webhooks"),
    path("webhooks/<int:key>", WebhookView.as_view(), name="webhook"),
    path("webhooks/<int:key>/rotate", RotateView.as_view(), name="rotate_webhook"),
    path("webhooks/<int:key>/test", TrialView.as_view(), name="test_webhook"),
]
