"""The menu of the admin: its entries, their order, and the pages that belong to each.

A page without an entry is a tab of the one that it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MENU: Final[Mapping[str | Promise, Mapping[str, tuple[str, ...]]]] = {
    _("Every day"): {
        "members.Member": (
            "members.AccountClosure",
            "desk.MemberNote",
            "ratings.Rating",
            "ratings.RatingChange",
            "ratings.OpeningRating",
            "ratings.OtbAdjustment",
            "members.FormerName",
        ),
        "ratings.Game": ("ratings.ArenaEvent", "ratings.TimeControl"),
        "desk.Case": (),
        "ratings.RatingList": ("ratings.RatingListEntry",),
        "office.FileImport": ("office.Job", "ratings.ImportBatch"),
        "fide.FideList": ("fide.Announcement", "fide.FidePlayer", "fide.FideRating", "fide.DoubleRating"),
    },
    _("Decisions"): {
        "office.ChangeSet": ("ratings.Recalculation", "ratings.RecalculatedLine", "ratings.LateLine"),
        "office.AuditFinding": ("desk.LikelyDuplicate",),
        "office.Journal": (),
    },
    _("Arena"): {
        "arena.GameServer": (),
        "arena.Webhook": ("arena.Delivery",),
    },
    _("Over the board"): {
        "otb.Tournament": ("otb.TournamentResult",),
        "organizers.Submission": ("organizers.Scope",),
        "otb.OtbList": ("otb.OtbListEntry",),
        "otb.RatingFee": ("otb.FeePayment",),
        "otb.RatingAdministrator": (),
        "otb.AssociationMember": (),
    },
    _("League"): {
        "league.Season": (
            "league.Team",
            "league.SquadPlayer",
            "league.Board",
            "league.Cycle",
            "league.CycleList",
            "league.CycleResult",
        ),
        "league.Match": (),
        "league.Player": (),
        "league.League": (),
    },
    _("Logins"): {
        "auth.User": ("axes.AccessLog", "axes.AccessAttempt", "axes.AccessFailureLog"),
        "auth.Group": (),
    },
}
"""Headings, their entries, and the pages that belong to each entry, by model labels."""

SEARCHED: Final = ("members.Member", "desk.Case", "office.ChangeSet", "ratings.Game", "otb.Tournament")
"""Models that the search in the admin's header covers, in this order."""

OTHERS: Final = _("Other pages")
"""Heading of the entries of models that aren't in MENU."""

_PARENTS: Final = {
    label: entry for entries in MENU.values() for entry, below in entries.items() for label in below
}


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
    for number, (heading, entries) in enumerate(MENU.items()):
        models = []
        for entry, below in entries.items():
            shown = [found.pop(label) for label in (entry, *below) if label in found]
            models += shown[:1] if shown and shown[0]["label"] == entry else shown
        groups.append((heading, f"menu-{number}", models))
    groups.append((OTHERS, "menu-others", sorted(found.values(), key=lambda one: one["name"])))
    return [
        {"name": str(heading), "app_label": slug, "has_module_perms": True, "models": models}
        for heading, slug, models in groups
        if models
    ]


def tabs(listed: Iterable[Mapping[str, Any]], label: str) -> list[Tab]:
    """Return the pages of the entry that a model is or belongs to; an empty list for a single page."""
    found = _by_label(listed)
    entry = _PARENTS.get(label, label)
    below = next((entries[entry] for entries in MENU.values() if entry in entries), ())
    shown = [found[one] for one in (entry, *below) if one in found and found[one]["admin_url"]]
    if len(shown) < 2:
        return []
    return [Tab(one["name"], one["admin_url"], one["label"] == label) for one in shown]


def _by_label(listed: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    found = {}
    for app in listed:
        for model in app["models"]:
            meta = model["model"]._meta
            text = {"name": str(model["name"]), "slug": meta.model_name, "label": meta.label}
            found[meta.label] = model | text
    return found
