"""The order of games of one server that ended at the same moment."""

from django.db import migrations, models


def tie_rank():
    return models.PositiveSmallIntegerField(
        verbose_name="tie rank",
        default=0,
        db_default=0,
        editable=False,
        help_text="Orders games that ended at the same moment, before their keys.",
    )


class Migration(migrations.Migration):
    dependencies = [("ratings", "0054_games_of_events")]

    operations = [
        migrations.AddField("game", "tie_rank", tie_rank()),
        migrations.AddField("historicalgame", "tie_rank", tie_rank()),
    ]
