"""What the app of a rule book tells the house, so that nothing outside its room has to name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from django.apps import AppConfig, apps
from django.utils.functional import Promise


class Room(AppConfig):
    """The app of a rule book.

    ``links``: names of views with words for a link; the page of published lists leads there. ``menu``: the
    same for the main menu of every page, ``footer`` for
    its footer, ``member_menu`` for the menu of whoever is logged in. ``demo``: dotted
    path of a function that adds its part of the demo arena (``ratings.rbb.demo.DemoArena``).
    ``rule_books``: dotted paths of :class:`ratings.office.rule_books.RuleBook`.
    ``upload_pages``: names of views of the admin that take files in their own way, words for a link, what
    the files are, and the permission that each needs.
    """

    links: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    menu: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    footer: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    member_menu: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    demo: ClassVar[str] = ""
    rule_books: ClassVar[Sequence[str]] = ()
    upload_pages: ClassVar[Sequence[tuple[str, str | Promise, str | Promise, str]]] = ()


def installed() -> list[Room]:
    """The rooms in the order of ``INSTALLED_APPS``."""
    return [app for app in apps.get_app_configs() if isinstance(app, Room)]
