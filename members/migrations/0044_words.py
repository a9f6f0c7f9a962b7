"""Help and errors in other words; nothing in the database changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0043_invitations'),
    ]

    operations = [
        migrations.AlterField(
            model_name='formername',
            name='since',
            field=models.DateTimeField(help_text='Empty: since the member was registered, or not known.', null=True, verbose_name='since'),
        ),
        migrations.AlterConstraint(
            model_name='fullmembership',
            name='full_membership_from_before_until',
            constraint=models.CheckConstraint(condition=models.Q(('full_until', None), ('full_from__lt', models.F('full_until')), _connector='OR'), name='full_membership_from_before_until', violation_error_message='Membership must end after it starts.'),
        ),
    ]
