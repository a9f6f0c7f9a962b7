'''Cases, notes and likely doubles, as version 0.15.0 had them.'''

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    replaces = [
        ('desk', '0001_cases'),
        ('desk', '0002_rights'),
        ('desk', '0010_likely_duplicates'),
        ('desk', '0011_rights_of_duplicates'),
        ('desk', '0012_rights_of_groups'),
    ]

    initial = True

    dependencies = [
        ('members', '0001_version_0_15_0'),
        ('office', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Case',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.CharField(max_length=20, verbose_name='about')),
                ('key', models.BigIntegerField(help_text="The number in the page’s address.", verbose_name='number')),
                ('on_behalf_of', models.CharField(blank=True, help_text='Somebody without a login, such as an organizer. Only staff can see this.', max_length=150, verbose_name='on behalf of')),
                ('opened_at', models.DateTimeField(editable=False, verbose_name='opened at')),
                ('language', models.CharField(editable=False, max_length=10, verbose_name='language')),
                ('deadline', models.DateTimeField(editable=False, verbose_name='deadline')),
                ('state', models.CharField(choices=[('open', 'open'), ('decided', 'decided'), ('withdrawn', 'withdrawn')], default='open', editable=False, max_length=9, verbose_name='state')),
                ('closed_at', models.DateTimeField(editable=False, null=True, verbose_name='closed at')),
                ('decision', models.TextField(blank=True, editable=False, verbose_name='decision')),
                ('public_reasons', models.TextField(blank=True, editable=False, verbose_name='public reasons')),
                ('staff_reasons', models.TextField(blank=True, editable=False, verbose_name='reasons (staff only)')),
                ('change_set', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='cases', to='office.changeset', verbose_name='change set')),
                ('decided_by', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('opened_by', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='opened by')),
                ('opener', models.ForeignKey(blank=True, help_text='The member who asked. They can see the case, its messages and the decision.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='cases', to='members.member', verbose_name='member')),
                ('owner', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
            ],
            options={
                'verbose_name': 'case',
                'verbose_name_plural': 'cases',
                'ordering': ('deadline', 'pk'),
                'permissions': [('handle_case', 'Can handle cases')],
                'indexes': [
                    models.Index(fields=['state', 'deadline', 'id'], name='case_by_deadline'),
                    models.Index(fields=['state', 'about', 'deadline', 'id'], name='case_of_kind'),
                    models.Index(fields=['owner', 'state', 'deadline', 'id'], name='case_of_owner'),
                    models.Index(fields=['about', 'key'], name='case_about'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('about', 'key', 'opener'), name='case_open_once_for_member'),
                    models.UniqueConstraint(condition=models.Q(('opener', None), ('state', 'open')), fields=('about', 'key'), name='case_open_once_without_member'),
                    models.CheckConstraint(condition=models.Q(('opener__isnull', False), ('opened_by__isnull', False), _connector='OR'), name='case_has_opener'),
                    models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='case_closed_says_when'),
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', False), ('state', 'decided'), models.Q(('decision', ''), _negated=True)), models.Q(models.Q(('state', 'decided'), _negated=True), ('change_set', None), ('decided_by', None), ('decision', ''), ('public_reasons', ''), ('staff_reasons', '')), _connector='OR'), name='case_decided_says_what'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CaseEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('asked', 'Message to the office'), ('answered', 'Message from the office'), ('noted', 'Note for staff'), ('claimed', 'Claimed'), ('released', 'Released')], max_length=8, verbose_name='what')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('text', models.TextField(blank=True, verbose_name='text')),
                ('by', models.ForeignKey(db_index=False, help_text='The member of staff; blank if the member wrote it.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='desk.case', verbose_name='case')),
            ],
            options={
                'verbose_name': 'case entry',
                'verbose_name_plural': 'case entries',
                'ordering': ('pk',),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('what', 'asked'), ('by__isnull', False), _connector='OR'), name='case_entry_of_office_says_who'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LikelyDuplicate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('why', models.CharField(choices=[('fide-id', 'same FIDE ID in a file'), ('same', 'same name and birth year'), ('year', 'same name, birth year unknown'), ('alike', 'similar names, same birth year')], max_length=7, verbose_name='why')),
                ('found_at', models.DateTimeField(verbose_name='found at')),
                ('dismissed_at', models.DateTimeField(null=True, verbose_name='marked as different at')),
                ('dismissed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='marked as different by')),
                ('first', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='member')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='other account')),
            ],
            options={
                'verbose_name': 'likely duplicate',
                'verbose_name_plural': 'likely duplicates',
                'ordering': ('-found_at', '-pk'),
                'indexes': [
                    models.Index(condition=models.Q(('dismissed_at', None)), fields=['-found_at', '-id'], name='likely_duplicate_open'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('first', 'second'), name='likely_duplicate_once'),
                    models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='likely_duplicate_in_order'),
                ],
            },
        ),
        migrations.CreateModel(
            name='MemberNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(help_text='Never public.', max_length=5000, verbose_name='text')),
                ('at', models.DateTimeField(editable=False, verbose_name='at')),
                ('by', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='staff_notes', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'member note',
                'verbose_name_plural': 'member notes',
                'ordering': ('-pk',),
            },
        ),
        grant('desk'),
    ]
