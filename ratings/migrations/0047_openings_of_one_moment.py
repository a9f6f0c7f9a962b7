"""Two accounts that become one may have openings of one moment: each has its line in the ledger."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("ratings", "0046_openings_by_member")]

    operations = [migrations.RemoveConstraint("openingrating", "opening_rating_unique")]
