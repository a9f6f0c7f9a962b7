"""Recalculated lines of a member without facts go with the member."""

from django.db import migrations, models
from django.db.models.deletion import CASCADE, SET_NULL


def key(on_delete, verbose_name, **options):
    return models.ForeignKey(
        "members.member",
        on_delete,
        "+",
        db_constraint=False,
        db_index=False,
        verbose_name=verbose_name,
        **options,
    )


class Migration(migrations.Migration):
    dependencies = [("members", "0002_arrivals"), ("ratings", "0003_indexes_of_same_games")]

    operations = [
        migrations.AlterField("lateline", "member", key(CASCADE, "member", null=True)),
        migrations.AlterField("recalculatedline", "member", key(CASCADE, "member")),
        migrations.AlterField("recalculatedline", "opponent", key(SET_NULL, "opponent", null=True)),
    ]
