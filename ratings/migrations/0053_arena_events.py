"""Events of arenas; the event, round, address and variant of a game."""

import django.db.models.deletion
from django.db import migrations, models

from ratings.office.rights import grant


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0052_games_without_end_last"),
    ]

    operations = [
        migrations.CreateModel(
            name="ArenaEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "external_id",
                    models.CharField(
                        help_text="The event's id elsewhere, behind the name of its server: arena/spring-2026.",
                        max_length=200,
                        unique=True,
                        verbose_name="external id",
                    ),
                ),
                ("name", models.CharField(max_length=150, verbose_name="name")),
                (
                    "url",
                    models.URLField(
                        blank=True, help_text="On the arena.", max_length=500, verbose_name="address"
                    ),
                ),
            ],
            options={
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "ordering": ("-pk",),
            },
        ),
        migrations.AddField(
            model_name="game",
            name="round",
            field=models.CharField(
                blank=True, db_default="", default="", editable=False, max_length=20, verbose_name="round"
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="url",
            field=models.URLField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="The game on the arena.",
                max_length=500,
                verbose_name="address",
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="variant",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="Empty: standard chess, the only one that is rated (RBB 1.1).",
                max_length=40,
                verbose_name="variant",
            ),
        ),
        migrations.AddField(
            model_name="historicalgame",
            name="event",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                editable=False,
                null=True,
                on_delete=models.DO_NOTHING,
                related_name="+",
                to="ratings.arenaevent",
                verbose_name="event",
            ),
        ),
        migrations.AddField(
            model_name="historicalgame",
            name="round",
            field=models.CharField(
                blank=True, db_default="", default="", editable=False, max_length=20, verbose_name="round"
            ),
        ),
        migrations.AddField(
            model_name="historicalgame",
            name="url",
            field=models.URLField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="The game on the arena.",
                max_length=500,
                verbose_name="address",
            ),
        ),
        migrations.AddField(
            model_name="historicalgame",
            name="variant",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="Empty: standard chess, the only one that is rated (RBB 1.1).",
                max_length=40,
                verbose_name="variant",
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="event",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="games",
                to="ratings.arenaevent",
                verbose_name="event",
            ),
        ),
        grant("ratings", {"Rating officers": ("view_arenaevent",), "Auditors": ("view_arenaevent",)}),
    ]
