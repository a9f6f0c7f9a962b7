"""Rating officers and auditors see who was gone, and what servers said of the ends of games."""

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
    rights = permissions.filter(
        content_type__app_label="arena", codename__in=("view_presenceevent", "view_sentend")
    )
    for group in groups.filter(name__in=("Rating officers", "Auditors")):
        group.permissions.add(*rights)


class Migration(migrations.Migration):

    dependencies = [("arena", "0003_presence"), ("ratings", "0004_groups")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
