"""Words of names, by which members are found."""

from itertools import islice

import django.db.models.deletion
import members.words as members_words
from django.db import migrations, models


def index_all(apps, schema_editor):
    """The words of everybody who is on the books already."""
    using = schema_editor.connection.alias
    members, former, word = (
        apps.get_model("members", name).objects.using(using) for name in ("Member", "FormerName", "NameWord")
    )
    names = {}
    for key, text in former.values_list("member", "text"):
        names.setdefault(key, []).append(text)
    rows = members.order_by("pk").values_list("pk", "username", "name").iterator(1000)
    new = (
        word.model(member_id=key, word=one)
        for key, username, name in rows
        for one in members_words.words_of(username, name, *names.get(key, ()))
    )
    while some := list(islice(new, 5000)):
        word.bulk_create(some)


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0041_rights_of_erasing'),
    ]

    operations = [
        migrations.CreateModel(
            name='NameWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', members_words.WordField(max_length=150, verbose_name='word')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'word of a name',
                'verbose_name_plural': 'words of names',
                'default_permissions': (),
                'indexes': [models.Index(fields=['word', 'member'], name='name_word_of_member')],
            },
        ),
        migrations.RunPython(index_all, migrations.RunPython.noop),
    ]
