"""Rating officers hand out what is stored of a member, and erase members who have left."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):
    dependencies = [("members", "0040_erased_members"), ("ratings", "0012_rights_of_memberships")]

    operations = [grant("members", {"Rating officers": ["erase_member", "export_member"]})]
