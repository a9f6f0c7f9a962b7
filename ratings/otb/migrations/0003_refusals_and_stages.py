"""B.02 0.5, 6.2: refusals that stay, with appeals; stages of events."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


_REFUSED = 3


def keep_refusals(apps, schema_editor):
    """What tournaments are refused for, and since when. Before, the day could be missing."""
    using = schema_editor.connection.alias
    refused = apps.get_model("otb", "Tournament").objects.using(using).filter(status=_REFUSED)
    apps.get_model("otb", "Refusal").objects.using(using).bulk_create(
        apps.get_model("otb", "Refusal")(
            tournament_id=pk, text=text, refused_on=refused_on or last_day
        )
        for pk, text, refused_on, last_day in refused.values_list("pk", "refusal", "refused_on", "last_day")
    )
    _check_now(schema_editor)


def give_back_refusals(apps, schema_editor):
    """The refusals that stand."""
    using = schema_editor.connection.alias
    tournaments = apps.get_model("otb", "Tournament").objects.using(using)
    for refusal in apps.get_model("otb", "Refusal").objects.using(using).filter(ended_on=None):
        tournaments.filter(pk=refusal.tournament_id).update(
            refusal=refusal.text, refused_on=refusal.refused_on
        )
    _check_now(schema_editor)


def _check_now(schema_editor):
    """PostgreSQL alters no table while rows of it wait to be checked."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def give_rights(apps, schema_editor):
    """To look at refusals: to the groups that are there."""
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration, and none for an app without models.
    app = apps.get_app_config("otb")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    groups = apps.get_model("auth", "Group").objects.using(using)
    for group in groups.filter(name__in=("Rating officers", "Auditors")):
        group.permissions.add(
            *permissions.filter(content_type__app_label="otb", codename="view_refusal")
        )


class Migration(migrations.Migration):

    dependencies = [
        ('otb', '0002_publications'),
        ('ratings', '0004_groups'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True, verbose_name='reasons of the refusal')),
                ('refused_on', models.DateField(verbose_name='refused on')),
                ('appealed_on', models.DateField(blank=True, null=True, verbose_name='appealed on')),
                ('appeal', models.TextField(blank=True, verbose_name='appeal')),
                ('decided_on', models.DateField(blank=True, null=True, verbose_name='appeal decided on')),
                ('upheld', models.BooleanField(null=True, verbose_name='upheld')),
                ('decision', models.TextField(blank=True, verbose_name='reason of the decision')),
                ('ended_on', models.DateField(blank=True, null=True, verbose_name='ended on')),
                ('end', models.SmallIntegerField(blank=True, choices=[(1, 'the appeal was upheld'), (2, 'taken back by the office'), (3, 'a new report was received')], null=True, verbose_name='end')),
                ('end_reason', models.TextField(blank=True, verbose_name='reason why it was taken back')),
            ],
            options={
                'verbose_name': 'refusal',
                'verbose_name_plural': 'refusals',
                'ordering': ('tournament', 'pk'),
            },
        ),
        migrations.AddField(
            model_name='tournament',
            name='stage_of',
            field=models.ForeignKey(blank=True, help_text='The first stage of the same event. All stages are rated together, for the list of the last one (B.02 6.2).', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='stages', to='otb.tournament', verbose_name='stage of'),
        ),
        migrations.AlterField(
            model_name='otblistentry',
            name='last_game',
            field=models.DateField(help_text='The day of its round, or the last day of the tournament if that isn’t known (B.02 7.23).', null=True, verbose_name='last rated game'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('stage_of', None), models.Q(('stage_of', models.F('pk')), _negated=True), _connector='OR'), name='tournament_no_stage_of_itself', violation_error_message='A tournament can’t be a later stage of itself.'),
        ),
        migrations.AddField(
            model_name='refusal',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by'),
        ),
        migrations.AddField(
            model_name='refusal',
            name='refused_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='refused by'),
        ),
        migrations.AddField(
            model_name='refusal',
            name='tournament',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refusals', to='otb.tournament', verbose_name='tournament'),
        ),
        migrations.AddConstraint(
            model_name='refusal',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_on', None)), fields=('tournament',), name='refusal_stands_once'),
        ),
        migrations.AddConstraint(
            model_name='refusal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('appeal', ''), ('appealed_on', None)), models.Q(('appealed_on__gte', models.F('refused_on')), ('appealed_on__isnull', False), models.Q(('appeal', ''), _negated=True)), _connector='OR'), name='refusal_appeal_with_its_text'),
        ),
        migrations.AddConstraint(
            model_name='refusal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_on', None), ('decision', ''), ('upheld', None)), models.Q(('appealed_on__isnull', False), ('decided_on__gte', models.F('appealed_on')), ('decided_on__isnull', False), ('upheld__isnull', False), models.Q(('decision', ''), _negated=True)), _connector='OR'), name='refusal_decision_with_its_reason'),
        ),
        migrations.AddConstraint(
            model_name='refusal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('end', None), ('ended_on', None)), models.Q(('end__isnull', False), ('ended_on__isnull', False), models.Q(models.Q(('end', 1), ('upheld', True), ('upheld__isnull', False)), models.Q(('end', 2), models.Q(('end_reason', ''), _negated=True)), ('end', 3), _connector='OR')), _connector='OR'), name='refusal_ends_for_a_reason'),
        ),
        migrations.RunPython(keep_refusals, give_back_refusals),
        migrations.RemoveField(
            model_name='tournament',
            name='refusal',
        ),
        migrations.RemoveField(
            model_name='tournament',
            name='refused_on',
        ),
        migrations.RunPython(give_rights, migrations.RunPython.noop),
    ]
