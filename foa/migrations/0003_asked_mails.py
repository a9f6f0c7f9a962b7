"""How many mails somebody has asked for within an hour, counted for all processes together."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('foa', '0002_login_settings'),
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
    ]
