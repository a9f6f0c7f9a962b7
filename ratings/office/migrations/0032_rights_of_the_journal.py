"""Rating officers, those for fair play and auditors look at the journal."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("office", "0031_journal"), ("ratings", "0004_groups")]

    operations = [grant("office", dict.fromkeys(("Rating officers", "Fair play", "Auditors"), ["view_journal"]))]
