"""Change sets: which one recalculated which lines; a note for staff beside the reason that members read."""

import django.db.models.deletion
import ratings.models.fields
import ratings.office.fields
from django.db import migrations, models
from django.db.models import functions


def make_notes_of_reasons(apps, schema_editor):
    """What was written as the reason of a void game may accuse somebody: it is for staff from now on."""
    for name in ("Game", "HistoricalGame"):
        games = apps.get_model("ratings", name).objects.using(schema_editor.connection.alias)
        games.exclude(void_reason="").update(void_note=models.F("void_reason"))
        games.exclude(void_reason="").update(void_reason="other")


def make_reasons_of_notes(apps, schema_editor):
    """On the way back."""
    for name in ("Game", "HistoricalGame"):
        games = apps.get_model("ratings", name).objects.using(schema_editor.connection.alias)
        games.exclude(void_note="").update(void_reason=functions.Left("void_note", 255))


class AddEmptyText(migrations.AddField):
    """A column of text, empty in every row.

    Django has SQLite copy the whole table for it, which takes minutes and as much disk again where there are
    millions of games. SQLite itself writes no row.
    """

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """Keep the default that the column needs to be added: Django always names a value, so nothing uses it."""
        if schema_editor.connection.vendor != "sqlite":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            table, column = map(schema_editor.quote_name, (model._meta.db_table, self.name))
            schema_editor.execute(f"ALTER TABLE {table} ADD COLUMN {column} text NOT NULL DEFAULT ''")


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0003_history'),
        ('office', '0002_change_sets'),
        ('ratings', '0008_rooms'),
    ]

    operations = [
        AddEmptyText(
            model_name='game',
            name='void_note',
            field=models.TextField(blank=True, editable=False, help_text='For staff, never public.', verbose_name='note on the voiding'),
        ),
        AddEmptyText(
            model_name='historicalgame',
            name='void_note',
            field=models.TextField(blank=True, editable=False, help_text='For staff, never public.', verbose_name='note on the voiding'),
        ),
        migrations.AddField(
            model_name='recalculation',
            name='change_set',
            field=models.ForeignKey(help_text='The decision that did it; empty where facts came late.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='recalculations', to='office.changeset', verbose_name='change set'),
        ),
        migrations.AlterField(
            model_name='game',
            name='void_reason',
            field=models.CharField(blank=True, editable=False, help_text='What members read: one of the reasons of the office, or other words.', max_length=255, verbose_name='void reason'),
        ),
        migrations.AlterField(
            model_name='historicalgame',
            name='void_reason',
            field=models.CharField(blank=True, editable=False, help_text='What members read: one of the reasons of the office, or other words.', max_length=255, verbose_name='void reason'),
        ),
        migrations.CreateModel(
            name='RecalculatedLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line', models.BigIntegerField(help_text='Its key in the ledger.', verbose_name='line')),
                ('gone', models.BooleanField(verbose_name='taken away')),
                ('category', ratings.models.fields.CategoryField(verbose_name='category')),
                ('occurred_at', models.DateTimeField(verbose_name='time')),
                ('before', ratings.office.fields.HundredthsField(null=True, verbose_name='before')),
                ('after', ratings.office.fields.HundredthsField(null=True, verbose_name='after')),
                ('change', ratings.office.fields.HundredthsField(null=True, verbose_name='change')),
                ('reason', models.PositiveSmallIntegerField(verbose_name='reason')),
                ('member', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='members.member', verbose_name='member')),
                ('opponent', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='members.member', verbose_name='opponent')),
                ('recalculation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='moved_lines', to='ratings.recalculation', verbose_name='recalculation')),
            ],
            options={
                'verbose_name': 'recalculated line',
                'verbose_name_plural': 'recalculated lines',
                'ordering': ('-pk',),
                'indexes': [models.Index(fields=['line', '-id'], name='recalculated_line')],
            },
        ),
        migrations.RunPython(make_notes_of_reasons, make_reasons_of_notes),
    ]
