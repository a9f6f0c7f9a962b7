"""RBB 2.3: the seventeen rated time controls."""

from django.db import migrations

from ratings.rules.time_controls import RATED_CONTROLS


def seed(apps, schema_editor):
    """Write the seventeen controls."""
    TimeControl = apps.get_model("ratings", "TimeControl")
    TimeControl.objects.using(schema_editor.connection.alias).bulk_create(
        TimeControl(initial=control.initial, increment=control.increment, category=category)
        for control, category in RATED_CONTROLS.items()
    )


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_initial")]

    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
