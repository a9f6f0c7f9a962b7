"""What the groups of staff may do with the league."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_INPUTS = ("league", "season", "team", "player", "squadplayer", "match", "board", "cycle")
_MODELS = (*_INPUTS, "cyclelist", "cycleresult")
_RIGHTS = {
    "Auditors": [f"view_{model}" for model in _MODELS],
    "Rating officers": [
        *(f"view_{model}" for model in _MODELS),
        *(f"{right}_{model}" for right in ("add", "change", "delete") for model in _INPUTS),
        "close_cyclelist",
    ],
}


def give_rights(apps, schema_editor):
    """To the groups that are there: what an operator took away stays taken."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("league")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name__in=_RIGHTS):
        group.permissions.add(
            *apps.get_model("auth", "Permission").objects.using(using).filter(
                content_type__app_label="league", codename__in=_RIGHTS[group.name]
            )
        )


class Migration(migrations.Migration):

    dependencies = [
        ("league", "0001_initial"),
        ("ratings", "0004_groups"),
    ]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
