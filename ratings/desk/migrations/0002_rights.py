"""Rating officers handle cases and write notes about members; auditors see both."""

from django.db import migrations

from ratings.office.rights import grant

_SEEN = ("view_case", "view_caseentry", "view_membernote")


class Migration(migrations.Migration):

    dependencies = [("desk", "0001_cases"), ("ratings", "0004_groups")]

    operations = [
        grant(
            "desk",
            {
                "Rating officers": (*_SEEN, "add_case", "handle_case", "add_membernote"),
                "Auditors": _SEEN,
            },
        )
    ]
