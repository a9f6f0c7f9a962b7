"""Who may look at change sets, and at the lines that they recalculated."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_RIGHTS = {"office": ("view_changeset", "view_movedrating"), "ratings": ("view_recalculatedline",)}


def give_rights(apps, schema_editor):
    """To rating officers and auditors, if the groups are there."""
    using = schema_editor.connection.alias
    for label, rights in _RIGHTS.items():
        # Django makes permissions only after the last migration, and none for an app without models.
        app = apps.get_app_config(label)
        app.models_module = True
        create_permissions(app, verbosity=0, using=using, apps=apps)
        app.models_module = None
        permissions = apps.get_model("auth", "Permission").objects.using(using)
        for group in apps.get_model("auth", "Group").objects.using(using).filter(
            name__in=("Rating officers", "Auditors")
        ):
            group.permissions.add(*permissions.filter(content_type__app_label=label, codename__in=rights))


class Migration(migrations.Migration):

    dependencies = [("ratings", "0009_change_sets"), ("office", "0002_change_sets")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
