"""What the three groups of staff may do with FIDE lists: see them. Services alone write them."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_GROUPS = ("Rating officers", "Auditors")
_MODELS = (
    "announcedchange", "announcement", "determination", "fidelist", "fideplayer", "fiderating", "firstrating",
)


def give_rights(apps, schema_editor):
    """To the groups that are there: what an operator took away stays taken."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("fide")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    rights = apps.get_model("auth", "Permission").objects.using(using).filter(
        content_type__app_label="fide", codename__in=[f"view_{model}" for model in _MODELS]
    )
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name__in=_GROUPS):
        group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [
        ("fide", "0001_initial"),
        ("ratings", "0004_groups"),
    ]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
