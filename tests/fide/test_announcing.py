"""RBB 1.3 and 3.15: the over-the-board changes of a list are added to the ratings, once."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from members.models import FullMembership
from ratings.fide.models import AnnouncedChange, Announcement
from ratings.fide.services.announcing import NotAnnounced, announce, undo_announcement
from ratings.formats.frl import FideControl
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import OpeningRating, OtbAdjustment, RatingChange
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import START, game, member, opening, points, projections, rated
from tests.commands import csv_file, read_csv, run
from tests.fide.office import NOVEMBER, OCTOBER, bring, bring_players, listed, single

pytestmark = pytest.mark.django_db

RAPID, BLITZ, BULLET = Category
COLUMNS = ("fide_id", "period", "rapid", "blitz")


def known(fide_id=1, **ratings):
    """A full member with these ratings and a FIDE ID."""
    who = member(fide_id=fide_id, name=f"Berg, Anna{fide_id}")
    for name, rating in ratings.items():
        opening(who, rating, Category.from_slug(name))
    return who


def november(october, new):
    """Two successive lists of one player."""
    bring_players(OCTOBER, october)
    bring_players(NOVEMBER, new)


def announced():
    return announce(period=NOVEMBER, at=timezone.now())


def everything():
    return [
        *projections(),
        *(
            list(model.objects.order_by("pk").values_list())
            for model in (OtbAdjustment, Announcement, AnnouncedChange)
        ),
    ]


def test_3_15_the_difference_of_two_lists_is_added_to_rapid_and_blitz_and_never_to_bullet():
    who = known(rapid="1500.55", blitz="1400.45", bullet=1300)
    november(listed(1, rapid=1800, blitz=1700), listed(1, rapid=1812, blitz=1689, games=9))
    result = announced()
    assert str(points(who, RAPID)) == "1512.55"
    assert str(points(who, BLITZ)) == "1389.45"
    assert str(points(who, BULLET)) == "1300.00"
    made = AnnouncedChange.objects.get(adjustment__category=RAPID)
    assert (made.previous, made.new, made.games) == (1800, 1812, 9)
    assert (made.adjustment.period, made.adjustment.source) == (NOVEMBER, "FIDE rating list 2025-11")
    assert (result.announcement.count, Announcement.objects.get().count) == (2, 2)
    assert replay(check=True).differences == 0


@pytest.mark.parametrize(("october", "new"), [
    (listed(1, rapid=1800), listed(1, rapid=1850, games=0)),
    (listed(1), listed(1, rapid=1850)),
    (listed(1, rapid=1800), listed(1)),
    (listed(1, rapid=1800), listed(1, rapid=1800)),
    (listed(2, rapid=1800), listed(2, rapid=1850)),
    (listed(1, standard=1800), listed(1, standard=1850)),
    (listed(1, blitz=1800), listed(1, blitz=1850)),
])  # fmt: skip
def test_3_15_without_games_in_that_control_or_without_two_ratings_nothing_is_added(october, new):
    who = known(rapid=1500)
    november(october, new)
    announced()
    assert points(who, RAPID) == 1500
    assert not OtbAdjustment.objects.exists()


def test_1_3_the_change_of_an_unrated_member_is_not_applied_and_the_ledger_says_so():
    who = member(fide_id=1, full_from=datetime(2025, 9, 1, tzinfo=UTC))
    november(listed(1, rapid=1800), listed(1, rapid=1850))
    assert announced().unrated == 1
    assert points(who, RAPID) is None
    line = RatingChange.objects.get(adjustment=OtbAdjustment.objects.get())
    assert (line.why, line.before, line.after) == (Reason.ADJUSTMENT_UNRATED, None, None)


def test_3_2_a_change_may_take_the_rating_under_the_floor():
    who = known(rapid=110)
    november(listed(1, rapid=1800), listed(1, rapid=1780))
    announced()
    assert points(who, RAPID) is None


def test_3_15_games_and_k_stay_as_they_are():
    who = known(blitz=1500)
    november(listed(1, blitz=1800), listed(1, blitz=1850))
    game(who, rated(1500))
    announced()
    standing = RatingChange.objects.filter(member=who).latest("occurred_at")
    assert (standing.games, str(standing.after)) == (1, "1560.00")


def test_3_15_a_second_announcement_does_nothing_and_says_so():
    known(rapid=1500)
    november(listed(1, rapid=1800), listed(1, rapid=1850))
    first = run("announce_frl", "--period", "2025-11")
    assert (first.code, "FIDE rating list 2025-11: 1 adjustment made." in first.out) == (0, True)
    before = everything()
    again = run("announce_frl", "--period", "2025-11")
    assert again.code == 0
    assert again.out.startswith("November 2025 was already announced on ")
    assert again.out.endswith("(FIDE rating list 2025-11, 1 adjustment). Nothing to do.\n")
    assert everything() == before


def test_3_15_a_dry_run_names_everybody_who_would_move_and_changes_nothing():
    known(rapid="1500.55", blitz=110)
    november(listed(1, rapid=1800, blitz=1800), listed(1, rapid=1812, blitz=1780))
    before = everything()
    done = run("announce_frl", "--period", "2025-11", "--dry-run")
    assert done.out.splitlines() == [
        "  Berg, Anna1 (1), rapid: 1500.55 → 1512.55 (+12.00)",
        "  Berg, Anna1 (1), blitz: 110.00 → unrated (−20.00)",
        "FIDE rating list 2025-11: 2 adjustments would be made. "
        "Unchanged: 0 unrated, 0 already adjusted, 0 with a first rating from this list.",
    ]
    assert everything() == before


def test_3_15_undo_takes_back_exactly_what_the_announcement_made():
    who, other = known(rapid=1500), known(2, rapid=1500, blitz=1500)
    november(listed(1, rapid=1800), listed(1, rapid=1850))
    by_hand = OtbAdjustment.objects.create(
        member=other, category=RAPID, period=NOVEMBER, change=7, effective_at=timezone.now(), source="by hand"
    )
    before = everything()
    run("announce_frl", "--period", "2025-11")
    assert points(who, RAPID) == 1550
    done = run("announce_frl", "--period", "2025-11", "--undo")
    assert (done.code, "2025-11: 1 adjustment removed." in done.out.splitlines()) == (0, True)
    assert everything() == before
    assert list(OtbAdjustment.objects.all()) == [by_hand]
    first, back = ChangeSet.objects.order_by("pk")
    assert (first.kind, back.kind, back.undoes) == ("announce", "take-back-announcement", first)
    assert announced().announcement.count == 1
    assert points(who, RAPID) == 1550


def test_a_month_that_was_not_announced_cannot_be_undone():
    done = run("announce_frl", "--period", "2025-11", "--undo")
    assert (done.code, done.err) == (1, "no list of November 2025 was announced.")


def test_3_15_a_member_with_an_adjustment_of_the_month_already_is_left_as_he_is():
    who = known(rapid=1500)
    november(listed(1, rapid=1800), listed(1, rapid=1850))
    OtbAdjustment.objects.create(
        member=who, category=RAPID, period=NOVEMBER, change=7, effective_at=timezone.now(), source="by hand"
    )
    assert announced().entered == 1
    assert points(who, RAPID) == 1507


def test_3_15_a_first_rating_of_this_very_list_contains_the_change_already():
    who = member(fide_id=1, full_from=None)
    november(listed(1, rapid=1800), listed(1, rapid=1850))
    FullMembership.objects.create(member=who, full_from=START)
    assert points(who, RAPID) == 1850
    assert announced().contained == 1
    assert points(who, RAPID) == 1850


def test_3_15_two_successive_lists_move_a_member_by_exactly_their_differences():
    december = NOVEMBER.replace(month=12)
    bring_players(OCTOBER, listed(1, rapid=1800))
    who = member(fide_id=1, full_from=datetime(2025, 10, 9, tzinfo=UTC))
    assert points(who, RAPID) == 1800
    for period, rating in ((NOVEMBER, 1815), (december, 1790)):
        bring_players(period, listed(1, rapid=rating))
        announce(period=period, at=timezone.now())
        assert points(who, RAPID) == rating
    assert OpeningRating.objects.count() == 3
    assert OtbAdjustment.objects.count() == 2


def test_3_15_both_lists_of_both_controls_are_needed():
    known(rapid=1500)
    bring_players(NOVEMBER, listed(1, rapid=1850))
    done = run("announce_frl", "--period", "2025-11")
    assert (done.code, done.err) == (
        1,
        "the rapid list of October 2025 was not imported: "
        "what changed from October 2025 to November 2025 is not known.",
    )
    bring(OCTOBER, single(FideControl.RAPID, OCTOBER, listed(1, rapid=1800)), control=FideControl.RAPID)
    with pytest.raises(NotAnnounced, match="the blitz list of October 2025 was not imported"):
        announced()
    assert not Announcement.objects.exists()


def test_3_15_lists_are_announced_with_as_many_statements_for_many_as_for_few(django_assert_max_num_queries):
    for number in range(1, 31):
        known(number, rapid=1500)
    bring_players(OCTOBER, *(listed(number, rapid=1800) for number in range(1, 31)))
    bring_players(NOVEMBER, *(listed(number, rapid=1810) for number in range(1, 31)))
    with django_assert_max_num_queries(70):
        assert announced().announcement.count == 30


def changes(tmp_path, *rows, columns=COLUMNS):
    return csv_file(tmp_path / "changes.csv", [dict(zip(COLUMNS, row, strict=True)) for row in rows], columns)


def test_3_15_the_changes_of_a_file_are_added_to_the_hundredth(tmp_path):
    who, unrated = known(rapid="1500.55", blitz=1400), member(fide_id=2, full_from=None)
    file = changes(tmp_path, (1, "2025-11", "-12.40", "0.05"), (2, "2025-11", "3", ""))
    done = run("import_otb_changes", file, "--period", "2025-11")
    assert (done.code, ": 3 adjustments made. Unchanged: 1 unrated" in done.out) == (0, True)
    assert (str(points(who, RAPID)), str(points(who, BLITZ))) == ("1488.15", "1400.05")
    assert points(unrated, RAPID) is None
    announcement = Announcement.objects.get()
    assert (announcement.source, len(announcement.sha256)) == ("changes.csv", 64)
    assert len(undo_announcement(period=NOVEMBER).changes) == 3
    assert str(points(who, RAPID)) == "1500.55"


def test_3_15_a_month_is_announced_once_from_lists_or_from_a_file(tmp_path):
    who = known(rapid=1500)
    november(listed(1, rapid=1800), listed(1, rapid=1850))
    announced()
    done = run("import_otb_changes", changes(tmp_path, (1, "2025-11", "9", "")), "--period", "2025-11")
    assert (done.code, "Nothing to do" in done.out) == (0, True)
    assert points(who, RAPID) == 1550


@pytest.mark.parametrize(("row", "reason"), [
    ((1, "2025-10", "1", ""), "period: “2025-10” is not 2025-11"),
    ((3, "2025-11", "1", ""), "fide_id: “3” isn’t the FIDE ID of a member"),
    (("x", "2025-11", "1", ""), "fide_id: “x” isn’t the FIDE ID of a member"),
    (("9" * 30, "2025-11", "1", ""), "isn’t the FIDE ID of a member"),
    ((2, "2025-11", "1", ""), "fide_id: 2 is already in line 2"),
    ((1, "2025-11", "1.005", ""), "rapid: “1.005” is not a number with at most two decimals (RBB 3.1)"),
    ((1, "2025-11", "", "NaN"), "blitz: “NaN” is not a number"),
    ((1, "2025-11", "", "1e999999999"), "blitz: “1e999999999” is not a number"),
    ((1, "2025-11", "", "4000.01"), "between -4000.00 and 4000.00"),
])  # fmt: skip
def test_a_file_with_one_row_that_is_refused_is_not_stored(tmp_path, row, reason):
    known(rapid=1500)
    known(2, rapid=1500)
    before = everything()
    refused = tmp_path / "refused.csv"
    file = changes(tmp_path, (2, "2025-11", "5", ""), row)
    done = run("import_otb_changes", file, "--period", "2025-11", "--refused", refused)
    assert done.code == 1
    assert "refused, line 3: " in done.err
    assert reason in done.err
    assert "1 row was refused, so nothing was stored." in done.err
    assert [one["line"] for one in read_csv(refused)] == ["3"]
    assert everything() == before


def test_a_file_without_its_columns_is_refused(tmp_path):
    file = changes(tmp_path, columns=("fide_id", "rapid"))
    done = run("import_otb_changes", file, "--period", "2025-11")
    assert (done.code, "changes.csv: " in done.err) == (1, True)
