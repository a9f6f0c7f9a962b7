"""Closed periods and rated tournaments are events, too. The database doesn't change."""

from django.db import migrations, models

EVENTS = [
    ("rating.changed", "Ratings changed"),
    ("list.published", "List published"),
    ("list.revised", "List revised"),
    ("period.closed", "Rating period closed"),
    ("tournament.rated", "Tournament rated"),
    ("game.voided", "Game voided"),
    ("game.ended", "Game ended by the office"),
    ("member.changed", "Member changed"),
]
ABOUT = "The key of the list, tournament, game or member; blank for ratings."


class Migration(migrations.Migration):
    dependencies = [("office", "0005_plain_words")]

    operations = [
        migrations.AlterField(
            "outboxentry", "about", models.BigIntegerField("about", help_text=ABOUT, null=True)
        ),
        migrations.AlterField(
            "outboxentry", "event", models.CharField("event", choices=EVENTS, max_length=32)
        ),
    ]
