"""Rating officers merge accounts; everybody who looks at members sees their former names."""

from django.db import migrations

from ratings.office.rights import grant

_SEE = ["view_formername", "view_merge"]


class Migration(migrations.Migration):
    dependencies = [("members", "0020_former_names"), ("ratings", "0012_rights_of_memberships")]

    operations = [
        grant(
            "members",
            {
                "Rating officers": [*_SEE, "merge_member", "delete_formername"],
                "Registrars": ["view_formername"],
                "Auditors": _SEE,
            },
        )
    ]
