"""The menu of the admin: each app says where its pages are."""

from collections import Counter

from django.apps import apps
from django.contrib import admin

from foa.web.menu import Work

OURS = ("foa", "members", "ratings")
PLACES = {app.label: list(getattr(app, "admin_menu", ())) for app in apps.get_app_configs()}
ALL = [place for places in PLACES.values() for place in places]


def test_every_app_places_its_own_models_and_only_the_site_those_of_packages():
    ours = {label for label, app in apps.app_configs.items() if app.name.partition(".")[0] in OURS}
    for app, places in PLACES.items():
        for place in places:
            owner = place.model.partition(".")[0]
            assert owner == app if owner in ours else app == "foa", place


def test_every_page_of_our_apps_has_a_place():
    registered = {
        model._meta.label for model in admin.site._registry if model.__module__.partition(".")[0] in OURS
    }
    assert registered - {place.model for place in ALL} == set()


def test_no_two_pages_have_the_same_place():
    assert [
        one for one, count in Counter((place.under, place.order) for place in ALL).items() if count > 1
    ] == []


def test_a_page_is_under_a_heading_or_the_tab_of_an_entry():
    entries = {place.model for place in ALL if place.under in Work}
    assert {place.under for place in ALL if place.under not in Work} <= entries
