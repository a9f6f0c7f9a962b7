"""Addresses of members."""

from django.urls import path

from members import views

app_name = "members"

urlpatterns = [
    path("privacy/", views.choose_privacy, name="privacy"),
    path("invitation/<str:token>/", views.AcceptInvitationView.as_view(), name="accept"),
]
