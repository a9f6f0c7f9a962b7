"""The audit of RBB 3.4 and 3.15: each fault is found when it is written behind the office's back."""

from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.utils import timezone

from ratings.fide.models import Determination
from ratings.fide.services.announcing import announce
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import OpeningRating, OtbAdjustment
from ratings.rules.time_controls import Category
from tests.arena import game, member, points
from tests.fide.office import NOVEMBER, OCTOBER, bring_players, listed
from tests.rbb.test_audit_of_games import in_order

pytestmark = pytest.mark.django_db

RAPID, BLITZ, _ = Category
CHECKS = ("first-ratings", "first-ratings-not-determined", "announced-changes", "changes-twice-in-a-month")
JOINED = datetime(2025, 10, 2, tzinfo=UTC)


def an_announcement():
    """A member of October with a first rating, whose change of November was announced."""
    anna = member("anna", fide_id=1, full_from=JOINED)
    member("boris", fide_id=2, full_from=datetime(2025, 9, 1, tzinfo=UTC))
    bring_players(OCTOBER, listed(1, rapid=1500), listed(2, blitz=1400))
    anna.full_memberships.get().save()
    bring_players(NOVEMBER, listed(1, rapid=1510), listed(2, blitz=1390))
    announce(period=NOVEMBER, at=datetime(2025, 11, 3, tzinfo=UTC))
    assert points(anna, RAPID) == 1510
    return anna


@pytest.fixture(scope="class")
def anna(standing):
    return standing(an_announcement)


def found():
    """What the audit finds: check, key and text."""
    audit(only=CHECKS)
    return in_order((one.check_name, one.key, str(one)) for one in AuditFinding.objects.filter(is_there=True))


