"""Rights of the groups of staff, as migrations give them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.contrib.auth.management import create_permissions
from django.db.migrations import RunPython


def grant(label: str, rights: Mapping[str, Collection[str]]) -> RunPython:
    """An operation that gives groups that are there, by name, permissions of an app, by codename."""

    def give_rights(apps: Any, schema_editor: Any) -> None:
        using = schema_editor.connection.alias
        # Django makes permissions only after the last migration, and none for an app without models.
        app = apps.get_app_config(label)
        app.models_module = True
        create_permissions(app, verbosity=0, using=using, apps=apps)
        app.models_module = None
        permissions = apps.get_model("auth", "Permission").objects.using(using)
        for group in apps.get_model("auth", "Group").objects.using(using).filter(name__in=rights):
            given = permissions.filter(content_type__app_label=label, codename__in=rights[group.name])
            group.permissions.add(*given)

    return RunPython(give_rights, RunPython.noop)


def found(group: str) -> RunPython:
    """An operation that makes a group, unless it is there."""

    def make_group(apps: Any, schema_editor: Any) -> None:
        using = schema_editor.connection.alias
        apps.get_model("auth", "Group").objects.using(using).get_or_create(name=group)

    return RunPython(make_group, RunPython.noop)
