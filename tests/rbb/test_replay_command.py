"""``manage.py replay``: it finds exactly what was tampered with, and puts exactly that right."""

from unittest.mock import patch

import pytest
from django.db import connection

from ratings.office import bulk
from ratings.rbb.models import Rating, RatingChange
from ratings.rbb.models.fields import EventType, change_id, rating_id
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, projections, rated
from tests.commands import run

pytestmark = pytest.mark.django_db

SOUND = "ledger and ratings match the inputs.\n"


def an_arena():
    """Two rated in blitz and bullet, one who begins; five games."""
    anna, bob, carl = rated(1600), rated(1500), member()
    games = [
        game(anna, bob, minute=10),
        game(bob, carl, "1/2-1/2", minute=20),
        game(anna, bob, minute=30, notation=CONTROL[Category.BULLET]),
        game(carl, anna, minute=40),
        game(bob, anna, minute=50),
    ]
    return games, projections()


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def row_of(played, black=False):
    return RatingChange.objects.filter(pk=change_id(EventType.GAME, played.pk, black))


def rating_of(who, category=Category.BLITZ):
    return Rating.objects.filter(member=who, category=category)


def lines(done):
    return done.out.splitlines()


def test_a_sound_database_passes_and_nothing_is_written(arena):
    assert run("replay", "--check") == (0, f"Checked 7 events: {SOUND}", "")
    done = run("replay")
    assert done == (
        0,
        "Replayed 7 events: 0 ledger rows and 0 ratings written, 0 and 0 deleted.\n",
        "",
    )
    assert projections() == arena[1]


def test_an_empty_database_is_sound():
    assert run("replay", "--check") == (0, f"Checked 0 events: {SOUND}", "")


def extra_change(games):
    """A line of a game that is not there."""
    stray = row_of(games[1]).get()
    stray.pk, stray.game_id = change_id(EventType.GAME, 10**6), 10**6
    stray.save(force_insert=True)
    return [f"blitz: ledger, without an event: row {stray.pk} of member {stray.member_id}: should not stand"]


def extra_rating(games):
    """Somebody stands where he never played."""
    stray = rating_of(games[0].white).get()
    stray.pk, stray.category = rating_id(stray.member_id, Category.RAPID), Category.RAPID
    stray.save(force_insert=True)
    return [f"rapid: rating, without an event: row {stray.pk} of member {stray.member_id}: should not stand"]


def wrong_change(games):
    """The rating after a game, by a cent."""
    row = row_of(games[0])
    row.update(after="1607.21")
    return [
        f"blitz: ledger: row {row.get().pk} of member {games[0].white_id}: after is 160721, should be 160720"
    ]


def wrong_reason_and_k(games):
    """Two fields of one line."""
    row = row_of(games[4], black=True)
    row.update(reason=8, k=40)
    return [
        f"blitz: ledger: row {row.get().pk} of member {games[4].black_id}: "
        "reason is 8, should be 5, k is 40, should be 20"
    ]


def wrong_opponent_and_k(games):
    """What a line says of its event, and what follows from that."""
    row = row_of(games[4], black=True)
    row.update(opponent=games[4].black_id, k=40)
    return [
        f"blitz: ledger: row {row.get().pk} of member {games[4].black_id}: "
        f"opponent_id is {games[4].black_id}, should be {games[4].white_id}, k is 40, should be 20"
    ]


def wrong_rating(games):
    """Where somebody stands now."""
    row = rating_of(games[1].black)
    row.update(games=7)
    return [f"blitz: rating: row {row.get().pk} of member {games[1].black_id}: games is 7, should be 2"]


def missing_change(games):
    """A line in the middle."""
    row = row_of(games[2])
    pk = row.get().pk
    # Past the foreign key of a rating, as somebody with the shell of the database would.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM ratings_rating WHERE last_change_id = %s", [pk])
    row._raw_delete("default")
    rating = rating_id(games[2].white_id, Category.BULLET)
    return [
        f"bullet: ledger: row {pk} of member {games[2].white_id}: stands nowhere",
        f"bullet: rating: row {rating} of member {games[2].white_id}: stands nowhere",
    ]


