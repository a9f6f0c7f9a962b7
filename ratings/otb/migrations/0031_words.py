"""Help and errors in other words; nothing in the database changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('otb', '0030_group'),
    ]

    operations = [
        migrations.AlterField(
            model_name='otblistentry',
            name='games_counted',
            field=models.IntegerField(default=0, help_text='Rated games since the first rating (B.02 8.56).', verbose_name='games counted'),
        ),
        migrations.AlterField(
            model_name='otblistentry',
            name='listing',
            field=models.SmallIntegerField(default=0, help_text='The lists on which the name is published (B.02 7.2).', verbose_name='listing'),
        ),
        migrations.AlterField(
            model_name='tournamentresult',
            name='why_not_first',
            field=models.SmallIntegerField(null=True, verbose_name="why it isn't a first result"),
        ),
    ]
