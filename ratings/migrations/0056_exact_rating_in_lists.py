"""Lists have a column with the exact rating; nothing in the database changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0055_tie_ranks'),
    ]

    operations = [
        migrations.AlterField(
            model_name='ratinglist',
            name='layout',
            field=models.PositiveSmallIntegerField(default=3, editable=False, help_text='Which columns its file has.', verbose_name='layout'),
        ),
    ]
