"""RBB 3.4 and 3.15 when facts come late or change: what comes out follows from the facts and their dates."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from members.models import FullMembership, Member
from ratings.fide.models import AnnouncedMonth, Determination, FirstRating
from ratings.fide.services.announcing import announce, undo_announcement
from ratings.fide.services.first_ratings import determine_first_ratings, take_back_first_ratings, waiting
from ratings.fide.services.watch import redetermine, watched
from ratings.fide.upkeep import give_first_ratings, look_up_in_lists
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.rbb.decisions.inputs import EnterAdjustment
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import OpeningRating, OtbAdjustment, RatingChange
from ratings.rbb.models.fields import EventType
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, opening, points, projections
from tests.fide.office import bring_players, everything, history, listed

pytestmark = pytest.mark.django_db

RAPID, BLITZ, BULLET = Category
JANUARY, FEBRUARY = date(2026, 1, 1), date(2026, 2, 1)
SEPTEMBER, OCTOBER, NOVEMBER = (date(2025, month, 1) for month in (9, 10, 11))
LONG_AGO = datetime(2025, 12, 1, tzinfo=UTC)


def moment(month, day, year=2026):
    return datetime(year, month, day, 12, tzinfo=UTC)


def play(white, black, result, when):
    return game(
        white, black, result, notation=CONTROL[RAPID], started_at=when - timedelta(minutes=20), ended_at=when
    )


def rated_member(rating, **fields):
    """Full member since December 2025, with this rapid rating of an earlier system."""
    who = member(full_from=LONG_AGO, **fields)
    OpeningRating.objects.create(
        member=who, category=RAPID, rating=rating, effective_at=LONG_AGO, source="by hand"
    )
    return who


def two_lists(before=2300, after=2400, fide_id=1):
    bring_players(JANUARY, listed(fide_id, rapid=before))
    bring_players(FEBRUARY, listed(fide_id, rapid=after))


def on_the_watch(**options):
    return list(watched(at=timezone.now(), **options))


def applied(**options):
    return redetermine(at=timezone.now(), **options)


class TestTheMomentOfAnAnnouncement:
    def test_3_15_taken_back_and_announced_again_it_is_as_if_it_had_never_been_taken_back(self):
        who, other = rated_member(2000, fide_id=1), rated_member(2000)
        two_lists()
        announce(period=FEBRUARY, at=moment(2, 3))
        play(who, other, "0-1", moment(2, 10))
        # Issue 15, row 2: 2100 − 20 × 0.64 (D 100). 0.5.0 added +100 after the game: 1990 + 100 = 2090.00.
        assert str(points(who, RAPID)) == "2087.20"
        before = projections(), list(OtbAdjustment.objects.values_list())
        undo_announcement(period=FEBRUARY)
        assert str(points(who, RAPID)) == "1990.00"
        announce(period=FEBRUARY, at=moment(2, 20))
        assert str(points(who, RAPID)) == "2087.20"
        assert (projections(), list(OtbAdjustment.objects.values_list())) == before

    def test_3_15_it_is_kept_when_a_corrected_list_is_announced(self):
        who = rated_member(2000, fide_id=1)
        two_lists()
        announce(period=FEBRUARY, at=moment(2, 3))
        undo_announcement(period=FEBRUARY)
        bring_players(FEBRUARY, listed(1, rapid=2390))
        announce(period=FEBRUARY, at=moment(2, 20))
        made = OtbAdjustment.objects.get()
        assert (made.effective_at, made.change, points(who, RAPID)) == (moment(2, 3), 90, 2090)
        assert AnnouncedMonth.objects.get().announced_at == moment(2, 3)

    def test_the_address_of_a_line_that_was_gone_leads_to_it_again(self, client):
        rated_member(2000, fide_id=1)
        two_lists()
        announce(period=FEBRUARY, at=moment(2, 3))
        line = RatingChange.objects.of_kind(EventType.ADJUSTMENT).get()
        undo_announcement(period=FEBRUARY)
        assert client.get(line.get_absolute_url()).status_code == 410
        announce(period=FEBRUARY, at=moment(2, 20))
        assert client.get(line.get_absolute_url()).status_code == 200

    def test_an_opening_that_is_entered_again_has_its_key_again_unless_another_has_taken_it(self):
        who = rated_member(2000)
        facts = {"member": who, "category": RAPID, "effective_at": LONG_AGO, "source": "by hand"}

        def entered_again():
            OpeningRating.objects.get(member=who).delete()
            return OpeningRating.objects.create(**facts, rating=1900).pk

        first = OpeningRating.objects.get().pk
        assert entered_again() == first
        OpeningRating.objects.get().delete()
        opening(member(), 1500, RAPID, pk=first)
        second = OpeningRating.objects.create(**facts, rating=1900).pk
        assert second != first
        assert entered_again() == second


class TestAPeriodIsAMonth:
    def test_3_15_whoever_writes_it_it_is_stored_as_its_first_day_and_added_once(self):
        who = rated_member(2000, fide_id=1)
        two_lists()
        # Issue 15, row 3: 0.5.0 took 3 February for another period, and added the change twice.
        by_hand = OtbAdjustment.objects.create(
            member=who,
            category=RAPID,
            period=date(2026, 2, 3),
            change=100,
            effective_at=moment(2, 3),
            source="by hand",
        )
        assert by_hand.period == FEBRUARY
        assert announce(period=FEBRUARY, at=moment(2, 4)).entered == 1
        assert points(who, RAPID) == 2100
        assert OtbAdjustment.objects.get().period == FEBRUARY

    def test_it_is_found_by_any_of_its_days(self):
        who = rated_member(2000)
        facts = {"member": who, "category": RAPID, "change": 1, "effective_at": moment(2, 3), "source": "x"}
        with_day = OtbAdjustment(**facts, period=date(2026, 2, 28))
        with transaction.atomic():
            with_day.save()
        assert OtbAdjustment.objects.get(period=date(2026, 2, 11)) == with_day
        with pytest.raises(IntegrityError), transaction.atomic():
            OtbAdjustment.objects.create(**facts, period=date(2026, 2, 2))

    def test_the_database_takes_no_other_day(self):
        who = rated_member(2000)
        OtbAdjustment.objects.create(
            member=who, category=RAPID, period=FEBRUARY, change=1, effective_at=moment(2, 3), source="x"
        )
        with (
            pytest.raises(IntegrityError, match="otb_adjustment_of_a_month"),
            connection.cursor() as cursor,
            transaction.atomic(),
        ):
            cursor.execute("UPDATE ratings_otbadjustment SET period = '2026-02-03'")

    def test_a_form_shows_the_month_that_is_stored(self):
        who = rated_member(2000)
        asked = {
            "member": [str(who.pk)],
            "category": [str(RAPID.value)],
            "period": ["2026-02-03"],
            "change": ["5"],
            "effective_at": ["2026-02-03T12:00:00Z"],
            "source": ["by hand"],
        }
        _done, effect = decide_at_once(Proposal(kind=EnterAdjustment(), parameters=asked))
        assert "2026-02-01" in [fact.after for fact in effect.inputs]


class TestTheOrderOfEntry:
    def test_3_15_a_change_counts_for_who_is_found_to_have_been_rated_at_its_moment(self):
        who, other = member(fide_id=1, full_from=LONG_AGO), rated_member(1600)
        two_lists(1500, 1550)
        games = [("1-0", 5), ("0-1", 6), ("1/2-1/2", 7), ("1/2-1/2", 8), ("1/2-1/2", 9)]
        for result, day in games[:4]:
            play(who, other, result, moment(1, day))
        announce(period=FEBRUARY, at=moment(2, 3))
        line = RatingChange.objects.of_kind(EventType.ADJUSTMENT).get()
        assert (line.why, points(who, RAPID)) == (Reason.ADJUSTMENT_UNRATED, None)
        # Issue 15, row 4: 2.5 of 5 against 1600 is 1600.00, and +50. 0.5.0 forgot the change: 1600.00.
        play(who, other, "1/2-1/2", moment(1, 9))
        assert str(points(who, RAPID)) == "1650.00"
        assert replay(check=True).differences == 0

    def test_3_15_a_fide_id_that_becomes_known_later_brings_the_changes_announced_before(self):
        two_lists(2300, 2340, fide_id=1)
        who = rated_member(2000)
        announce(period=FEBRUARY, at=moment(2, 3))
        who.fide_id = 1
        who.save()
        # Of January nothing is known: this FIDE ID was on nobody's books while its list was in force.
        assert not on_the_watch()
        look_up_in_lists(timezone.now())
        assert points(who, RAPID) == 2000
        ((member, _openings, changes, _recorded),) = on_the_watch()
        assert (member, [one.wanted.amount for one in changes]) == (who, [4000])
        applied()
        assert points(who, RAPID) == 2040
        assert OtbAdjustment.objects.get().effective_at == moment(2, 3)
        assert not on_the_watch()

    def test_3_15_what_is_known_of_a_new_fide_id_is_proposed(self):
        first = member(fide_id=1, full_from=None)
        two_lists(2300, 2340)
        announce(period=FEBRUARY, at=moment(2, 3))
        who = rated_member(2000)
        Member.objects.filter(pk=first.pk).update(fide_id=None)
        OtbAdjustment.objects.get(member=first)
        who.fide_id = 1
        who.save()
        # Version 0.11.7 added it at once, 2040.00.
        assert points(who, RAPID) == 2000
        applied()
        assert points(who, RAPID) == 2040


class TestTheListOfTheFirstDay:
    def test_3_4_it_is_that_of_the_month_whenever_the_office_imports_it(self):
        bring_players(SEPTEMBER, listed(1, rapid=1500))
        who = member(fide_id=1, full_from=moment(10, 2, 2025))
        assert points(who, RAPID) == 1500
        bring_players(OCTOBER, listed(1, rapid=1540))
        done = announce(period=OCTOBER, at=moment(10, 3, 2025))
        # Issue 15, row 5: 0.5.0 kept the September rating, and added October's +40 and every later change.
        assert (done.contained, done.watched, len(done.changes)) == (1, 1, 0)
        assert points(who, RAPID) == 1500
        ((_member, openings, changes, _recorded),) = on_the_watch()
        assert [(one.category, one.was.rating, one.wanted.rating) for one in openings] == [
            (category, 150000, 154000) for category in (RAPID, BLITZ, BULLET)
        ]
        assert changes == []
        applied()
        assert points(who, RAPID) == 1540
        assert {one.fide_list.period for one in FirstRating.objects.all()} == {OCTOBER}
        assert not OtbAdjustment.objects.exists()
        assert replay(check=True).differences == 0

    def test_3_15_the_change_of_the_next_month_is_added(self):
        bring_players(OCTOBER, listed(1, rapid=1540))
        who = member(fide_id=1, full_from=moment(10, 2, 2025))
        bring_players(NOVEMBER, listed(1, rapid=1550))
        announce(period=NOVEMBER, at=moment(11, 3, 2025))
        assert points(who, RAPID) == 1550

    def test_3_15_a_change_that_a_first_rating_contains_is_taken_back_when_it_is_determined(self):
        bring_players(SEPTEMBER, listed(1, rapid=1500))
        who = member(fide_id=1, full_from=None)
        bring_players(OCTOBER, listed(1, rapid=1540))
        announce(period=OCTOBER, at=moment(10, 3, 2025))
        assert OtbAdjustment.objects.get().change == 40
        FullMembership.objects.create(member=who, full_from=moment(10, 2, 2025))
        assert not OtbAdjustment.objects.exists()
        assert points(who, RAPID) == 1540
        assert not on_the_watch()


def wrong_fide_id():
    """A member under a wrong FIDE ID, with that one's first ratings and change of November; two lists."""
    for period, right, wrong in ((OCTOBER, 1500, 2200), (NOVEMBER, 1510, 2230)):
        bring_players(period, listed(1, rapid=right), listed(9, rapid=wrong, blitz=2100))
        if period is OCTOBER:
            # The right one is on the books of the office too, so that October is known.
            member(fide_id=1, full_from=None)
            who = member(fide_id=9, full_from=moment(10, 2, 2025))
    announce(period=NOVEMBER, at=moment(11, 3, 2025))
    assert (points(who, RAPID), points(who, BLITZ)) == (2230, 2100)
    Member.objects.filter(fide_id=1).update(fide_id=None)
    return who


