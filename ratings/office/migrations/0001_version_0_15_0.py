'''Change sets, jobs, the audit, imports and the outbox, as version 0.15.0 had them.'''

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    replaces = [
        ('office', '0001_rooms'),
        ('office', '0002_change_sets'),
        ('office', '0003_audit'),
        ('office', '0004_rights_of_the_audit'),
        ('office', '0005_outboxentry'),
        ('office', '0006_rights_of_the_outbox'),
        ('office', '0007_jobs_retried'),
        ('office', '0008_rights_of_jobs'),
        ('office', '0030_fair_play'),
        ('office', '0031_journal'),
        ('office', '0032_rights_of_the_journal'),
        ('office', '0040_file_imports'),
        ('office', '0041_rights_of_file_imports'),
        ('office', '0043_words'),
        ('office', '0044_job_request'),
        ('office', '0045_subjects'),
        ('office', '0046_epochs_and_ends'),
        ('office', '0047_appeal_as_a_reason'),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('axes', '0010_accessattemptexpiration'),
        ('members', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditedCheck',
            fields=[
                ('name', models.CharField(max_length=60, primary_key=True, serialize=False, verbose_name='check')),
                ('looked_at', models.DateTimeField(verbose_name='last run')),
                ('seconds', models.PositiveIntegerField(verbose_name='seconds')),
                ('found', models.PositiveIntegerField(help_text='Open and accepted findings.', verbose_name='found')),
            ],
            options={
                'verbose_name': 'audited check',
                'verbose_name_plural': 'audited checks',
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='Epoch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=8, unique=True, verbose_name='name')),
                ('began_at', models.DateTimeField(verbose_name='started at')),
            ],
            options={
                'verbose_name': 'outbox epoch',
                'verbose_name_plural': 'outbox epochs',
                'ordering': ('pk',),
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=200, verbose_name='what')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('stopped', 'stopped')], default='waiting', max_length=7, verbose_name='state')),
                ('asked_at', models.DateTimeField(verbose_name='requested at')),
                ('began_at', models.DateTimeField(null=True, verbose_name='started at')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended at')),
                ('outcome', models.JSONField(default=list, help_text='Sentences, each with links: labels and addresses.', verbose_name='outcome')),
                ('error', models.TextField(blank=True, help_text='Why it failed, in plain words.', verbose_name='error')),
                ('language', models.CharField(max_length=10, verbose_name='language')),
                ('request_id', models.CharField(db_default='', default='', help_text='ID of the request that started this job. Also in the log.', max_length=64, verbose_name='request')),
                ('task', models.UUIDField(help_text='Its place in the queue of django-tasks-db.', unique=True, verbose_name='task')),
                ('asked_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='requested by')),
                ('retried_as', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='retries', to='office.job', verbose_name='restarted as')),
            ],
            options={
                'verbose_name': 'job',
                'verbose_name_plural': 'jobs',
                'db_table': 'ratings_job',
                'ordering': ('-pk',),
                'permissions': [('steer_job', 'Can stop and restart jobs')],
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ('waiting', 'running'))), fields=['state'], name='job_open'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ChangeSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40, verbose_name='kind')),
                ('parameters', models.JSONField(default=dict, verbose_name='parameters')),
                ('subject', models.CharField(blank=True, db_default='', default='', help_text='Subject, for staff.', max_length=255, verbose_name='subject')),
                ('state', models.CharField(choices=[('proposed', 'waiting for a second person'), ('queued', 'waiting for the worker'), ('applied', 'applied'), ('stale', 'not applied: the data had changed'), ('refused', "not applied: not possible"), ('withdrawn', 'withdrawn')], default='proposed', max_length=9, verbose_name='state')),
                ('public_reason', models.CharField(choices=[('routine', 'Regular work of the office'), ('error', 'Entered in error'), ('fair-play', 'Fair play'), ('result', 'Result corrected'), ('duplicate', 'Duplicate'), ('appeal', 'After an appeal'), ('organizer', 'At the request of the organizer'), ('other', 'Other')], default='routine', max_length=9, verbose_name='public reason')),
                ('public_text', models.CharField(blank=True, help_text='Only with the reason “Other”.', max_length=255, verbose_name='public text')),
                ('staff_note', models.TextField(blank=True, help_text='Never public.', verbose_name='note for staff')),
                ('needs_second', models.BooleanField(default=False, verbose_name='needs a second person')),
                ('proposed_as', models.CharField(blank=True, help_text='The person who ran the command.', max_length=64, verbose_name='system user')),
                ('proposed_at', models.DateTimeField(verbose_name='proposed at')),
                ('seconded_at', models.DateTimeField(null=True, verbose_name='confirmed at')),
                ('applied_at', models.DateTimeField(null=True, verbose_name='applied at')),
                ('shown', models.JSONField(default=dict, verbose_name='effect as shown')),
                ('fingerprint', models.CharField(help_text='SHA-256 of the effect.', max_length=64, verbose_name='fingerprint')),
                ('moved', models.PositiveIntegerField(default=0, verbose_name='ratings changed')),
                ('largest', models.PositiveIntegerField(default=0, help_text='In hundredths of a point.', verbose_name='largest change')),
                ('outcome', models.JSONField(default=list, help_text='Sentences, each with links: labels and addresses.', verbose_name='outcome')),
                ('undo', models.JSONField(help_text="Kind and parameters of the change set that reverses it.", null=True, verbose_name='undo')),
                ('proposed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='proposed by')),
                ('seconded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='confirmed by')),
                ('undoes', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='undone_by', to='office.changeset', verbose_name='reverses')),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='change_set', to='office.job', verbose_name='job')),
            ],
            options={
                'verbose_name': 'change set',
                'verbose_name_plural': 'change sets',
                'ordering': ('-pk',),
                'indexes': [
                    models.Index(condition=models.Q(('state', 'applied')), fields=['-applied_at', '-id'], name='change_set_register'),
                    models.Index(condition=models.Q(('state__in', ('proposed', 'queued'))), fields=['state'], name='change_set_open'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('seconded_by', None), ('proposed_by', None), models.Q(('seconded_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='change_set_seconded_by_another', violation_error_message='Another person has to confirm it.'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'applied'), _negated=True), ('needs_second', False), ('seconded_by__isnull', False), _connector='OR'), name='change_set_applied_when_seconded'),
                    models.CheckConstraint(condition=models.Q(models.Q(('applied_at__isnull', False), ('state', 'applied')), models.Q(models.Q(('state', 'applied'), _negated=True), ('applied_at', None)), _connector='OR'), name='change_set_applied_says_when'),
                    models.UniqueConstraint(condition=models.Q(('state', 'applied')), fields=('undoes',), name='change_set_undone_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Journal',
            fields=[
            ],
            options={
                'verbose_name': 'journal entry',
                'verbose_name_plural': 'journal',
                'proxy': True,
                'default_permissions': ('view',),
                'indexes': [],
                'constraints': [],
            },
            bases=('office.changeset',),
        ),
        migrations.CreateModel(
            name='FileImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40, verbose_name='kind')),
                ('parameters', models.JSONField(default=dict, verbose_name='parameters')),
                ('source', models.CharField(max_length=255, verbose_name='file')),
                ('brought_at', models.DateTimeField(verbose_name='uploaded at')),
                ('report', models.JSONField(default=dict, verbose_name='report')),
                ('refusals', models.CharField(blank=True, max_length=32, verbose_name='file of refused rows')),
                ('shown', models.JSONField(default=dict, verbose_name='effect as shown')),
                ('dropped_at', models.DateTimeField(null=True, verbose_name='dropped at')),
                ('brought_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='brought by')),
                ('change_set', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='file_import', to='office.changeset', verbose_name='change set')),
                ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='office.job', verbose_name='rehearsal')),
            ],
            options={
                'verbose_name': 'imported file',
                'verbose_name_plural': 'import files',
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='MovedRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(help_text='Largest first.', verbose_name='position')),
                ('subject', models.BigIntegerField(verbose_name='member or player')),
                ('scale', models.CharField(max_length=40, verbose_name='category or list')),
                ('before', models.IntegerField(null=True, verbose_name='before')),
                ('after', models.IntegerField(null=True, verbose_name='after')),
                ('change_set', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='moves', to='office.changeset', verbose_name='change set')),
            ],
            options={
                'verbose_name': 'changed rating',
                'verbose_name_plural': 'changed ratings',
                'ordering': ('change_set', 'position'),
                'constraints': [
                    models.UniqueConstraint(fields=('change_set', 'position'), name='moved_rating_position'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OutboxEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.BigIntegerField(editable=False, null=True, unique=True, verbose_name='position')),
                ('event', models.CharField(choices=[('rating.changed', 'Ratings changed'), ('list.published', 'List published'), ('list.revised', 'List revised'), ('game.voided', 'Game voided'), ('game.ended', 'Game ended by the office'), ('member.changed', 'Member changed')], max_length=32, verbose_name='event')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('about', models.BigIntegerField(help_text='The key of the list, game or member; of ratings, none.', null=True, verbose_name='about')),
                ('data', models.JSONField(default=dict, verbose_name='data')),
                ('change_set', models.ForeignKey(db_index=False, help_text='The decision behind it; blank for new facts.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='office.changeset', verbose_name='change set')),
            ],
            options={
                'verbose_name': 'outbox entry',
                'verbose_name_plural': 'outbox entries',
                'ordering': ('-pk',),
                'indexes': [
                    models.Index(condition=models.Q(('position', None)), fields=['id'], name='outbox_unnumbered'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AuditFinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('check_name', models.CharField(max_length=60, verbose_name='check')),
                ('key', models.CharField(max_length=200, verbose_name='key')),
                ('text', models.CharField(max_length=500, verbose_name='text')),
                ('words', models.JSONField(default=dict, verbose_name='words')),
                ('address', models.CharField(blank=True, max_length=500, verbose_name='address')),
                ('mends', models.JSONField(help_text='Kind and parameters of the change set that would correct it.', null=True, verbose_name='corrected by')),
                ('found_at', models.DateTimeField(verbose_name='found at')),
                ('is_there', models.BooleanField(default=True, verbose_name='found by the last run')),
                ('accepted_at', models.DateTimeField(null=True, verbose_name='accepted at')),
                ('accepted_note', models.TextField(blank=True, verbose_name='why it was accepted')),
                ('accepted_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='accepted by')),
            ],
            options={
                'verbose_name': 'audit finding',
                'verbose_name_plural': 'audit findings',
                'ordering': ('check_name', 'pk'),
                'permissions': [('accept_auditfinding', 'Can accept findings of the audit'), ('run_auditfinding', 'Can run the audit')],
                'constraints': [models.UniqueConstraint(fields=('check_name', 'key'), name='audit_finding_once'), models.CheckConstraint(condition=models.Q(('accepted_at', None), models.Q(('accepted_note', ''), _negated=True), _connector='OR'), name='audit_finding_accepted_says_why')],
            },
        ),
        grant('office', 'members', 'auth', 'axes'),
    ]
