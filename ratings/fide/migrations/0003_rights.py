"""The rights to import and to announce FIDE rating lists."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_RIGHTS = ("import_fidelist", "announce_fidelist")


def give_rights(apps, schema_editor):
    """To rating officers, if the group is there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("fide")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    group = apps.get_model("auth", "Group").objects.using(using).filter(name="Rating officers").first()
    if group is not None:
        group.permissions.add(
            *apps.get_model("auth", "Permission").objects.using(using).filter(
                content_type__app_label="fide", codename__in=_RIGHTS
            )
        )


class Migration(migrations.Migration):

    dependencies = [
        ("fide", "0002_groups"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="fidelist",
            options={"ordering": ("-period", "-pk"), "permissions": [("import_fidelist", "Can import FIDE rating lists"), ("announce_fidelist", "Can announce FIDE rating lists")], "verbose_name": "FIDE rating list", "verbose_name_plural": "FIDE rating lists"},
        ),
        migrations.RunPython(give_rights, migrations.RunPython.noop),
    ]
