"""Sessions and settings of logins, as in version 0.15.0."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('foa', '0001_sessions'),
        ('foa', '0002_login_settings'),
        ('foa', '0003_asked_mails'),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AskedMails',
            fields=[
                ('key', models.CharField(max_length=80, primary_key=True, serialize=False)),
                ('since', models.DateTimeField()),
                ('number', models.PositiveIntegerField(default=0)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='LoginSettings',
            fields=[
                ('user', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='chosen', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('language', models.CharField(blank=True, help_text='Of pages after logging in, and of mails.', max_length=10)),
                ('new_email', models.EmailField(blank=True, max_length=254)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
                'default_permissions': (),
            },
        ),
    ]
