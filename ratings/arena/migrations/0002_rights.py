"""Rating officers and auditors see game servers; who registers them is a superuser's decision."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("arena", "0001_initial"), ("ratings", "0004_groups")]

    operations = [grant("arena", dict.fromkeys(("Rating officers", "Auditors"), ["view_gameserver"]))]
