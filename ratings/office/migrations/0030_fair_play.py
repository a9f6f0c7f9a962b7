"""A group for fair play: it looks at members, games and what moved, closes accounts and voids games."""

from django.db import migrations

from ratings.office.rights import found, grant

_GROUP = "Fair play"
_SEEN = (
    "game",
    "importbatch",
    "lateline",
    "openingrating",
    "otbadjustment",
    "rating",
    "ratingchange",
    "recalculatedline",
    "recalculation",
    "timecontrol",
)


class Migration(migrations.Migration):

    dependencies = [
        ("office", "0008_rights_of_jobs"),
        ("members", "0021_rights_of_merging"),
        ("ratings", "0019_change_feed"),
    ]

    operations = [
        found(_GROUP),
        grant(
            "members",
            {
                _GROUP: [
                    "view_member",
                    "view_fullmembership",
                    "view_formername",
                    "view_accountclosure",
                    "change_accountclosure",
                    "decide_accountclosure",
                ]
            },
        ),
        grant("ratings", {_GROUP: ["change_game", *(f"view_{model}" for model in _SEEN)]}),
        grant("office", {_GROUP: ["view_changeset", "view_movedrating", "view_job"]}),
    ]
