"""Who may look at the lines that came, went or were changed behind a published list."""

from django.contrib.auth.management import create_permissions
from django.db import migrations


def give_rights(apps, schema_editor):
    """To rating officers and auditors, if the groups are there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("ratings")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    rights = apps.get_model("auth", "Permission").objects.using(using).filter(
        content_type__app_label="ratings", codename="view_lateline"
    )
    for group in apps.get_model("auth", "Group").objects.using(using).filter(
        name__in=("Rating officers", "Auditors")
    ):
        group.permissions.add(*rights)


class Migration(migrations.Migration):

    dependencies = [("ratings", "0016_lists_add_up")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
