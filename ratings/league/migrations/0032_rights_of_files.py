"""Those for the league bring squads and rounds as files."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("league", "0031_decided_history"), ("office", "0041_rights_of_file_imports")]

    operations = [grant("office", {"League": ["view_fileimport"]})]
