"""RBB 3.4, 3.15: a FIDE ID or a first membership that becomes known late, whichever way it comes."""

import errno
import shutil
from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from members.comparing import MemberUpdate
from members.models import FullMembership, Member
from ratings.fide.models import Determination, FideList, FidePlayer
from ratings.fide.services import first_ratings, kept_files
from ratings.fide.services.announcing import announce
from ratings.fide.services.first_ratings import determine_first_ratings, waiting
from ratings.fide.services.watch import redetermine, watched
from ratings.fide.upkeep import give_first_ratings, look_up_in_lists
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding, ChangeSet
from ratings.office.uploads import discard_leftovers
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.lists.publishing import publish
from ratings.rbb.member_files import update_members
from ratings.rbb.models import OpeningRating, Recalculation
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, points
from tests.commands import run
from tests.decisions import look
from tests.fide.office import bring_players, combined, history, listed
from tests.pages import words

pytestmark = pytest.mark.django_db

RAPID, BLITZ, _ = Category
OCTOBER, NOVEMBER, APRIL = date(2025, 10, 1), date(2025, 11, 1), date(2026, 4, 1)
JOINED = datetime(2025, 10, 2, 12, tzinfo=UTC)


def moment(month, day, year=2025):
    return datetime(year, month, day, 12, tzinfo=UTC)


def play(white, black, result, when):
    return game(white, black, result, notation=CONTROL[RAPID], started_at=when, ended_at=when)


def rated_rival(rating=1800):
    who = member("rival", full_from=JOINED)
    opened = {"rating": rating, "effective_at": JOINED, "source": "by hand"}
    OpeningRating.objects.create(member=who, category=RAPID, **opened)
    return who


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    return settings.UPLOAD_DIR


def three_lists():
    bring_players(OCTOBER, listed(1, rapid=2000))
    bring_players(NOVEMBER, listed(1, rapid=2010))
    bring_players(APRIL, listed(1, rapid=2100))


def knows(who, fide_id=1):
    who.fide_id = fide_id
    who.save()


def facts():
    """What the office has stored, and what followed from it."""
    return (
        list(OpeningRating.objects.values_list("member", "category", "rating")),
        Recalculation.objects.count(),
        ChangeSet.objects.count(),
    )


