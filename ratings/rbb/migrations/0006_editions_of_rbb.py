"""Editions of RBB by date, and who may decide about them."""

from django.db import migrations, models
from django.db.models.deletion import PROTECT

from ratings.office.roles import grant


class Migration(migrations.Migration):
    dependencies = [("office", "0007_about"), ("ratings", "0005_running_clocks")]

    operations = [
        migrations.CreateModel(
            "RuleEdition",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    'since',
                    models.DateField(
                        'in force from',
                        unique=True,
                        help_text='It applies to events from 00:00 UTC on this day.',
                    ),
                ),
                (
                    "toml",
                    models.TextField(
                        "rules", max_length=10_000, help_text="TOML. docs/lab.md lists all fields."
                    ),
                ),
                (
                    "change_set",
                    models.ForeignKey(
                        "office.changeset",
                        PROTECT,
                        null=True,
                        related_name="+",
                        verbose_name="change set",
                        help_text="The decision, in the register.",
                    ),
                ),
            ],
            options={
                "verbose_name": "RBB edition",
                "verbose_name_plural": "RBB editions",
                "ordering": ('since',),
                "default_permissions": ("add", "delete", "view"),
            },
        ),
        grant("ratings", model="ruleedition"),
    ]
