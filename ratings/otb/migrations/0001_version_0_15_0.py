'''Over-the-board lists, tournaments and fees, as version 0.15.0 had them.'''

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import ratings.office.fields
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    replaces = [
        ('otb', '0001_rooms'),
        ('otb', '0002_publications'),
        ('otb', '0003_refusals_and_stages'),
        ('otb', '0004_fees_administrators_and_periods'),
        ('otb', '0005_players_of_reports'),
        ('otb', '0006_rights_of_fees'),
        ('otb', '0030_group'),
        ('otb', '0031_words'),
        ('otb', '0032_names_of_files'),
        ('otb', '0033_other_laws'),
    ]

    initial = True

    dependencies = [
        ('fide', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AssociationMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fide_id', models.IntegerField(unique=True, verbose_name='FIDE ID')),
                ('association', models.CharField(choices=[('IBCA', 'IBCA (blind)'), ('ICSC', 'ICSC (deaf)'), ('IPCA', 'IPCA (physically disabled)')], max_length=4, verbose_name='association')),
                ('since', models.DateField(default=django.utils.timezone.localdate, help_text='Counts for lists from this day on.', verbose_name='from')),
            ],
            options={
                'verbose_name': 'disability association member',
                'verbose_name_plural': 'disability association members',
                'db_table': 'fide_associationmember',
                'ordering': ('fide_id',),
            },
        ),
        migrations.CreateModel(
            name='OtbList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveSmallIntegerField(default=1, verbose_name='revision')),
                ('checksum', models.CharField(help_text='SHA-256 of the list as a file.', max_length=64, verbose_name='checksum')),
                ('published_at', models.DateTimeField(verbose_name='published at')),
                ('list_day', models.DateField(help_text='The day it comes into force.', verbose_name='list date')),
                ('tournaments', models.PositiveIntegerField(default=0, help_text='Rated for this list.', verbose_name='tournaments')),
                ('players', models.PositiveIntegerField(default=0, help_text='Listed with a rating.', verbose_name='players')),
                ('new_players', models.PositiveIntegerField(default=0, verbose_name='new players')),
                ('delisted', models.PositiveIntegerField(default=0, verbose_name='delisted')),
                ('published_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='published by')),
                ('taken_from', models.ForeignKey(blank=True, db_index=False, help_text="The FIDE list that our first list was taken from.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='fide.fidelist', verbose_name='taken from')),
            ],
            options={
                'verbose_name': 'over-the-board list',
                'verbose_name_plural': 'over-the-board lists',
                'db_table': 'fide_otblist',
                'ordering': ('-list_day', '-revision'),
                'permissions': [('close_otblist', "Can close over-the-board rating periods")],
                'constraints': [
                    models.UniqueConstraint(fields=('list_day', 'revision'), name='otb_list_unique'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OtbListEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fide_id', models.IntegerField(verbose_name='FIDE ID')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('folded', ratings.office.fields.BytewiseField(editable=False, max_length=300)),
                ('federation', models.CharField(blank=True, max_length=3, verbose_name='federation')),
                ('sex', models.CharField(blank=True, choices=[('M', 'male'), ('F', 'female')], max_length=1, verbose_name='sex')),
                ('title', models.CharField(blank=True, max_length=5, verbose_name='title')),
                ('women_title', models.CharField(blank=True, max_length=5, verbose_name='women’s title')),
                ('other_titles', models.CharField(blank=True, max_length=64, verbose_name='other titles')),
                ('birth_year', models.SmallIntegerField(null=True, verbose_name='birth year')),
                ('rating', models.SmallIntegerField(null=True, verbose_name='rating')),
                ('previous', models.SmallIntegerField(help_text='On the previous list.', null=True, verbose_name='previous rating')),
                ('k', models.SmallIntegerField(null=True, verbose_name='K')),
                ('games', models.SmallIntegerField(default=0, help_text="Rated in the list’s rating period.", verbose_name='games')),
                ('games_counted', models.IntegerField(default=0, help_text='Rated games since the first rating (B.02 8.56).', verbose_name='games counted')),
                ('reached_2400', models.BooleanField(default=False, help_text="Has had a published rating of 2400 or more (B.02 8.56).", verbose_name='reached 2400')),
                ('last_game', models.DateField(help_text="The date of its round, or the tournament’s last day if that isn’t known (B.02 7.23).", null=True, verbose_name='last rated game')),
                ('delisted_on', models.DateField(help_text='They count as a new player again from then on (B.02 7.21).', null=True, verbose_name='delisted on')),
                ('listing', models.SmallIntegerField(default=0, help_text="The lists that include the player (B.02 7.2).", verbose_name='listing')),
                ('otb_list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='otb.otblist', verbose_name='list')),
            ],
            options={
                'verbose_name': "over-the-board list entry",
                'verbose_name_plural': "over-the-board list entries",
                'db_table': 'fide_otblistentry',
                'ordering': ('otb_list', 'folded', 'fide_id'),
                'indexes': [
                    models.Index(fields=['otb_list', 'folded', 'fide_id'], name='otb_entry_by_name'),
                    models.Index(fields=['otb_list', '-rating', 'fide_id'], name='otb_entry_by_rating'),
                    models.Index(fields=['otb_list', 'listing'], name='otb_entry_by_listing'),
                    models.Index(fields=['fide_id', 'otb_list'], name='otb_entry_of_player'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('otb_list', 'fide_id'), name='otb_entry_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RatingAdministrator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('federation', models.CharField(help_text='FIDE’s code.', max_length=3, verbose_name='federation')),
                ('name', models.CharField(max_length=150, verbose_name='administrator’s name')),
                ('since', models.DateField(verbose_name='designated on')),
            ],
            options={
                'verbose_name': 'federation rating administrator',
                'verbose_name_plural': 'federation rating administrators',
                'ordering': ('federation', '-since'),
                'constraints': [models.UniqueConstraint(fields=('federation', 'since'), name='rating_administrator_once', violation_error_message='The federation already has an administrator from this day on.')],
            },
        ),
        migrations.CreateModel(
            name='RatingFee',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.SmallIntegerField(choices=[(1, 'Swiss'), (2, 'Round robin'), (3, 'Team'), (4, 'Match')], verbose_name='kind')),
                ('since', models.DateField(help_text='For tournaments that begin on this day or later.', verbose_name='from')),
                ('per_tournament', ratings.office.fields.HundredthsField(default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(Decimal('99999.99'))], verbose_name='for the tournament')),
                ('per_player', ratings.office.fields.HundredthsField(default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(Decimal('99999.99'))], verbose_name='for each player')),
                ('currency', models.CharField(help_text='Three-letter code, such as EUR.', max_length=3, validators=[django.core.validators.RegexValidator('^[A-Z]{3}$', 'Enter a code of three capital letters, such as EUR.')], verbose_name='currency')),
                ('days', models.PositiveSmallIntegerField(default=30, help_text='From the day of the first report.', verbose_name='days to pay')),
            ],
            options={
                'verbose_name': 'rating fee',
                'verbose_name_plural': 'rating fees',
                'ordering': ('kind', '-since'),
                'constraints': [models.UniqueConstraint(fields=('kind', 'since'), name='rating_fee_once', violation_error_message="This kind of tournament already has a fee from this day on."), models.CheckConstraint(condition=models.Q(('per_player__gte', 0), ('per_tournament__gte', 0)), name='rating_fee_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('city', models.CharField(blank=True, max_length=100, verbose_name='city')),
                ('federation', models.CharField(blank=True, help_text='Where it is played; FIDE code.', max_length=3, verbose_name='federation')),
                ('kind', models.SmallIntegerField(choices=[(1, 'Swiss'), (2, 'Round robin'), (3, 'Team'), (4, 'Match')], default=1, verbose_name='kind')),
                ('first_day', models.DateField(verbose_name='first day')),
                ('last_day', models.DateField(verbose_name='last day')),
                ('time_control', models.CharField(blank=True, help_text='As in a report: 40/5400+30:1800+30 means 90 minutes for 40 moves, then 30 minutes, with 30 seconds per move (B.02 1.1).', max_length=60, verbose_name='time control')),
                ('other_laws', models.CharField(blank=True, db_default='', default='', help_text='How the games differed from FIDE’s laws. This needs the consent of FIDE’s Technical Commission (B.02 2.1). Shown publicly.', max_length=255, verbose_name='changes to the laws of chess')),
                ('planned_games', models.PositiveSmallIntegerField(blank=True, help_text='For a match only (B.02 6.5).', null=True, verbose_name='planned games')),
                ('official', models.BooleanField(default=False, help_text='Listed in the FIDE Handbook (B.02 0.3).', verbose_name='official FIDE tournament')),
                ('league', models.BooleanField(default=False, help_text='May last longer (B.02 4.11).', verbose_name='league')),
                ('national_championship', models.BooleanField(default=False, help_text='See B.02 6.33.', verbose_name='national championship')),
                ('women_only', models.BooleanField(default=False, help_text='See B.02 6.33.', verbose_name='women only')),
                ('team_championship', models.BooleanField(default=False, help_text='World or continental: seven games are enough for a first rating (B.02 7.14(f)).', verbose_name='olympiad or team championship')),
                ('registered_on', models.DateField(blank=True, help_text='At least a month before the first day (B.02 0.4).', null=True, verbose_name='registered on')),
                ('announced_unrated', models.BooleanField(default=False, help_text="Announced in the invitation, and to the players before the first round "
                              "(B.02 9.2). We take its reports but never rate them.", verbose_name='announced as unrated')),
                ('by_period', models.BooleanField(default=False, help_text="For a league: each game is rated with the ratings in force on the day it "
                              "is played. Choose this before the first round (B.02 4.13). If you don’t, "
                              "all games are rated with the ratings of the first day.", verbose_name='rated period by period')),
                ('status', models.SmallIntegerField(choices=[(1, 'registered'), (2, 'received'), (3, 'refused'), (4, 'rated')], default=1, editable=False, verbose_name='status')),
                ('rated_for', models.DateField(blank=True, db_index=True, editable=False, help_text='Date of the list it was rated for.', null=True, verbose_name='rated for')),
                ('part_of', models.ForeignKey(blank=True, editable=False, help_text='The league that this part belongs to; it covers one period (B.02 4.13).', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='otb.tournament', verbose_name='part of')),
                ('stage_of', models.ForeignKey(blank=True, help_text="The first stage of the same event. All stages are rated together, for the "
                              "same list as the last stage (B.02 6.2).", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='stages', to='otb.tournament', verbose_name='stage of')),
            ],
            options={
                'verbose_name': 'tournament',
                'verbose_name_plural': 'tournaments',
                'db_table': 'fide_tournament',
                'ordering': ('-last_day', '-first_day', '-pk'),
                'permissions': [('receive_tournament', "Can import tournament reports"), ('judge_tournament', 'Can accept findings and refuse tournaments')],
            },
        ),
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True, verbose_name='reasons for the refusal')),
                ('refused_on', models.DateField(verbose_name='refused on')),
                ('appealed_on', models.DateField(blank=True, null=True, verbose_name='appealed on')),
                ('appeal', models.TextField(blank=True, verbose_name='appeal')),
                ('decided_on', models.DateField(blank=True, null=True, verbose_name='appeal decided on')),
                ('upheld', models.BooleanField(null=True, verbose_name='upheld')),
                ('decision', models.TextField(blank=True, verbose_name='reason for the decision')),
                ('ended_on', models.DateField(blank=True, null=True, verbose_name='ended on')),
                ('end', models.SmallIntegerField(blank=True, choices=[(1, 'the appeal was upheld'), (2, 'reversed by the office'), (3, 'a new report was received')], null=True, verbose_name='end')),
                ('end_reason', models.TextField(blank=True, verbose_name='reason for withdrawing it')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('refused_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='refused by')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refusals', to='otb.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'refusal',
                'verbose_name_plural': 'refusals',
                'ordering': ('tournament', 'pk'),
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('ended_on', None)), fields=('tournament',), name='refusal_stands_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('appeal', ''), ('appealed_on', None)), models.Q(('appealed_on__gte', models.F('refused_on')), ('appealed_on__isnull', False), models.Q(('appeal', ''), _negated=True)), _connector='OR'), name='refusal_appeal_with_its_text'),
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_on', None), ('decision', ''), ('upheld', None)), models.Q(('appealed_on__isnull', False), ('decided_on__gte', models.F('appealed_on')), ('decided_on__isnull', False), ('upheld__isnull', False), models.Q(('decision', ''), _negated=True)), _connector='OR'), name='refusal_decision_with_its_reason'),
                    models.CheckConstraint(condition=models.Q(models.Q(('end', None), ('ended_on', None)), models.Q(('end__isnull', False), ('ended_on__isnull', False), models.Q(models.Q(('end', 1), ('upheld', True), ('upheld__isnull', False)), models.Q(('end', 2), models.Q(('end_reason', ''), _negated=True)), ('end', 3), _connector='OR')), _connector='OR'), name='refusal_ends_for_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FeePayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', ratings.office.fields.HundredthsField(validators=[django.core.validators.MinValueValidator(Decimal('0.01')), django.core.validators.MaxValueValidator(Decimal('99999.99'))], verbose_name='amount')),
                ('paid_on', models.DateField(verbose_name='paid on')),
                ('paid_by', models.CharField(blank=True, help_text='Who sent the money.', max_length=150, verbose_name='paid by')),
                ('recorded_at', models.DateTimeField(editable=False, verbose_name='recorded at')),
                ('recorded_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='recorded by')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='otb.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'rating fee payment',
                'verbose_name_plural': 'rating fee payments',
                'ordering': ('-paid_on', '-pk'),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='fee_payment_of_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AcceptedFinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('finds', models.SmallIntegerField(verbose_name='finding')),
                ('reason', models.CharField(max_length=500, verbose_name='reason')),
                ('accepted_at', models.DateTimeField(verbose_name='accepted at')),
                ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='accepted by')),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='accepted', to='otb.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'accepted finding',
                'verbose_name_plural': 'accepted findings',
                'db_table': 'fide_acceptedfinding',
                'ordering': ('tournament', 'finds'),
                'constraints': [
                    models.UniqueConstraint(fields=('tournament', 'finds'), name='finding_accepted_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TournamentReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(help_text='Name of the file.', max_length=255, verbose_name='source')),
                ('content', models.BinaryField(verbose_name='content')),
                ('sha256', models.CharField(db_index=True, max_length=64, verbose_name='SHA-256')),
                ('players', models.PositiveIntegerField(default=0, help_text="Number of players in the report, for the fees (B.02 0.3).", verbose_name='players')),
                ('skip_unknown_federations', models.BooleanField(default=False, help_text="Otherwise the report is refused if any player’s federation isn’t a FIDE "
                              "federation.", verbose_name='leave out unknown federations')),
                ('received_at', models.DateTimeField(verbose_name='received at')),
                ('received_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='received by')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='otb.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'tournament report',
                'verbose_name_plural': 'tournament reports',
                'db_table': 'fide_tournamentreport',
                'ordering': ('tournament', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='TournamentResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(verbose_name='start number')),
                ('fide_id', models.IntegerField(null=True, verbose_name='FIDE ID')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('rating', models.SmallIntegerField(help_text='On the list in force.', null=True, verbose_name='rating')),
                ('k', models.SmallIntegerField(null=True, verbose_name='K')),
                ('later_rating', models.SmallIntegerField(help_text='See B.02 8.4.', null=True, verbose_name='later rating')),
                ('earlier_result', models.BooleanField(default=False, verbose_name='earlier result')),
                ('outcome', models.SmallIntegerField(verbose_name='outcome')),
                ('rated_games', models.SmallIntegerField(default=0, verbose_name='rated games')),
                ('half_points', models.SmallIntegerField(default=0, verbose_name='half points')),
                ('average', models.SmallIntegerField(help_text='The opponents’ average rating, Rc.', null=True, verbose_name='average')),
                ('expected', ratings.office.fields.HundredthsField(null=True, verbose_name='expected score')),
                ('change', ratings.office.fields.HundredthsField(null=True, verbose_name='change')),
                ('new_rating', models.SmallIntegerField(null=True, verbose_name='Ru')),
                ('new_games', models.SmallIntegerField(null=True, verbose_name='games of the result')),
                ('new_half_points', models.SmallIntegerField(null=True, verbose_name='half points of the result')),
                ('new_opponents_sum', models.IntegerField(null=True, verbose_name='sum of the opponents’ ratings')),
                ('new_opponents', models.SmallIntegerField(null=True, verbose_name='opponents in a round robin')),
                ('why_not_first', models.SmallIntegerField(null=True, verbose_name="why it isn’t a first result")),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='results', to='otb.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'tournament result',
                'verbose_name_plural': 'tournament results',
                'db_table': 'fide_tournamentresult',
                'ordering': ('tournament', 'number'),
                'indexes': [
                    models.Index(fields=['fide_id', 'tournament'], name='tournament_result_of_player'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('tournament', 'number'), name='tournament_result_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='tournament',
            name='report',
            field=models.ForeignKey(blank=True, editable=False, help_text="The report that counts.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='otb.tournamentreport', verbose_name='report'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(fields=['-last_day', '-first_day', '-id'], name='tournament_by_day'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(fields=['status', 'last_day'], name='tournament_by_status'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('last_day__gte', models.F('first_day'))), name='tournament_ends_after_it_begins', violation_error_message='The last day is before the first.'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('report', None), ('status', 1)), ('status', 3), models.Q(('report__isnull', False), ('status__in', (2, 4))), _connector='OR'), name='tournament_with_its_report'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('rated_for__isnull', False), ('status', 4)), models.Q(models.Q(('status', 4), _negated=True), ('rated_for', None)), _connector='OR'), name='tournament_rated_for_a_list'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('stage_of', None), models.Q(('stage_of', models.F('pk')), _negated=True), _connector='OR'), name='tournament_no_stage_of_itself', violation_error_message='A tournament can’t be a later stage of itself.'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('by_period', False), ('league', True), _connector='OR'), name='tournament_by_period_is_a_league', violation_error_message="Only a league can be rated period by period (B.02 4.11, 4.13)."),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('by_period', False), models.Q(models.Q(('status', 4), _negated=True), ('part_of', None)), _connector='OR'), name='tournament_by_period_in_parts'),
        ),
        grant('otb'),
    ]
