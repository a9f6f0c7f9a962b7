"""The league, as version 0.15.0 had them."""

import django.db.models.deletion
import foa.current_change_set
import ratings.office.fields
import simple_history.models
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    replaces = [
        ('league', '0001_initial'),
        ('league', '0002_rights'),
        ('league', '0003_publications'),
        ('league', '0030_group'),
        ('league', '0031_decided_history'),
        ('league', '0032_rights_of_files'),
        ('league', '0040_find_withdrawn'),
        ('league', '0041_reopened_cycles'),
        ('league', '0042_boards_without_player'),
    ]

    initial = True

    dependencies = [
        ('members', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='League',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True, verbose_name='name')),
                ('provisional_limit', models.PositiveSmallIntegerField(default=20, help_text="With at least this many games before a cycle, a player’s rating is "
                              "established. The rules don’t give a number, so this is our assumption.", verbose_name='provisional limit')),
            ],
            options={
                'verbose_name': 'league',
                'verbose_name_plural': 'leagues',
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, verbose_name='name')),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='players', to='league.league', verbose_name='league')),
                ('member', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='league_players', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'league player',
                'verbose_name_plural': 'league players',
                'ordering': ('league', 'name'),
                'constraints': [
                    models.UniqueConstraint(fields=('league', 'name'), name='league_player_once'),
                    models.UniqueConstraint(fields=('league', 'member'), name='league_member_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Season',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=50, unique=True, verbose_name='name')),
                ('ordinal', models.PositiveSmallIntegerField(verbose_name='season order')),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seasons', to='league.league', verbose_name='league')),
            ],
            options={
                'verbose_name': 'season',
                'verbose_name_plural': 'seasons',
                'ordering': ('league', '-ordinal'),
                'constraints': [
                    models.UniqueConstraint(fields=('league', 'ordinal'), name='season_order'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Cycle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(verbose_name='cycle')),
                ('last_round', models.PositiveSmallIntegerField(verbose_name='last round')),
                ('closed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='closed at')),
                ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='cycles', to='league.season', verbose_name='season')),
            ],
            options={
                'verbose_name': 'cycle',
                'verbose_name_plural': 'cycles',
                'ordering': ('season', 'number'),
                'constraints': [
                    models.UniqueConstraint(fields=('season', 'number'), name='cycle_once'),
                    models.UniqueConstraint(fields=('season', 'last_round'), name='cycle_ends_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CycleList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveSmallIntegerField(default=1, verbose_name='revision')),
                ('checksum', models.CharField(help_text='SHA-256 of the list as a file.', max_length=64, verbose_name='checksum')),
                ('published_at', models.DateTimeField(verbose_name='published at')),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True, verbose_name='member erased at')),
                ('reopened_at', models.DateTimeField(editable=False, null=True, verbose_name='withdrawn at')),
                ('cycle', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lists', to='league.cycle', verbose_name='cycle')),
                ('published_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='published by')),
            ],
            options={
                'verbose_name': 'league list',
                'verbose_name_plural': 'league lists',
                'ordering': ('-cycle', '-revision'),
                'permissions': [('close_cyclelist', "Can close league rating cycles")],
                'constraints': [
                    models.UniqueConstraint(fields=('cycle', 'revision'), name='cycle_list_unique'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, verbose_name='name')),
                ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='league.season', verbose_name='season')),
            ],
            options={
                'verbose_name': 'team',
                'verbose_name_plural': 'teams',
                'ordering': ('season', 'name'),
                'constraints': [
                    models.UniqueConstraint(fields=('season', 'name'), name='team_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.PositiveSmallIntegerField(verbose_name='round')),
                ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='league.season', verbose_name='season')),
                ('away_team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='away_matches', to='league.team', verbose_name='away team')),
                ('home_team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='home_matches', to='league.team', verbose_name='home team')),
            ],
            options={
                'verbose_name': 'match',
                'verbose_name_plural': 'matches',
                'ordering': ('season', 'round', 'pk'),
                'constraints': [
                    models.UniqueConstraint(fields=('season', 'round', 'home_team'), name='home_team_once_a_round'),
                    models.UniqueConstraint(fields=('season', 'round', 'away_team'), name='away_team_once_a_round'),
                    models.CheckConstraint(condition=models.Q(('home_team', models.F('away_team')), _negated=True), name='team_not_against_itself'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HistoricalBoard',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('change_set', models.BigIntegerField(default=foa.current_change_set.change_set_under_way, editable=False, null=True, verbose_name='change set')),
                ('number', models.PositiveSmallIntegerField(verbose_name='board')),
                ('result', models.CharField(choices=[('1-0', '1-0'), ('1/2-1/2', '1/2-1/2'), ('0-1', '0-1'), ('+/-', '+/-'), ('-/+', '-/+'), ('-/-', '-/-')], max_length=7, verbose_name='result')),
                ('history_change_reason', models.CharField(max_length=255, null=True, verbose_name='reason')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('match', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.match', verbose_name='match')),
                ('away_player', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.player', verbose_name='away player')),
                ('home_player', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.player', verbose_name='home player')),
            ],
            options={
                'verbose_name': 'historical board',
                'verbose_name_plural': 'historical boards',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='Board',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(verbose_name='board')),
                ('result', models.CharField(choices=[('1-0', '1-0'), ('1/2-1/2', '1/2-1/2'), ('0-1', '0-1'), ('+/-', '+/-'), ('-/+', '-/+'), ('-/-', '-/-')], max_length=7, verbose_name='result')),
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='league.match', verbose_name='match')),
                ('away_player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='away_boards', to='league.player', verbose_name='away player')),
                ('home_player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='home_boards', to='league.player', verbose_name='home player')),
            ],
            options={
                'verbose_name': 'board',
                'verbose_name_plural': 'boards',
                'ordering': ('match', 'number'),
                'constraints': [
                    models.UniqueConstraint(fields=('match', 'number'), name='board_once'),
                    models.CheckConstraint(condition=models.Q(('home_player', models.F('away_player')), _negated=True), name='player_not_against_himself'),
                    models.CheckConstraint(condition=models.Q(('result__in', ['1-0', '1/2-1/2', '0-1', '+/-', '-/+', '-/-'])), name='board_result'),
                    models.CheckConstraint(condition=models.Q(models.Q(('away_player__isnull', False), ('home_player__isnull', False), ('result__in', ['1-0', '1/2-1/2', '0-1', '+/-', '-/+', '-/-'])), models.Q(('away_player__isnull', True), ('home_player__isnull', False), ('result__in', ['+/-', '-/-'])), models.Q(('away_player__isnull', False), ('home_player__isnull', True), ('result__in', ['-/+', '-/-'])), models.Q(('away_player__isnull', True), ('home_player__isnull', True), ('result__in', ['+/-', '-/+', '-/-'])), _connector='OR'), name='board_without_player', violation_error_message="A board with a player missing isn’t played. The team whose player is "
                              "there wins by forfeit; if both are missing, both teams lose."),
                ],
            },
        ),
        migrations.CreateModel(
            name='SquadPlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rating', ratings.office.fields.HundredthsField(blank=True, help_text='At the start. Leave blank to carry it over from the previous cycle.', null=True, verbose_name='rating')),
                ('games', models.PositiveIntegerField(blank=True, help_text='At the start. Leave blank to carry them over from the previous cycle.', null=True, verbose_name='games')),
                ('captains_estimate', models.BooleanField(default=False, help_text='New player: starts at 1300, with 0 games.', verbose_name='captain’s estimate')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='squads', to='league.player', verbose_name='player')),
                ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='squads', to='league.season', verbose_name='season')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='squad', to='league.team', verbose_name='team')),
            ],
            options={
                'verbose_name': 'squad player',
                'verbose_name_plural': 'squad players',
                'ordering': ('season', 'team', 'player'),
                'constraints': [
                    models.UniqueConstraint(fields=('season', 'player'), name='squad_player_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('captains_estimate', True), ('games__isnull', True)), models.Q(('captains_estimate', True), ('games', 0)), models.Q(('captains_estimate', False), ('games__isnull', True), ('rating__isnull', True)), models.Q(('captains_estimate', False), ('games__isnull', False), ('rating__isnull', False)), _connector='OR'), name='squad_player_begins', violation_error_message='Enter a rating and its games together; a captain’s estimate has no games.'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HistoricalSquadPlayer',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('change_set', models.BigIntegerField(default=foa.current_change_set.change_set_under_way, editable=False, null=True, verbose_name='change set')),
                ('rating', ratings.office.fields.HundredthsField(blank=True, help_text='At the start. Leave blank to carry it over from the previous cycle.', null=True, verbose_name='rating')),
                ('games', models.PositiveIntegerField(blank=True, help_text='At the start. Leave blank to carry them over from the previous cycle.', null=True, verbose_name='games')),
                ('captains_estimate', models.BooleanField(default=False, help_text='New player: starts at 1300, with 0 games.', verbose_name='captain’s estimate')),
                ('history_change_reason', models.CharField(max_length=255, null=True, verbose_name='reason')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.player', verbose_name='player')),
                ('season', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.season', verbose_name='season')),
                ('team', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.team', verbose_name='team')),
            ],
            options={
                'verbose_name': 'historical squad player',
                'verbose_name_plural': 'historical squad players',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='CycleResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, verbose_name='name')),
                ('captains_estimate', models.BooleanField(default=False, verbose_name='captain’s estimate')),
                ('old', ratings.office.fields.HundredthsField(help_text='RO; 1300 for a new player.', verbose_name='old rating')),
                ('games_before', models.PositiveIntegerField(verbose_name='games before')),
                ('counted', models.PositiveSmallIntegerField(verbose_name='games counted')),
                ('half_points', models.PositiveSmallIntegerField(verbose_name='half points')),
                ('opponents', ratings.office.fields.HundredthsField(help_text='ΣRo, as counted.', verbose_name='sum of the opponents’ ratings')),
                ('k', models.PositiveSmallIntegerField(help_text='With the established formula.', null=True, verbose_name='k')),
                ('expected', ratings.office.fields.HundredthsField(help_text='ΣWe, rounded for the list.', null=True, verbose_name='expected wins')),
                ('gain', ratings.office.fields.HundredthsField(help_text='Before the k adjustment.', verbose_name='gain')),
                ('adjusted', ratings.office.fields.HundredthsField(verbose_name='adjusted gain')),
                ('new', ratings.office.fields.HundredthsField(null=True, verbose_name='new rating')),
                ('games_after', models.PositiveIntegerField(verbose_name='games after')),
                ('cycle_list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='results', to='league.cyclelist', verbose_name='list')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='results', to='league.player', verbose_name='player')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='league.team', verbose_name='team')),
            ],
            options={
                'verbose_name': 'cycle result',
                'verbose_name_plural': 'cycle results',
                'ordering': ('cycle_list', 'name', 'player'),
                'constraints': [
                    models.UniqueConstraint(fields=('cycle_list', 'player'), name='cycle_result_once'),
                ],
            },
        ),
        grant('league'),
    ]
