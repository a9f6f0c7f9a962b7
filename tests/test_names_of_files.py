"""Files are known by their names: no path of the server is stored, nor shown on a public page."""

import pytest

from ratings.rbb.models import ImportBatch, OpeningRating, RatingChange
from tests.arena import member
from tests.commands import csv_file, run, utc

pytestmark = pytest.mark.django_db


def test_the_source_of_an_opening_rating_is_the_name_of_its_file_also_for_visitors(tmp_path, client):
    member("anna")
    row = {"username": "anna", "category": "blitz", "rating": "1799.60", "effective_at": utc(0)}
    assert run("import_ratings", csv_file(tmp_path / "ratings.csv", [row], tuple(row))).code == 0
    assert OpeningRating.objects.get().source == ImportBatch.objects.get().source == "ratings.csv"
    page = client.get(RatingChange.objects.get().get_absolute_url()).text
    assert "Source: ratings.csv." in page
    assert str(tmp_path) not in page
