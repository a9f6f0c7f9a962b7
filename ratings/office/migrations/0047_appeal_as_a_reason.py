"""A reason for decisions after an appeal; nothing in the database changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('office', '0046_epochs_and_ends'),
    ]

    operations = [
        migrations.AlterField(
            model_name='changeset',
            name='public_reason',
            field=models.CharField(choices=[('routine', 'Regular work of the office'), ('error', 'Entered in error'), ('fair-play', 'Fair play'), ('result', 'Result corrected'), ('duplicate', 'Duplicate'), ('appeal', 'After an appeal'), ('organizer', 'At the request of the organizer'), ('other', 'Other')], default='routine', max_length=9, verbose_name='public reason'),
        ),
    ]
