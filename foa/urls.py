"""Addresses of the site."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path
from django.views.generic import RedirectView, TemplateView
from django.views.i18n import set_language

# Pages of the admin that moved to another room: bookmarks of staff keep working.
_MOVED = {
    "ratings/job": "office/job",
    **{
        f"fide/{model}": f"otb/{model}"
        for model in ("associationmember", "otblist", "otblistentry", "tournament", "tournamentresult")
    },
}

urlpatterns = [
    *(
        re_path(
            f"^admin/{old}/(?P<rest>.*)$",
            RedirectView.as_view(url=f"/admin/{new}/%(rest)s", query_string=True),
        )
        for old, new in _MOVED.items()
    ),
    path("admin/", admin.site.urls),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("language/", TemplateView.as_view(template_name="language.html"), name="choose_language"),
    path("language/set/", set_language, name="set_language"),
    path("members/", include("members.urls")),
    path("calculators/", include("ratings.calculators.urls")),
    path("fide/", include("ratings.fide.urls")),
    path("fide/", include("ratings.otb.urls")),
    path("league/", include("ratings.league.urls")),
    path("register/", include("ratings.office.urls")),
    path("", include("ratings.arena.urls")),
    path("", include("ratings.urls")),
]
handler400 = "foa.views.bad_request"
