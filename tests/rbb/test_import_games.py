"""Games from a CSV file: every row stored once, rated, or refused with its line and the reason."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from members.models import FullMembership, Member
from ratings.formats.game_details import DETAIL_COLUMNS
from ratings.formats.games import COLUMNS
from ratings.rbb.ledger import game_files, players
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.models import Game, ImportBatch, Rating, RatingChange
from ratings.rules.rbb.conditions import NOT_FULL
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, points, projections, rated
from tests.commands import csv_file, game_row, read_csv, refusals, run, utc

pytestmark = pytest.mark.django_db


def three_people():
    """Anna and Bob, rated in blitz, and Carl, who begins."""
    anna, bob, carl = member("anna"), member("bob"), member("carl")
    opening(anna, 1600)
    opening(bob, "1523.45")
    return anna, bob, carl


@pytest.fixture(scope="class")
def people(standing):
    return standing(three_people)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.csv"


def season():
    """Twelve games of three people, two of them unrated and one in progress."""
    names = ["anna", "bob", "carl"]
    rows = [
        game_row(
            number,
            names[number % 3],
            names[(number + 1 + number % 2) % 3],
            result=["1-0", "1/2-1/2", "0-1"][number * number % 5 % 3],
        )
        for number in range(1, 11)
    ]
    rows[3]["rated"] = "no"
    rows[4] |= {"rated": "0", "time_control": "7+0"}
    return [*rows, game_row(11, result="*", ended_at=""), game_row(12, time_control="60+1", rated="TRUE")]


def exported():
    """The ledger as it leaves the office."""
    return run("export_changes").out


def nothing_stored():
    changes = RatingChange.objects.filter(game__isnull=False)
    return not (Game.objects.exists() or ImportBatch.objects.exists() or changes.exists())


def test_a_file_is_stored_rated_and_counted(people, path):
    done = run("import_games", csv_file(path, season()))
    assert done.code == 0
    assert done.err == ""
    assert done.out.splitlines() == [
        "Read 12 games: 12 stored, 0 already there, 0 refused. Of those stored, 9 count for ratings.",
        "  stored as unrated: 2, not marked as rated",
        "Replayed 9 events: 18 ledger rows and 5 ratings written, 0 and 0 deleted.",
        "Read as comma-separated, UTF-8.",
    ]
    assert Game.objects.counting().count() == 9
    batch = ImportBatch.objects.get()
    assert (batch.stored, batch.already_there, batch.refused, batch.source) == (12, 0, 0, path.name)
    assert batch.games.count() == 12


def test_the_same_file_a_second_time_changes_nothing(people, path):
    csv_file(path, season())
    run("import_games", path)
    before = projections(), list(Game.objects.values_list()), exported()
    done = run("import_games", path)
    assert done.code == 0
    assert done.out.startswith("Read 12 games: 0 stored, 12 already there, 0 refused.")
    assert (projections(), list(Game.objects.values_list()), exported()) == before
    assert ImportBatch.objects.count() == 1


def test_the_order_of_the_rows_does_not_matter(people, path):
    rows = season()
    run("import_games", csv_file(path, rows))
    in_order = exported()
    with deferred():
        Game.objects.all().delete()
    for some in (rows[::-2], rows[::-1]):
        assert run("import_games", csv_file(path, some)).code == 0
    assert exported() == in_order
    assert in_order.count("\n") == 1 + 2 * 9 + 2


def test_an_older_file_after_a_newer_one_equals_a_rebuild(people, path):
    rows = season()
    run("import_games", csv_file(path, rows[6:]))
    done = run("import_games", csv_file(path, rows[:6]))
    assert "6 stored, 0 already there" in done.out
    assert replay(check=True).differences == 0


def test_an_imported_game_is_rated_like_one_that_was_saved(people, path):
    anna, bob, _ = people
    saved = game(rated(1600), rated("1523.45"), notation="180+2")
    run("import_games", csv_file(path, [game_row(1)]))
    assert [points(anna), points(bob)] == [points(saved.white), points(saved.black)]
    # D = 77 (76.55 rounded half up): H 0.61.
    assert str(points(anna)) == "1607.80"


def test_an_unfinished_game_is_kept_and_rates_nothing(people, path):
    done = run("import_games", csv_file(path, [game_row(1, result="", ended_at="")]))
    assert "1 stored, 0 already there, 0 refused. Of those stored, 0 count for ratings." in done.out
    played = Game.objects.get()
    assert (played.rated, played.result, played.ended_at, played.counts) == (True, "", None, False)
    assert not RatingChange.objects.filter(game__isnull=False).exists()


def test_unknown_players_become_full_members_only_if_that_is_asked_for(path):
    csv_file(path, [game_row(1, "xena", "yves"), game_row(2, "yves", "zoe")])
    done = run("import_games", path)
    assert done.code == 1
    assert refusals(done) == [
        "line 2: white “xena” is not registered: import the member first, or use --create-members; "
        "black “yves” is not registered: import the member first, or use --create-members",
        "line 3: white “yves” is not registered: import the member first, or use --create-members; "
        "black “zoe” is not registered: import the member first, or use --create-members",
    ]
    assert done.err.endswith("Nothing could be stored.")
    assert nothing_stored()
    assert not Member.objects.exists()
    done = run("import_games", path, "--create-members")
    assert (done.code, done.err) == (0, "")
    assert "3 members created." in done.out
    assert set(Member.objects.values_list("username", flat=True)) == {"xena", "yves", "zoe"}
    assert FullMembership.objects.filter(full_until=None, full_from__year=1900).count() == 3
    assert Rating.objects.filter(rating=None).count() == 3


REFUSED = {
    "unknown member": ({"white": "xena"}, "white “xena” is not registered"),
    "no member yet": (
        {"started_at": utc(-1)},
        "White was not a full member when the game started (RBB 2.1); Black was no",
    ),
    "no longer a member": ({"black": "dora"}, "Black was not a full member when the game started (RBB 2.1)"),
    "character in the id that nobody sees": (
        {"external_id": "g\u200b1"},
        "U+200B in the ID “g\u200b1” is invisible. Remove it.",
    ),
    "id of another width": (
        {"external_id": "g１"},
        "The id “g１” has characters in an unusual width or form. Write it as “g1”.",
    ),
    "id in other capital letters": (
        {"external_id": "G1"},
        "The ID “G1” differs from that of a stored game only in capital letters: “g1”.",
    ),
    "no control": ({"time_control": ""}, "time_control: missing"),
    "future": (
        {"ended_at": "2999-01-01T00:00:00Z"},
        "ended_at 2999-01-01T00:00:00Z is in the future: ratings",
    ),
    "unrated future": ({"ended_at": "2999-01-01T00:00:00Z", "rated": "no"}, "is in the future"),
    "impossible date": (
        {"ended_at": "2026-02-30T10:00:00Z"},
        "ended_at: “2026-02-30T10:00:00Z” isn’t a date",
    ),
    "date alone": ({"started_at": "2026-03-01"}, "started_at: “2026-03-01” is a date without a time"),
    "end before start": ({"started_at": utc(31)}, "is before started_at"),
    "result without end": ({"ended_at": ""}, "ended_at is missing, but result is “1-0”"),
    "end without result": ({"result": "*"}, "but result is missing: give both or neither"),
    "unknown result": ({"result": "2-0"}, "result: “2-0” isn’t 1-0, 0-1, 1/2-1/2"),
    "oneself": ({"black": "anna"}, "white and black are both “anna”"),
    "no id": ({"external_id": ""}, "external_id is missing"),
    "neither yes nor no": ({"rated": "perhaps"}, "rated: “perhaps” is neither yes nor no"),
    "control character": ({"termination": "mate\x07"}, "termination: the control character U+0007"),
    "a million characters": (
        {"termination": "x" * 1_000_000},
        "termination: 1,000,000 characters, more than 10,000",
    ),
    "longer than a line may be": ({"white": "x" * 1_100_000}, "longer than 1,048,576 bytes"),
}


@pytest.mark.parametrize(("changes", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_row_that_cannot_be_taken_is_refused_and_the_others_are_stored(people, path, changes, reason):
    dora = member("dora", full_from=None)
    FullMembership.objects.create(member=dora, full_from=at(-500), full_until=at(25))
    csv_file(path, [game_row(1), game_row(3) | changes, game_row(4)])
    done = run("import_games", path)
    assert done.code == 0
    (refused,) = refusals(done)
    assert refused.startswith("line 3: ")
    assert reason in refused
    assert list(Game.objects.order_by("pk").values_list("external_id", flat=True)) == ["g1", "g4"]
    assert done.out.startswith("Read 3 games: 2 stored, 0 already there, 1 refused.")
    assert ImportBatch.objects.get().refused == 1
    assert replay(check=True).differences == 0


def test_a_game_that_is_stored_with_other_facts_is_refused_with_both_versions(people, path):
    run("import_games", csv_file(path, [game_row(1)]))
    before = projections()
    csv_file(path, [game_row(1, black="carl", result="0-1", ended_at=utc(11), time_control="180+3")])
    done = run("import_games", path)
    assert done.code == 1
    assert refusals(done) == [
        "line 2: a game with this external_id is already stored and differs in black, time_control, result, "
        "ended_at; stored: anna – bob, 180+2, rated, 1-0, 2026-03-01T00:05:00Z to 2026-03-01T00:10:00Z; "
        "in this file: anna – carl, 180+3, rated, 0-1, 2026-03-01T00:05:00Z to 2026-03-01T00:11:00Z"
    ]
    assert projections() == before


def in_progress(number=1, **changes):
    return game_row(number, result="*", ended_at="", termination="", **changes)


def test_a_game_in_progress_that_comes_again_finished_is_finished_and_rated(people, path):
    """Issue 15, row 12: 0.4.1 refused it, as stored already and different."""
    anna, *_ = people
    run("import_games", csv_file(path, [in_progress()]))
    played = Game.objects.get()
    done = run("import_games", csv_file(path, [game_row(1), game_row(2)]))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:2] == [
        "Read 2 games: 1 stored, 0 already there, 0 refused. Of those stored, 1 counts for ratings.",
        "Games in progress that are now finished: 1",
    ]
    played.refresh_from_db()
    assert (played.result, played.termination, played.counts) == ("1-0", "resignation", True)
    # Twice D = 77 and 92 (RBB 3.9.1): 1600 + 7.80 + 7.40.
    assert str(points(anna)) == "1615.20"
    assert replay(check=True).differences == 0
    assert played.history.latest().history_change_reason == "finished in games.csv"


def test_the_file_of_a_game_in_progress_says_nothing_against_the_finished_one(people, path):
    """The order in which files come does not matter."""
    run("import_games", csv_file(path, [game_row(1)]))
    done = run("import_games", csv_file(path, [in_progress()]))
    assert (done.code, done.err) == (0, "")
    assert "0 stored, 1 already there, 0 refused" in done.out
    assert Game.objects.get().counts


@pytest.mark.parametrize(
    ("changes", "differing"),
    [
        ({"black": "carl"}, "black, result, ended_at"),
        ({"started_at": utc(4)}, "result, started_at, ended_at"),
        ({"time_control": "300+0"}, "time_control, result, ended_at"),
        ({"rated": "no"}, "rated, result, ended_at"),
    ],
)
def test_a_game_in_progress_that_comes_again_with_another_difference_is_refused(
    people, path, changes, differing
):
    run("import_games", csv_file(path, [in_progress()]))
    done = run("import_games", csv_file(path, [game_row(1, **changes)]))
    (refused,) = refusals(done)
    assert (
        f"is already stored and differs in {differing}; stored: anna – bob, 180+2, rated, in progr" in refused
    )
    assert Game.objects.get().result == ""


def test_a_game_in_progress_that_may_not_be_rated_as_it_ended_stays_in_progress(people, path):
    run("import_games", csv_file(path, [in_progress()]))
    done = run("import_games", csv_file(path, [game_row(1, termination="disconnection white")]))
    (refused,) = refusals(done)
    told = "White was disconnected for more than 60 seconds and so lost, but the result is 1-0 (RBB 2.4)"
    assert told in refused
    assert Game.objects.get().result == ""


def test_a_game_in_progress_that_was_not_played_is_finished_as_unrated(people, path):
    run("import_games", csv_file(path, [in_progress()]))
    done = run("import_games", csv_file(path, [game_row(1, termination="aborted by server")]))
    assert (done.code, done.err) == (0, "")
    played = Game.objects.get()
    assert (played.result, played.termination, played.rated) == ("1-0", "aborted", False)
    assert played.unrated_reason.startswith("not played: “aborted by server”")


def same_second():
    """Anna, rated 2000.00, beats one and loses to the other, in the same second."""
    names = {who: member(who) for who in ("ann", "ben", "cas")}
    for who in names.values():
        opening(who, 2000)
    win = game_row(1, "ann", "ben", external_id="a", minute=10)
    loss = game_row(2, "ann", "cas", external_id="b", minute=10, result="0-1")
    return names["ann"], win, loss


@pytest.mark.parametrize("swapped", [False, True])
def test_equal_moments_of_a_file_are_ordered_by_external_id(path, swapped):
    """RBB 3.11; issue 15, row 17: 0.4.1 said 1999.80 or 2000.20, as the rows came.

    2000 + 10.00, and then D = 10: 2010 − 20 × 0.51 (RBB 4.2).
    """
    ann, win, loss = same_second()
    run("import_games", csv_file(path, [loss, win] if swapped else [win, loss]))
    assert str(points(ann)) == "1999.80"


def test_equal_moments_are_ordered_over_a_whole_file(path, monkeypatch):
    """Rows of one moment may be far apart: they are written in different parts."""
    ann, win, loss = same_second()
    # Begun at other seconds: what begins and ends at once is likely one game.
    began = [f"2026-03-01T00:15:0{number}Z" for number in range(9)]
    others = [
        game_row(number, "ben", "cas", minute=20 + number % 2, started_at=began[number])
        for number in range(3, 9)
    ]
    rows = [*others[:3], loss, *others[3:], win, in_progress(21), in_progress(20)]
    monkeypatch.setattr(game_files, "_AT_ONCE", 2)
    run("import_games", csv_file(path, rows))
    assert str(points(ann)) == "1999.80"
    order = Game.objects.order_by("ended_at", "tie_rank", "pk").values_list("external_id")
    in_parts = exported(), list(order)
    assert replay(check=True).differences == 0
    with deferred():
        Game.objects.all().delete()
    for some in (rows[::-1], [*rows[::2], *rows[1::2]]):
        run("import_games", csv_file(path, some))
        assert (exported(), list(order.all())) == in_parts
        with deferred():
            Game.objects.all().delete()


def test_equal_moments_of_two_files_are_ordered_as_the_files_came(path):
    ann, win, loss = same_second()
    run("import_games", csv_file(path, [loss]))
    run("import_games", csv_file(path, [win]))
    # 2000 − 10.00, and then D = 10: 1990 + 20 × 0.51.
    assert str(points(ann)) == "2000.20"


def test_an_id_that_stands_twice_in_a_file_is_stored_once(people, path):
    csv_file(path, [game_row(1), game_row(1, "bob", "carl"), game_row(2)])
    done = run("import_games", path)
    assert refusals(done) == ["line 3: line 2 of this file already has “g1”"]
    assert Game.objects.count() == 2
    assert Game.objects.get(external_id="g1").black.username == "bob"


def test_the_file_of_refused_rows_can_be_corrected_and_imported(people, path, tmp_path):
    refused = tmp_path / "refused.csv"
    rows = [game_row(1), game_row(2, "xena"), game_row(3), game_row(4, started_at=utc(-1))]
    done = run("import_games", csv_file(path, rows), "--refused", refused)
    assert done.code == 0
    back = read_csv(refused)
    assert [(row["external_id"], row["line"], row["reason"].partition(":")[0]) for row in back] == [
        ("g2", "3", "white “xena” is not registered"),
        ("g4", "5", NOT_FULL[2]),
    ]
    for row, original in zip(back, (rows[1], rows[3]), strict=True):
        assert {column: row[column] for column in COLUMNS} == original | {"rated": "1"}
    back[0]["white"], back[1]["rated"] = "carl", "no"
    csv_file(refused, back, (*COLUMNS, *DETAIL_COLUMNS, "line", "reason"))
    done = run("import_games", refused)
    assert (done.code, done.err) == (0, "")
    assert Game.objects.count() == 4
    assert replay(check=True).differences == 0


def test_a_username_like_a_formula_survives_the_file_of_refused_rows(people, path, tmp_path):
    member("-dash-")
    refused = tmp_path / "refused.csv"
    run("import_games", csv_file(path, [game_row(1, "-dash-", result="2-0")]), "--refused", refused)
    assert "\n" not in refused.read_text().splitlines()[1]
    back = read_csv(refused)
    back[0]["result"] = "1-0"
    done = run("import_games", csv_file(refused, back, (*COLUMNS, *DETAIL_COLUMNS, "line", "reason")))
    assert (done.code, done.err) == (0, "")
    assert Game.objects.get().white.username == "-dash-"


def test_nothing_refused_leaves_a_file_with_its_header_alone(people, path, tmp_path):
    refused = tmp_path / "refused.csv"
    run("import_games", csv_file(path, [game_row(1)]), "--refused", refused)
    assert refused.read_bytes() == ",".join((*COLUMNS, *DETAIL_COLUMNS, "line", "reason")).encode() + b"\r\n"


def test_strict_stores_nothing_and_still_says_what_was_refused(people, path, tmp_path):
    refused = tmp_path / "refused.csv"
    csv_file(path, [game_row(11), game_row(12, "zoe"), game_row(13, "zack")])
    done = run("import_games", path, "--strict", "--refused", refused)
    assert done.code == 1
    assert [line[:22] for line in refusals(done)] == ["line 3: white “zoe” is", "line 4: white “zack” i"]
    assert done.err.endswith("Nothing was stored: rows were refused and --strict was given.")
    assert [row["line"] for row in read_csv(refused)] == ["3", "4"]
    assert nothing_stored()


def test_strict_stores_everything_when_nothing_is_refused(people, path):
    csv_file(path, [game_row(1), game_row(2, "xena")])
    done = run("import_games", path, "--strict", "--create-members")
    assert (done.code, done.err) == (0, "")
    assert Game.objects.count() == 2


def test_only_a_hundred_refusals_are_told_on_the_terminal(people, path):
    csv_file(path, [game_row(number, "xena", minute=10 + number) for number in range(1, 104)])
    done = run("import_games", path)
    assert len(refusals(done)) == 100
    assert "… and 3 more: use --refused FILE to save all of them" in done.err


def test_an_unrated_game_is_kept_with_any_control_and_its_players_need_not_be_full_members(people, path):
    member("dora", full_from=None)
    csv_file(path, [game_row(1, "dora", time_control="7+0", rated="no"), game_row(2, termination="No-show")])
    done = run("import_games", path)
    assert (done.code, done.err) == (0, "")
    assert "stored as unrated: 1, not played: “no-show” (FIDE B.02 5.1" in done.out
    assert Game.objects.filter(rated=False).count() == 2
    assert not RatingChange.objects.filter(category=Category.BLITZ, game__isnull=False).exists()


def indexes():
    """Name and definition of each index of the games."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s ORDER BY 1"
            if connection.vendor == "postgresql"
            else "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %s ORDER BY 1",
            [Game._meta.db_table],
        )
        return cursor.fetchall()


