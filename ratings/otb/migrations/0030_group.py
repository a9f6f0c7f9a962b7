"""A group for over-the-board tournaments: all that rating officers do there, and what FIDE's lists say."""

from django.db import migrations

from ratings.office.rights import found, grant

_GROUP = "Over the board"
_ALL = ("add", "change", "delete", "view")
_RIGHTS = {
    "tournament": (*_ALL, "receive", "judge"),
    "otblist": ("view", "close"),
    "associationmember": ("add", "change", "view"),
    "ratingfee": _ALL,
    "ratingadministrator": _ALL,
    "feepayment": ("add", "delete", "view"),
}
_SEEN = ("acceptedfinding", "otblistentry", "refusal", "reportedplayer", "tournamentreport", "tournamentresult")


class Migration(migrations.Migration):

    dependencies = [
        ("otb", "0006_rights_of_fees"),
        ("fide", "0008_rights_of_announced_months"),
        ("members", "0009_federations"),
        ("office", "0030_fair_play"),
    ]

    operations = [
        found(_GROUP),
        grant(
            "otb",
            {
                _GROUP: [
                    *(f"{right}_{model}" for model, rights in _RIGHTS.items() for right in rights),
                    *(f"view_{model}" for model in _SEEN),
                ]
            },
        ),
        grant(
            "fide",
            {_GROUP: [f"view_{model}" for model in ("announcement", "fidelist", "fideplayer", "fiderating")]},
        ),
        grant("members", {_GROUP: ["view_member", "view_fullmembership"]}),
        grant("office", {_GROUP: ["view_changeset", "view_movedrating", "view_job"]}),
    ]
