"""A period of an over-the-board adjustment is a month (RBB 3.15): its first day, and one change in it.

Where a member has two adjustments of one category in a month, the one that was entered later is deleted: had the
period been the month, it would have been refused. Its history says why.
"""

from django.db import migrations
from django.db.models.functions import ExtractDay
from django.utils import timezone

_FIRST_DAY = "RBB 3.15: a period is a month, stored as its first day"
_TWICE = "RBB 3.15: the member has an earlier entry for this month, and a month's change is added once"


def one_in_a_month(apps, schema_editor):
    """First days of months everywhere; of two adjustments of a month the one that was entered first stays."""
    using = schema_editor.connection.alias
    adjustments = apps.get_model("ratings", "OtbAdjustment")._base_manager.using(using)
    history = apps.get_model("ratings", "HistoricalOtbAdjustment")._base_manager.using(using)
    deleted = 0
    within = adjustments.annotate(day=ExtractDay("period")).exclude(day=1)
    months = {(one.member_id, one.category, one.period.replace(day=1)) for one in within}
    for member, category, month in sorted(months):
        same = adjustments.filter(
            member_id=member, category=category, period__year=month.year, period__month=month.month
        )
        first, *later = same.order_by("pk")
        for one in later:
            _note(history, one, "-", _TWICE)
            print(
                f"  Deleted: over-the-board adjustment {one.pk} of {one.member.username}, "
                f"{one.period:%Y-%m-%d}, {one.change:+}. Adjustment {first.pk} is of the same month (RBB 3.15)."
            )
            one.delete()
            deleted += 1
        if first.period != month:
            first.period = month
            first.save(update_fields=["period"])
            _note(history, first, "~", _FIRST_DAY)
    if deleted:
        print("  Run “manage.py replay” now: ratings still contain what was deleted.")


def _note(history, one, what, why):
    """A line of the history, as if somebody had changed it."""
    columns = [field.attname for field in one._meta.concrete_fields]
    history.create(
        **{column: getattr(one, column) for column in columns},
        history_type=what,
        history_date=timezone.now(),
        history_change_reason=why,
    )


class Migration(migrations.Migration):

    dependencies = [
        # An adjustment that an announcement made goes with the record of it.
        ("fide", "0006_rooms"),
        ("ratings", "0012_rights_of_memberships"),
    ]

    operations = [migrations.RunPython(one_in_a_month, migrations.RunPython.noop)]
