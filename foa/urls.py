"""Addresses of the site."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from django.views.generic import TemplateView
from django.views.i18n import set_language

urlpatterns = [
    path("admin/", admin.site.urls),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("language/", TemplateView.as_view(template_name="language.html"), name="choose_language"),
    path("language/set/", set_language, name="set_language"),
    path("members/", include("members.urls")),
    path("calculators/", include("ratings.calculators.urls")),
    path("fide/", include("ratings.fide.urls")),
    path("league/", include("ratings.league.urls")),
    path("", include("ratings.urls")),
]
handler400 = "foa.views.bad_request"
