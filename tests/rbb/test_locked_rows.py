"""What is decided about games while their players change: nothing is left out without a word."""

import ast
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from foa.locking import lock_row, lock_rows
from members.models import FullMembership, Member
from ratings.arena.services.hearing import hear
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.memberships import change_spans
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game, TimeControl
from ratings.rules.rbb.presence import Event as PresenceEvent
from tests.arena import START, at, game, rated
from tests.decisions import decided
from tests.rbb.closing import close, reopen
from tests.rbb.conftest import shared_database  # noqa: F401  # a fixture
from tests.rbb.test_concurrency import while_it_waits

ROOT = Path(__file__).parents[2]

together = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("shared_database"),
]


def keys(games):
    return [str(one.pk) for one in games]


class Office:
    """Anna has played Bob, who is about to change, and Carl in between, who isn't."""

    def __init__(self):
        self.anna, self.bob, self.carl, self.keep = (
            rated(f"{points}.00") for points in range(1500, 1900, 100)
        )
        self.games = [
            game(self.anna, self.bob, minute=10, external_id="arena/1"),
            game(self.carl, self.anna, minute=20),
            game(self.bob, self.anna, minute=30),
        ]

    def merge(self):
        """Bob is another account of somebody else."""
        merge_members(member=self.keep, other=self.bob, at=at(60))

    def unmerge(self):
        """He was, and isn’t any more."""
        unmerge_members(merge=self.bob.merge, at=at(70))

    def correct(self):
        """It wasn't Bob who played."""
        for one in Game.objects.filter(white=self.bob):
            one.white = self.keep
            one.save()
        for one in Game.objects.filter(black=self.bob):
            one.black = self.keep
            one.save()


@pytest.fixture
def office(transactional_db):
    return Office()


def before_unmerging(office, change):
    """Let there be something that can be taken back."""
    if change == "unmerge":
        office.merge()
        office.bob.refresh_from_db()


@pytest.mark.parametrize("change", ["merge", "unmerge", "correct"])
class TestWhileAPlayerChanges:
    """Each decision waits for the change, and then concerns all the games that were chosen."""

    pytestmark = together

    def test_all_games_of_a_void_are_void(self, office, change):
        before_unmerging(office, change)
        _, done = while_it_waits(
            getattr(office, change), lambda: decided("void-games", game=keys(office.games))
        )
        assert done.state == ChangeSet.State.APPLIED
        assert Game.objects.filter(voided_at__isnull=False).count() == 3
        assert replay(check=True).differences == 0

    def test_all_games_that_are_reinstated_count(self, office, change):
        before_unmerging(office, change)
        decided("void-games", game=keys(office.games))
        while_it_waits(getattr(office, change), lambda: decided("reinstate-games", game=keys(office.games)))
        assert Game.objects.counting().count() == 3
        assert replay(check=True).differences == 0

    def test_all_games_that_are_rated_or_unrated_are(self, office, change):
        before_unmerging(office, change)
        while_it_waits(getattr(office, change), lambda: decided("unrate-games", both=keys(office.games)))
        assert not Game.objects.counting().exists()
        decided("rate-games", game=keys(office.games))
        assert Game.objects.counting().count() == 3
        assert replay(check=True).differences == 0

    def test_no_game_stays_rated_outside_full_membership(self, office, change):
        before_unmerging(office, change)
        _, done = while_it_waits(
            getattr(office, change), lambda: change_spans(member=office.anna, spans=[(at(28), None)])
        )
        assert [one.pk for one, _why in done.unrated] == [one.pk for one in office.games]
        assert not Game.objects.outside_membership().exists()
        assert replay(check=True).differences == 0

    def test_no_game_stays_rated_in_a_closed_account(self, office, change):
        before_unmerging(office, change)
        while_it_waits(getattr(office, change), lambda: close(office.anna))
        assert Game.objects.filter(voided_at__isnull=False).count() == 3
        assert replay(check=True).differences == 0

    def test_all_games_of_a_closure_count_when_it_is_taken_back(self, office, change):
        before_unmerging(office, change)
        close(office.anna)
        while_it_waits(getattr(office, change), lambda: reopen(office.anna))
        assert Game.objects.counting().count() == 3
        assert replay(check=True).differences == 0

    def test_a_presence_event_finds_its_game(self, office, change):
        before_unmerging(office, change)
        gone = PresenceEvent(1, "white", "gone", at(6))
        _, (heard, is_new) = while_it_waits(getattr(office, change), lambda: hear("arena/1", gone, at=at(7)))
        assert (heard, is_new) == (office.games[0], True)
        assert replay(check=True).differences == 0

    def test_a_void_leaves_out_no_game_that_a_presence_event_has_just_corrected(self, office, change):
        before_unmerging(office, change)
        hear("arena/1", PresenceEvent(1, "white", "gone", at(6)), at=at(7))

        def first():
            # By RBB 2.4 White has lost at minute 7: a correction of the server's 1-0.
            getattr(office, change)()
            hear("arena/1", PresenceEvent(2, "white", "back", at(8)), at=at(61))

        while_it_waits(first, lambda: decided("void-games", game=keys(office.games)))
        assert Game.objects.get(external_id="arena/1").result == "0-1"
        assert Game.objects.filter(voided_at__isnull=False).count() == 3
        assert replay(check=True).differences == 0


