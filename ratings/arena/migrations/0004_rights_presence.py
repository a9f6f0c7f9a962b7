"""Rating officers and auditors see who was gone, and what servers said of the ends of games."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("arena", "0003_presence"), ("ratings", "0004_groups")]

    operations = [grant("arena", dict.fromkeys(("Rating officers", "Auditors"), ["view_presenceevent", "view_sentend"]))]