@pytest.mark.parametrize("at_once", [3, 10_000])
def test_a_first_file_of_many_games_leaves_the_same_games_ledger_and_indexes(
    people, path, monkeypatch, at_once
):
    monkeypatch.setattr(game_files, "_AT_ONCE", at_once)
    monkeypatch.setattr(players, "_PLAYERS_AT_MOST", 1)
    before = indexes()
    twice = game_row(3, "anna", "bob")
    done = run("import_games", csv_file(path, [*season(), twice]))
    assert refusals(done) == ["line 14: line 4 of this file already has “g3”"]
    assert indexes() == before
    assert RatingChange.objects.filter(game__isnull=False).count() == 18
    assert replay(check=True).differences == 0
    again = run("import_games", csv_file(path, season()))
    assert "0 stored, 12 already there, 0 refused" in again.out


def test_a_file_that_is_refused_half_way_leaves_every_index(people, path, monkeypatch):
    monkeypatch.setattr(game_files, "_AT_ONCE", 3)
    before = indexes()
    done = run("import_games", csv_file(path, [*season(), game_row(13, "nobody", "bob")]), "--strict")
    assert done.code == 1
    assert nothing_stored()
    assert indexes() == before


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's page cache")
def test_an_import_leaves_the_page_cache_as_it_was(people, path):
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA cache_size").fetchone()
        run("import_games", csv_file(path, season()))
        assert cursor.execute("PRAGMA cache_size").fetchone() == before


