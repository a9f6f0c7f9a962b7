"""RBB 2.1 when two come at once: a game that is stored, and what decides whether its players may be rated."""

from contextlib import suppress
from decimal import Decimal
from itertools import count
from random import Random

import pytest
from django.core.exceptions import ValidationError

from members.comparing import MemberUpdate
from members.former import Merge
from members.models import AccountClosure, FullMembership, Member
from ratings.arena.services.games import put_game
from ratings.formats.games import GameRow
from ratings.rbb.audit.games import games_of_closed_accounts
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.replay import replay
from ratings.rbb.member_files import update_members
from ratings.rbb.memberships import change_spans
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game
from ratings.rbb.personal import erase_member
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Control
from tests.arena import START, at, game, points, rated
from tests.decisions import decided
from tests.rbb.closing import close, reopen
from tests.rbb.conftest import shared_database  # noqa: F401  # a fixture
from tests.rbb.test_concurrency import at_once, while_it_waits

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("shared_database"),
]


def refused(act):
    """The same, which can’t be done."""

    def job():
        with pytest.raises(ValidationError):
            act()

    return job


def saved(white, black):
    """A game that started ten minutes after the account is closed."""
    return game(white, black, minute=40)


def imported(white, black):
    """The same game, from a file."""
    row = GameRow(
        line=2,
        external_id="1",
        white=white.username,
        black=black.username,
        control=Control(180, 2),
        rated=True,
        result="1-0",
        termination=Termination.CHECKMATE,
        started_at=at(35),
        ended_at=at(40),
    )
    return import_games(rows=[row], source="x", sha256="", at=at(1000))


def no_member(who):
    """Take all full membership away."""
    change_spans(member=who, spans=[])


def test_a_game_saved_while_its_player_may_no_longer_be_rated_is_refused():
    anna, bob = rated("1600.00"), rated("1700.00")
    while_it_waits(lambda: no_member(anna), refused(lambda: saved(bob, anna)))
    assert not Game.objects.exists()


def test_a_game_of_a_file_that_comes_while_its_player_may_no_longer_be_rated_is_refused():
    anna, bob = rated("1600.00"), rated("1700.00")
    _, result = while_it_waits(lambda: no_member(anna), lambda: imported(bob, anna))
    assert (result.stored, result.refused) == (0, 1)


@pytest.mark.parametrize("store", [saved, imported])
def test_a_game_that_comes_while_the_account_is_being_closed_is_void(store):
    anna, bob = rated("1600.00"), rated("1700.00")
    while_it_waits(lambda: close(anna), lambda: store(bob, anna))
    assert Game.objects.get().void_reason == "fair-play"


@pytest.mark.parametrize("store", [saved, imported])
def test_a_game_that_comes_while_the_account_is_being_opened_again_counts(store):
    anna, bob = rated("1600.00"), rated("1700.00")
    close(anna)
    while_it_waits(lambda: reopen(anna), lambda: store(bob, anna))
    assert Game.objects.get().counts
    assert replay(check=True).differences == 0


@pytest.mark.parametrize("store", [saved, imported])
@pytest.mark.parametrize("decide", [close, no_member])
def test_whoever_decides_that_a_player_is_not_rated_finds_the_game_that_is_being_stored(decide, store):
    anna, bob = rated("1600.00"), rated("1700.00")
    while_it_waits(lambda: store(bob, anna), lambda: decide(anna))
    assert not Game.objects.get().counts
    assert replay(check=True).differences == 0


def corrected(one, **fields):
    """The decision that gives a game other facts."""
    asked = {name: [value] for name, value in fields.items()}
    decided("correct-game", **{**parameters_of(one, GAME_FIELDS), "game": [str(one.pk)], **asked})


@pytest.mark.parametrize("is_first", [True, False])
def test_a_game_that_becomes_one_of_an_account_that_is_being_closed_is_void(is_first):
    anna, bob, carl = (rated("1600.00") for _ in range(3))
    one = game(bob, carl, minute=40)
    jobs = [lambda: close(anna), lambda: corrected(one, black=str(anna.pk))]
    while_it_waits(*(jobs if is_first else jobs[::-1]))
    assert Game.objects.get().void_reason == "fair-play"
    assert replay(check=True).differences == 0


@pytest.mark.parametrize("is_first", [True, False])
def test_a_game_that_is_moved_into_a_closure_while_that_begins_is_void(is_first):
    anna, bob = rated("1600.00"), rated("1700.00")
    one = game(bob, anna, minute=20)
    jobs = [lambda: close(anna, games="keep"), lambda: corrected(one, started_at="2026-03-01T00:26")]
    one.ended_at = at(30)
    while_it_waits(*(jobs if is_first else jobs[::-1]))
    assert Game.objects.get().void_reason == "fair-play"


@pytest.mark.parametrize("is_first", [True, False])
def test_a_game_is_not_moved_into_a_membership_that_ends_meanwhile(is_first):
    anna, bob = rated("1600.00"), rated("1700.00")
    first, second = (START, at(21)), (at(22), None)
    change_spans(member=anna, spans=[first, second])
    one = game(bob, anna, minute=20)
    one.ended_at = at(30)

    def move():
        with suppress(ValidationError):
            corrected(one, started_at="2026-03-01T00:26")

    jobs = [lambda: change_spans(member=anna, spans=[first]), move]
    while_it_waits(*(jobs if is_first else jobs[::-1]))
    moved = Game.objects.get()
    assert (moved.started_at, moved.rated) == ((at(15), True) if is_first else (at(26), False))


