"""Organizers and the files that they send, as version 0.17.0 had them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('league', '0001_version_0_15_0'),
        ('office', '0002_rehearsals'),
        ('otb', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Scope',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('language', models.CharField(choices=[('en', 'English'), ('pl', 'Polski')], max_length=10, verbose_name='language')),
                ('federation', models.CharField(blank=True, help_text='FIDE’s code.', max_length=3, verbose_name='federation')),
                ('given_at', models.DateTimeField(verbose_name='granted at')),
                ('invited_at', models.DateTimeField(verbose_name='invited at')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended at')),
                ('administrator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='otb.ratingadministrator', verbose_name='rating administrator')),
                ('ended_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='ended by')),
                ('given_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='granted by')),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='scopes', to='league.team', verbose_name='team')),
                ('tournament', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='scopes', to='otb.tournament', verbose_name='tournament')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='scopes', to=settings.AUTH_USER_MODEL, verbose_name='login')),
            ],
            options={
                'verbose_name': 'organizer',
                'verbose_name_plural': 'organizers',
                'ordering': ('-pk',),
                'indexes': [
                    models.Index(condition=models.Q(('user', None)), fields=['email', 'invited_at'], name='scope_invited'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('federation', ''), ('team', None), ('tournament__isnull', False)), models.Q(('team', None), ('tournament', None), models.Q(('federation', ''), _negated=True)), models.Q(('federation', ''), ('team__isnull', False), ('tournament', None)), _connector='OR'), name='scope_is_exactly_one'),
                    models.CheckConstraint(condition=models.Q(('administrator', None), models.Q(('federation', ''), _negated=True), _connector='OR'), name='scope_administrator_of_federation'),
                    models.CheckConstraint(condition=models.Q(models.Q(('email', ''), ('user__isnull', False)), models.Q(('user', None), models.Q(models.Q(('email', ''), _negated=True), models.Q(('ended_at', None), _negated=True), _connector='OR')), _connector='OR'), name='scope_has_login_or_address'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('federation', models.CharField(blank=True, max_length=3, verbose_name='federation')),
                ('name', models.CharField(blank=True, max_length=150, verbose_name='name of the tournament')),
                ('first_day', models.DateField(null=True, verbose_name='first day')),
                ('source', models.CharField(max_length=255, verbose_name='file')),
                ('content', models.BinaryField(verbose_name='content')),
                ('sha256', models.CharField(db_index=True, max_length=64, verbose_name='SHA-256')),
                ('sent_at', models.DateTimeField(verbose_name='sent at')),
                ('state', models.CharField(choices=[('sent', 'sent'), ('taken', 'with the office'), ('received', 'received'), ('returned', 'returned'), ('withdrawn', 'withdrawn')], default='sent', max_length=9, verbose_name='state')),
                ('confirmed_at', models.DateTimeField(null=True, verbose_name='confirmed at')),
                ('closed_at', models.DateTimeField(null=True, verbose_name='closed at')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('told_for', models.DateField(null=True, verbose_name='notified of the list dated')),
                ('confirmed_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='confirmed by')),
                ('file_import', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='office.fileimport', verbose_name='imported file')),
                ('handled_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='handled by')),
                ('scope', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='submissions', to='organizers.scope', verbose_name='organizer')),
                ('sent_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='sent by')),
                ('team', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='league.team', verbose_name='team')),
                ('tournament', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='otb.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'sent report',
                'verbose_name_plural': 'sent reports',
                'ordering': ('-pk',),
                'indexes': [
                    models.Index(fields=['state', 'federation', 'id'], name='submission_by_state'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('team', None), models.Q(('federation', ''), ('tournament', None)), _connector='OR'), name='submission_of_one_rule_book'),
                    models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('state__in', ('sent', 'taken'))), models.Q(('closed_at__isnull', False), ('state__in', ('received', 'returned', 'withdrawn'))), _connector='OR'), name='submission_closed_says_when'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'returned'), models.Q(('reason', ''), _negated=True)), models.Q(models.Q(('state', 'returned'), _negated=True), ('reason', '')), _connector='OR'), name='submission_returned_says_why'),
                    models.UniqueConstraint(condition=models.Q(('state', 'sent')), fields=('scope', 'sha256'), name='submission_waits_once'),
                    models.UniqueConstraint(condition=models.Q(('state', 'sent')), fields=('scope', 'tournament'), name='submission_waits_once_for_tournament'),
                ],
            },
        ),
        grant('organizers'),
    ]
