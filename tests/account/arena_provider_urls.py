"""The arena's addresses, and what it says of its users."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from oauth2_provider.oauth2_validators import OAuth2Validator


class Validator(OAuth2Validator):
    """What OpenID Connect calls the claims."""

    oidc_claim_scope = None

    def get_additional_claims(self, request: Any) -> dict[str, Any]:
        return {
            "preferred_username": request.user.username,
            "email": request.user.email,
            "email_verified": request.user.username != "bert",
        }


def enter(request: HttpRequest, name: str) -> HttpResponse:
    login(request, User.objects.get(username=name))
    return HttpResponse()


def rename(request: HttpRequest, old: str, new: str) -> HttpResponse:
    User.objects.filter(username=old).update(username=new)
    return HttpResponse()


urlpatterns = [
    path("o/", include("oauth2_provider.urls")),
    path("enter/<str:name>/", enter),
    path("rename/<str:old>/<str:new>/", rename),
]
