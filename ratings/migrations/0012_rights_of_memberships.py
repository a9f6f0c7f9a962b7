"""Who may change full membership together with the games it covers, and update members from a file."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_RIGHTS = ("correct_fullmembership", "update_member")


def give_rights(apps, schema_editor):
    """To rating officers, if the group is there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("members")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name="Rating officers"):
        group.permissions.add(
            *permissions.filter(content_type__app_label="members", codename__in=_RIGHTS)
        )


class Migration(migrations.Migration):

    dependencies = [("ratings", "0011_publications"), ("members", "0004_rights_of_memberships")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
