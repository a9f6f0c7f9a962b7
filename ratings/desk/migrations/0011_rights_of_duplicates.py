"""Rating officers look at likely duplicates and say which aren't the same; auditors look at them."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):
    dependencies = [("desk", "0010_likely_duplicates"), ("ratings", "0012_rights_of_memberships")]

    operations = [
        grant(
            "desk",
            {
                "Rating officers": ["view_likelyduplicate", "change_likelyduplicate"],
                "Auditors": ["view_likelyduplicate"],
            },
        )
    ]
