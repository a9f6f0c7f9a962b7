"""Rating officers run the audit and accept what it found; auditors see it."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_SEE = ("view_auditfinding", "view_auditedcheck")
_RIGHTS = {"Rating officers": (*_SEE, "accept_auditfinding", "run_auditfinding"), "Auditors": _SEE}


def give_rights(apps, schema_editor):
    """To the groups that are there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("office")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using).filter(content_type__app_label="office")
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name__in=_RIGHTS):
        group.permissions.add(*permissions.filter(codename__in=_RIGHTS[group.name]))


class Migration(migrations.Migration):

    dependencies = [("office", "0003_audit"), ("ratings", "0011_publications")]

    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
