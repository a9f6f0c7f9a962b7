"""RBB 3.15: what 0.5.0 stored under other days than the first becomes months."""

from datetime import UTC, date, datetime
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from ratings.fide.models import AnnouncedChange, AnnouncedMonth, Announcement
from ratings.fide.services.announcing import announce, undo_announcement
from ratings.models import OtbAdjustment
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import replay
from tests.arena import member, opening, points, rated
from tests.fide.office import NOVEMBER, OCTOBER, bring_players, listed

pytestmark = pytest.mark.django_db

RAPID, BLITZ, _ = Category
MONTHS = import_module("ratings.migrations.0013_adjustments_by_month")
MOMENTS = import_module("ratings.fide.migrations.0007_announced_months")
ANNOUNCED = datetime(2025, 11, 5, tzinfo=UTC)


@pytest.fixture
def unconstrained():
    """As the table was in 0.5.0."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = ON")
        else:
            cursor.execute("ALTER TABLE ratings_otbadjustment DROP CONSTRAINT otb_adjustment_of_a_month")
    yield
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


def migrate(step, *state):
    """Take the step of a migration, with the models of before it."""
    step(MigrationLoader(connection).project_state(list(state)).apps, SimpleNamespace(connection=connection))


def months():
    migrate(MONTHS.one_in_a_month, ("ratings", "0011_publications"), ("fide", "0006_rooms"))


def insert(who, category, period, change):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO ratings_otbadjustment (member_id, category, period, change, effective_at, source)"
            " VALUES (%s, %s, %s, %s, %s, 'by hand')",
            [who.pk, category.value, period, change, connection.ops.adapt_datetimefield_value(ANNOUNCED)],
        )


def test_3_15_of_two_entries_of_a_month_the_first_stays_and_the_other_goes_with_a_word(unconstrained, capsys):
    who = member("anna", fide_id=1, full_from=datetime(2025, 9, 1, tzinfo=UTC))
    opening(who, 1500, RAPID, minute=-200_000)
    insert(who, RAPID, date(2025, 11, 3), 5000)
    bring_players(OCTOBER, listed(1, rapid=1800))
    bring_players(NOVEMBER, listed(1, rapid=1850))
    kept = OtbAdjustment.objects.get()
    insert(who, RAPID, date(2025, 11, 1), 5000)
    twice = OtbAdjustment.objects.latest("pk")
    announcement = Announcement.objects.create(period=NOVEMBER, source="list", announced_at=ANNOUNCED)
    AnnouncedChange.objects.create(adjustment=twice, announcement=announcement)
    replay()
    assert points(who, RAPID) == 1600
    months()
    assert list(OtbAdjustment.objects.values_list("pk", "period")) == [(kept.pk, NOVEMBER)]
    assert not AnnouncedChange.objects.exists()
    told = capsys.readouterr().out
    assert f"Deleted: over-the-board adjustment {twice.pk} of anna, 2025-11-01, +50" in told
    assert "manage.py replay" in told
    rows = OtbAdjustment.history.order_by("history_id")
    told = [(one.id, one.history_type, one.history_change_reason) for one in rows]
    assert told == [(twice.pk, "-", MONTHS._TWICE), (kept.pk, "~", MONTHS._FIRST_DAY)]
    replay()
    assert points(who, RAPID) == 1550


def test_3_15_another_day_becomes_the_first_and_months_stay(unconstrained, capsys):
    who, other = rated(1500, RAPID), rated(1500, RAPID)
    insert(who, RAPID, date(2025, 11, 30), 5000)
    insert(who, BLITZ, date(2025, 11, 1), 100)
    insert(other, RAPID, date(2025, 12, 1), 200)
    months()
    rows = OtbAdjustment.objects.order_by("pk").values_list("member", "category", "period")
    assert list(rows) == [
        (who.pk, RAPID, NOVEMBER), (who.pk, BLITZ, NOVEMBER), (other.pk, RAPID, date(2025, 12, 1)),
    ]  # fmt: skip
    assert capsys.readouterr().out == ""


def test_3_15_the_first_moment_of_a_month_is_found_in_the_history_of_what_was_taken_back():
    who = member(fide_id=1, full_from=datetime(2025, 9, 1, tzinfo=UTC))
    opening(who, 1500, RAPID, minute=-200_000)
    for month in (9, 10, 11):
        bring_players(date(2025, month, 1), listed(1, rapid=1800 + month))
    announce(period=OCTOBER, at=datetime(2025, 10, 4, tzinfo=UTC))
    announce(period=NOVEMBER, at=datetime(2025, 11, 4, tzinfo=UTC))
    undo_announcement(period=OCTOBER)
    undo_announcement(period=NOVEMBER)
    AnnouncedMonth.objects.all().delete()
    Announcement.objects.create(period=NOVEMBER, source="FIDE rating list 2025-11", announced_at=ANNOUNCED)
    december = date(2025, 12, 1)
    Announcement.objects.create(period=december, source="changes.csv", announced_at=ANNOUNCED)
    migrate(
        MOMENTS.keep_first_moments,
        ("ratings", "0014_adjustment_of_a_month"),
        ("fide", "0007_announced_months"),
    )
    assert dict(AnnouncedMonth.objects.values_list("period", "announced_at")) == {
        OCTOBER: datetime(2025, 10, 4, tzinfo=UTC),
        NOVEMBER: datetime(2025, 11, 4, tzinfo=UTC),
        december: ANNOUNCED,
    }
