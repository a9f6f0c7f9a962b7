"""Starting ratings from a CSV file (RBB 3.4)."""

from decimal import Decimal

import pytest

from ratings.rbb.ledger.openings import COLUMNS, OPTIONAL_COLUMNS
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import ImportBatch, OpeningRating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, points, projections, rated
from tests.commands import csv_file, read_csv, refusals, run, utc

pytestmark = pytest.mark.django_db

ALL = (*COLUMNS, *OPTIONAL_COLUMNS)
ANNA = {"username": "anna", "category": "blitz", "rating": "1799.60", "effective_at": utc(0)}


@pytest.fixture
def anna():
    return member("anna")


@pytest.fixture
def load(tmp_path):
    """Import rows and give back what the command said."""

    def load(*rows, columns=ALL, options=()):
        return run("import_ratings", csv_file(tmp_path / "ratings.csv", rows, columns), *options)

    return load


def k_of(game):
    """White’s K, then Black’s."""
    return list(RatingChange.objects.of_game(game).values_list("k", flat=True))


def test_a_rating_is_carried_over_and_stands_in_the_ledger(load, anna):
    done = load(ANNA)
    assert done == (
        0,
        "Read 1 row: 1 starting rating stored, 0 already there, 0 refused.\n"
        "Replayed 1 event: 1 ledger row and 1 rating written, 0 and 0 deleted.\n"
        "Read as comma-separated, UTF-8.\n",
        "",
    )
    assert points(anna) == Decimal("1799.60")
    batch = ImportBatch.objects.get()
    assert OpeningRating.objects.get().batch == batch
    assert (batch.stored, batch.already_there, batch.refused) == (1, 0, 0)


def test_all_three_categories_in_any_letters(load, anna):
    load(
        *(
            ANNA | {"category": slug, "rating": rating}
            for slug, rating in (("Rapid", "1000"), ("BLITZ", "1000.5"), ("bullet", "4000.00"))
        )
    )
    assert [points(anna, category) for category in Category] == [
        Decimal("1000.00"),
        Decimal("1000.50"),
        Decimal("4000.00"),
    ]


@pytest.mark.parametrize("columns", [COLUMNS, ALL])
def test_a_member_rated_by_an_opening_never_has_k_40(load, anna, columns):
    load(ANNA, columns=columns)
    bob = rated(1800)
    games = [game(anna, bob, minute=10 + number) for number in range(31)]
    assert [k_of(played)[0] for played in games] == 31 * [20]
    assert not OpeningRating.objects.get(member=anna).previously_unrated


@pytest.mark.parametrize(("carried", "at_40"), [("28", 2), ("5", 25), ("30", 0), ("29", 1), ("", 30)])
def test_a_member_once_unrated_has_k_40_until_he_has_completed_thirty_games(load, anna, carried, at_40):
    load(ANNA | {"games": carried, "previously_unrated": "yes"})
    bob = rated(1800)
    games = [game(anna, bob, minute=10 + number) for number in range(at_40 + 2)]
    assert [k_of(played)[0] for played in games] == at_40 * [40] + [20, 20]


def test_games_alone_do_not_give_k_40(load, anna):
    load(ANNA | {"games": "7", "previously_unrated": "no"})
    assert k_of(game(anna, rated(1800))) == [20, 20]


FAULTS = {
    "under the floor": ({"rating": "99.99"}, "rating: “99.99” is not between 100.00 (RBB 3.2) and 4000.00"),
    "over the top": ({"rating": "4000.01"}, "rating: “4000.01” is not between 100.00 (RBB 3.2) and 4000.00"),
    "negative": ({"rating": "-1600"}, "rating: “-1600” is not between"),
    "three decimals": ({"rating": "1600.125"}, "is not a number with at most two decimals (RBB 3.1)"),
    "a comma for thousands": ({"rating": "1,600"}, "rating: “1,600” is not a number with at most two"),
    "an exponent": ({"rating": "1e3"}, "rating: “1e3” is not a number with at most two decimals (RBB 3.1)"),
    "other digits": ({"rating": "١٦٠٠"}, "rating: “١٦٠٠” is not a number with at most two decimals"),
    "underscores": ({"rating": "1_600"}, "rating: “1_600” is not a number with at most two decimals"),
    "no number": ({"rating": "NaN"}, "rating: “NaN” is not a number with at most two decimals (RBB 3.1)"),
    "infinite": ({"rating": "Infinity"}, "rating: “Infinity” is not a number with at most two decimals"),
    "huge": ({"rating": "1e999999"}, "rating: “1e999999” is not a number with at most two decimals"),
    "empty": ({"rating": ""}, "rating: “” is not a number with at most two decimals (RBB 3.1)"),
    "category": ({"category": "classical"}, "“classical” isn’t a category: use rapid, blitz or bullet"),
    "stranger": ({"username": "xena"}, "username: “xena” is not registered: import the member first"),
    "future": ({"effective_at": "2999-01-01"}, "effective_at: “2999-01-01” is in the future"),
    "date": ({"effective_at": "2026-13-01"}, "effective_at: “2026-13-01” isn’t a date and time"),
    "no date": ({"effective_at": ""}, "effective_at: “” isn’t a date and time"),
    "games": ({"games": "-1"}, "games: “-1” isn’t a valid number of games"),
    "many games": ({"games": "1" * 8}, "games: “11111111” isn’t a valid number of games"),
    "flag": ({"previously_unrated": "perhaps"}, "previously_unrated: “perhaps” is neither yes nor no"),
}


