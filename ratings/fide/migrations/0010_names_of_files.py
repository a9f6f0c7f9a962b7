"""The paths of files that commands imported become their names: sources are shown on public pages."""

from pathlib import PurePath

from django.db import migrations


def keep_names(apps, schema_editor):
    """Keep the name of each file. What isn't of a file, such as a game server's name, has no SHA-256."""
    using = schema_editor.connection.alias
    batches, openings, announcements, adjustments, lists = (
        apps.get_model(*model).objects.using(using)
        for model in (
            ("ratings", "ImportBatch"),
            ("ratings", "OpeningRating"),
            ("fide", "Announcement"),
            ("ratings", "OtbAdjustment"),
            ("fide", "FideList"),
        )
    )
    for rows in (batches, announcements, lists):
        for row in rows.filter(source__contains="/").exclude(sha256=""):
            path, name = row.source, PurePath(row.source).name
            if rows is batches:
                openings.filter(batch=row.pk, source=path).update(source=name)
            elif rows is announcements:
                adjustments.filter(period=row.period, source=path).update(source=name)
            rows.filter(pk=row.pk).update(source=name)


class Migration(migrations.Migration):
    dependencies = [("fide", "0009_words"), ("ratings", "0043_words")]

    operations = [migrations.RunPython(keep_names, migrations.RunPython.noop)]
