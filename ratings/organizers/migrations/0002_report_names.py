"""Name and first day of the tournament in each sent report."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('organizers', '0001_version_0_16_0'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='first_day',
            field=models.DateField(null=True, verbose_name='first day'),
        ),
        migrations.AddField(
            model_name='submission',
            name='name',
            field=models.CharField(blank=True, max_length=150, verbose_name='name of the tournament'),
        ),
    ]
