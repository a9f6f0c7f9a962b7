"""What the app of a rule book tells the house, so that nothing outside its room has to name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from django.apps import AppConfig, apps
from django.utils.functional import Promise


class Room(AppConfig):
    """The app of a rule book.

    ``links``: names of views with words for a link; the page of published lists leads there. ``demo``: dotted
    path of a function that adds its part of the demo arena (``ratings.demo.DemoArena``).
    """

    links: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    demo: ClassVar[str] = ""


def installed() -> list[Room]:
    """The rooms in the order of ``INSTALLED_APPS``."""
    return [app for app in apps.get_app_configs() if isinstance(app, Room)]
