"""RBB 2.2: an unrated game may have any time control; one that isn't seconds and increment is kept as written."""

from django.db import migrations, models


def keep_them_written(apps, schema_editor):
    """Nothing to do: until now there were none."""


def forget_how_they_are_written(apps, schema_editor):
    """Their games get one control, 0+0, since the earlier version can't tell them apart."""
    alias = schema_editor.connection.alias
    controls = apps.get_model("ratings", "TimeControl")._base_manager.using(alias)
    games = apps.get_model("ratings", "Game")._base_manager.using(alias)
    others = controls.exclude(written="")
    keys = list(others.values_list("pk", flat=True))
    if keys:
        plain, _new = controls.get_or_create(initial=0, increment=0, written="")
        games.filter(time_control_id__in=keys).update(time_control_id=plain.pk)
        others.delete()


class Migration(migrations.Migration):
    dependencies = [("ratings", "0049_games_without_result_checked")]

    operations = [
        migrations.AlterModelOptions(
            name="timecontrol",
            options={
                "ordering": ("written", "initial", "increment"),
                "verbose_name": "time control",
                "verbose_name_plural": "time controls",
            },
        ),
        *(
            migrations.AddField(
                model_name=model,
                name="written",
                field=models.CharField(
                    blank=True,
                    db_default="",
                    default="",
                    help_text="A control that isn't seconds and increment, such as 40/7200:3600.",
                    max_length=100,
                    verbose_name="as written",
                ),
            )
            for model in ("historicaltimecontrol", "timecontrol")
        ),
        migrations.RemoveConstraint(model_name="timecontrol", name="time_control_unique"),
        migrations.AddConstraint(
            model_name="timecontrol",
            constraint=models.UniqueConstraint(
                fields=("initial", "increment", "written"), name="time_control_unique"
            ),
        ),
        migrations.RunPython(keep_them_written, forget_how_they_are_written),
    ]
