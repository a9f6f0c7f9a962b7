"""What leaves the office as CSV: the ledger and the lists."""

from itertools import permutations

import pytest

from members.models import Member
from ratings.rbb.management.commands import export_changes
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, adjustment, game, member, opening, rated
from tests.commands import read_csv, run, utc

pytestmark = pytest.mark.django_db

CHANGES = (
    "occurred_at,category,username,kind,event,opponent,before,after,change,opponent_rating,difference,"
    "expected,score,k,reason"
)
LIST = "rank,username,fide_id,name,title,federation,rating,games"


def lines(*arguments):
    """The lines of an export after its header."""
    done = run(*arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("\r\n")
    header, *rows = done.out.split("\r\n")[:-1]
    assert header == (CHANGES if arguments[0] == "export_changes" else LIST)
    return rows


def named(username, points, category=Category.BLITZ, **fields):
    who = member(username, **fields)
    opening(who, points, category)
    return who


@pytest.fixture
def regulation():
    """RBB 3.12: 1799.60 and 1800.20 are both displayed as 1800; their owners play each other."""
    return named("anna", "1799.60"), named("bob", "1800.20")


def test_every_column_of_every_kind_of_line(regulation):
    anna, bob = regulation
    carl = member("carl")
    game(anna, bob, minute=10, external_id="g1")
    game(carl, anna, "1/2-1/2", minute=20, external_id="g2")
    adjustment(bob, "-12.34", minute=30, source="list")
    opening(anna, 2000, minute=40)
    # D = 1 (0.60 rounded half up): table 4.2 gives 0.50 up to 3.
    assert lines("export_changes") == [
        "2026-03-01T00:00:00Z,blitz,anna,opening,test,,,1799.60,,,,,,,3.4 started with an existing rating",
        "2026-03-01T00:00:00Z,blitz,bob,opening,test,,,1800.20,,,,,,,3.4 started with an existing rating",
        "2026-03-01T00:10:00Z,blitz,anna,game,g1,bob,1799.60,1809.60,10.00,1800.20,1,0.50,1,20,"
        "3.9 game between two rated players",
        "2026-03-01T00:10:00Z,blitz,bob,game,g1,anna,1800.20,1790.20,-10.00,1799.60,1,0.50,0,20,"
        "3.9 game between two rated players",
        "2026-03-01T00:20:00Z,blitz,carl,game,g2,anna,,,0.00,1809.60,,,0.5,,"
        "3.6 result counted towards the first rating",
        "2026-03-01T00:20:00Z,blitz,anna,game,g2,carl,1809.60,1809.60,0.00,,,,0.5,,"
        "3.8 opponent unrated: rating not affected",
        "2026-03-01T00:30:00Z,blitz,bob,adjustment,2026-03,,1790.20,1777.86,-12.34,,,,,,"
        "3.15 over-the-board rating change added",
        "2026-03-01T00:40:00Z,blitz,anna,opening,test,,1809.60,1809.60,0.00,,,,,,3.4 not applied: "
        "already rated in this category",
    ]


def test_a_fall_through_the_floor_shows_what_was_lost():
    game(named("anna", "100.00"), named("bob", "100.00"), "0-1", minute=10, external_id="g1")
    assert lines("export_changes")[2] == (
        "2026-03-01T00:10:00Z,blitz,anna,game,g1,bob,100.00,,-10.00,100.00,0,0.50,0,20,"
        "3.3 rating fell below the floor of 100: unrated again"
    )


def test_events_are_in_their_order_and_the_filters_choose_among_them(regulation):
    anna, bob = regulation
    late = game(anna, bob, minute=30, notation=CONTROL[Category.BULLET])
    game(anna, bob, minute=10, external_id="first")
    every = lines("export_changes")
    assert [row.split(",")[4] for row in every] == ["test", "test", "first", "first", *2 * [str(late.pk)]]
    assert lines("export_changes", "--category", "blitz") == every[:4]
    assert lines("export_changes", "--category", "bullet") == every[4:]
    assert lines("export_changes", "--category", "rapid") == []
    assert lines("export_changes", "--username", "anna") == [row for row in every if ",anna," in row[:35]]
    assert lines("export_changes", "--username", "bob", "--category", "bullet") == [every[5]]


@pytest.mark.parametrize("arguments", [("--username", "xena"), ("--category", "classical")])
def test_a_filter_that_names_nothing_is_refused(arguments):
    done = run("export_changes", *arguments)
    assert (done.code, done.out) == (1, "")
    assert arguments[1] in done.err


@pytest.mark.parametrize("username", ["=cmd", "+1", "-dash-", "@home"])
def test_a_name_that_a_spreadsheet_would_calculate_is_quoted(username):
    named(username, 1600, name=f'{username}, "Jr"')
    assert lines("export_changes")[0].split(",")[2] == f"'{username}"
    assert lines("export_list", "blitz") == [f'1,\'{username},,"\'{username}, ""Jr""",,,1600,0']


def test_the_output_is_a_file_that_appears_when_it_is_complete(regulation, tmp_path):
    output = tmp_path / "changes.csv"
    output.write_text("old")
    assert run("export_changes", "--output", output) == (0, "", "")
    assert output.read_bytes().decode() == run("export_changes").out
    assert [row["username"] for row in read_csv(output)] == ["anna", "bob"]
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_export_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error):
    output = tmp_path / "changes.csv"
    output.write_text("old")

    def rows(*options):
        yield ("a line",)
        raise error

    monkeypatch.setattr(export_changes.CHANGES, "of", rows)
    done = run("export_changes", "--output", output)
    assert done.code in (1, 130)
    assert len(done.err.splitlines()) == 1
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none/changes.csv", "No such file or directory"),
        ("", "Is a directory"),
    ],
)
def test_an_output_that_cannot_be_written_is_said_in_a_line(tmp_path, name, message):
    (tmp_path / "inside").mkdir()
    done = run("export_changes", "--output", tmp_path / "inside" / name)
    assert (done.code, done.err.endswith(f": {message}")) == (1, True)
    assert list(tmp_path.rglob("*")) == [tmp_path / "inside"]


