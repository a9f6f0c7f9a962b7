"""Addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView

from foa.account.language import set_language
from foa.views import favicon, security_txt

# Admin pages that moved to another app, redirected so that bookmarks of staff keep working.
_MOVED = {
    "ratings/job": "office/job",
    **{
        f"fide/{model}": f"otb/{model}"
        for model in ("associationmember", "otblist", "otblistentry", "tournament", "tournamentresult")
    },
}

_OF_ROOMS = {
    "otb": "fide/",
    "league": "league/",
    "notices": "news/",
    "calculators": "calculators/",
    "organizers": "organizers/",
    "lab": "lab/",
}

urlpatterns = [
    *(
        re_path(
            f"^admin/{old}/(?P<rest>.*)$",
            RedirectView.as_view(url=f"/admin/{new}/%(rest)s", query_string=True),
        )
        for old, new in _MOVED.items()
    ),
    # Browsers ask for it on responses that name no icon, such as pictures and files.
    path("favicon.ico", favicon, name="favicon"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("", include("foa.account.urls")),
    path("admin/", admin.site.urls),
    # The language is chosen in the footer of every page.
    path("language/", RedirectView.as_view(pattern_name="ratings:home"), name="choose_language"),
    # Visitors' pages are cached for all, so their forms have no CSRF token. The language isn't secret, and
    # changing it does no harm.
    path("language/set/", csrf_exempt(set_language), name="set_language"),
    path("members/", include("members.urls")),
    path("fide/", include("ratings.fide.urls")),
    path("register/", include("ratings.office.urls")),
    *(path(_OF_ROOMS.get(room, ""), include(f"ratings.{room}.urls")) for room in settings.ROOMS),
    path("", include("ratings.rbb.urls")),
]
handler400 = "foa.views.bad_request"
handler404 = "foa.views.not_found"
handler500 = "foa.views.failed"
