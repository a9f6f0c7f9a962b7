"""Jobs moved to ``ratings.office``."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("office", "0001_rooms"),
        ('ratings', '0007_jobs'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.DeleteModel(
                name='Job',
            ),
        ]),
    ]
