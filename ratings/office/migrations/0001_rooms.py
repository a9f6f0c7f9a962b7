"""Jobs move into the room that all rule books share; their table stays."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone


_MODELS = ('job',)


def _move(apps, using, source, target):
    """Permissions, and the log of what staff did, hang on the content types."""
    content_types = apps.get_model("contenttypes", "ContentType").objects.using(using)
    content_types.filter(app_label=source, model__in=_MODELS).update(app_label=target)


def take_content_types(apps, schema_editor):
    """Keep who may do what, and who did what."""
    _move(apps, schema_editor.connection.alias, "ratings", "office")


def give_back_content_types(apps, schema_editor):
    """On the way back."""
    _move(apps, schema_editor.connection.alias, "office", "ratings")


def end_waiting_jobs(apps, schema_editor):
    """Jobs that were asked for before: their tasks have moved, or take other arguments.

    The worker could not even find most of them, and their pages would say "waiting" until its next start.
    """
    using, now = schema_editor.connection.alias, timezone.now()
    jobs = apps.get_model("office", "Job").objects.using(using).filter(state="waiting")
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(using)
    queue.filter(status="READY", id__in=list(jobs.values_list("task", flat=True))).update(
        status="FAILED", finished_at=now
    )
    jobs.update(
        state="failed",
        ended_at=now,
        error="The office was upgraded before the worker started this job. Nothing was done. Ask for it again.",
    )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        ("django_tasks_database", "0018_rename_succeeded_status"),
        ("ratings", "0007_jobs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.CreateModel(
                name='Job',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('title', models.CharField(max_length=200, verbose_name='what')),
                    ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='waiting', max_length=7, verbose_name='state')),
                    ('asked_at', models.DateTimeField(verbose_name='asked at')),
                    ('began_at', models.DateTimeField(null=True, verbose_name='began at')),
                    ('ended_at', models.DateTimeField(null=True, verbose_name='ended at')),
                    ('outcome', models.JSONField(default=list, help_text='Sentences, each with links: labels and addresses.', verbose_name='outcome')),
                    ('error', models.TextField(blank=True, help_text='Why it was not done, in words for people.', verbose_name='error')),
                    ('language', models.CharField(max_length=10, verbose_name='language')),
                    ('task', models.UUIDField(help_text='Its place in the queue of django-tasks-db.', unique=True, verbose_name='task')),
                    ('asked_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='asked by')),
                ],
                options={
                    'verbose_name': 'job',
                    'verbose_name_plural': 'jobs',
                    'db_table': 'ratings_job',
                    'ordering': ('-pk',),
                    'indexes': [models.Index(condition=models.Q(('state__in', ('waiting', 'running'))), fields=['state'], name='job_open')],
                },
            ),
        ]),
        migrations.RunPython(take_content_types, give_back_content_types),
        migrations.RunPython(end_waiting_jobs, migrations.RunPython.noop),
    ]
