"""Rating officers close and reopen accounts; auditors look at what was closed."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [
        ("members", "0010_closures"),
        ("ratings", "0012_rights_of_memberships"),
    ]

    operations = [
        grant(
            "members",
            {
                "Rating officers": ("view_accountclosure", "change_accountclosure", "decide_accountclosure"),
                "Auditors": ("view_accountclosure",),
            },
        )
    ]