class TestTheListInForce:
    def test_3_4_3_15_the_first_rating_is_that_of_the_first_day_and_the_change_is_added(self):
        who, rival = member(full_from=JOINED), rated_rival(2000)
        three_lists()
        announce(period=NOVEMBER, at=moment(11, 3))
        knows(who)
        look_up_in_lists(timezone.now())
        determine_first_ratings(at=timezone.now())
        redetermine(at=timezone.now())
        # 2000 of October and +10 of November. 0.11.7 gave 2100.00 of April.
        assert str(points(who, RAPID)) == "2010.00"
        # D = 10 (4.2): 0.51, so a win of K = 20 gives 9.80.
        play(who, rival, "1-0", moment(12, 1))
        assert str(points(who, RAPID)) == "2019.80"
        assert not list(watched(at=timezone.now()))

    def test_a_corrected_fide_id_is_looked_up_too_and_until_then_nothing_is_proposed(self):
        bring_players(OCTOBER, listed(1, rapid=2000), listed(2, rapid=1500))
        who = member(fide_id=2, full_from=JOINED)
        bring_players(NOVEMBER, listed(1, rapid=2010), listed(2, rapid=1510))
        announce(period=NOVEMBER, at=moment(11, 3))
        bring_players(APRIL, listed(1, rapid=2100), listed(2, rapid=1600))
        assert points(who, RAPID) == 1510
        knows(who, 1)
        # What was given stays as long as it isn't known what October and November say of the right player.
        assert not list(watched(at=timezone.now()))
        assert look_up_in_lists(timezone.now()) == 2
        redetermine(at=timezone.now())
        assert points(who, RAPID) == 2010

    def test_where_the_file_is_gone_the_member_waits_and_watch_and_audit_name_the_list(
        self, uploads, client, admin_user, worker
    ):
        who = member("anna", full_from=JOINED)
        bring_players(OCTOBER, listed(1, rapid=2000))
        bring_players(APRIL, listed(1, rapid=2100))
        shutil.rmtree(uploads)
        knows(who)
        assert look_up_in_lists(timezone.now()) == 0
        determine_first_ratings(at=timezone.now())
        assert points(who, RAPID) is None
        audit(only=["fide-lists-missing"])
        told = "October 2025 FIDE list is missing"
        assert str(AuditFinding.objects.get()) == f"anna: {told}. Import its file again."
        client.force_login(admin_user)
        assert f"{told} (1 member waiting): import its file again." in words(
            look(client, "/admin/fide/fidelist/waiting/")
        )
        bring_players(OCTOBER, listed(1, rapid=2000))
        audit(only=["fide-lists-missing"])
        assert not AuditFinding.objects.exists()
        determine_first_ratings(at=timezone.now())
        assert points(who, RAPID) == 2000

    def test_a_list_of_one_control_is_named_with_it(self, uploads):
        who = member(full_from=JOINED)
        bring_players(OCTOBER, listed(1, rapid=2000))
        bring_players(APRIL, listed(1, rapid=2100))
        FideList.objects.filter(period=OCTOBER).update(control="rapid")
        FideList.objects.create(
            period=OCTOBER, control="standard", source="x", sha256="1", imported_at=timezone.now()
        )
        FideList.objects.create(
            period=OCTOBER, control="blitz", source="x", sha256="2", imported_at=timezone.now()
        )
        knows(who)
        said = run("determine_first_ratings").out
        assert ("October 2025 FIDE list, blitz is missing (1 member waiting): import its file again.") in said
        assert (
            "October 2025 FIDE list, rapid: the worker will look up 1 member in it within the hour."
        ) in said

    def test_of_a_merged_member_without_fide_id_all_first_ratings_go_in_one_pass(self):
        bring_players(OCTOBER, listed(1, rapid=2000), listed(2, rapid=1900))
        who, other = member(fide_id=1, full_from=JOINED), member(fide_id=2, full_from=moment(10, 4))
        with deferred():
            OpeningRating.objects.filter(member=other).update(member=who)
        assert not list(watched(at=timezone.now(), members=Member.objects.filter(pk=who.pk)))
        Member.objects.filter(pk=who.pk).update(fide_id=None)
        redetermine(at=timezone.now(), members=Member.objects.filter(pk=who.pk))
        assert not OpeningRating.objects.exists()


class TestTheKeptFile:
    def test_a_damaged_one_is_deleted_so_that_the_office_is_told_to_bring_it(self, uploads, caplog):
        who = member(full_from=JOINED)
        three_lists()
        (archive,) = [
            file
            for file in (uploads / "fide-lists").iterdir()
            if file.stem == FideList.objects.get(period=OCTOBER).sha256
        ]
        archive.write_bytes(archive.read_bytes()[:40])
        knows(who)
        look_up_in_lists(timezone.now())
        assert not archive.exists()
        assert "the kept file of the October 2025 FIDE rating list is deleted" in caplog.text
        assert "is missing (1 member waiting): import its file again" in run("determine_first_ratings").out

    def test_where_it_cannot_be_kept_the_list_is_refused_and_nothing_is_stored(
        self, uploads, monkeypatch, tmp_path
    ):
        def full(*_arguments):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(kept_files.shutil, "copyfileobj", full)
        path = tmp_path / "list.txt"
        path.write_bytes(combined(listed(1, rapid=2000)))
        done = run("import_frl", path, "--period", "2025-10")
        assert done.code == 1
        assert "fide-lists (No space left on device). Nothing was stored." in done.err
        assert not FideList.objects.exists()
        assert not list((uploads / "fide-lists").iterdir())

    def test_upkeep_of_uploads_leaves_it_alone_and_deletes_what_no_list_names(self, uploads, monkeypatch):
        bring_players(OCTOBER, listed(1, rapid=2000))
        (archive,) = (uploads / "fide-lists").iterdir()
        orphan = archive.with_name("0.zip")
        orphan.write_bytes(b"of an import that was not stored")
        archive.with_suffix(".4711").write_bytes(b"of an import that was killed")
        monkeypatch.setattr(kept_files, "_MAY_BE_UNDER_WAY", -1)
        discard_leftovers()
        look_up_in_lists(timezone.now())
        assert list((uploads / "fide-lists").iterdir()) == [archive]

    def test_of_two_rows_of_a_fide_id_the_last_with_a_rating_counts_as_in_the_import(self):
        who = member(full_from=JOINED)
        rows = listed(1, rapid=2000, games=3), listed(1, rapid=2000), listed(1, "Berg, Anna B")
        bring_players(OCTOBER, *rows)
        bring_players(APRIL, listed(1, rapid=2100))
        knows(who)
        look_up_in_lists(timezone.now())
        assert history(1)["2025-10 rapid"] == (2000, 5)


