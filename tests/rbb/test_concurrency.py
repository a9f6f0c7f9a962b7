"""Several at the counter at once: the ledger is what a rebuild gives, whoever came first."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from itertools import combinations
from threading import Barrier, Event

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, connections, transaction

from ratings.formats.games import GameRow
from ratings.rbb.ledger import replay as replaying
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.models import Game, RatingChange
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Category, Control
from tests.arena import CONTROL, at, control, game, member, opening, points, rated
from tests.decisions import decided

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("shared_database"),
]


def in_thread(job):
    """A job with connections of its own, closed at its end."""
    try:
        return job()
    finally:
        connections.close_all()


def at_once(*jobs):
    """Run all jobs at once, each in a thread; raises what one of them raised."""
    start = Barrier(len(jobs))

    def work(job):
        start.wait(60)
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = [pool.submit(in_thread, lambda job=job: work(job)) for job in jobs]
    return [future.result() for future in futures]


def while_it_waits(first, second):
    """What both give, where the second begins before the first commits: that it does once it is waited for.

    Or once the second is over, which did not wait then. SQLite lets nobody else begin before.
    """
    done, over = Event(), Event()

    def begin():
        with transaction.atomic():
            try:
                given = first()
            finally:
                done.set()
            while connection.vendor == "postgresql" and not over.wait(0.01) and not somebody_waits():
                pass
        return given

    def follow():
        assert done.wait(60)
        try:
            return second()
        finally:
            over.set()

    return at_once(begin, follow)


def somebody_waits():
    """Whether a connection of this database waits for a lock, of a row or of the office."""
    with connection.cursor() as cursor:
        # Who waits for a row waits for a transaction, which belongs to no database.
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks AS asked JOIN pg_locks AS held USING (pid)"
            " JOIN pg_database ON pg_database.oid = held.database"
            " WHERE datname = current_database() AND NOT asked.granted)"
        )
        return cursor.fetchone()[0]


def sound(games):
    """So many games stand with two lines each, and a check finds nothing to do."""
    assert Game.objects.count() == games
    assert RatingChange.objects.filter(game__isnull=False).count() == 2 * games
    return replay(check=True).differences == 0


def saves(white, black, minutes, notation=CONTROL[Category.BLITZ]):
    """A job that saves a game of these two at each of these minutes."""
    stored = control(notation)

    def job():
        for minute in minutes:
            Game.objects.create(
                white=white,
                black=black,
                time_control=stored,
                started_at=at(minute),
                ended_at=at(minute),
                result=["1-0", "1/2-1/2", "0-1"][minute % 3],
            )

    return job


def test_games_of_overlapping_members_saved_at_once_equal_a_rebuild():
    people = [rated(1600), rated(1700), member(), member()]
    jobs = [
        saves(white, black, range(10 + number, 70, 7))
        for number, (white, black) in enumerate(combinations(people, 2))
    ]
    at_once(*jobs)
    assert sound(sum(len(range(10 + number, 70, 7)) for number in range(6)))


def test_the_same_pair_at_once_with_both_colours_and_in_all_categories():
    anna, bob = rated(1600), rated(1700)
    at_once(
        *(
            saves(white, black, range(10, 14), notation)
            for white, black in ((anna, bob), (bob, anna))
            for notation in CONTROL.values()
        )
    )
    assert sound(24)


def test_first_ratings_and_games_of_the_same_members_at_once_equal_a_rebuild():
    anna, bob, carl = member(), member(), rated(1800)

    def first_ratings():
        for minute in (15, 25, 500):
            for who in (bob, anna):
                opening(who, 1600 + minute, minute=minute)

    at_once(saves(anna, bob, range(10, 30, 5)), first_ratings, saves(carl, anna, range(12, 32, 5)))
    assert sound(8)
    assert RatingChange.objects.filter(opening__isnull=False).count() == 7


def test_two_games_entered_late_at_once_equal_a_rebuild():
    anna, bob, carl = rated(1600), rated(1700), rated(1800)
    for minute in range(100, 130, 10):
        game(anna, bob, minute=minute)
    at_once(saves(anna, carl, [50, 105]), saves(bob, carl, [55, 102]))
    assert sound(7)


def test_an_append_and_a_void_at_once_equal_a_rebuild():
    anna, bob, carl = rated(1600), rated(1700), rated(1800)
    first = game(anna, bob, minute=10)
    game(bob, carl, minute=20)

    def void():
        void_games(games=[first], by=None, reason="engine", at=at(500))

    at_once(saves(anna, carl, range(100, 105)), void, saves(bob, carl, range(200, 205)))
    assert replay(check=True).differences == 0
    assert Game.objects.counting().count() == 11
    assert not RatingChange.objects.filter(game=first).exists()


def test_corrections_without_pause_beside_those_who_save_games_equal_a_rebuild():
    people = [rated(1500 + 10 * number) for number in range(6)]
    pairs = list(combinations(people, 2))
    for minute in range(10, 40):
        game(*pairs[minute % len(pairs)], minute=minute, result=["1-0", "0-1"][minute % 2])

    def correct():
        for number in range(25):
            played = Game.objects.order_by("ended_at", "pk")[number]
            played.result = "1/2-1/2" if played.result != "1/2-1/2" else "1-0"
            played.save()

    at_once(
        correct,
        *(saves(*pair, range(1000 + number, 1300, 8)) for number, pair in enumerate((pairs[0], pairs[5]))),
        saves(*pairs[9], range(900, 1300, 9)),
    )
    assert replay(check=True).differences == 0


@pytest.fixture
def meanwhile(monkeypatch):
    """Give a job that others do while a replay has read what moves, and before it writes."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")

    def give(job):
        lock = replaying.lock_category

        def after(*arguments):
            monkeypatch.setattr(replaying, "lock_category", lock)
            with ThreadPoolExecutor(1) as pool:
                pool.submit(in_thread, job).result()
            lock(*arguments)

        monkeypatch.setattr(replaying, "lock_category", after)

    return give


