"""Time controls in words, as long as reports have them."""


from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('otb', '0033_other_laws'),
    ]

    operations = [
        migrations.AlterField(
            model_name='tournament',
            name='time_control',
            field=models.CharField(blank=True, help_text='As in a report: 40/5400+30:1800+30 is 90 minutes for 40 moves, then 30 minutes, with 30 seconds a move (B.02 1.1).', max_length=200, verbose_name='time control'),
        ),
    ]
