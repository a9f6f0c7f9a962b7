"""The menu of the admin, grouped by the work that its pages are for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.apps import apps
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Work(TextChoices):
    """A group of the menu. An app, or the admin class of one of its models, has one as ``work``."""

    MEMBERS = "members", _("Members")
    ARENA = "arena", _("Arena")
    FIDE = "fide", _("FIDE lists")
    OVER_THE_BOARD = "over-the-board", _("Over the board")
    LEAGUE = "league", _("League")
    CASES = "cases", _("Cases")
    OFFICE = "office", _("Office")
    SYSTEM = "system", _("System")


def by_work(listed: Iterable[Mapping[str, Any]], registry: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """The models of these apps by work: first those in which somebody enters or changes something.

    Names are text: a lazy one is translated every time that it is shown.
    """
    groups: dict[Work, list[dict[str, Any]]] = {work: [] for work in Work}
    for app in listed:
        for model in app["models"]:
            text = {"name": str(model["name"]), "slug": model["model"]._meta.model_name}
            groups[_work_of(model["model"], registry)].append(model | text)
    return [
        {
            "name": str(work.label),
            "app_label": work.value,
            "has_module_perms": True,
            "models": sorted(models, key=lambda one: (one.get("view_only", False), one["name"])),
        }
        for work, models in groups.items()
        if models
    ]


def _work_of(model: Any, registry: Mapping[Any, Any]) -> Work:
    app = apps.get_app_config(model._meta.app_label)
    return Work(getattr(registry[model], "work", "") or getattr(app, "work", Work.SYSTEM))