def test_what_is_appended_while_a_correction_reads_follows_from_it(meanwhile):
    anna, bob, carl = rated(1600), rated(1700), rated(1800)
    first = game(anna, bob, minute=10)
    meanwhile(saves(anna, carl, [100, 101]))
    first.result = "0-1"
    first.save()
    # H of 1600 against 1700 is 0.36: K 20, 1592.80; against 1800 twice, with 1-0 and a draw (3.9, 4.2).
    assert RatingChange.objects.of_game(first)[0].after == Decimal("1592.80")
    assert sound(3)


def test_what_is_appended_before_a_game_that_is_entered_late_is_taken_first(meanwhile):
    anna, bob, carl, dora = rated(1600), rated(1700), rated(1800), rated(1900)
    game(dora, bob, minute=5)
    meanwhile(saves(anna, carl, [90, 93]))
    with deferred():
        game(anna, dora, minute=100)
    assert sound(4)


def test_what_two_who_moved_play_while_a_correction_reads_follows_from_it(meanwhile):
    anna, bob, carl = rated(1600), rated(1700), rated(1800)
    first = game(anna, bob, minute=10)
    game(bob, carl, minute=200)
    meanwhile(saves(anna, dora := rated(1500), [90, 120]))
    first.delete()
    assert sound(3)
    assert points(dora) is not None


def test_of_two_who_void_the_same_games_at_once_one_does_and_the_other_is_told():
    anna, bob, carl = rated(1600), rated(1700), rated(1800)
    games = [game(anna, bob, minute=10), game(bob, carl, minute=20)]

    def void(reason, games):
        def job():
            try:
                void_games(games=games, by=None, reason=reason, at=at(500))
            except ValidationError as error:
                return error.messages
            return reason

        return job

    # Each in another order: they wait for each other, but not in a circle.
    results = at_once(void("one", games), void("other", games[::-1]))
    refused = [f"{one} is already void." for one in games]
    assert refused in results
    (done,) = (result for result in results if result != refused)
    assert set(Game.objects.values_list("void_reason", flat=True)) == {done}
    assert Game.history.filter(history_change_reason=done).count() == 2
    assert Game.history.count() == 4
    assert replay(check=True).differences == 0


def test_of_two_who_tell_a_game_apart_differently_at_once_one_decides():
    anna, bob = rated(1600), rated(1700)
    first = game(anna, bob, minute=10)
    second = game(anna, bob, started_at=first.started_at, ended_at=first.ended_at)
    assert second.waits

    def answers(kind):
        return lambda: decided(kind, game=[str(second.pk)])

    results = at_once(answers("same-game"), answers("other-game"))
    (done,) = filter(None, results)
    second.refresh_from_db()
    expected = (False, True) if done.kind == "same-game" else (True, False)
    assert (second.rated, second.voided_at is not None) == expected
    assert replay(check=True).differences == 0


def test_a_replay_while_games_are_saved_leaves_a_sound_ledger():
    anna, bob = rated(1600), rated(1700)
    game(anna, bob, minute=5)

    def rebuild():
        replay()
        replay(since=at(5))

    at_once(saves(anna, bob, range(10, 20)), rebuild, rebuild)
    assert sound(11)


