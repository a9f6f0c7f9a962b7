"""URLs of the calculators."""

from django.urls import path

from ratings.calculators import views

app_name = "calculators"

urlpatterns = [
    path("", views.IndexView.as_view(), name="index"),
    path("fide/", views.FideView.as_view(), name="fide"),
    path("what-if/", views.WhatIfView.as_view(), name="what_if"),
    path("needed/", views.NeededView.as_view(), name="needed"),
    path("first-rating/", views.FirstRatingView.as_view(), name="first_rating"),
    path("tournament/", views.TournamentView.as_view(), name="tournament"),
]