def saved_by_itself(who):
    knows(who)


def confirmed_on_the_worklist(who):
    who.fide_id = FidePlayer.objects.get(pk=1).pk
    who.save(update_fields=["fide_id"])


def brought_in_a_file(who):
    update_members(updates=[MemberUpdate(who, False, {"fide_id": (None, 1)}, [], [])])


def joins_late(who):
    FullMembership.objects.filter(member=who).delete()
    knows(who)
    FullMembership.objects.create(member=who, full_from=JOINED)


WAYS = (saved_by_itself, confirmed_on_the_worklist, brought_in_a_file)


class TestNothingMovesByItself:
    @pytest.mark.parametrize("way", WAYS)
    def test_3_4_of_somebody_who_has_played_it_is_proposed_and_the_opponent_keeps_their_rating(
        self, way, django_capture_on_commit_callbacks
    ):
        who, rival = member(full_from=JOINED), rated_rival()
        play(who, rival, "1-0", moment(10, 5))
        bring_players(OCTOBER, listed(1, rapid=2000))
        before = facts()
        with django_capture_on_commit_callbacks(execute=True):
            way(who)
        assert facts() == before
        assert points(rival, RAPID) == 1800
        give_first_ratings(timezone.now())
        assert facts() == before
        assert list(waiting(at=timezone.now())) == [who]
        done, _effect = decide_at_once(Proposal(kind=kind_of("first-ratings"), parameters={}))
        # D = 200 (4.2): 0.76 and 0.24, so the win of K = 20 gives 4.80.
        assert [str(points(one, RAPID)) for one in (who, rival)] == ["2004.80", "1795.20"]
        assert (done.moved, done.state) == (4, ChangeSet.State.APPLIED)
        assert replay(check=True).differences == 0

    @pytest.mark.parametrize("way", [*WAYS, joins_late])
    def test_3_4_who_has_no_event_gets_first_ratings_at_once_by_a_decision_of_the_register(
        self, way, django_capture_on_commit_callbacks, client
    ):
        who = member(full_from=JOINED)
        bring_players(OCTOBER, listed(1, rapid=2000))
        with django_capture_on_commit_callbacks(execute=True):
            way(who)
        assert points(who, RAPID) == 2000
        decision = ChangeSet.objects.get()
        assert (decision.kind, decision.proposed_as, decision.moved) == ("first-ratings", "office", 3)
        assert "First ratings determined (RBB 3.4)" in words(client.get(decision.get_absolute_url()))
        decide_at_once(
            Proposal(
                kind=kind_of(decision.undo["kind"]), parameters=decision.undo["parameters"], undoes=decision
            )
        )
        assert points(who, RAPID) is None
        assert list(waiting(at=timezone.now())) == [who]

    def test_3_4_new_members_of_one_report_get_first_ratings_by_one_decision(
        self, django_capture_on_commit_callbacks
    ):
        bring_players(OCTOBER, listed(1, rapid=2000), listed(2, rapid=1900))
        new = [Member(username=name) for name in ("anna", "bert", "carl")]
        facts = [{"fide_id": (None, 1)}, {"fide_id": (None, 2)}, {}]
        with django_capture_on_commit_callbacks(execute=True):
            update_members(
                updates=[
                    MemberUpdate(who, True, said, [], [(JOINED, None)])
                    for who, said in zip(new, facts, strict=True)
                ]
            )
        assert [points(who, RAPID) for who in new] == [2000, 1900, None]
        assert ChangeSet.objects.get().parameters == {"member": [str(who.pk) for who in new[:2]]}

    def test_1_4_behind_a_published_list_it_is_proposed(self):
        who = member(full_from=JOINED)
        bring_players(OCTOBER, listed(1, rapid=2000))
        publish(category=RAPID, month=datetime(2025, 11, 1, tzinfo=UTC), at=moment(11, 2))
        knows(who)
        assert points(who, RAPID) is None
        _done, effect = decide_at_once(Proposal(kind=kind_of("first-ratings"), parameters={}))
        assert "lists" in {fact.section for fact in effect.facts}
        assert points(who, RAPID) == 2000

    def test_1_4_who_joins_at_the_moment_of_a_published_list_is_on_it_so_it_is_proposed(self):
        first = datetime(2025, 11, 1, tzinfo=UTC)
        who = member(full_from=first)
        bring_players(NOVEMBER, listed(1, rapid=2000))
        publish(category=RAPID, month=first, at=moment(11, 2))
        knows(who)
        # A list shows the events of its own moment too, so a first rating would change it.
        assert points(who, RAPID) is None
        assert list(waiting(at=timezone.now())) == [who]

    def test_where_two_persons_are_asked_for_it_waits_for_one(self, settings):
        settings.SECOND_PERSON_KINDS = ["first-ratings"]
        bring_players(OCTOBER, listed(1, rapid=2000))
        who = member(fide_id=1, full_from=JOINED)
        assert points(who, RAPID) is None
        assert ChangeSet.objects.get().state == ChangeSet.State.PROPOSED

    def test_a_game_that_is_played_while_they_are_given_leaves_the_decision_to_a_person(self, monkeypatch):
        who, rival = member(fide_id=1, full_from=JOINED), rated_rival()
        bring_players(OCTOBER, listed(1, rapid=2000))
        play(who, rival, "1-0", moment(10, 5))
        monkeypatch.setattr(first_ratings, "can_be_given", waiting)
        first_ratings.give_by_itself([who.pk])
        assert [points(one, RAPID) for one in (who, rival)] == [None, 1800]
        assert not ChangeSet.objects.exists()


