"""Former names, and members who were merged into another."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

search = import_module("members.migrations.0002_search")


def add_search(apps, schema_editor):
    """As for the names that members have now: without the extension a search reads all former names."""
    if search._with_trigrams(schema_editor):
        schema_editor.execute(
            "CREATE INDEX former_name_part ON members_formername USING gin (upper(text::text) gin_trgm_ops)"
        )


def remove_search(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX IF EXISTS former_name_part")


class Migration(migrations.Migration):
    dependencies = [("members", "0011_rights_of_closures")]

    operations = [
        migrations.AlterModelOptions(
            name="member",
            options={
                "ordering": ("name", "username", "pk"),
                "permissions": [
                    ("update_member", "Can update members from a file"),
                    ("merge_member", "Can merge two accounts of one person"),
                ],
                "verbose_name": "member",
                "verbose_name_plural": "members",
            },
        ),
        migrations.AddField(
            model_name="historicalmember",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="members.member",
                verbose_name="merged into",
            ),
        ),
        migrations.AddField(
            model_name="member",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="merged",
                to="members.member",
                verbose_name="merged into",
            ),
        ),
        migrations.AddIndex(
            model_name="member",
            index=models.Index(
                condition=models.Q(("merged_into__isnull", False)),
                fields=["merged_into"],
                name="member_merged_into",
            ),
        ),
        migrations.CreateModel(
            name="FormerName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=150, verbose_name="former name")),
                ("username_key", models.CharField(blank=True, editable=False, max_length=450, null=True, unique=True)),
                (
                    "since",
                    models.DateTimeField(
                        help_text="Empty: since the member is on the books, or not known.",
                        null=True,
                        verbose_name="since",
                    ),
                ),
                ("until", models.DateTimeField(verbose_name="until")),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_names",
                        to="members.member",
                        verbose_name="member",
                    ),
                ),
            ],
            options={
                "verbose_name": "former name",
                "verbose_name_plural": "former names",
                "ordering": ("-until", "-pk"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("since", None), ("since__lte", models.F("until")), _connector="OR"
                        ),
                        name="former_name_since_before_until",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Merge",
            fields=[
                (
                    "other",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="merge",
                        serialize=False,
                        to="members.member",
                        verbose_name="account that was merged",
                    ),
                ),
                ("merged_at", models.DateTimeField(verbose_name="merged at")),
                ("kept", models.JSONField(default=dict, verbose_name="what takes it back")),
            ],
            options={
                "verbose_name": "merged account",
                "verbose_name_plural": "merged accounts",
                "ordering": ("-merged_at", "pk"),
            },
        ),
        migrations.RunPython(add_search, remove_search),
    ]
