"""B.02 2.1: by which other laws than FIDE's the games of a tournament were played."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('otb', '0032_names_of_files'),
    ]

    operations = [
        migrations.AddField(
            model_name='tournament',
            name='other_laws',
            field=models.CharField(blank=True, db_default='', default='', help_text='How the games differed from FIDE’s laws. This needs the consent of FIDE’s Technical Commission (B.02 2.1). Everybody can read it.', max_length=255, verbose_name='changes to the laws of chess'),
        ),
    ]
