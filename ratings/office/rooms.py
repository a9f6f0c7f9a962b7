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

    ``links``: names of views with words for a link; the page of published lists leads there. ``menu``: the
    same for the main menu of every page, ``member_menu`` for that of whoever is logged in. ``demo``: dotted
    path of a function that adds its part of the demo arena (``ratings.rbb.demo.DemoArena``). ``game_parts``:
    dotted paths of functions that take a game and return a :class:`Part` of its page, or None.
    ``member_parts``: the same for the office's page of a member; they take the member and who looks.
    ``profile_parts``: the same for the tab “Over the board” of a member's public page; they take the member.
    ``profile_actions``: the same for the head of that page; they take the member and who is logged in.
    ``header_parts``: the same for the header of every page; they take who is logged in.
    ``change_set_parts``: the same for the public page of a change set.
    ``person_pages``: dotted paths of functions that take a member and return addresses and words for links
    to the pages about the same person.
    ``rule_books``: dotted paths of :class:`ratings.office.rule_books.RuleBook`.
    ``upload_pages``: names of views of the admin that take files in their own way, words for a link, what
    the files are, and the permission that each needs.
    """

    links: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    menu: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    member_menu: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    demo: ClassVar[str] = ""
    game_parts: ClassVar[Sequence[str]] = ()
    member_parts: ClassVar[Sequence[str]] = ()
    profile_parts: ClassVar[Sequence[str]] = ()
    profile_actions: ClassVar[Sequence[str]] = ()
    header_parts: ClassVar[Sequence[str]] = ()
    change_set_parts: ClassVar[Sequence[str]] = ()
    person_pages: ClassVar[Sequence[str]] = ()
    rule_books: ClassVar[Sequence[str]] = ()
    upload_pages: ClassVar[Sequence[tuple[str, str | Promise, str | Promise, str]]] = ()


def installed() -> list[Room]:
    """The rooms in the order of ``INSTALLED_APPS``."""
    return [app for app in apps.get_app_configs() if isinstance(app, Room)]


def game_parts(game: Any) -> Iterator[Part]:
    """What the rooms add to the page of a game."""
    for room in installed():
        for path in room.game_parts:
            if part := import_string(path)(game):
                yield part


def member_parts(member: Any, user: Any) -> Iterator[Part]:
    """What the rooms add to the office's page of a member, for somebody of the staff."""
    for room in installed():
        for path in room.member_parts:
            if part := import_string(path)(member, user):
                yield part


def profile_parts(member: Any) -> Iterator[Part]:
    """What the rooms know of a member who plays over the board, for the member's public page."""
    for room in installed():
        for path in room.profile_parts:
            if part := import_string(path)(member):
                yield part


def profile_actions(member: Any, user: Any) -> Iterator[Part]:
    """What somebody who is logged in can do about a member, for the head of the member's public page."""
    for room in installed():
        for path in room.profile_actions:
            if part := import_string(path)(member, user):
                yield part


def header_parts(user: Any) -> Iterator[Part]:
    """Return what the rooms tell somebody who is logged in, in the header of every page."""
    for room in installed():
        for path in room.header_parts:
            if part := import_string(path)(user):
                yield part


def change_set_parts(change_set: Any) -> Iterator[Part]:
    """What the rooms add to the public page of a change set."""
    for room in installed():
        for path in room.change_set_parts:
            if part := import_string(path)(change_set):
                yield part


def person_pages(member: Any, *, here: str) -> Iterator[tuple[str, str | Promise]]:
    """Addresses and words of the pages about a member, but for the one at ``here``."""
    for room in installed():
        for path in room.person_pages:
            for address, words in import_string(path)(member):
                if address != here:
                    yield address, words
