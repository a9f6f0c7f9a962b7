"""Rating officers and auditors see game servers; who registers them is a superuser's decision."""

from django.contrib.auth.management import create_permissions
from django.db import migrations


def give_rights(apps, schema_editor):
    """To the groups that are there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("arena")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    groups = apps.get_model("auth", "Group").objects.using(using)
    for group in groups.filter(name__in=("Rating officers", "Auditors")):
        group.permissions.add(
            *permissions.filter(content_type__app_label="arena", codename="view_gameserver")
        )


class Migration(migrations.Migration):

    dependencies = [("arena", "0001_initial"), ("ratings", "0004_groups")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
