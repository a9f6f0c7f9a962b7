"""What members follow and are told, as version 0.15.0 had them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('notices', '0001_initial'),
        ('notices', '0002_read_notices'),
    ]

    initial = True

    dependencies = [
        ('members', '0001_version_0_15_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='FeedAddress',
            fields=[
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='members.member', verbose_name='member')),
                ('number', models.PositiveIntegerField(default=1, verbose_name='number')),
            ],
            options={
                'verbose_name': 'feed address',
                'verbose_name_plural': 'feed addresses',
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Digest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('claimed', 'claimed'), ('sent', 'sent'), ('failed', 'given up')], default='waiting', max_length=7, verbose_name='state')),
                ('next_attempt_at', models.DateTimeField(verbose_name='next attempt')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'digest',
                'verbose_name_plural': 'digests',
                'default_permissions': (),
                'indexes': [
                    models.Index(condition=models.Q(('state__in', ('waiting', 'claimed'))), fields=['next_attempt_at', 'id'], name='digest_due'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('member',), name='digest_one_waits'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('followed', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='followers', to='members.member', verbose_name='followed')),
                ('follower', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='follows', to='members.member', verbose_name='follower')),
            ],
            options={
                'verbose_name': 'followed member',
                'verbose_name_plural': 'followed members',
                'default_permissions': (),
                'constraints': [
                    models.UniqueConstraint(fields=('follower', 'followed'), name='follow_once'),
                    models.CheckConstraint(condition=models.Q(('follower', models.F('followed')), _negated=True), name='follow_another'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('list', 'My rating on a new list'), ('correction', 'Decisions that change my rating'), ('case', 'An answer of the office'), ('followed', 'Members I follow on a new rating list')], max_length=10, verbose_name='kind')),
                ('key', models.BigIntegerField(verbose_name='key')),
                ('address', models.CharField(blank=True, help_text='Of the case.', max_length=200, verbose_name='address')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('page', models.BooleanField(verbose_name='page')),
                ('feed', models.BooleanField(verbose_name='feed')),
                ('mail', models.BooleanField(verbose_name='email')),
                ('read_at', models.DateTimeField(null=True, verbose_name='read at')),
                ('about', models.ForeignKey(db_index=False, help_text='The member who is followed.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='about')),
                ('digest', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='notices', to='notices.digest', verbose_name='digest')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'notice',
                'verbose_name_plural': 'notices',
                'ordering': ('-pk',),
                'default_permissions': (),
                'indexes': [
                    models.Index(fields=['member', '-id'], name='notice_of_member'),
                    models.Index(condition=models.Q(('about__isnull', False)), fields=['about'], name='notice_about'),
                    models.Index(condition=models.Q(('digest__isnull', False)), fields=['digest'], name='notice_of_digest'),
                    models.Index(fields=['at'], name='notice_at'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Occasion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('list', 'My rating on a new list'), ('correction', 'Decisions that change my rating'), ('case', 'An answer of the office'), ('followed', 'Members I follow on a new rating list')], max_length=10, verbose_name='kind')),
                ('key', models.BigIntegerField(help_text='Of the list or the change set.', verbose_name='key')),
                ('at', models.DateTimeField(verbose_name='at')),
            ],
            options={
                'verbose_name': 'occasion',
                'verbose_name_plural': 'occasions',
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('kind', 'key'), name='occasion_once')],
            },
        ),
        migrations.CreateModel(
            name='Choice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('list', 'My rating on a new list'), ('correction', 'Decisions that change my rating'), ('case', 'An answer of the office'), ('followed', 'Members I follow on a new rating list')], max_length=10, verbose_name='kind')),
                ('page', models.BooleanField(verbose_name='page')),
                ('feed', models.BooleanField(verbose_name='feed')),
                ('mail', models.BooleanField(verbose_name='email')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member', verbose_name='member')),
            ],
            options={
                'verbose_name': 'notification setting',
                'verbose_name_plural': 'notification settings',
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('member', 'kind'), name='choice_of_news_once')],
            },
        ),
    ]
