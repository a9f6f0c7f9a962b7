"""Who may do what with fees, payments and the register of rating administrators."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_MODELS = ("ratingfee", "feepayment", "ratingadministrator")
_RIGHTS = {
    "Auditors": [f"view_{model}" for model in _MODELS],
    "Rating officers": [
        *(f"{right}_{model}" for right in ("add", "delete", "view") for model in _MODELS),
        "change_ratingfee",
        "change_ratingadministrator",
    ],
}


def give_rights(apps, schema_editor):
    """To the groups that are there: what an operator took away stays taken."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("otb")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name__in=_RIGHTS):
        found = permissions.filter(content_type__app_label="otb", codename__in=_RIGHTS[group.name])
        group.permissions.add(*found)


class Migration(migrations.Migration):

    dependencies = [("otb", "0005_players_of_reports"), ("ratings", "0004_groups")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
