"""Those for fair play and for tournaments over the board handle cases; those for fair play also see the rest."""

from django.db import migrations

from ratings.office.rights import grant

_CASES = ("view_case", "view_caseentry", "add_case", "handle_case")


class Migration(migrations.Migration):

    dependencies = [
        ("desk", "0011_rights_of_duplicates"),
        ("office", "0030_fair_play"),
        ("otb", "0030_group"),
    ]

    operations = [
        grant(
            "desk",
            {
                "Fair play": (*_CASES, "view_membernote", "add_membernote", "view_likelyduplicate"),
                "Over the board": _CASES,
            },
        )
    ]