def test_a_game_that_was_aborted_ends_without_a_result_also_one_that_was_in_progress(path, people):
    begun = game_row(1, result="", ended_at="")
    csv_file(path, [begun])
    run("import_games", path)
    aborted = {**begun, "termination": "aborted"}
    new = game_row(2, result="", ended_at="", termination="no-show")
    csv_file(path, [aborted, new, game_row(3, result="", termination="aborted")])
    before = timezone.now()
    done = run("import_games", path)
    assert "Games in progress that are now finished: 1" in done.out
    first, second, third = Game.objects.order_by("external_id")
    assert [(one.result, one.rated) for one in (first, second, third)] == [("", False)] * 3
    assert first.ended_at >= before
    assert second.ended_at == second.started_at
    assert third.ended_at > third.started_at
    stored = list(Game.objects.order_by("pk").values_list())
    done = run("import_games", path)
    assert "3 already there" in done.out
    assert list(Game.objects.order_by("pk").values_list()) == stored
    assert not RatingChange.objects.filter(game__isnull=False).exists()


@pytest.mark.parametrize("changes", [{}, {"result": "", "ended_at": ""}])
def test_a_file_has_no_clock_that_may_be_ahead(path, people, changes):
    ahead = (timezone.now() + timedelta(minutes=4)).isoformat()
    csv_file(path, [game_row(1, **{"started_at": ahead, "ended_at": ahead, **changes})])
    done = run("import_games", path)
    assert "is in the future" in done.err
    assert not Game.objects.exists()


def test_a_file_ends_no_game_in_the_future_either(path, people):
    csv_file(path, [game_row(1, result="", ended_at="")])
    run("import_games", path)
    csv_file(path, [game_row(1, ended_at=(timezone.now() + timedelta(minutes=4)).isoformat())])
    assert "is in the future" in run("import_games", path).err
    assert Game.objects.get().ended_at is None


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite can be told how large its file may be")
@pytest.mark.django_db(transaction=True)
def test_where_the_disk_is_full_nothing_is_stored(path):
    three_people()
    csv_file(path, [game_row(number, "anna", "bob") for number in range(1, 3000)])
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        (pages,) = cursor.fetchone()
        cursor.execute("PRAGMA max_page_count")
        (most,) = cursor.fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages + 20}")
        try:
            done = run("import_games", path)
        finally:
            cursor.execute(f"PRAGMA max_page_count = {most}")
    assert (done.code, done.err) == (
        1,
        "The database refused this. Nothing was stored: database or disk is full. "
        "The disk of the database may be full. Free some space, then try again.",
    )
    assert not Game.objects.exists()
    assert not ImportBatch.objects.exists()
