"""Help and errors in other words; nothing in the database changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('fide', '0008_rights_of_announced_months'),
    ]

    operations = [
        migrations.AlterField(
            model_name='determination',
            name='fide_id',
            field=models.IntegerField(help_text='The ID that was looked up.', verbose_name='FIDE ID'),
        ),
    ]