class TestDataOf0117:
    """What version 0.11.7 stored, the audit holds against the lists."""

    def test_3_4_a_first_rating_of_five_games_where_the_list_gives_one(self):
        bring_players(OCTOBER, listed(1, rapid=2000))
        who, rival = member("anna", full_from=JOINED), rated_rival(1600)
        for day in range(5, 10):
            play(who, rival, "1/2-1/2", moment(10, day))
        assert points(who, RAPID) == 1600
        Member.objects.filter(pk=who.pk).update(fide_id=1)
        Determination.objects.create(member=who, fide_id=1, determined_at=timezone.now())
        audit(only=["first-ratings"])
        told = (
            "anna, rapid: no first rating. "
            "By the FIDE lists, it should be 2000.00 (FIDE rating list 2025-10, rapid)."
        )
        assert told in map(str, AuditFinding.objects.all())
        mends = AuditFinding.objects.first().mends
        decide_at_once(Proposal(kind=kind_of(mends["kind"]), parameters=mends["parameters"]))
        # Five draws from 2000 against 1600, K = 20 (4.2): D 400, 383, 367, 351 and 335, −8.4 to −7.6.
        assert [str(points(one, RAPID)) for one in (who, rival)] == ["1960.00", "1640.00"]
        audit(only=["first-ratings"])
        assert not AuditFinding.objects.exists()

    def test_3_4_a_first_rating_of_a_list_that_was_not_in_force(self, uploads):
        bring_players(OCTOBER, listed(1, rapid=2000))
        bring_players(APRIL, listed(1, rapid=2100))
        shutil.rmtree(uploads)
        who = member("anna", fide_id=1, full_from=moment(4, 2, 2026))
        assert points(who, RAPID) == 2100
        FullMembership.objects.update(full_from=JOINED)
        for one in OpeningRating.objects.all():
            one.effective_at = JOINED
            one.save()
        audit(only=["first-ratings", "fide-lists-missing"])
        told = "anna: October 2025 FIDE list is missing. Import its file again."
        assert str(AuditFinding.objects.get()) == told
        bring_players(OCTOBER, listed(1, rapid=2000))
        audit(only=["first-ratings", "fide-lists-missing"])
        told = (
            "anna, rapid: first rating 2100.00 (FIDE rating list 2026-04, rapid). "
            "By the FIDE lists, it should be 2000.00 (FIDE rating list 2025-10, rapid)."
        )
        assert told in map(str, AuditFinding.objects.all())
