"""Who may look at the moments of announced months."""

from django.contrib.auth.management import create_permissions
from django.db import migrations


def give_rights(apps, schema_editor):
    """To rating officers and auditors, if the groups are there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("fide")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for group in apps.get_model("auth", "Group").objects.using(using).filter(
        name__in=("Rating officers", "Auditors")
    ):
        group.permissions.add(
            *permissions.filter(content_type__app_label="fide", codename="view_announcedmonth")
        )


class Migration(migrations.Migration):

    dependencies = [("fide", "0007_announced_months")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
