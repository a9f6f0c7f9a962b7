"""Addresses of the API; its versions are in ``ratings.arena.api.urls``."""

from django.urls import include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.views import RevokeTokenView, TokenView

from ratings.arena.api.problems import not_found
from ratings.arena.api.reference import ApiPageView
from ratings.arena.api.trying import TryView

app_name = "arena"

urlpatterns = [
    path("oauth/token/", TokenView.as_view(), name="token"),
    path("oauth/revoke/", RevokeTokenView.as_view(), name="revoke"),
    # Clients often leave out the last slash, and a redirect loses what they post.
    path("oauth/token", TokenView.as_view()),
    path("oauth/revoke", RevokeTokenView.as_view()),
    path("api/", ApiPageView.as_view(), name="api"),
    path("api/try/<slug:operation>/", TryView.as_view(), name="try_it"),
    path("api/v1/", include("ratings.arena.api.urls")),
    re_path("^api/v1/", csrf_exempt(not_found)),
]