def test_a_device_is_written_to_not_replaced(regulation, tmp_path):
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    assert run("export_changes", "--output", device).code == 0
    assert device.is_symlink()
    assert device.is_char_device()


def test_the_list_ranks_what_it_shows():
    named("f", "1799.49", name="Abel")
    named("e", "1799.50", name="Berg")
    named("d", "1800.49", name="Abel", fide_id=7, title="FM", federation="NOR")
    named("c", "1800.00", name="Abel")
    named("b", "1800.50", name="Ödman")
    named("a", "2215.50", name="Zorn")
    member("unrated")
    assert lines("export_list", "blitz") == [
        "1,a,,Zorn,,,2216,0",
        "2,b,,Ödman,,,1801,0",
        "3,d,7,Abel,FM,NOR,1800,0",
        "3,c,,Abel,,,1800,0",
        "3,e,,Berg,,,1800,0",
        "6,f,,Abel,,,1799,0",
    ]
    assert lines("export_list", "rapid") == []


def test_names_stand_in_the_order_of_code_points():
    for username, name in (("a", "Ödman"), ("b", "abel"), ("c", "Zorn"), ("d", "Åberg"), ("e", "")):
        named(username, 1800, name=name)
    assert [row.split(",")[1] for row in lines("export_list", "blitz")] == ["e", "c", "b", "d", "a"]


def test_a_member_whose_rating_was_lost_leaves_the_list():
    game(named("anna", "100.00"), named("bob", 1000), "0-1", minute=10)
    # D = 900, over 735: nothing was to be lost, and at 0.00 nothing is.
    assert len(lines("export_list", "blitz")) == 2
    game(Member.objects.get(username="anna"), named("carl", "100.00"), "0-1", minute=20)
    for now in ((), ("--as-of", utc(20))):
        assert [row.split(",")[1] for row in lines("export_list", "blitz", *now)] == ["bob", "carl"]
    assert [row.split(",")[1] for row in lines("export_list", "blitz", "--as-of", utc(15))] == [
        "bob",
        "anna",
        "carl",
    ]


@pytest.mark.parametrize(
    ("moment", "ratings"),
    [
        ("2026-03-01T00:30:00Z", ["1610,1", "1590,1"]),
        ("2026-03-01T00:29:59.999999Z", ["1600,0", "1600,0"]),
        ("2026-03-01T01:30:00+01:00", ["1610,1", "1590,1"]),
        ("2026-03-01", ["1600,0", "1600,0"]),
        ("2026-02-28T23:59:59Z", []),
        ("1900-01-01", []),
    ],
)
def test_the_list_of_a_moment_is_the_state_after_the_last_game_that_had_ended(moment, ratings):
    game(named("anna", 1600), named("bob", 1600), minute=30)
    rows = lines("export_list", "blitz", "--as-of", moment)
    assert [",".join(row.split(",")[-2:]) for row in rows] == ratings


def test_the_list_of_this_moment_is_the_live_list():
    people = [rated(1000 + 100 * number) for number in range(5)] + [member()]
    for number, (white, black) in enumerate(permutations(people, 2)):
        game(white, black, ["1-0", "1/2-1/2", "0-1"][number % 3], minute=10 + number)
    assert len(lines("export_list", "blitz")) == 6
    assert lines("export_list", "blitz") == lines("export_list", "blitz", "--as-of", "2026-03-02")


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        ("2999-01-01T00:00:00Z", "--as-of 2999-01-01T00:00:00Z is in the future."),
        ("yesterday", "“yesterday” isn’t a date and time such as 2026-03-14T20:00:00Z"),
        ("2026-02-30", "“2026-02-30” isn’t a date and time"),
        ("0001-01-01T00:00:00+14:00", "isn’t a date and time"),
    ],
)
def test_a_moment_that_is_none_is_refused(moment, message):
    done = run("export_list", "blitz", "--as-of", moment)
    assert (done.code, done.out) == (1, "")
    assert message in done.err
