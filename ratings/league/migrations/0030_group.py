"""A group for the league: all that rating officers do there."""

from django.db import migrations

from ratings.office.rights import found, grant

_GROUP = "League"
_INPUTS = ("league", "season", "cycle", "team", "player", "squadplayer", "match", "board")
_RIGHTS = [f"{right}_{model}" for model in _INPUTS for right in ("add", "change", "delete", "view")]


class Migration(migrations.Migration):

    dependencies = [
        ("league", "0003_publications"),
        ("members", "0009_federations"),
        ("office", "0030_fair_play"),
    ]

    operations = [
        found(_GROUP),
        grant("league", {_GROUP: [*_RIGHTS, "view_cycleresult", "view_cyclelist", "close_cyclelist"]}),
        grant("members", {_GROUP: ["view_member", "view_fullmembership"]}),
        grant("office", {_GROUP: ["view_changeset", "view_movedrating", "view_job"]}),
    ]
