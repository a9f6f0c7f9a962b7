"""An index for the openings of a member, in place of the constraint that the next migration takes away."""

from django.db import migrations, models

from foa.indexes import AddIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ratings", "0045_entries_of_the_register")]

    operations = [
        AddIndex(
            "openingrating",
            models.Index(fields=["member", "category", "effective_at"], name="openings_of_member"),
        )
    ]
