"""FIDE IDs to which a list gives several ratings, and who may look at them."""

import django.db.models.deletion
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


def give_rights(apps, schema_editor):
    """To rating officers and auditors, if the groups are there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("fide")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for group in apps.get_model("auth", "Group").objects.using(using).filter(
        name__in=("Rating officers", "Auditors")
    ):
        group.permissions.add(
            *permissions.filter(content_type__app_label="fide", codename="view_doublerating")
        )


class Migration(migrations.Migration):

    dependencies = [
        ('fide', '0010_names_of_files'),
    ]

    operations = [
        migrations.CreateModel(
            name='DoubleRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fide_id', models.IntegerField(verbose_name='FIDE ID')),
                ('control', models.CharField(choices=[('standard', 'Standard'), ('rapid', 'Rapid'), ('blitz', 'Blitz')], max_length=8, verbose_name='control')),
                ('line', models.PositiveIntegerField(verbose_name='line of the file')),
                ('name', models.CharField(blank=True, max_length=150, verbose_name='name')),
                ('rating', models.SmallIntegerField(verbose_name='rating')),
                ('games', models.SmallIntegerField(default=0, verbose_name='games')),
                ('k', models.SmallIntegerField(default=0, verbose_name='K')),
                ('is_chosen', models.BooleanField(default=False, verbose_name='chosen')),
                ('fide_list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='double_ratings', to='fide.fidelist', verbose_name='FIDE rating list')),
            ],
            options={
                'verbose_name': 'rating of a FIDE ID with several ratings',
                'verbose_name_plural': 'ratings of FIDE IDs with several ratings',
                'ordering': ('-fide_list', 'fide_id', 'control', 'line', 'pk'),
                'indexes': [models.Index(fields=['fide_id', 'control'], name='double_rating_by_player'), models.Index(fields=['fide_list', 'fide_id'], name='double_rating_by_list')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_chosen', True)), fields=('fide_list', 'fide_id', 'control'), name='double_rating_chosen_once')],
            },
        ),
        migrations.RunPython(give_rights, migrations.RunPython.noop),
    ]
