"""Members, memberships, closures, former names and merged accounts, as in version 0.15.0."""

import django.core.validators
import django.db.models.deletion
import foa.current_change_set
import members.federations
import members.models
import members.usernames
import members.words
import simple_history.models
from django.conf import settings
from django.db import migrations, models


def _with_trigrams(connection):
    """Return whether the server has, or lets us add, the extension that searches inside texts by an index."""
    if connection.vendor != 'postgresql':
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT installed_version IS NOT NULL
                OR (trusted AND has_database_privilege(current_database(), 'CREATE'))
                OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
            FROM pg_available_extensions LEFT JOIN pg_available_extension_versions USING (name)
            WHERE name = 'pg_trgm' AND version = default_version
            """
        )
        found = cursor.fetchone()
    return bool(found and found[0])


_SEARCHED = {
    'member_name_part': ('members_member', 'name'),
    'member_username_part': ('members_member', 'username'),
    'former_name_part': ('members_formername', 'text'),
}


def add_search(apps, schema_editor):
    """Index parts of names. Without the extension a search reads all names: slower, never wrong."""
    if _with_trigrams(schema_editor.connection):
        schema_editor.execute('CREATE EXTENSION IF NOT EXISTS pg_trgm')
        for name, (table, column) in _SEARCHED.items():
            schema_editor.execute(
                f'CREATE INDEX {name} ON {table} USING gin (upper({column}::text) gin_trgm_ops)'
            )


def remove_search(apps, schema_editor):
    """Drop the indexes. The extension stays: others may use it."""
    if schema_editor.connection.vendor == 'postgresql':
        for name in _SEARCHED:
            schema_editor.execute(f'DROP INDEX IF EXISTS {name}')


class Migration(migrations.Migration):

    replaces = [
        ('members', '0001_initial'),
        ('members', '0002_search'),
        ('members', '0003_history'),
        ('members', '0004_rights_of_memberships'),
        ('members', '0005_username_keys'),
        ('members', '0009_federations'),
        ('members', '0010_closures'),
        ('members', '0011_rights_of_closures'),
        ('members', '0020_former_names'),
        ('members', '0021_rights_of_merging'),
        ('members', '0022_decided_history'),
        ('members', '0040_erased_members'),
        ('members', '0041_rights_of_erasing'),
        ('members', '0042_name_words'),
        ('members', '0043_invitations'),
        ('members', '0044_words'),
    ]

    initial = True

    dependencies = [
        # Its many small steps take a quarter of a second each once our models exist.
        ('oauth2_provider', '0021_translatable_field_labels'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('username', models.CharField(help_text='Name shown in the arena.', max_length=150, unique=True, validators=[django.core.validators.RegexValidator('\\A\\S(?:[^\\x00-\\x1f\\x7f]*\\S)?\\Z', 'No control characters, and no spaces at the beginning or end.')], verbose_name='username')),
                ('username_key', members.usernames.UsernameKeyField(default='', editable=False, max_length=450)),
                ('name', models.CharField(blank=True, help_text='Last, First', max_length=100, verbose_name='name')),
                ('fide_id', models.PositiveIntegerField(blank=True, null=True, unique=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(999999999)], verbose_name='FIDE ID')),
                ('federation', members.federations.FederationField(blank=True, help_text="FIDE’s three-letter code.", max_length=3, validators=[members.federations.existing], verbose_name='federation')),
                ('sex', models.CharField(blank=True, choices=[('M', 'male'), ('F', 'female')], max_length=1, verbose_name='sex')),
                ('birth_year', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1900), django.core.validators.MaxValueValidator(members.models.this_year)], verbose_name='birth year')),
                ('title', models.CharField(blank=True, choices=[('GM', 'GM'), ('IM', 'IM'), ('FM', 'FM'), ('CM', 'CM'), ('WGM', 'WGM'), ('WIM', 'WIM'), ('WFM', 'WFM'), ('WCM', 'WCM'), ('AGM', 'AGM'), ('AIM', 'AIM'), ('AFM', 'AFM'), ('ACM', 'ACM')], max_length=3, verbose_name='title')),
                ('hides_birth', models.BooleanField(db_default=False, default=False, editable=False, help_text="The member doesn’t want them shown publicly.", verbose_name='birth year and sex hidden')),
                ('withdrawn_at', models.DateTimeField(editable=False, help_text="The member’s personal data was erased.", null=True, verbose_name='erased at')),
                ('merged_into', models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='members.member', verbose_name='merged into')),
                ('user', models.OneToOneField(blank=True, help_text="This member’s login, if they have one.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='member', to=settings.AUTH_USER_MODEL, verbose_name='login')),
            ],
            options={
                'verbose_name': 'member',
                'verbose_name_plural': 'members',
                'ordering': ('name', 'username', 'pk'),
                'permissions': [('update_member', 'Can update members from a file'), ('merge_member', "Can merge two accounts of the same person"), ('erase_member', 'Can erase members’ personal data'), ('export_member', 'Can export everything stored about a member'), ('invite_member', 'Can invite members to set up a login')],
                'indexes': [
                    models.Index(fields=['username_key'], name='member_by_username_key'),
                    models.Index(fields=['name', 'username', 'id'], name='member_by_name'),
                    models.Index(fields=['federation', 'name', 'username', 'id'], name='member_by_federation'),
                    models.Index(condition=models.Q(('title', ''), _negated=True), fields=['title', 'name', 'username', 'id'], name='member_titled'),
                    models.Index(condition=models.Q(('hides_birth', True)), fields=['id'], name='member_hides_birth'),
                    models.Index(condition=models.Q(('merged_into__isnull', False)), fields=['merged_into'], name='member_merged_into'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Merge',
            fields=[
                ('other', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='merge', serialize=False, to='members.member', verbose_name='account that was merged')),
                ('merged_at', models.DateTimeField(verbose_name='merged at')),
                ('kept', models.JSONField(default=dict, verbose_name='what reverses it')),
            ],
            options={
                'verbose_name': 'merged account',
                'verbose_name_plural': 'merged accounts',
                'ordering': ('-merged_at', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='HistoricalMember',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('change_set', models.BigIntegerField(default=foa.current_change_set.change_set_under_way, editable=False, null=True, verbose_name='change set')),
                ('username', models.CharField(db_index=True, help_text='Name shown in the arena.', max_length=150, validators=[django.core.validators.RegexValidator('\\A\\S(?:[^\\x00-\\x1f\\x7f]*\\S)?\\Z', 'No control characters, and no spaces at the beginning or end.')], verbose_name='username')),
                ('name', models.CharField(blank=True, help_text='Last, First', max_length=100, verbose_name='name')),
                ('fide_id', models.PositiveIntegerField(blank=True, db_index=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(999999999)], verbose_name='FIDE ID')),
                ('federation', members.federations.FederationField(blank=True, help_text="FIDE’s three-letter code.", max_length=3, validators=[members.federations.existing], verbose_name='federation')),
                ('sex', models.CharField(blank=True, choices=[('M', 'male'), ('F', 'female')], max_length=1, verbose_name='sex')),
                ('birth_year', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1900), django.core.validators.MaxValueValidator(members.models.this_year)], verbose_name='birth year')),
                ('title', models.CharField(blank=True, choices=[('GM', 'GM'), ('IM', 'IM'), ('FM', 'FM'), ('CM', 'CM'), ('WGM', 'WGM'), ('WIM', 'WIM'), ('WFM', 'WFM'), ('WCM', 'WCM'), ('AGM', 'AGM'), ('AIM', 'AIM'), ('AFM', 'AFM'), ('ACM', 'ACM')], max_length=3, verbose_name='title')),
                ('history_change_reason', models.CharField(max_length=255, null=True, verbose_name='reason')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(blank=True, db_constraint=False, help_text="This member’s login, if they have one.", null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='login')),
                ('merged_into', models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='members.member', verbose_name='merged into')),
            ],
            options={
                'verbose_name': 'historical member',
                'verbose_name_plural': 'historical members',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalFullMembership',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('change_set', models.BigIntegerField(default=foa.current_change_set.change_set_under_way, editable=False, null=True, verbose_name='change set')),
                ('full_from', models.DateTimeField(verbose_name='full member from')),
                ('full_until', models.DateTimeField(blank=True, help_text='Leave blank if they are still a full member.', null=True, verbose_name='until')),
                ('history_change_reason', models.CharField(max_length=255, null=True, verbose_name='reason')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'historical full membership',
                'verbose_name_plural': 'historical full memberships',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalAccountClosure',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('change_set', models.BigIntegerField(default=foa.current_change_set.change_set_under_way, editable=False, null=True, verbose_name='change set')),
                ('closed_from', models.DateTimeField(verbose_name='closed from')),
                ('closed_until', models.DateTimeField(blank=True, help_text="Leave blank if there is no end date.", null=True, verbose_name='until')),
                ('category', models.CharField(choices=[('fair-play', 'Fair play'), ('request', "At the member’s request"), ('duplicate', 'Duplicate account'), ('other', 'Other')], max_length=9, verbose_name='reason')),
                ('note', models.TextField(blank=True, help_text='Never public.', verbose_name='note for staff')),
                ('games_since', models.DateTimeField(blank=True, help_text='Leave blank to keep all games from before the closure.', null=True, verbose_name="games void from")),
                ('decided_at', models.DateTimeField(verbose_name='decided at')),
                ('history_change_reason', models.CharField(max_length=255, null=True, verbose_name='reason')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'historical closed account',
                'verbose_name_plural': 'historical closed accounts',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='FullMembership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('full_from', models.DateTimeField(verbose_name='full member from')),
                ('full_until', models.DateTimeField(blank=True, help_text='Leave blank if they are still a full member.', null=True, verbose_name='until')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='full_memberships', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'full membership',
                'verbose_name_plural': 'full memberships',
                'ordering': ('member', 'full_from'),
                'permissions': [('correct_fullmembership', "Can change full membership and rate the games it covers")],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('full_until', None), ('full_from__lt', models.F('full_until')), _connector='OR'), name='full_membership_from_before_until', violation_error_message='Membership must end after it starts.'),
                    models.UniqueConstraint(fields=('member', 'full_from'), name='full_membership_one_from'),
                    models.UniqueConstraint(condition=models.Q(('full_until', None)), fields=('member',), name='full_membership_one_open_end'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FormerName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=150, verbose_name='former name')),
                ('username_key', models.CharField(blank=True, editable=False, max_length=450, null=True, unique=True)),
                ('since', models.DateTimeField(help_text="Blank if the member registered under this name, or if we don’t know the "
                              "date.", null=True, verbose_name='since')),
                ('until', models.DateTimeField(verbose_name='until')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_names', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'former name',
                'verbose_name_plural': 'former names',
                'ordering': ('-until', '-pk'),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('since', None), ('since__lte', models.F('until')), _connector='OR'), name='former_name_since_before_until'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AccountClosure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closed_from', models.DateTimeField(verbose_name='closed from')),
                ('closed_until', models.DateTimeField(blank=True, help_text="Leave blank if there is no end date.", null=True, verbose_name='until')),
                ('category', models.CharField(choices=[('fair-play', 'Fair play'), ('request', "At the member’s request"), ('duplicate', 'Duplicate account'), ('other', 'Other')], max_length=9, verbose_name='reason')),
                ('note', models.TextField(blank=True, help_text='Never public.', verbose_name='note for staff')),
                ('games_since', models.DateTimeField(blank=True, help_text='Leave blank to keep all games from before the closure.', null=True, verbose_name="games void from")),
                ('decided_at', models.DateTimeField(verbose_name='decided at')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='closures', to='members.member', verbose_name='member')),
                ('opponents', models.ManyToManyField(blank=True, help_text='Only games against these members are voided; leave blank to void all.', related_name='+', to='members.member', verbose_name='opponents')),
            ],
            options={
                'verbose_name': 'closed account',
                'verbose_name_plural': 'closed accounts',
                'ordering': ('-closed_from', '-pk'),
                'permissions': [('decide_accountclosure', 'Can close and reopen accounts')],
                'indexes': [
                    models.Index(fields=['-closed_from', '-id'], name='account_closure_by_start'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('closed_until', None), ('closed_from__lt', models.F('closed_until')), _connector='OR'), name='account_closure_from_before_until', violation_error_message='The end must be after the start.'),
                    models.CheckConstraint(condition=models.Q(('games_since', None), ('games_since__lte', models.F('closed_from')), _connector='OR'), name='account_closure_games_before_it', violation_error_message="Choose a day no later than the start of the closure."),
                    models.UniqueConstraint(fields=('member', 'closed_from'), name='account_closure_one_from'),
                    models.UniqueConstraint(condition=models.Q(('closed_until', None)), fields=('member',), name='account_closure_one_open_end'),
                ],
            },
        ),
        migrations.CreateModel(
            name='NameWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', members.words.WordField(max_length=150, verbose_name='word')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'word of a name',
                'verbose_name_plural': 'words of names',
                'default_permissions': (),
                'indexes': [
                    models.Index(fields=['word', 'member'], name='name_word_of_member'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='invitation', serialize=False, to='members.member', verbose_name='member')),
                ('email', models.EmailField(max_length=254, verbose_name='email address')),
                ('language', models.CharField(choices=[('en', 'English'), ('pl', 'Polski')], max_length=10, verbose_name='language')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('by', models.CharField(help_text='A login, a command or a game server.', max_length=160, verbose_name='by')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'default_permissions': (),
                'indexes': [models.Index(fields=['email', 'at'], name='invitation_to_address'), models.Index(fields=['by', 'at'], name='invitation_by')],
            },
        ),
        migrations.RunPython(add_search, remove_search),
    ]
