"""Rating officers and auditors see the outbox."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("office", "0005_outboxentry"), ("ratings", "0011_publications")]

    operations = [grant("office", dict.fromkeys(("Rating officers", "Auditors"), ["view_outboxentry"]))]
