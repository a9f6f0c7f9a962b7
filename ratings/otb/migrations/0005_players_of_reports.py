"""How many players there are in each report that was received: fees count them (B.02 0.3)."""

import re

from django.db import migrations

# A player's line; the first line may have a mark of its encoding before it.
_PLAYER = re.compile(rb"(?:^|[\r\n])(?:\xef\xbb\xbf)?001 ")
_AT_ONCE = 20


def count_players(apps, schema_editor):
    """Once, from the bytes of each report; they are counted with the next ones when they are received."""
    reports = apps.get_model("otb", "TournamentReport").objects.using(schema_editor.connection.alias)
    for pk, content in reports.values_list("pk", "content").iterator(_AT_ONCE):
        reports.filter(pk=pk).update(players=len(_PLAYER.findall(bytes(content))))


class Migration(migrations.Migration):

    dependencies = [("otb", "0004_fees_administrators_and_periods")]

    operations = [migrations.RunPython(count_players, migrations.RunPython.noop)]