def missing_rating(games):
    """Nobody knows where he stands."""
    row = rating_of(games[0].black)
    pk = row.get().pk
    row._raw_delete("default")
    return [f"blitz: rating: row {pk} of member {games[0].black_id}: stands nowhere"]


def all_of_it(games):
    """Everything at once, in the order in which it is found."""
    wrong = [*wrong_change(games), *wrong_reason_and_k(games), *extra_change(games)]
    return [*extra_rating(games), *wrong, *wrong_rating(games), *missing_change(games)]


TAMPERING = (
    extra_change,
    extra_rating,
    wrong_change,
    wrong_reason_and_k,
    wrong_opponent_and_k,
    wrong_rating,
    missing_change,
    missing_rating,
    all_of_it,
)


@pytest.mark.parametrize("tamper", TAMPERING)
def test_check_lists_every_difference_and_writes_nothing_and_replay_repairs_exactly_these(arena, tamper):
    games, original = arena
    differences = tamper(games)
    tampered = projections()
    done = run("replay", "--check")
    assert done.code == 1
    assert lines(done) == differences
    rows = "1 row doesn’t" if len(differences) == 1 else f"{len(differences)} rows don’t"
    assert done.err == f"Checked 7 events: {rows} match the inputs."
    assert projections() == tampered
    written = []
    upsert, delete = bulk.upsert_rows, bulk.delete_rows
    with (
        patch.object(bulk, "upsert_rows", lambda *of, **kept: (written.extend(of[2]), upsert(*of, **kept))),
        patch.object(bulk, "delete_rows", lambda *of: (written.extend(of[1]), delete(*of))),
    ):
        assert run("replay").code == 0
    assert len(written) == len(differences)
    assert projections() == original
    assert run("replay", "--check").code == 0
    done = run("replay")
    assert "0 ledger rows and 0 ratings written, 0 and 0 deleted" in done.out


def test_a_category_alone_is_checked_and_repaired(arena):
    games, _ = arena
    wrong_change(games)
    missing_change(games)
    assert run("replay", "--check", "--category", "rapid").code == 0
    assert len(lines(run("replay", "--check", "--category", "blitz"))) == 1
    assert run("replay", "--category", "bullet").code == 0
    assert run("replay", "--check", "--category", "bullet").code == 0
    assert run("replay", "--check", "--category", "blitz").code == 1


@pytest.mark.parametrize(
    ("since", "found"),
    [
        ("2026-03-01T00:10:00Z", 1),
        ("2026-03-01T00:10:01Z", 0),
        ("2026-03-01", 1),
        ("2026-03-02", 0),
        ("2026-03-01T02:10:00+02:00", 1),
    ],
)
def test_since_a_moment_the_ledger_before_it_holds(arena, since, found):
    games, _ = arena
    row_of(games[0]).update(k=40)
    assert run("replay", "--check", "--since", since).code == found


def test_since_a_moment_takes_the_standing_from_the_ledger_before_it(arena):
    games, _ = arena
    # What stands before the moment is taken as it is: the later lines follow from it.
    row_of(games[3], black=True).update(after="2000.00")
    done = run("replay", "--since", "2026-03-01T00:45:00Z")
    assert done.code == 0
    assert str(row_of(games[4], black=True).get().before) == "2000.00"
    assert run("replay").code == 0
    assert projections() == arena[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--category", "classical"),
        ("--since", "yesterday"),
        ("--since", "2026-02-30"),
    ],
)
def test_an_argument_that_is_none_is_refused(arguments):
    done = run("replay", *arguments)
    assert done.code == 1
    assert arguments[1] in done.err


def test_a_replay_that_fails_half_way_leaves_everything_as_it_was(arena):
    games, _ = arena
    all_of_it(games)
    tampered = projections()

    def fails(*arguments):
        raise KeyboardInterrupt

    with patch.object(bulk, "delete_rows", fails):
        done = run("replay")
    assert (done.code, done.err) == (130, "Interrupted. Nothing was stored.")
    assert projections() == tampered
