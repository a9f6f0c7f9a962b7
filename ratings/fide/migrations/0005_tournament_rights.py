"""What the groups of staff may do with tournaments and lists over the board."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_MODELS = (
    "acceptedfinding", "associationmember", "otblist", "otblistentry", "tournament", "tournamentreport",
    "tournamentresult",
)
_RIGHTS = {
    "Auditors": [f"view_{model}" for model in _MODELS],
    "Rating officers": [
        *(f"view_{model}" for model in _MODELS),
        "add_tournament", "change_tournament", "delete_tournament", "receive_tournament", "judge_tournament",
        "close_otblist", "add_associationmember", "change_associationmember",
    ],
}


def give_rights(apps, schema_editor):
    """To the groups that are there: what an operator took away stays taken."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("fide")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name__in=_RIGHTS):
        group.permissions.add(
            *apps.get_model("auth", "Permission").objects.using(using).filter(
                content_type__app_label="fide", codename__in=_RIGHTS[group.name]
            )
        )


class Migration(migrations.Migration):

    dependencies = [
        ("fide", "0004_tournaments"),
    ]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
