"""Jobs of the worker, and the right to publish lists."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

_RIGHTS = {"Rating officers": ("view_job", "publish_ratinglist"), "Auditors": ("view_job",)}


def give_rights(apps, schema_editor):
    """Rating officers publish lists and see the jobs, auditors see the jobs."""
    using = schema_editor.connection.alias
    app = apps.get_app_config("ratings")
    # Django makes permissions only after the last migration, and none for an app without models.
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    for name, rights in _RIGHTS.items():
        group = apps.get_model("auth", "Group").objects.using(using).filter(name=name).first()
        if group is not None:
            group.permissions.add(
                *apps.get_model("auth", "Permission").objects.using(using).filter(
                    content_type__app_label="ratings", codename__in=rights
                )
            )


class Migration(migrations.Migration):

    dependencies = [
        ("ratings", "0006_list_states"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=200, verbose_name="what")),
                ("state", models.CharField(choices=[("waiting", "waiting"), ("running", "running"), ("done", "done"), ("failed", "failed")], default="waiting", max_length=7, verbose_name="state")),
                ("asked_at", models.DateTimeField(verbose_name="asked at")),
                ("began_at", models.DateTimeField(null=True, verbose_name="began at")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended at")),
                ("outcome", models.JSONField(default=list, help_text="Sentences, each with links: labels and addresses.", verbose_name="outcome")),
                ("error", models.TextField(blank=True, help_text="Why it was not done, in words for people.", verbose_name="error")),
                ("language", models.CharField(max_length=10, verbose_name="language")),
                ("task", models.UUIDField(help_text="Its place in the queue of django-tasks-db.", unique=True, verbose_name="task")),
                ("asked_by", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL, verbose_name="asked by")),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "ordering": ("-pk",),
                "indexes": [models.Index(condition=models.Q(("state__in", ("waiting", "running"))), fields=["state"], name="job_open")],
            },
        ),
        migrations.AlterModelOptions(
            name="ratinglist",
            options={"ordering": ("-as_of", "category", "-revision", "-pk"), "permissions": [("publish_ratinglist", "Can publish rating lists")], "verbose_name": "rating list", "verbose_name_plural": "rating lists"},
        ),
        migrations.RunPython(give_rights, migrations.RunPython.noop),
    ]
