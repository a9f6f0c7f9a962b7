"""Other ids and addresses of games, and the earlier games of which they may be other reports."""

import django.db.models.deletion
from django.db import migrations, models

ADDRESS = {
    "editable": False,
    "help_text": "The part that all the game’s addresses share; blank if there are none.",
    "max_length": 500,
    "null": True,
    "verbose_name": "address elsewhere",
}
SAME = {
    "blank": True,
    "editable": False,
    "help_text": "An earlier report of what may be the same game. An officer decides.",
    "null": True,
    "to": "ratings.game",
    "verbose_name": "possibly the same as",
}
OF_HISTORY = {**SAME, "db_constraint": False, "on_delete": django.db.models.deletion.DO_NOTHING, "related_name": "+"}


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_version_0_15_0")]

    operations = [
        migrations.AddField("game", "address", models.CharField(**ADDRESS)),
        migrations.AddField("historicalgame", "address", models.CharField(**ADDRESS)),
        migrations.AddField(
            "game",
            "possibly_same",
            models.ForeignKey(
                **SAME, db_index=False, on_delete=django.db.models.deletion.SET_NULL, related_name="doubles"
            ),
        ),
        migrations.AddField("historicalgame", "possibly_same", models.ForeignKey(**OF_HISTORY, db_index=False)),
        migrations.CreateModel(
            name="OtherId",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("external_id", models.CharField(max_length=200, unique=True, verbose_name='external ID')),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="other_ids",
                        to="ratings.game",
                        verbose_name="game",
                    ),
                ),
            ],
            options={
                "verbose_name": 'other game ID',
                "verbose_name_plural": 'other game IDs',
                "default_permissions": (),
            },
        ),
    ]
