"""What the app of a rule book tells the house, so that nothing outside its room has to name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from django.apps import AppConfig, apps
from django.utils.functional import Promise
from django.utils.module_loading import import_string


class Part(NamedTuple):
    """A part of a page: a template and what it is shown with, as ``part``."""

    template: str
    context: Any


class Room(AppConfig):
    """The app of a rule book.

    ``links``: names of views with words for a link; the page of published lists leads there. ``demo``: dotted
    path of a function that adds its part of the demo arena (``ratings.demo.DemoArena``). ``game_parts``:
    dotted paths of functions that take a game and return a :class:`Part` of its page, or None.
    """

    links: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    demo: ClassVar[str] = ""
    game_parts: ClassVar[Sequence[str]] = ()


def installed() -> list[Room]:
    """The rooms in the order of ``INSTALLED_APPS``."""
    return [app for app in apps.get_app_configs() if isinstance(app, Room)]


def game_parts(game: Any) -> Iterator[Part]:
    """What the rooms add to the page of a game."""
    for room in installed():
        for path in room.game_parts:
            if part := import_string(path)(game):
                yield part