def test_the_first_games_of_a_new_member_from_two_threads_both_count():
    anna, bob, carl = member(), rated(1500), rated(1500)
    # Minutes that can be divided by three are wins: 1500 + 5 × 20, then H 0.64 and K 40.
    at_once(saves(anna, bob, [9, 12, 15]), saves(anna, carl, [21, 24, 27]))
    assert sound(6)
    games = RatingChange.objects.filter(member=anna).in_order().values_list("games", flat=True)
    assert list(games) == [1, 2, 3, 4, 5, 6]
    assert points(anna) == Decimal("1614.40")


def test_two_edits_of_one_game_at_once_equal_a_rebuild():
    anna, bob = rated(1600), rated(1700)
    played = game(anna, bob, minute=50)
    game(anna, bob, minute=60)

    def moves_to(minute):
        def job():
            mine = Game.objects.get(pk=played.pk)
            mine.started_at = mine.ended_at = at(minute)
            # Whoever loaded it before the other has saved is told so.
            with suppress(ValidationError):
                mine.save()

        return job

    at_once(moves_to(40), moves_to(70))
    assert sound(2)


def test_a_game_saved_between_two_of_one_transaction_waits_and_all_are_rated():
    anna, bob = rated(1600), rated(1700)

    def together():
        with transaction.atomic():
            saves(anna, bob, [20])()
            saves(bob, anna, [30])()

    at_once(together, saves(anna, bob, [25, 40]))
    assert sound(4)


def test_of_two_imports_of_one_file_at_once_the_second_finds_everything_there():
    control("180+2")
    rows = [
        GameRow(
            line=number,
            external_id=f"g{number}",
            white=f"p{number % 7}",
            black=f"q{number % 5}",
            control=Control(180, 2),
            rated=True,
            result="1-0",
            termination=Termination.CHECKMATE,
            started_at=at(number),
            ended_at=at(number),
        )
        for number in range(200)
    ]

    def imports():
        return import_games(rows=rows, source="x", sha256="", at=at(1000), create_members=True)

    first, second = sorted(at_once(imports, imports), key=lambda result: result.already_there)
    assert (first.stored, first.members_created) == (200, 12)
    assert (second.stored, second.already_there, second.refused, second.members_created) == (0, 200, 0, 0)
    assert sound(200)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
def test_two_who_find_out_that_they_came_late_do_not_wait_for_each_other():
    anna, bob, carl, dora = rated(1600), rated(1700), rated(1800), rated(1900)
    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            game(anna, bob, minute=100)
            late = [pool.submit(in_thread, saves(anna, other, [50])) for other in (carl, dora)]
            # Both have looked: nothing stood after minute 50 yet. Now they wait for anna.
            waiting = 0
            while waiting < 2:
                assert not any(future.done() for future in late)
                with connection.cursor() as cursor:
                    cursor.execute(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND"
                        " database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                    )
                    waiting = cursor.fetchone()[0]
        for future in late:
            future.result()
    assert sound(3)


def test_nobody_is_rated_by_a_game_that_was_taken_back():
    anna, bob = rated(1600), rated(1700)

    def taken_back():
        with transaction.atomic():
            saves(anna, bob, [10])()
            transaction.set_rollback(True)

    at_once(taken_back, saves(anna, bob, [30]), taken_back)
    assert sound(1)


K_15 = {"toml": ["[[k.rule]]\nk = 15\nrating_from = 2000\n"]}


def ks(who):
    lines = RatingChange.objects.filter(member=who, k__isnull=False)
    return list(lines.in_order().values_list("k", flat=True))


def test_what_is_appended_while_an_edition_is_put_into_force_is_rated_under_it(meanwhile):
    anna, bob = rated(2100), rated(1900)
    game(anna, bob, minute=10)
    meanwhile(saves(anna, bob, [100]))
    decided("put-edition-into-force", since=["2026-03-01"], **K_15)
    assert ks(anna) == [15, 15]
    assert sound(2)


@pytest.mark.parametrize("edition_first", [True, False])
def test_a_game_and_an_edition_at_once_equal_a_rebuild_whoever_is_first(edition_first):
    anna, bob = rated(2100), rated(1900)

    def put():
        return decided("put-edition-into-force", since=["2026-03-01"], **K_15)

    both = put, saves(anna, bob, [100])
    while_it_waits(*(both if edition_first else reversed(both)))
    assert ks(anna) == [15]
    assert sound(1)


def test_of_two_who_put_an_edition_into_force_from_one_day_the_second_is_told():
    game(rated(2100), rated(1900), minute=10)

    def put():
        try:
            return decided("put-edition-into-force", since=["2026-03-01"], **K_15).state
        except ValidationError as refusal:
            return refusal.messages[0]

    found = while_it_waits(put, put)
    assert found == ["applied", "An edition is already in force from this day. Withdraw it first."]
    assert sound(1)