class TestTheWatch:
    def test_3_4_a_fide_id_that_is_corrected_is_proposed_and_nothing_moves_by_itself(self):
        who = wrong_fide_id()
        who.fide_id = 1
        who.save()
        # Issue 15, row 6: 0.5.0 kept 2230.00 of the wrong player, and listed nothing.
        assert points(who, RAPID) == 2230
        his = Member.objects.filter(pk=who.pk)
        ((_member, openings, changes, _recorded),) = on_the_watch(members=his)
        assert [(one.category, one.was.rating, one.wanted.rating) for one in openings] == [
            (RAPID, 220000, 150000), (BLITZ, 210000, 150000), (BULLET, 210000, 150000),
        ]  # fmt: skip
        assert [(one.category, one.was.amount, one.wanted.amount) for one in changes] == [(RAPID, 3000, 1000)]
        keys = set(OpeningRating.objects.values_list("pk", flat=True))
        applied(members=his)
        assert [points(who, category) for category in Category] == [1510, 1500, 1500]
        assert set(OpeningRating.objects.values_list("pk", flat=True)) == keys
        assert Determination.objects.get(member=who).fide_id == 1
        assert not on_the_watch(members=his)
        assert replay(check=True).differences == 0

    def test_3_4_a_first_day_that_is_moved_takes_the_list_of_that_day(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        who = member(fide_id=1, full_from=moment(10, 20, 2025))
        bring_players(NOVEMBER, listed(1, rapid=1510))
        announce(period=NOVEMBER, at=moment(11, 3, 2025))
        assert points(who, RAPID) == 1510
        FullMembership.objects.get().delete()
        FullMembership.objects.create(member=who, full_from=moment(11, 2, 2025))
        assert points(who, RAPID) == 1510
        ((_member, openings, changes, _recorded),) = on_the_watch()
        assert {one.wanted.effective_at for one in openings} == {moment(11, 2, 2025)}
        assert [(one.was.amount, one.wanted) for one in changes] == [(1000, None)]
        applied()
        assert points(who, RAPID) == 1510
        assert not OtbAdjustment.objects.exists()

    def test_3_4_who_has_no_fide_id_or_never_was_a_full_member_loses_what_was_given(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        who = member(fide_id=1, full_from=moment(10, 2, 2025))
        Member.objects.filter(pk=who.pk).update(fide_id=None)
        assert len(applied().members) == 1
        assert points(who, RAPID) is None
        assert not Determination.objects.exists()
        Member.objects.filter(pk=who.pk).update(fide_id=1)
        assert not on_the_watch()
        assert len(determine_first_ratings(at=timezone.now()).openings) == 3
        FullMembership.objects.get().delete()
        assert len(applied().members) == 1
        assert not OpeningRating.objects.exists()

    def test_3_4_must_be_used_also_where_games_have_given_a_rating_in_the_meantime(self):
        bring_players(OCTOBER, listed(9), listed(1, rapid=1500))
        who, other = member(fide_id=9, full_from=moment(10, 2, 2025)), rated_member(1600)
        for day in range(5, 10):
            play(who, other, "1/2-1/2", moment(1, day))
        assert points(who, RAPID) == 1600
        Member.objects.filter(pk=who.pk).update(fide_id=1)
        determine_first_ratings(at=timezone.now())
        # Five draws from 1500 against 1600, K = 20 (4.2: D 100, 94, 89, 84, 80): +2.8 +2.6 +2.4 +2.4 +2.2.
        assert [str(points(who, category)) for category in Category] == ["1512.40", "1500.00", "1500.00"]
        assert str(points(other, RAPID)) == "1587.60"
        assert not on_the_watch()
        assert replay(check=True).differences == 0

    def test_an_opening_by_hand_is_left_alone(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        who = member(full_from=moment(10, 2, 2025))
        opening(who, 1700, RAPID)
        Member.objects.filter(pk=who.pk).update(fide_id=1)
        determine_first_ratings(at=timezone.now())
        assert [points(who, category) for category in Category] == [1700, 1500, 1500]
        assert not on_the_watch()

    def test_an_opening_by_hand_takes_the_place_of_3_4_whichever_came_first(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        who = member(full_from=moment(10, 2, 2025), fide_id=1)
        determine_first_ratings(at=timezone.now())
        opening(who, 1700, RAPID)
        assert len(on_the_watch()) == 1
        applied()
        assert [points(who, category) for category in Category] == [1700, 1500, 1500]
        assert not on_the_watch()
        OpeningRating.objects.get(member=who, rating=1700).delete()
        applied()
        assert [points(who, category) for category in Category] == [1500, 1500, 1500]
        assert replay(check=True).differences == 0

    def test_3_4_where_the_list_of_that_day_is_not_known_no_other_one_takes_its_place(self):
        bring_players(SEPTEMBER, listed(1, rapid=1500))
        who = member(full_from=moment(9, 2, 2025))
        bring_players(OCTOBER, listed(1, rapid=1540))
        who.fide_id = 1
        who.save()
        # Version 0.11.7 gave 1540.00 of the October list.
        assert not determine_first_ratings(at=timezone.now()).openings
        assert look_up_in_lists(timezone.now()) == 1
        assert history(1)["2025-09 rapid"] == (1500, 5)
        assert points(who, RAPID) is None
        determine_first_ratings(at=timezone.now())
        assert points(who, RAPID) == 1500
        assert not on_the_watch()
        assert look_up_in_lists(timezone.now()) == 0

    def test_a_list_is_read_once_more_only_for_fide_ids_that_came_later(self):
        bring_players(SEPTEMBER, listed(1, rapid=1500), listed(2, rapid=1600))
        bring_players(OCTOBER, listed(1, rapid=1540), listed(2, rapid=1640))
        member(fide_id=2, full_from=moment(9, 2, 2025))
        before = everything()
        again = bring_players(SEPTEMBER, listed(1, rapid=1500), listed(2, rapid=1600))
        assert (again.is_new, again.history_added, again.put_in_force) == (False, 1, ())
        assert history(2)["2025-09 rapid"] == (1600, 5)
        assert history(1) == {}
        assert everything()[:2] == before[:2]
        known = everything()
        again = bring_players(SEPTEMBER, listed(1, rapid=1500), listed(2, rapid=1600))
        assert (again.is_new, again.history_added) == (False, 0)
        assert everything() == known

    def test_only_the_members_who_are_chosen_are_determined_anew(self):
        who = wrong_fide_id()
        Member.objects.filter(pk=who.pk).update(fide_id=1)
        kind = kind_of("redetermine-first-ratings")
        other = member()
        done, _effect = decide_at_once(Proposal(kind=kind, parameters={"member": [str(other.pk)]}))
        assert done is None
        done, effect = decide_at_once(Proposal(kind=kind, parameters={"member": [str(who.pk)]}))
        assert (done.moved, len(effect.inputs), done.undo) == (3, 4, None)
        assert points(who, RAPID) == 1510


class TestWhenItBecomesPossible:
    def test_3_4_a_fide_id_that_is_saved_gives_first_ratings_at_once(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        who = member(full_from=moment(10, 2, 2025))
        who.fide_id = 1
        who.save()
        # Issue 15, row 7: 0.5.0 did nothing until somebody opened “Waiting for first ratings”.
        assert points(who, RAPID) == 1500

    def test_3_4_a_span_that_begins_in_the_future_gives_them_on_the_day_itself(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        now = timezone.now()
        who = member(fide_id=1, full_from=None)
        span = FullMembership.objects.create(member=who, full_from=now + timedelta(hours=5))
        give_first_ratings(now)
        assert points(who, RAPID) is None
        FullMembership.objects.filter(pk=span.pk).update(full_from=now - timedelta(minutes=1))
        give_first_ratings(now)
        assert points(who, RAPID) == 1500

    def test_3_4_what_was_taken_back_of_long_ago_is_not_given_again_by_the_worker(self):
        bring_players(OCTOBER, listed(1, rapid=1500))
        member(fide_id=1, full_from=moment(10, 2, 2025))
        take_back_first_ratings(determined_at=Determination.objects.get().determined_at)
        assert waiting(at=timezone.now()).exists()
        give_first_ratings(timezone.now())
        assert not OpeningRating.objects.exists()

    def test_saving_something_else_of_a_member_looks_nobody_up(self):
        who = member(fide_id=1, full_from=moment(10, 2, 2025))
        bring_players(OCTOBER, listed(1, rapid=1500))
        who.name = "Berg, Anna"
        who.save()
        assert points(who, RAPID) is None
