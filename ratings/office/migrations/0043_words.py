"""Help and errors in other words; nothing in the database changes."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('office', '0041_rights_of_file_imports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterConstraint(
            model_name='changeset',
            name='change_set_seconded_by_another',
            constraint=models.CheckConstraint(condition=models.Q(('seconded_by', None), ('proposed_by', None), models.Q(('seconded_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='change_set_seconded_by_another', violation_error_message='Another person has to confirm it.'),
        ),
    ]
