"""Tournaments over the board moved to ``ratings.otb``."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("otb", "0001_rooms"),
        ('fide', '0005_tournament_rights'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.RemoveField(
                model_name='acceptedfinding',
                name='accepted_by',
            ),
            migrations.RemoveField(
                model_name='acceptedfinding',
                name='tournament',
            ),
            migrations.DeleteModel(
                name='AssociationMember',
            ),
            migrations.RemoveField(
                model_name='otblist',
                name='published_by',
            ),
            migrations.RemoveField(
                model_name='otblist',
                name='taken_from',
            ),
            migrations.RemoveField(
                model_name='otblistentry',
                name='otb_list',
            ),
            migrations.RemoveField(
                model_name='tournament',
                name='report',
            ),
            migrations.RemoveField(
                model_name='tournamentreport',
                name='tournament',
            ),
            migrations.RemoveField(
                model_name='tournamentresult',
                name='tournament',
            ),
            migrations.RemoveField(
                model_name='tournamentreport',
                name='received_by',
            ),
            migrations.DeleteModel(
                name='AcceptedFinding',
            ),
            migrations.DeleteModel(
                name='OtbList',
            ),
            migrations.DeleteModel(
                name='OtbListEntry',
            ),
            migrations.DeleteModel(
                name='Tournament',
            ),
            migrations.DeleteModel(
                name='TournamentResult',
            ),
            migrations.DeleteModel(
                name='TournamentReport',
            ),
        ]),
    ]