def test_a_game_that_becomes_one_of_who_loses_full_membership_is_unrated_or_stays_another_s():
    anna, bob, carl = (rated("1600.00") for _ in range(3))
    one = game(bob, carl, minute=40)
    while_it_waits(lambda: corrected(one, black=str(anna.pk)), lambda: no_member(anna))
    assert not Game.objects.get().rated
    dora, other = rated("1600.00"), game(bob, carl, minute=50)
    while_it_waits(lambda: no_member(dora), refused(lambda: corrected(other, black=str(dora.pk))))
    assert Game.objects.get(pk=other.pk).black == carl


def closure(who):
    """One that is stored past all decisions."""
    AccountClosure.objects.create(member=who, closed_from=at(25), category="fair-play", decided_at=at(60))


def deletion(who):
    """Of the only span, past all decisions."""
    FullMembership.objects.get(member=who).delete()


@pytest.mark.parametrize("change", [closure, deletion])
def test_what_would_leave_a_game_that_is_being_saved_without_its_condition_is_refused(change):
    anna, bob = rated("1600.00"), rated("1700.00")
    while_it_waits(lambda: saved(bob, anna), refused(lambda: change(anna)))
    assert Game.objects.get().counts


@pytest.mark.parametrize("store", [saved, imported])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_member_is_erased_while_a_game_of_theirs_is_being_stored(store, is_first):
    anna, bob = rated("1600.00"), rated("1700.00")
    jobs = [lambda: store(bob, anna), lambda: erase_member(member=anna, at=at(50))]
    if not is_first:
        jobs.reverse()
    while_it_waits(*jobs)
    # A file that comes later doesn't know the name any more.
    assert Game.objects.filter(black=anna, rated=True).count() == (is_first or store is saved)
    assert Member.everybody.get(pk=anna.pk).username == f"withdrawn-{anna.pk}"
    assert replay(check=True).differences == 0


def test_a_game_in_progress_ends_while_its_player_is_erased():
    anna, bob = rated("1600.00"), rated("1700.00")
    one = game(bob, anna, minute=40)
    one.ended_at = at(45)
    while_it_waits(one.save, lambda: erase_member(member=anna, at=at(50)))
    assert Game.objects.get().ended_at == at(45)
    one.ended_at = at(46)
    with suppress(ValidationError):
        while_it_waits(lambda: erase_member(member=bob, at=at(50)), one.save)
    assert replay(check=True).differences == 0


def sent(white, black):
    """The same game, from a game server."""
    row = GameRow(
        line=1,
        external_id="arena/1",
        white=white.username,
        black=black.username,
        control=Control(180, 2),
        rated=True,
        result="1-0",
        termination=Termination.CHECKMATE,
        started_at=at(35),
        ended_at=at(40),
    )
    return put_game(row, at=at(1000))


@pytest.mark.parametrize("store", [imported, sent])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_game_under_a_merged_name_is_that_account_s_if_the_merge_is_taken_back_meanwhile(store, is_first):
    anna, bea, carl = rated("2000.00"), rated("1500.00"), rated("1600.00")
    merge_members(member=anna, other=bea, at=at(60))
    jobs = [
        lambda: store(bea, carl),
        lambda: unmerge_members(merge=Merge.objects.get(other=bea), at=at(70)),
    ]
    while_it_waits(*(jobs if is_first else jobs[::-1]))
    played = Game.objects.get()
    assert (played.white_id, points(anna), points(bea)) == (bea.pk, 2000, Decimal("1512.80"))
    assert replay(check=True).differences == 0


def update(people, spans):
    """What a file says of the full membership of several members."""
    held = FullMembership.objects.spans_of([who.pk for who in people])
    update_members(updates=[MemberUpdate(who, False, {}, sorted(held[who.pk]), spans) for who in people])


def close_and_reopen(who):
    """With a game in between or not; those from before are kept."""
    close(who, games="keep", since="")
    reopen(who)


def end_and_renew(*people):
    """Nobody of these is a full member in between."""
    update(people, [])
    update(people, [(START, None)])


def test_whatever_is_decided_and_stored_at_once_no_game_counts_that_may_not_and_nobody_waits_in_a_circle():
    people = [rated(f"{1500 + 10 * number}.00") for number in range(8)]
    minutes = count(30, 6)

    def again_and_again(act, seed, number):
        chance = Random(seed)

        def job():
            for _time in range(12):
                # Who is no full member at the moment plays no rated game.
                with suppress(ValidationError):
                    act(*chance.sample(people, number))

        return job

    at_once(
        *(again_and_again(lambda *two: game(*two, minute=next(minutes)), seed, 2) for seed in range(3)),
        *(again_and_again(close_and_reopen, seed, 1) for seed in (3, 4)),
        *(again_and_again(end_and_renew, seed, seed - 4) for seed in (5, 8)),
    )
    assert not list(games_of_closed_accounts())
    assert not Game.objects.outside_membership().exists()
    assert replay(check=True).differences == 0
