"""Sessions know whose they are. Those of Django's own table end: everybody logs in once more."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def end_sessions(apps, schema_editor):
    """Leave no keys of logins in a table that nothing clears any more."""
    apps.get_model("sessions", "Session").objects.using(schema_editor.connection.alias).all().delete()


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("sessions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Session',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
                'default_permissions': (),
            },
        ),
        migrations.RunPython(end_sessions, migrations.RunPython.noop),
    ]
