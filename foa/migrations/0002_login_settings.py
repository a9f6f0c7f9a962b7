"""What people chose for their login."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('foa', '0001_sessions'),
    ]

    operations = [
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
    ]
