"""An index that finds words by their sound, and those without one."""

from django.db import migrations, models

from foa.indexes import AddIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('members', '0003_sounds_of_words'),
    ]

    operations = [
        AddIndex(
            model_name='nameword',
            index=models.Index(fields=['sound', 'word'], name='name_word_by_sound'),
        ),
    ]
