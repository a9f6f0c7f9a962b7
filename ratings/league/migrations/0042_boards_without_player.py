"""A board can lack a player, and both sides can lose it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0041_reopened_cycles'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='board',
            name='board_result',
        ),
        migrations.AlterField(
            model_name='board',
            name='away_player',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='away_boards', to='league.player', verbose_name='away player'),
        ),
        migrations.AlterField(
            model_name='board',
            name='home_player',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='home_boards', to='league.player', verbose_name='home player'),
        ),
        migrations.AlterField(
            model_name='board',
            name='result',
            field=models.CharField(choices=[('1-0', '1-0'), ('1/2-1/2', '1/2-1/2'), ('0-1', '0-1'), ('+/-', '+/-'), ('-/+', '-/+'), ('-/-', '-/-')], max_length=7, verbose_name='result'),
        ),
        migrations.AlterField(
            model_name='historicalboard',
            name='result',
            field=models.CharField(choices=[('1-0', '1-0'), ('1/2-1/2', '1/2-1/2'), ('0-1', '0-1'), ('+/-', '+/-'), ('-/+', '-/+'), ('-/-', '-/-')], max_length=7, verbose_name='result'),
        ),
        migrations.AddConstraint(
            model_name='board',
            constraint=models.CheckConstraint(condition=models.Q(('result__in', ['1-0', '1/2-1/2', '0-1', '+/-', '-/+', '-/-'])), name='board_result'),
        ),
        migrations.AddConstraint(
            model_name='board',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('away_player__isnull', False), ('home_player__isnull', False), ('result__in', ['1-0', '1/2-1/2', '0-1', '+/-', '-/+', '-/-'])), models.Q(('away_player__isnull', True), ('home_player__isnull', False), ('result__in', ['+/-', '-/-'])), models.Q(('away_player__isnull', False), ('home_player__isnull', True), ('result__in', ['-/+', '-/-'])), models.Q(('away_player__isnull', True), ('home_player__isnull', True), ('result__in', ['+/-', '-/+', '-/-'])), _connector='OR'), name='board_without_player', violation_error_message='A board without a player isn’t played. The team with a player wins it by forfeit, or both lose it.'),
        ),
    ]
