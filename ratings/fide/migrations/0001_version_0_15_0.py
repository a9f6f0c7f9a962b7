"""What FIDE publishes, and what follows from it, as version 0.15.0 had them."""

import django.db.models.deletion
import django.db.models.lookups
import ratings.office.fields
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    replaces = [
        ('fide', '0001_initial'),
        ('fide', '0002_groups'),
        ('fide', '0003_rights'),
        ('fide', '0004_tournaments'),
        ('fide', '0005_tournament_rights'),
        ('fide', '0006_rooms'),
        ('fide', '0007_announced_months'),
        ('fide', '0008_rights_of_announced_months'),
        ('fide', '0009_words'),
        ('fide', '0010_names_of_files'),
        ('fide', '0011_double_ratings'),
    ]

    initial = True

    dependencies = [
        ('members', '0001_version_0_15_0'),
        ('ratings', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Determination',
            fields=[
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='first_rating_determination', serialize=False, to='members.member', verbose_name='member')),
                ('fide_id', models.IntegerField(help_text='The ID that was looked up.', verbose_name='FIDE ID')),
                ('determined_at', models.DateTimeField(verbose_name='determined at')),
            ],
            options={
                'verbose_name': 'first-rating determination',
                'verbose_name_plural': 'first-rating determinations',
                'ordering': ('-determined_at', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='AnnouncedMonth',
            fields=[
                ('period', ratings.office.fields.MonthField(help_text="First day of the list’s month.", primary_key=True, serialize=False, verbose_name='period')),
                ('announced_at', models.DateTimeField(verbose_name='first announced at')),
            ],
            options={
                'verbose_name': 'announced month',
                'verbose_name_plural': 'announced months',
                'ordering': ('-period',),
                'constraints': [models.CheckConstraint(condition=django.db.models.lookups.Exact(ratings.office.fields.DayOfMonth(models.F('period')), 1), name='announced_month_is_a_month')],
            },
        ),
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField(help_text="First day of the list’s month.", unique=True, verbose_name='period')),
                ('source', models.CharField(max_length=255, verbose_name='source')),
                ('sha256', models.CharField(blank=True, help_text="Checksum of the file, if the changes came from one.", max_length=64, verbose_name='SHA-256')),
                ('announced_at', models.DateTimeField(verbose_name='announced at')),
                ('count', models.PositiveIntegerField(default=0, help_text='Made by this announcement.', verbose_name='adjustments')),
                ('announced_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='announced by')),
            ],
            options={
                'verbose_name': 'FIDE list announcement',
                'verbose_name_plural': 'FIDE list announcements',
                'ordering': ('-period',),
            },
        ),
        migrations.CreateModel(
            name='AnnouncedChange',
            fields=[
                ('adjustment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='announced', serialize=False, to='ratings.otbadjustment', verbose_name='over-the-board adjustment')),
                ('previous', models.SmallIntegerField(null=True, verbose_name='previous published rating')),
                ('new', models.SmallIntegerField(null=True, verbose_name='new published rating')),
                ('games', models.SmallIntegerField(help_text="Rated in the list’s rating period.", null=True, verbose_name='games')),
                ('announcement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='fide.announcement', verbose_name='announcement')),
            ],
            options={
                'verbose_name': 'announced change',
                'verbose_name_plural': 'announced changes',
            },
        ),
        migrations.CreateModel(
            name='FideList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField(help_text="First day of the list’s month.", verbose_name='period')),
                ('control', models.CharField(blank=True, choices=[('standard', 'Standard'), ('rapid', 'Rapid'), ('blitz', 'Blitz')], help_text='Leave blank for all three.', max_length=8, verbose_name='time control')),
                ('source', models.CharField(help_text='Name of the file.', max_length=255, verbose_name='source')),
                ('sha256', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('rows', models.PositiveIntegerField(default=0, verbose_name='rows read')),
                ('refused', models.PositiveIntegerField(default=0, verbose_name='refused')),
                ('added', models.PositiveIntegerField(default=0, verbose_name='players added')),
                ('changed', models.PositiveIntegerField(default=0, verbose_name='players changed')),
                ('removed', models.PositiveIntegerField(default=0, help_text="No longer listed; on a list of one rating type, no longer rated.", verbose_name='players removed')),
                ('imported_at', models.DateTimeField(verbose_name='imported at')),
                ('imported_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='imported by')),
            ],
            options={
                'verbose_name': 'FIDE rating list',
                'verbose_name_plural': 'FIDE rating lists',
                'ordering': ('-period', '-pk'),
                'permissions': [('import_fidelist', 'Can import FIDE rating lists'), ('announce_fidelist', 'Can announce FIDE rating lists')],
                'indexes': [
                    models.Index(fields=['period', 'id'], name='fide_list_by_period'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('sha256', 'period', 'control'), name='fide_list_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DoubleRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fide_id', models.IntegerField(verbose_name='FIDE ID')),
                ('control', models.CharField(choices=[('standard', 'Standard'), ('rapid', 'Rapid'), ('blitz', 'Blitz')], max_length=8, verbose_name='time control')),
                ('line', models.PositiveIntegerField(verbose_name='line in the file')),
                ('name', models.CharField(blank=True, max_length=150, verbose_name='name')),
                ('rating', models.SmallIntegerField(verbose_name='rating')),
                ('games', models.SmallIntegerField(default=0, verbose_name='games')),
                ('k', models.SmallIntegerField(default=0, verbose_name='K')),
                ('is_chosen', models.BooleanField(default=False, verbose_name='chosen')),
                ('fide_list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='double_ratings', to='fide.fidelist', verbose_name='FIDE rating list')),
            ],
            options={
                'verbose_name': 'duplicate rating on a FIDE list',
                'verbose_name_plural': 'duplicate ratings on FIDE lists',
                'ordering': ('-fide_list', 'fide_id', 'control', 'line', 'pk'),
                'indexes': [
                    models.Index(fields=['fide_id', 'control'], name='double_rating_by_player'),
                    models.Index(fields=['fide_list', 'fide_id'], name='double_rating_by_list'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('is_chosen', True)), fields=('fide_list', 'fide_id', 'control'), name='double_rating_chosen_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FidePlayer',
            fields=[
                ('fide_id', models.IntegerField(primary_key=True, serialize=False, verbose_name='FIDE ID')),
                ('name', models.CharField(help_text='Last, First', max_length=150, verbose_name='name')),
                ('folded', ratings.office.fields.BytewiseField(editable=False, max_length=300)),
                ('federation', ratings.office.fields.BytewiseField(blank=True, max_length=3, verbose_name='federation')),
                ('sex', models.CharField(blank=True, choices=[('M', 'male'), ('F', 'female')], max_length=1, verbose_name='sex')),
                ('title', models.CharField(blank=True, max_length=5, verbose_name='title')),
                ('women_title', models.CharField(blank=True, max_length=5, verbose_name='women’s title')),
                ('other_titles', models.CharField(blank=True, max_length=64, verbose_name='other titles')),
                ('arena_title', models.CharField(blank=True, max_length=5, verbose_name='arena title')),
                ('standard_rating', models.SmallIntegerField(null=True, verbose_name='standard rating')),
                ('standard_games', models.SmallIntegerField(default=0, verbose_name='standard games')),
                ('standard_k', models.SmallIntegerField(default=0, verbose_name='standard K')),
                ('rapid_rating', models.SmallIntegerField(null=True, verbose_name='rapid rating')),
                ('rapid_games', models.SmallIntegerField(default=0, verbose_name='rapid games')),
                ('rapid_k', models.SmallIntegerField(default=0, verbose_name='rapid K')),
                ('blitz_rating', models.SmallIntegerField(null=True, verbose_name='blitz rating')),
                ('blitz_games', models.SmallIntegerField(default=0, verbose_name='blitz games')),
                ('blitz_k', models.SmallIntegerField(default=0, verbose_name='blitz K')),
                ('birth_year', models.SmallIntegerField(null=True, verbose_name='birth year')),
                ('flag', models.CharField(blank=True, help_text='i: inactive, w: woman', max_length=2, verbose_name='flag')),
            ],
            options={
                'verbose_name': 'FIDE player',
                'verbose_name_plural': 'FIDE players',
                'ordering': ('folded', 'fide_id'),
                'indexes': [models.Index(fields=['folded', 'fide_id'], name='fide_player_by_name'), models.Index(fields=['federation', 'folded', 'fide_id'], name='fide_player_by_federation')],
            },
        ),
        migrations.CreateModel(
            name='FideRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fide_id', models.IntegerField(verbose_name='FIDE ID')),
                ('control', models.CharField(choices=[('standard', 'Standard'), ('rapid', 'Rapid'), ('blitz', 'Blitz')], max_length=8, verbose_name='time control')),
                ('period', models.DateField(help_text="First day of the list’s month.", verbose_name='period')),
                ('rating', models.SmallIntegerField(null=True, verbose_name='rating')),
                ('games', models.SmallIntegerField(default=0, verbose_name='games')),
            ],
            options={
                'verbose_name': 'published FIDE rating',
                'verbose_name_plural': 'published FIDE ratings',
                'ordering': ('fide_id', 'control', 'period'),
                'indexes': [models.Index(fields=['period', 'control'], name='fide_rating_by_period')],
                'constraints': [models.UniqueConstraint(fields=('fide_id', 'control', 'period'), name='fide_rating_once')],
            },
        ),
        migrations.CreateModel(
            name='FirstRating',
            fields=[
                ('opening', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='first_rating', serialize=False, to='ratings.openingrating', verbose_name='starting rating')),
                ('control', models.CharField(choices=[('standard', 'Standard'), ('rapid', 'Rapid'), ('blitz', 'Blitz')], max_length=8, verbose_name='time control')),
                ('fide_list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='first_ratings', to='fide.fidelist', verbose_name='FIDE rating list')),
            ],
            options={
                'verbose_name': 'first-rating source',
                'verbose_name_plural': 'first-rating sources',
            },
        ),
        grant('fide'),
    ]
