"""The roles of staff, and the rights that a new office gives them.

Operators change the groups in the admin as they like. A later version that adds a right grants it in a
migration, so that an office that took a right away doesn't get it back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.contrib.auth.management import create_permissions
from django.db.migrations import RunPython

BOOKS: Final = {
    "members": "accountclosure formername fullmembership member merge",
    "ratings": (
        "arenaevent game importbatch lateline openingrating otbadjustment rating ratingchange "
        "ratinglist ratinglistentry recalculatedline recalculation ruleedition timecontrol"
    ),
    "office": "abouttext auditedcheck auditfinding changeset fileimport job journal movedrating outboxentry",
    "fide": (
        "announcedchange announcedmonth announcement determination doublerating fidelist fideplayer "
        "fiderating firstrating"
    ),
    "otb": (
        "acceptedfinding associationmember feepayment otblist otblistentry ratingadministrator "
        "ratingfee refusal tournament tournamentreport tournamentresult"
    ),
    "league": "board cycle cyclelist cycleresult league match player season squadplayer team",
    "arena": "attempt delivery gameserver presenceevent sentend webhook",
    "desk": "case caseentry likelyduplicate membernote",
    "organizers": "scope submission",
    "lab": "finding run sweep",
}
"""Models that rating officers and auditors may view, by app."""

_LOGINS: Final = {"auth": "group user", "axes": "accessattempt accessfailurelog accesslog"}

VIEWS: Final = {
    "Registrars": {
        "members": "formername",
        "office": "fileimport",
    },
    "Rating officers": BOOKS,
    "Over the board": {
        "members": "fullmembership member",
        "office": "changeset job movedrating",
        "fide": "announcement fidelist fideplayer fiderating",
        "otb": "acceptedfinding otblistentry refusal tournamentreport tournamentresult",
        "desk": "caseentry",
    },
    "League": {
        "members": "fullmembership member",
        "office": "changeset fileimport job movedrating",
        "league": "cycleresult",
    },
    "Fair play": {
        "members": "formername fullmembership member",
        "ratings": (
            "importbatch lateline openingrating otbadjustment rating ratingchange recalculatedline "
            "recalculation timecontrol"
        ),
        "office": "changeset job journal movedrating",
        "desk": "caseentry likelyduplicate",
        "lab": "finding",
    },
    "Auditors": BOOKS | _LOGINS,
}
"""Models that each role may only view, by app."""

MAY: Final = {
    "Registrars": {
        "members.fullmembership": "add change",
        "members.member": "add change invite",
    },
    "Rating officers": {
        "members.accountclosure": "change decide",
        "members.formername": "delete",
        "members.fullmembership": "add change delete correct",
        "members.member": "add change delete erase export invite merge update",
        "ratings.game": "add change delete",
        "ratings.openingrating": "add change delete",
        "ratings.otbadjustment": "add change delete",
        "ratings.ratinglist": "publish",
        "ratings.ruleedition": "add delete",
        "office.abouttext": "add change delete",
        "office.auditfinding": "accept run",
        "office.job": "steer",
        "fide.fidelist": "announce import",
        "otb.associationmember": "add change",
        "otb.feepayment": "add delete",
        "otb.otblist": "close",
        "otb.ratingadministrator": "add change delete",
        "otb.ratingfee": "add change delete",
        "otb.tournament": "add change delete judge receive",
        "league.board": "add change delete",
        "league.cycle": "add change delete",
        "league.cyclelist": "close",
        "league.league": "add change delete",
        "league.match": "add change delete",
        "league.player": "add change delete",
        "league.season": "add change delete",
        "league.squadplayer": "add change delete",
        "league.team": "add change delete",
        "arena.delivery": "send",
        "arena.webhook": "change",
        "desk.case": "add handle",
        "desk.likelyduplicate": "change",
        "desk.membernote": "add",
        "organizers.scope": "add change",
        "organizers.submission": "change",
        "lab.run": "add",
        "lab.sweep": "add",
    },
    "Over the board": {
        "otb.associationmember": "add change",
        "otb.feepayment": "add delete",
        "otb.otblist": "close",
        "otb.ratingadministrator": "add change delete",
        "otb.ratingfee": "add change delete",
        "otb.tournament": "add change delete judge receive",
        "desk.case": "add handle",
        "organizers.scope": "add change",
        "organizers.submission": "change",
    },
    "League": {
        "league.board": "add change delete",
        "league.cycle": "add change delete",
        "league.cyclelist": "close",
        "league.league": "add change delete",
        "league.match": "add change delete",
        "league.player": "add change delete",
        "league.season": "add change delete",
        "league.squadplayer": "add change delete",
        "league.team": "add change delete",
        "organizers.scope": "add change",
        "organizers.submission": "change",
    },
    "Fair play": {
        "members.accountclosure": "change decide",
        "ratings.game": "change",
        "desk.case": "add handle",
        "desk.membernote": "add",
        "lab.sweep": "add",
    },
}
"""Further rights of each role, by model. They include the right to view it."""


def rights_of(role: str, label: str) -> set[str]:
    """Return the codenames of a role's permissions for the models of an app."""
    rights = {f"view_{model}" for model in VIEWS.get(role, {}).get(label, "").split()}
    for path, verbs in MAY.get(role, {}).items():
        app, model = path.split(".")
        if app == label:
            rights |= {f"{verb}_{model}" for verb in ("view", *verbs.split())}
    return rights


def grant(*labels: str, model: str = "") -> RunPython:
    """Return an operation that creates the roles and grants their rights for the models of these apps.

    ``model``: a new one of an older app, for which alone rights are granted.
    """
    return RunPython(
        lambda apps, schema_editor: _give(apps, schema_editor.connection.alias, labels, model), RunPython.noop
    )


def _give(apps: Any, using: str, labels: Iterable[str], model: str) -> None:
    groups = apps.get_model("auth", "Group").objects.using(using)
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for label in labels:
        # Django creates permissions only after the last migration, and none for an app without models.
        app = apps.get_app_config(label)
        app.models_module = True
        create_permissions(app, verbosity=0, using=using, apps=apps)
        app.models_module = None
        for role in VIEWS:
            if rights := rights_of(role, label):
                group, _is_new = groups.get_or_create(name=role)
                found = permissions.filter(content_type__app_label=label, codename__in=rights)
                group.permissions.add(*(found.filter(content_type__model=model) if model else found))
