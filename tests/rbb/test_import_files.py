"""Files of games as a whole: not what they say, games in PGN, and runs that are cut short."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from django.db import DataError, OperationalError

from ratings.rbb.ledger.replay import replay
from ratings.rbb.management.commands import import_games as command
from ratings.rbb.models import Game, ImportBatch
from tests.arena import member, opening
from tests.commands import MANAGE, csv_file, environment, game_row, manage, read_csv, run
from tests.formats.pgn_text import pgn

HEADER = "external_id,white,black,time_control,rated,result,termination,started_at,ended_at\n"
ROW = "g1,anna,bob,180+2,yes,1-0,mate,2026-03-01T10:00:00Z,2026-03-01T10:05:00Z\n"

FILES = {
    "no such file": ("games.csv", None, "games.csv: No such file or directory"),
    "a directory": ("", None, "the name of a games file must end in .csv, .xlsx or .pgn"),
    "another extension": (
        "games.txt",
        b"x",
        "games.txt: the name of a games file must end in .csv, .xlsx or .pgn",
    ),
    "no extension": ("games", b"x", "must end in .csv, .xlsx or .pgn"),
    "an empty file": ("games.csv", b"", "line 1: the file is empty"),
    "a workbook": (
        "games.csv",
        b"PK\x03\x04\x00",
        "line 1: this is neither CSV nor a valid workbook (.xlsx): open it in a spreadsheet program",
    ),
    "bytes": ("games.csv", bytes(range(256)), "line 1: this is a binary file"),
    "UTF-16 without its mark": ("games.csv", HEADER.encode("utf-16-le"), "line 1: this is a binary file"),
    "a column too few": ("games.csv", HEADER.replace("rated,", "").encode(), "columns missing: “rated”"),
    "a column too many": (
        "games.csv",
        HEADER.replace("rated", "rated,elo").encode(),
        "line 1: columns unknown: “elo”",
    ),
    "PGN in disguise": ("games.csv", b'[Event "Rated game"]\n', "line 1: this is PGN, not CSV"),
    "CSV in disguise": ("games.pgn", (HEADER + ROW).encode(), "the file is empty or is not PGN"),
}


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "content", "message"), FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_read_says_so_in_one_line(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run("import_games", tmp_path / name, "--create-members")
    assert (done.code, done.out) == (1, "")
    assert message in done.err
    assert "\n" not in done.err.rstrip("\n")
    assert not ImportBatch.objects.exists()


@pytest.mark.django_db
def test_a_directory_with_the_name_of_a_file_is_refused(tmp_path):
    (tmp_path / "games.csv").mkdir()
    assert run("import_games", tmp_path / "games.csv").err.endswith("games.csv: Is a directory")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW.replace("anna", "an\x81na").encode("latin-1"), "line 3: white: “an\ufffdna” is not UTF-8"),
        (ROW[:40].encode(), "line 3: 8 of 9 fields, in the row that begins “g1,anna,bob,180+2,yes,1-0,mate,"),
        (ROW.replace("mate", '"mate').encode(), "line 3: bad quoting (a field that starts with a quotation"),
        (
            ROW.replace("mate", '"ma\nte"').encode(),
            "line 3: a line break inside a field, or a quotation mark",
        ),
    ],
    ids=["not UTF-8", "cut off", "a quotation mark too many", "a line break"],
)
def test_a_damaged_line_is_refused_and_those_before_it_are_stored(tmp_path, row, reason):
    path = tmp_path / "games.csv"
    path.write_bytes(HEADER.encode() + ROW.replace("g1", "g0").encode() + row)
    done = run("import_games", path, "--create-members")
    assert done.code == 0
    assert f"refused, {reason}" in done.err
    assert [played.external_id for played in Game.objects.all()] == ["g0"]


@pytest.mark.django_db
def test_games_in_pgn_are_rated_or_kept_as_unrated_with_the_reason(tmp_path):
    anna, otto = member("Berg, Anna"), member("Krog, Otto")
    opening(anna, 1600)
    opening(otto, 1600)
    site = "https://arena.example/game/{}".format
    path = tmp_path / "games.pgn"
    path.write_text(
        pgn(Site=site(1))
        + pgn(Site=site(2), Event="Casual blitz game")
        + pgn(Site=site(3), TimeControl="420+0")
        + pgn("1. e4 1-0", Site=site(4), Termination="Abandoned")
        + pgn("1. e4 e5 *", Site=site(5), Result="*", Termination="Unterminated")
        + pgn(Site=site(6), White="Nobody, Known")
        + pgn(Site=None, UTCDate=None, UTCTime=None, Date="2026.03.01")
    )
    refused = tmp_path / "refused.csv"
    done = run("import_games", path, "--refused", refused)
    assert done.code == 0
    assert done.out.splitlines() == [
        "Read 7 games: 5 stored, 0 already there, 2 refused. Of those stored, 1 counts for ratings.",
        "  stored as unrated: 1, casual game",
        "  stored as unrated: 1, time control 420+0 is not one of the seventeen that are rated (RBB 2.3)",
        "  stored as unrated: 1, not played: fewer than one move by each side (FIDE B.02 5.1)",
        "  stored as unrated: 1, unfinished",
        "  end times: 4 from the start time",
        "Replayed 1 event: 2 ledger rows and 2 ratings written, 0 and 0 deleted.",
    ]
    assert [row["reason"][:38] for row in read_csv(refused)] == [
        "white “Nobody, Known” is not registere",
        "no Site or Link address: without one, ",
    ]
    assert Game.objects.get(external_id=site(1)).pgn.startswith('[Event "Rated blitz game"]')
    assert "5 already there" in run("import_games", path).out
    assert replay(check=True).differences == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "Interrupted. Nothing was stored."),
        (OperationalError("disk full"), 1, "The database refused this. Nothing was stored: disk full"),
        (DataError("too long"), 1, "The database refused this. Nothing was stored: too long"),
    ],
)
def test_an_interruption_is_said_in_a_line_and_leaves_no_file(tmp_path, monkeypatch, error, code, message):
    def fails(**options):
        raise error

    monkeypatch.setattr(command, "import_games", fails)
    refused = tmp_path / "refused.csv"
    done = run("import_games", csv_file(tmp_path / "games.csv", [game_row(1)]), "--refused", refused)
    assert done == (code, "", message)
    assert [path.name for path in tmp_path.iterdir()] == ["games.csv"]


def counts(database, table="ratings_game"):
    with closing(sqlite3.connect(database)) as connected:
        return connected.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_an_import_that_is_killed_leaves_the_database_whole_and_is_run_again(office, within, tmp_path):
    rows = (game_row(n, f"p{n % 50}", f"p{n % 49 + 51}", minute=6 + n) for n in range(15_000))
    path = csv_file(tmp_path / "games.csv", rows)
    arguments = ("import_games", str(path), "--create-members")
    running = subprocess.Popen([sys.executable, MANAGE, *arguments], env=environment(office))
    with closing(sqlite3.connect(office, timeout=0, isolation_level=None)) as probe:
        # As long as this can have the database for itself, the import has not begun to write.
        while running.poll() is None:
            try:
                probe.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                break
            probe.execute("ROLLBACK")
            time.sleep(0.001)
    running.kill()
    running.wait()
    assert counts(office) in (0, 15_000)
    assert counts(office, "ratings_ratingchange") == 2 * counts(office)
    with within():
        assert run(*arguments).code == 0
        assert counts(office) == 15_000
        check = run("replay", "--check")
    assert (check.code, check.out) == (
        0,
        "Checked 15000 events: ledger and ratings match the inputs.\n",
    )


def test_from_the_shell_an_import_ends_with_a_line_and_an_exit_code(office, tmp_path):
    # The name of a file is bytes, not text.
    path = csv_file(tmp_path / os.fsdecode(b"games-\xff.csv"), [game_row(1), game_row(2, black="anna")])
    done = manage(office, "import_games", path, "--create-members")
    assert (done.code, done.err) == (
        0,
        "refused, line 3: white and black are both “anna”: a game needs two players\n",
    )
    assert counts(office) == 1
    done = manage(office, "import_games", tmp_path / "none.csv")
    assert done == (1, "", f"CommandError: {tmp_path}/none.csv: No such file or directory\n")


def test_good_rows_are_stored_though_nobody_listens_to_the_refusals(office, tmp_path):
    path = csv_file(tmp_path / "games.csv", [game_row(1, black="anna"), game_row(2)])
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, MANAGE, "import_games", path, "--create-members"],
        env=environment(office),
        stdout=subprocess.DEVNULL,
        stderr=writing,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 0
    assert counts(office) == 1
