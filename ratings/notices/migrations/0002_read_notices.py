"""When a member read a notice. What they were told before counts as read."""

from django.db import migrations, models
from django.db.models import F


def read_all(apps, schema_editor):
    notices = apps.get_model("notices", "Notice").objects.using(schema_editor.connection.alias)
    notices.update(read_at=F("at"))


class Migration(migrations.Migration):

    dependencies = [
        ('notices', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='notice',
            name='read_at',
            field=models.DateTimeField(null=True, verbose_name='read at'),
        ),
        migrations.RunPython(read_all, migrations.RunPython.noop),
    ]