@pytest.mark.parametrize(("changes", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_row_with_a_fault_is_refused_and_the_others_are_stored(load, anna, changes, reason):
    member("bob")
    done = load(ANNA | {"username": "bob"}, ANNA | changes)
    assert done.code == 0
    (refused,) = refusals(done)
    assert refused.startswith("line 3: ")
    assert reason in refused
    assert [given.member.username for given in OpeningRating.objects.all()] == ["bob"]


def test_exactly_the_floor_is_a_rating_and_a_date_is_its_first_moment(load, anna):
    load(ANNA | {"rating": "100.00", "effective_at": "2026-03-02"})
    given = OpeningRating.objects.get()
    assert (given.rating, given.effective_at) == (Decimal("100.00"), at(24 * 60))


def test_a_file_a_second_time_changes_nothing(load, anna):
    rows = ANNA, ANNA | {"category": "rapid", "games": "3", "previously_unrated": "1"}
    load(*rows)
    before = projections(), list(OpeningRating.objects.values_list())
    done = load(*rows)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Read 2 rows: 0 starting ratings stored, 2 already there, 0 refused.")
    assert (projections(), list(OpeningRating.objects.values_list())) == before
    assert ImportBatch.objects.count() == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"rating": "1800"},
        {"effective_at": utc(1)},
        {"games": "5"},
        {"previously_unrated": "yes"},
    ],
)
@pytest.mark.parametrize("where", ["in the file", "on the books"])
def test_a_second_opening_rating_in_a_category_is_refused(load, anna, changes, where):
    done = load(ANNA, ANNA | changes) if where == "in the file" else (load(ANNA), load(ANNA | changes))[1]
    told = "1799.60 of 1 Mar 2026, 00:00 UTC (RBB 3.4: once)"
    said = {
        "in the file": f"anna already has a starting rating in blitz on line 2 of this file: {told}",
        "on the books": f"anna already has a starting rating in blitz: {told}; correct it in the admin",
    }
    assert [line.partition(": ")[2] for line in refusals(done)] == [said[where]]
    assert done.code == (0 if where == "in the file" else 1)
    assert points(anna) == Decimal("1799.60")


def test_games_after_the_opening_are_rated_anew(load, anna):
    bob = rated(1800)
    game(anna, bob, "1/2-1/2", minute=10)
    assert points(anna) is None
    load(ANNA)
    # RBB 3.12: D = 0 (0.40 rounded half up), so half a point is what was expected.
    assert points(anna) == Decimal("1799.60")
    assert replay(check=True).differences == 0
    assert RatingChange.objects.filter(member=anna, k=20).count() == 1


def test_an_opening_for_somebody_rated_by_his_games_is_stored_not_applied_and_reported(load, anna):
    for number in range(5):
        game(anna, rated(1500), minute=10 + number)
    before = points(anna)
    done = load(ANNA | {"effective_at": utc(100)})
    assert done.code == 0
    assert "Stored but not used, because already rated from games (RBB 3.4): anna (blitz)\n" in done.out
    assert points(anna) == before == Decimal("1600.00")


def test_the_file_of_refused_rows_can_be_corrected_and_imported(load, anna, tmp_path):
    refused = tmp_path / "refused.csv"
    done = load(ANNA | {"rating": "18oo"}, options=("--refused", refused))
    assert done.code == 1
    (back,) = read_csv(refused)
    assert (back["rating"], back["line"]) == ("18oo", "2")
    done = run("import_ratings", csv_file(refused, [back | {"rating": "1800"}], (*ALL, "line", "reason")))
    assert (done.code, done.err) == (0, "")
    assert points(anna) == Decimal("1800.00")


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04", b"username,category,rating\n"])
def test_a_file_that_cannot_be_read_is_refused_as_a_whole(tmp_path, content):
    path = tmp_path / "ratings.csv"
    if content is not None:
        path.write_bytes(content)
    done = run("import_ratings", path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"{path}: ")