def sql(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def stored(moment):
    """A moment as the database has it."""
    return connection.ops.adapt_datetimefield_value(moment)


def mend():
    """Make the decision that mends the only finding."""
    finding = AuditFinding.objects.get(is_there=True)
    mends = finding.mends
    decide_at_once(Proposal(kind=kind_of(mends["kind"]), parameters=mends["parameters"]))


def test_nothing_is_found_where_nothing_is_wrong(anna):
    assert found() == []


def test_3_4_a_first_rating_that_the_lists_do_not_give(anna):
    sql("UPDATE ratings_openingrating SET rating = 160000 WHERE category = %s", BLITZ.value)
    told = (
        "anna, blitz: first rating 1600.00 (FIDE rating list 2025-10, rapid). "
        "By the FIDE lists, it should be 1500.00 (FIDE rating list 2025-10, rapid)."
    )
    assert found() == [("first-ratings", f"member {anna.pk} blitz", told)]
    mend()
    assert OpeningRating.objects.get(category=BLITZ).rating == 1500
    assert found() == []


def test_3_4_a_first_rating_that_is_missing(anna):
    opening = OpeningRating.objects.get(category=BLITZ)
    sql("DELETE FROM fide_firstrating WHERE opening_id = %s", opening.pk)
    sql("DELETE FROM ratings_rating WHERE category = %s", BLITZ.value)
    sql("DELETE FROM ratings_ratingchange WHERE category = %s", BLITZ.value)
    sql("DELETE FROM ratings_openingrating WHERE id = %s", opening.pk)
    told = (
        "anna, blitz: no first rating. "
        "By the FIDE lists, it should be 1500.00 (FIDE rating list 2025-10, rapid)."
    )
    assert found() == [("first-ratings", f"member {anna.pk} blitz", told)]
    mend()
    assert points(anna, BLITZ) == 1500
    assert found() == []


def test_3_4_a_first_rating_of_a_member_without_fide_id(anna):
    sql("UPDATE members_member SET fide_id = NULL WHERE id = %s", anna.pk)
    keys = [(check, key) for check, key, _text in found()]
    first = [("first-ratings", f"member {anna.pk} {category.slug}") for category in Category]
    assert sorted(keys) == sorted([*first, ("announced-changes", f"member {anna.pk} rapid 2025-11")])


def test_3_15_a_change_that_the_lists_do_not_give(anna):
    sql("UPDATE ratings_otbadjustment SET change = 2000 WHERE member_id = %s", anna.pk)
    told = (
        "anna, rapid, 2025-11: change +20.00 (3 Nov 2025, 00:00 UTC). "
        "By the FIDE lists, it should be +10.00 (3 Nov 2025, 00:00 UTC)."
    )
    assert found() == [("announced-changes", f"member {anna.pk} rapid 2025-11", told)]
    mend()
    assert OtbAdjustment.objects.get(member=anna).change == 10
    assert found() == []


def test_3_15_a_change_at_another_moment_than_its_announcement(anna):
    sql(
        "UPDATE ratings_otbadjustment SET effective_at = %s WHERE member_id = %s",
        stored(datetime(2025, 11, 5, tzinfo=UTC)),
        anna.pk,
    )
    ((check, _key, told),) = found()
    assert (check, "5 Nov 2025, 00:00 UTC" in told) == ("announced-changes", True)


def test_3_15_a_change_of_an_announced_month_that_is_missing(anna):
    adjustment = OtbAdjustment.objects.get(member=anna)
    sql("DELETE FROM fide_announcedchange WHERE adjustment_id = %s", adjustment.pk)
    sql("DELETE FROM ratings_otbadjustment WHERE id = %s", adjustment.pk)
    replay()
    told = "anna, rapid, 2025-11: no change. By the FIDE lists, it should be +10.00 (3 Nov 2025, 00:00 UTC)."
    assert found() == [("announced-changes", f"member {anna.pk} rapid 2025-11", told)]
    mend()
    assert points(anna, RAPID) == 1510


def test_3_4_a_first_rating_without_the_record_of_its_determination(anna):
    sql("DELETE FROM fide_determination WHERE member_id = %s", anna.pk)
    told = "anna has first ratings, but there’s no record of how they were determined."
    assert found() == [("first-ratings-not-determined", f"member {anna.pk}", told)]
    mend()
    assert Determination.objects.filter(member=anna, fide_id=1).exists()
    assert found() == []


def test_3_15_a_change_that_is_there_twice_in_a_month(anna):
    # The database refuses it, so its constraint has to go first.
    if connection.vendor == "sqlite":
        sql("PRAGMA ignore_check_constraints = ON")
    else:
        sql("SET CONSTRAINTS ALL IMMEDIATE")
        sql("ALTER TABLE ratings_otbadjustment DROP CONSTRAINT otb_adjustment_of_a_month")
    sql(
        "INSERT INTO ratings_otbadjustment (member_id, category, period, change, effective_at, source)"
        " VALUES (%s, %s, %s, 1000, %s, 'raw')",
        anna.pk,
        RAPID.value,
        date(2025, 11, 3),
        stored(timezone.now()),
    )
    try:
        told = "anna, rapid, 2025-11: more than one change (2)."
        assert found() == [("changes-twice-in-a-month", f"member {anna.pk} rapid 2025-11", told)]
        mend()
        assert found() == []
    finally:
        if connection.vendor == "sqlite":
            sql("PRAGMA ignore_check_constraints = OFF")


def test_a_first_rating_that_waits_is_found_until_it_is_given():
    """The list of the first day came after the member had played; nothing gives such a rating by itself."""
    cleo = member("cleo", fide_id=3, full_from=JOINED)
    game(cleo, member("dora"))
    bring_players(OCTOBER, listed(3, rapid=1500))
    audit(only=["first-ratings-waiting"])
    findings = AuditFinding.objects.filter(is_there=True).order_by("key")
    assert [(one.key, str(one)) for one in findings] == [
        (
            f"member {cleo.pk} {category}",
            f"cleo, {category}: the first rating of 1500.00 (FIDE rating list 2025-10, rapid) hasn’t"
            " been applied yet.",
        )
        for category in ("blitz", "bullet", "rapid")
    ]
    mends = findings[0].mends
    decide_at_once(Proposal(kind=kind_of(mends["kind"]), parameters=mends["parameters"]))
    audit(only=["first-ratings-waiting"])
    assert not AuditFinding.objects.filter(is_there=True).exists()