class TestWhileAGameCountsAgain:
    """Who decides about a player waits for the game, and finds it as it is then."""

    pytestmark = together

    @pytest.mark.parametrize("decide", [close, lambda who: change_spans(member=who, spans=[])])
    @pytest.mark.parametrize("back", ["reinstate", "rate"])
    def test_it_is_not_left_rated(self, office, decide, back):
        if back == "reinstate":
            decided("void-games", game=keys(office.games))
        else:
            decided("unrate-games", both=keys(office.games))
        while_it_waits(lambda: decided(f"{back}-games", game=keys(office.games)), lambda: decide(office.anna))
        assert not Game.objects.counting().exists()
        assert replay(check=True).differences == 0


class TestWhileAGameIsDeleted:
    """A decision about it is refused as a whole, and says which it is."""

    pytestmark = together

    @pytest.mark.parametrize(
        ("kind", "name"), [("void-games", "game"), ("delete-games", "game"), ("unrate-games", "both")]
    )
    def test_the_others_stay_as_they_are(self, office, kind, name):
        gone = office.games[1]

        def decide():
            with pytest.raises(ValidationError) as refusal:
                decided(kind, **{name: keys(office.games)})
            return refusal.value.messages

        _, told = while_it_waits(Game.objects.get(pk=gone.pk).delete, decide)
        # SQLite lets nobody begin before, so there the choice itself is refused.
        named, chosen = (
            f"No longer stored: game {gone.pk}. Reload the page and choose again.",
            "One of these no longer exists.",
        )
        assert told[0] == (named if connection.vendor == "postgresql" else chosen)
        assert Game.objects.counting().count() == 2
        # The deletion itself may be a late fact, which the register lists.
        assert not ChangeSet.objects.filter(kind=kind).exists()

    def test_a_correction_is_refused(self, office):
        gone = office.games[1]
        values = {
            "white": [str(office.carl.pk)],
            "black": [str(office.anna.pk)],
            "time_control": [str(gone.time_control_id)],
            "rated": ["on"],
            "result": ["1/2-1/2"],
            "termination": ["normal"],
            "started_at": ["2026-03-01T00:15:00Z"],
            "ended_at": ["2026-03-01T00:20:00Z"],
        }

        def decide():
            with pytest.raises(ValidationError) as refusal:
                decided("correct-game", game=[str(gone.pk)], **values)
            return refusal.value.messages

        _, told = while_it_waits(Game.objects.get(pk=gone.pk).delete, decide)
        named, chosen = (
            f"No longer stored: game {gone.pk}. Reload the page and choose again.",
            "This no longer exists.",
        )
        assert told == [named if connection.vendor == "postgresql" else chosen]


@pytest.mark.django_db
class TestLockingRows:
    def test_what_is_missing_is_named(self):
        control = TimeControl.objects.first()
        with pytest.raises(ValidationError) as refusal:
            lock_rows(TimeControl.objects, [control.pk, 10_000_001, 10_000_000])
        assert refusal.value.messages == [
            "No longer stored: time controls 10000000, 10000001. Reload the page and choose again."
        ]

    def test_of_many_that_are_missing_twenty_are_named(self):
        with pytest.raises(ValidationError) as refusal:
            lock_rows(Member.objects, range(10_000_000, 10_000_021))
        (told,) = refusal.value.messages
        assert told.count("100000") == 20
        assert told.endswith("10000019, …. Reload the page and choose again.")

    def test_a_statement_that_locks_rows_of_a_join_fails_every_test(self):
        with pytest.raises(AssertionError, match="locked"), transaction.atomic():
            lock_row(FullMembership.objects.select_related("member"), 1)

    def test_so_does_one_that_asks_another_table(self):
        with pytest.raises(AssertionError, match="locked"), transaction.atomic():
            list(Member.objects.full(at=START).select_for_update())


def test_no_statement_says_which_of_its_tables_it_locks_as_it_has_one():
    """``of`` is for joins. Tests may not reach a place, so each is looked at as well."""
    calls = {}
    for room in ("foa", "members", "ratings"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                    continue
                if node.func.attr == "select_for_update":
                    calls[f"{path.relative_to(ROOT)}:{node.lineno}"] = {word.arg for word in node.keywords}
    assert len(calls) > 10
    assert [place for place, words in calls.items() if "of" in words] == []
