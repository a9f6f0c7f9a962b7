"""Addresses of members."""

from django.urls import path

from members import views

app_name = "members"

urlpatterns = [
    path("", views.MemberListView.as_view(), name="list"),
    path("find/", views.FindMemberView.as_view(), name="find"),
    path("privacy/", views.choose_privacy, name="privacy"),
    path("invitation/<str:token>/", views.AcceptInvitationView.as_view(), name="accept"),
]
