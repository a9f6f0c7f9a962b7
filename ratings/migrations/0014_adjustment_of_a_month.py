"""The database takes first days of months only as the period of an over-the-board adjustment (RBB 3.15)."""

import django.db.models.lookups
import ratings.office.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("ratings", "0013_adjustments_by_month")]

    operations = [
        migrations.AlterField(
            model_name='historicalotbadjustment',
            name='period',
            field=ratings.office.fields.MonthField(help_text="First day of the list's month.", verbose_name='period'),
        ),
        migrations.AlterField(
            model_name='otbadjustment',
            name='period',
            field=ratings.office.fields.MonthField(help_text="First day of the list's month.", verbose_name='period'),
        ),
        migrations.AddConstraint(
            model_name='otbadjustment',
            constraint=models.CheckConstraint(condition=django.db.models.lookups.Exact(ratings.office.fields.DayOfMonth(models.F('period')), 1), name='otb_adjustment_of_a_month', violation_error_message='A list period is a month, stored as its first day (RBB 3.15).'),
        ),
    ]
