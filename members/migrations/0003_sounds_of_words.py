"""The sound of each word of a name, and Cyrillic words in Latin letters."""

from django.db import migrations, models

import members.words
from foa.spelling import sound

_AT_ONCE = 1_000
_LONGEST = 150


def add_sounds(apps, schema_editor):
    """Write all words again, with their sounds."""
    Word = apps.get_model('members', 'NameWord')
    keys = apps.get_model('members', 'Member').objects.order_by('pk').values_list('pk', flat=True)
    last = 0
    while some := list(keys.filter(pk__gt=last)[:_AT_ONCE]):
        last = some[-1]
        rows = Word.objects.filter(member__in=some)
        words = {
            (member, members.words.folded(word)[:_LONGEST])
            for member, word in rows.values_list('member', 'word')
        }
        rows.delete()
        Word.objects.bulk_create(
            [
                Word(member_id=member, word=word, sound=sound(word)[:_LONGEST])
                for member, word in sorted(words)
            ],
            batch_size=_AT_ONCE,
        )


class Migration(migrations.Migration):
    dependencies = [
        ('members', '0002_arrivals'),
    ]

    operations = [
        migrations.AddField(
            model_name='nameword',
            name='sound',
            field=members.words.WordField(db_default='', default='', max_length=150, verbose_name='sound'),
        ),
        migrations.AddIndex(
            model_name='nameword',
            index=models.Index(fields=['sound', 'word'], name='name_word_by_sound'),
        ),
        migrations.RunPython(add_sounds, migrations.RunPython.noop),
    ]
