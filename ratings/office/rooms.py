"""Definition of a room: what the app of a rule book adds to the site, so that nothing outside names it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from django.apps import AppConfig, apps
from django.utils.functional import Promise

from foa.web.menu import Place


class Room(AppConfig):
    """The app of a rule book.

    ``links``: view names with texts, for the page of published lists. ``menu``, ``footer`` and
    ``member_menu``: the same for the main menu of every page, its footer, and the menu of members.
    ``demo``: dotted path of a function that adds to the demo arena (``ratings.rbb.demo.DemoArena``).
    ``rule_books``: dotted paths of :class:`ratings.office.rule_books.RuleBook`. ``upload_pages``: admin views
    that take files in their own way: view name, text of the link, what the files are, and the permission
    needed. ``admin_menu``: where its models are in the menu of the admin. ``api``: dotted path of the module
    with the ``urlpatterns`` of its part of the API, and with ``EXAMPLES``, functions that return
    parameters of the latest rows, by the first word of the address. ``searches``: dotted paths of what the
    search of the site asks (:class:`ratings.office.search.Search`). ``suggestions``: the same, of what only
    filters of its lists suggest. ``scales``: dotted path of a function
    that yields the scales of its published lists (:class:`ratings.office.scales.Scale`).
    """

    links: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    menu: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    footer: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    member_menu: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    demo: ClassVar[str] = ""
    rule_books: ClassVar[Sequence[str]] = ()
    upload_pages: ClassVar[Sequence[tuple[str, str | Promise, str | Promise, str]]] = ()
    admin_menu: ClassVar[Sequence[Place]] = ()
    api: ClassVar[str] = ""
    searches: ClassVar[Sequence[str]] = ()
    suggestions: ClassVar[Sequence[str]] = ()
    scales: ClassVar[str] = ""


def installed() -> list[Room]:
    """Return the rooms in the order of ``INSTALLED_APPS``."""
    return [app for app in apps.get_app_configs() if isinstance(app, Room)]
