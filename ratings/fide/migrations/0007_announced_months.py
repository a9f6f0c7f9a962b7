"""RBB 3.15: the moment of an announcement belongs to its month, and stays when it is taken back."""

import ratings.office.fields
from django.db import migrations, models
from django.db.models import Min
import django.db.models.lookups


def keep_first_moments(apps, schema_editor):
    """Of months that are announced, and of those that were: the history has the adjustments taken back."""
    using = schema_editor.connection.alias
    deleted = apps.get_model("ratings", "HistoricalOtbAdjustment").objects.using(using).filter(history_type="-")
    first = {
        period.replace(day=1): moment
        for period, source, moment in deleted.order_by().values_list("period", "source").annotate(
            first=Min("effective_at")
        )
        if source == f"FIDE rating list {period:%Y-%m}"
    }
    for one in apps.get_model("fide", "Announcement").objects.using(using).all():
        month = one.period.replace(day=1)
        first[month] = min(first.get(month, one.announced_at), one.announced_at)
    months = apps.get_model("fide", "AnnouncedMonth")
    months.objects.using(using).bulk_create(
        [months(period=period, announced_at=moment) for period, moment in sorted(first.items())]
    )


class Migration(migrations.Migration):

    dependencies = [
        ("fide", "0006_rooms"),
        ("ratings", "0014_adjustment_of_a_month"),
    ]

    operations = [
        migrations.CreateModel(
            name='AnnouncedMonth',
            fields=[
                ('period', ratings.office.fields.MonthField(help_text="First day of the list's month.", primary_key=True, serialize=False, verbose_name='period')),
                ('announced_at', models.DateTimeField(verbose_name='first announced at')),
            ],
            options={
                'verbose_name': 'announced month',
                'verbose_name_plural': 'announced months',
                'ordering': ('-period',),
                'constraints': [models.CheckConstraint(condition=django.db.models.lookups.Exact(ratings.office.fields.DayOfMonth(models.F('period')), 1), name='announced_month_is_a_month')],
            },
        ),
        migrations.RunPython(keep_first_moments, migrations.RunPython.noop),
    ]
