"""Whoever brings files, and auditors, look at what was found in them."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("office", "0040_file_imports"), ("ratings", "0004_groups")]

    operations = [
        grant(
            "office",
            dict.fromkeys(("Rating officers", "Registrars", "Auditors"), ["view_fileimport"]),
        )
    ]
