"""The paths of reports that a command of 0.4.1 received become names: they are shown on public pages."""

from pathlib import PurePath

from django.db import migrations


def keep_names(apps, schema_editor):
    """Keep the name of each file."""
    reports = apps.get_model("otb", "TournamentReport").objects.using(schema_editor.connection.alias)
    for key, source in reports.filter(source__contains="/").values_list("pk", "source"):
        reports.filter(pk=key).update(source=PurePath(source).name)


class Migration(migrations.Migration):
    dependencies = [("otb", "0031_words")]

    operations = [migrations.RunPython(keep_names, migrations.RunPython.noop)]
