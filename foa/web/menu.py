"""The menu of the admin. Each app says in ``apps.py`` where its pages are, as ``admin_menu``.

A page without an entry is a tab of the one that it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Work(TextChoices):
    """Headings of the menu, in their order."""

    EVERY_DAY = "every-day", _("Every day")
    DECISIONS = "decisions", _("Decisions")
    ARENA = "arena", _("Arena")
    OVER_THE_BOARD = "over-the-board", _("Over the board")
    LEAGUE = "league", _("League")
    LOGINS = "logins", _("Logins")


class Place(NamedTuple):
    """Place of a model's pages in the menu: under a heading, or as a tab of an entry's model.

    Models are named by their labels. ``order``: place among the entries of the heading, or among the tabs.
    ``searched``: place among the models that the search in the admin's header covers; None for the others.
    """

    model: str
    under: Work | str
    order: int
    searched: int | None = None


OTHERS: Final = _("Other pages")
"""Heading of the entries of models that no app has given a place."""


class Tab(NamedTuple):
    """Page that belongs to an entry of the menu, or the entry's own page."""

    name: str
    address: str
    is_current: bool


def by_work(listed: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups of the menu with the models in Django's list of apps, which the user may see.

    Pages of an entry that the user may not see become entries themselves. Names are converted to text,
    because a lazy one is translated every time it is shown.
    """
    found = _by_label(listed)
    groups = []
    for number, work in enumerate(Work):
        models = []
        for entry in _below(work):
            shown = [found.pop(label) for label in (entry, *_below(entry)) if label in found]
            models += shown[:1] if shown and shown[0]["label"] == entry else shown
        groups.append((work.label, f"menu-{number}", models))
    groups.append((OTHERS, "menu-others", sorted(found.values(), key=lambda one: one["name"])))
    return [
        {"name": str(heading), "app_label": slug, "has_module_perms": True, "models": models}
        for heading, slug, models in groups
        if models
    ]


def tabs(listed: Iterable[Mapping[str, Any]], label: str) -> list[Tab]:
    """Return the pages of the entry that a model is or belongs to; an empty list for a single page."""
    found = _by_label(listed)
    entry = next((one.under for one in _places() if one.model == label and one.under not in Work), label)
    shown = [found[one] for one in (entry, *_below(entry)) if one in found and found[one]["admin_url"]]
    if len(shown) < 2:
        return []
    return [Tab(one["name"], one["admin_url"], one["label"] == label) for one in shown]


def searched() -> list[str]:
    """Return the models that the search covers, in its order."""
    found = [(one.searched, one.model) for one in _places() if one.searched is not None]
    return [model for _order, model in sorted(found)]


@cache
def _places() -> list[Place]:
    return sorted(
        (one for app in apps.get_app_configs() for one in getattr(app, "admin_menu", ())),
        key=lambda one: one.order,
    )


def _below(under: str) -> list[str]:
    """Return the models under a heading or an entry."""
    return [one.model for one in _places() if one.under == under]


def _by_label(listed: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    found = {}
    for app in listed:
        for model in app["models"]:
            meta = model["model"]._meta
            text = {"name": str(model["name"]), "slug": meta.model_name, "label": meta.label}
            found[meta.label] = model | text
    return found
