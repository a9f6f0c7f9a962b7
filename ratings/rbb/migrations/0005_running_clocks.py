"""The clocks of games in progress, and draw offers."""

from django.db import migrations, models
from django.db.models.deletion import CASCADE


class Migration(migrations.Migration):
    dependencies = [("ratings", "0004_deleted_members")]

    operations = [
        migrations.CreateModel(
            "RunningClocks",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("white", models.PositiveIntegerField("White’s time left")),
                ("black", models.PositiveIntegerField("Black’s time left")),
                ("at", models.DateTimeField("at", help_text="By the server’s clock.")),
                (
                    "draw_offer",
                    models.CharField(
                        "draw offered by",
                        blank=True,
                        choices=[("white", "White"), ("black", "Black")],
                        max_length=5,
                    ),
                ),
                (
                    "game",
                    models.OneToOneField("ratings.game", CASCADE, related_name="clocks", verbose_name="game"),
                ),
            ],
            options={
                "verbose_name": "running clocks",
                "verbose_name_plural": "running clocks",
                "default_permissions": (),
            },
        ),
    ]
