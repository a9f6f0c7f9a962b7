"""Files are known by their names: no path of the server is stored, nor shown on a public page."""

from datetime import UTC, date, datetime
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from ratings.fide.models import Announcement, FideList
from ratings.models import ImportBatch, OpeningRating, OtbAdjustment, RatingChange
from ratings.otb.models import TournamentReport
from ratings.rules.time_controls import Category
from tests.arena import member, opening
from tests.commands import csv_file, run, utc
from tests.otb.tournaments import everybody_listed, received, report, round_robin

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOVEMBER = date(2025, 11, 1)
PATH = "/srv/foa/incoming/2025/"


def test_the_source_of_an_opening_rating_is_the_name_of_its_file_also_for_visitors(tmp_path, client):
    member("anna")
    row = {"username": "anna", "category": "blitz", "rating": "1799.60", "effective_at": utc(0)}
    assert run("import_ratings", csv_file(tmp_path / "ratings.csv", [row], tuple(row))).code == 0
    assert OpeningRating.objects.get().source == ImportBatch.objects.get().source == "ratings.csv"
    page = client.get(RatingChange.objects.get().get_absolute_url()).text
    assert "Source: ratings.csv." in page
    assert str(tmp_path) not in page


def test_an_upgrade_leaves_the_names_of_files_and_what_is_no_path():
    of_file, of_server = (
        ImportBatch.objects.create(source=source, sha256=sha256, imported_at=NOW)
        for source, sha256 in ((f"{PATH}ratings.csv", "0" * 64), ("arena/2", ""))
    )
    anna, bob = opening(member("anna"), 1600), opening(member("bob"), 1700)
    OpeningRating.objects.filter(pk=anna.pk).update(batch=of_file, source=of_file.source)
    OpeningRating.objects.filter(pk=bob.pk).update(source="Club list 2025/26")
    Announcement.objects.create(
        period=NOVEMBER, source=f"{PATH}changes.csv", sha256="1" * 64, announced_at=NOW
    )
    for username, source in (("anna", f"{PATH}changes.csv"), ("bob", "by hand: a/b")):
        OtbAdjustment.objects.create(
            member=member(f"{username}2"),
            category=Category.RAPID,
            period=NOVEMBER,
            change=7,
            effective_at=NOW,
            source=source,
        )
    FideList.objects.create(period=NOVEMBER, source="lists/frl.txt", sha256="2" * 64, imported_at=NOW)
    received(report(everybody_listed(2000, 1900, 1950), round_robin("*1=", "0*1", "=0*")))
    TournamentReport.objects.update(source=f"{PATH}open.trf")
    for module in (
        "ratings.fide.migrations.0010_names_of_files",
        "ratings.otb.migrations.0032_names_of_files",
    ):
        import_module(module).keep_names(apps, SimpleNamespace(connection=connection))

    def sources(model):
        return sorted(model.objects.values_list("source", flat=True))

    assert sources(ImportBatch) == ["arena/2", "ratings.csv"]
    assert of_server.source == "arena/2"
    assert sources(OpeningRating) == ["Club list 2025/26", "ratings.csv"]
    assert sources(Announcement) == ["changes.csv"]
    assert sources(OtbAdjustment) == ["by hand: a/b", "changes.csv"]
    assert sources(FideList) == ["frl.txt", "list.txt"]
    assert sources(TournamentReport) == ["open.trf"]
