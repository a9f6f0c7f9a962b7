"""A trusted server also voids its own games: the words that say so. No column changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("arena", "0006_rights_of_webhooks")]

    operations = [
        migrations.AlterField(
            model_name="gameserver",
            name="trusted",
            field=models.BooleanField(
                default=False,
                help_text=(
                    "What it says of members, and voiding its own games, is done at once, also where ratings move."
                ),
                verbose_name="trusted",
            ),
        ),
    ]
