"""The sound of each word of a name, unknown until the worker fills it."""

from django.db import migrations

import members.words


class Migration(migrations.Migration):
    dependencies = [
        ('members', '0002_arrivals'),
    ]

    operations = [
        migrations.AddField(
            model_name='nameword',
            name='sound',
            field=members.words.WordField(max_length=150, null=True, verbose_name='sound'),
        ),
    ]
