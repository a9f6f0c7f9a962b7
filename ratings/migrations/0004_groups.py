"""Three groups of staff: rating officers, registrars and auditors.

A model that comes later needs a migration of its own that says who may do what with it (see the tests).
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

_PEOPLE = {"members": ["member", "fullmembership"]}
_INPUTS = {"ratings": ["game", "openingrating", "otbadjustment"]}
_LOOKED_AT = {
    "ratings": ["timecontrol", "importbatch", "rating", "ratingchange", "ratinglist", "ratinglistentry"]
}
_LOGINS = {"auth": ["user", "group"], "axes": ["accessattempt", "accesslog", "accessfailurelog"]}

_ALL = ("add", "change", "delete", "view")
_VIEW = ("view",)

GROUPS = {
    # Everything but logins and groups.
    "Rating officers": [(_PEOPLE, _ALL), (_INPUTS, _ALL), (_LOOKED_AT, _VIEW)],
    # Who leaves has an end of membership: his games and ratings stay, so nothing of him is deleted.
    "Registrars": [(_PEOPLE, ("add", "change", "view"))],
    "Auditors": [(models, _VIEW) for models in (_PEOPLE, _INPUTS, _LOOKED_AT, _LOGINS)],
}


def make_groups(apps, schema_editor):
    """Make the groups, or give those that are there what they lack."""
    using = schema_editor.connection.alias
    for label in ("members", "ratings", "auth", "axes"):
        # Django makes permissions only after the last migration, and none for an app without models.
        app = apps.get_app_config(label)
        app.models_module = True
        create_permissions(app, verbosity=0, using=using, apps=apps)
        app.models_module = None
    Permission = apps.get_model("auth", "Permission")
    for name, rights in GROUPS.items():
        group, _ = apps.get_model("auth", "Group").objects.using(using).get_or_create(name=name)
        for models, actions in rights:
            for label, names in models.items():
                group.permissions.add(
                    *Permission.objects.using(using).filter(
                        content_type__app_label=label,
                        codename__in=[f"{action}_{model}" for action in actions for model in names],
                    )
                )


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0003_history"),
        ("members", "0003_history"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("axes", "0008_accessfailurelog"),
    ]

    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
