"""Published lists keep what they say of a member, lists can be requested (RBB 1.4), corrections are recorded."""

from datetime import UTC, datetime

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery

import ratings.models.fields
import ratings.office.fields

_FROZEN = ("username", "fide_id", "name", "title", "federation", "sex", "birth_year")


def fill(apps, schema_editor):
    """Give the lists their moment, and the lines what their members are called today and their new keys."""
    using = schema_editor.connection.alias
    lists = apps.get_model("ratings", "RatingList").objects.using(using)
    for published in lists.all():
        month = published.month
        lists.filter(pk=published.pk).update(as_of=datetime(month.year, month.month, 1, tzinfo=UTC))
    entries = apps.get_model("ratings", "RatingListEntry").objects.using(using)
    members = apps.get_model("members", "Member").objects.filter(pk=OuterRef("member_id"))
    entries.update(**{name: Subquery(members.values(name)[:1]) for name in _FROZEN})
    entries.update(id=F("rating_list_id") * 2**32 + F("position"))


def give_rights(apps, schema_editor):
    """Rating officers and auditors look at recalculations, as at the rest of the projections."""
    from django.contrib.auth.management import create_permissions

    using = schema_editor.connection.alias
    app = apps.get_app_config("ratings")
    app.models_module = True
    create_permissions(app, verbosity=0, using=using, apps=apps)
    app.models_module = None
    right = apps.get_model("auth", "Permission").objects.using(using).get(codename="view_recalculation")
    for group in apps.get_model("auth", "Group").objects.using(using).filter(
        name__in=["Rating officers", "Auditors"]
    ):
        group.permissions.add(right)


class Migration(migrations.Migration):
    dependencies = [
        ("members", "0003_history"),
        ("ratings", "0005_published_lists"),
    ]

    operations = [
        migrations.CreateModel(
            name="Recalculation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("category", ratings.models.fields.CategoryField(verbose_name="category")),
                ("since", models.DateTimeField(help_text="The first event whose line is another one since.", verbose_name="reaches back to")),
                ("at", models.DateTimeField(verbose_name="recalculated at")),
                ("lines", models.PositiveIntegerField(help_text="So many lines of the ledger are other ones since.", verbose_name="lines")),
            ],
            options={
                "verbose_name": "recalculation",
                "verbose_name_plural": "recalculations",
                "ordering": ("-at", "-pk"),
                "indexes": [models.Index(fields=["category", "at"], name="recalculation_by_time")],
            },
        ),
        migrations.AlterModelOptions(
            name="ratinglist",
            options={"ordering": ("-as_of", "category", "-revision", "-pk"), "verbose_name": "rating list", "verbose_name_plural": "rating lists"},
        ),
        migrations.AlterModelOptions(
            name="ratinglistentry",
            options={"ordering": ("-pk",), "verbose_name": "rating list entry", "verbose_name_plural": "rating list entries"},
        ),
        migrations.AddField("ratinglist", "as_of", models.DateTimeField(null=True)),
        migrations.AddField(
            "ratinglist", "federation",
            models.CharField(blank=True, default="", help_text="Only its members are on the list.", max_length=3, verbose_name="federation"),
            preserve_default=False,
        ),
        migrations.AddField(
            "ratinglist", "requested_by",
            models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="requested_lists", to="members.member", verbose_name="requested by"),
        ),
        migrations.AlterField(
            "ratinglist", "month",
            models.DateField(blank=True, help_text="First day of the month.", null=True, verbose_name="month"),
        ),
        migrations.RemoveConstraint("ratinglistentry", "list_entry_member"),
        migrations.AddField("ratinglistentry", "username", models.CharField(default="", max_length=150, verbose_name="username"), preserve_default=False),
        migrations.AddField("ratinglistentry", "fide_id", models.PositiveIntegerField(null=True, verbose_name="FIDE ID")),
        migrations.AddField("ratinglistentry", "name", models.CharField(default="", max_length=100, verbose_name="name"), preserve_default=False),
        migrations.AddField("ratinglistentry", "title", models.CharField(default="", max_length=3, verbose_name="title"), preserve_default=False),
        migrations.AddField("ratinglistentry", "federation", models.CharField(default="", max_length=3, verbose_name="federation"), preserve_default=False),
        migrations.AddField(
            "ratinglistentry", "sex",
            models.CharField(choices=[("M", "male"), ("F", "female")], default="", max_length=1, verbose_name="sex"),
            preserve_default=False,
        ),
        migrations.AddField("ratinglistentry", "birth_year", models.PositiveSmallIntegerField(null=True, verbose_name="birth year")),
        migrations.AddField(
            "ratinglistentry", "year_games",
            models.PositiveIntegerField(default=0, help_text="Rated games in the twelve months before.", verbose_name="games in twelve months"),
        ),
        migrations.AlterField("ratinglistentry", "id", ratings.office.fields.ComputedKeyField(editable=False, primary_key=True, serialize=False)),
        migrations.AlterField(
            "ratinglistentry", "member",
            models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="list_entries", to="members.member", verbose_name="member"),
        ),
        migrations.AlterField(
            "ratinglistentry", "rating_list",
            models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="ratings.ratinglist", verbose_name="rating list"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            "ratinglist", "as_of",
            models.DateTimeField(help_text="The state after the last result that had ended then.", verbose_name="as of"),
        ),
        migrations.AddConstraint(
            "ratinglist",
            models.CheckConstraint(
                condition=models.Q(("federation", ""), ("month__isnull", False), ("requested_by", None))
                | models.Q(("month", None), ("requested_by__isnull", False), ("revision", 1)),
                name="rating_list_of_a_month_or_requested",
            ),
        ),
        migrations.AddConstraint(
            "ratinglistentry",
            models.UniqueConstraint(fields=("member", "rating_list"), name="list_entry_member"),
        ),
        migrations.RunPython(give_rights, migrations.RunPython.noop),
    ]
