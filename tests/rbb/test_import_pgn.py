"""Games from PGN files into the office: what is rated, what an option says, and what is told of it."""

import csv
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from ratings.rbb.ledger import game_files
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.models import Game, RatingChange
from tests.arena import member, opening, points
from tests.commands import run
from tests.formats.pgn_samples import CHESS_COM, CHESSBASE, LICHESS, WEEKLY
from tests.formats.pgn_text import pgn

pytestmark = pytest.mark.django_db

UNSAID = "the file doesn’t say whether the game was rated"


@pytest.fixture
def anna():
    """Anna and Otto, rated 1600 in blitz, under each of their usernames; Anna is returned."""
    found = [member(name) for name in ("anna-b", "otto_k", "Berg, Anna", "Krog, Otto")]
    for one in found:
        opening(one, 1600)
    return found[0]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.pgn"


def test_games_of_chess_com_are_kept_as_unrated_and_rated_once_somebody_says_so(anna, path):
    """Issue 16: casual games must not become rated silently. 0.5.0 rated this one."""
    path.write_text(CHESS_COM)
    done = run("import_games", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:2] == [
        "Read 1 game: 1 stored, 0 already there, 0 refused. Of those stored, 0 count for ratings.",
        f"  stored as unrated: 1, {UNSAID}; use --rate-unmarked to rate them",
    ]
    assert str(points(anna)) == "1600.00"
    assert "1 already there" in run("import_games", path).out
    done = run("import_games", path, "--rate-unmarked")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Read 1 game: 0 stored, 0 already there, 0 refused. Of those stored, 0 count for ratings.",
        "Unrated games that are now rated: 1",
        "  assumed to be rated, because the file doesn’t say: 1",
        "Replayed 1 event: 2 ledger rows and 2 ratings written, 0 and 0 deleted.",
    ]
    # Even opponents: 1600 + 20 × 0.50 (RBB 3.9, 3.10).
    assert str(points(anna)) == "1610.00"
    assert (Game.objects.get().rated, Game.objects.get().unrated_reason) == (True, "")
    assert replay(check=True).differences == 0
    for again in ((), ("--rate-unmarked",)):
        assert "1 already there" in run("import_games", path, *again).out
    assert str(points(anna)) == "1610.00"


def test_what_nobody_calls_rated_is_rated_at_once_if_the_import_says_so(anna, path):
    path.write_text(CHESS_COM + LICHESS + pgn(Event="Casual blitz game"))
    done = run("import_games", path, "--rate-unmarked")
    assert done.out.splitlines()[:3] == [
        "Read 3 games: 3 stored, 0 already there, 0 refused. Of those stored, 2 count for ratings.",
        "  assumed to be rated, because the file doesn’t say: 1",
        "  stored as unrated: 1, casual game",
    ]


def test_a_void_game_is_not_rated_by_a_file(anna, path):
    path.write_text(CHESS_COM)
    run("import_games", path)
    void_games(games=list(Game.objects.all()), by=None, reason="other", note="", at=timezone.now())
    assert "1 already there" in run("import_games", path, "--rate-unmarked").out
    assert not Game.objects.get().rated


def test_a_game_that_may_not_be_rated_stays_unrated(anna, path):
    """RBB 2.1."""
    anna.full_memberships.all().delete()
    path.write_text(CHESS_COM)
    assert run("import_games", path).code == 0
    done = run("import_games", path, "--rate-unmarked")
    assert "was not a full member on 1 Mar 2026, 09:17 UTC, and never has been (RBB 2.1)" in done.err
    assert not Game.objects.get().rated


def test_games_over_the_board_come_in_with_the_time_control_that_the_import_says(path):
    path.write_bytes((WEEKLY + WEEKLY.replace('"3.12"', '"4.1"').replace("1-0", "0-1")).encode("latin-1"))
    arguments = (path, "--create-members", "--rate-unmarked", "--time-control", "900+10")
    done = run("import_games", *arguments)
    assert done.code == 0
    only_day = "only the day is known: the game counts as ended at 2026-03-01 23:59:59 UTC"
    assert done.err.splitlines() == [
        "remark, line 2: not UTF-8; such lines are read as ISO 8859-1, the encoding of the PGN standard",
        f"remark, line 1: {only_day}",
        f"remark, line 18: {only_day}",
    ]
    assert done.out.splitlines()[:4] == [
        "Read 2 games: 2 stored, 0 already there, 0 refused. Of those stored, 2 count for ratings.",
        "  assumed to have the time control you gave, because the file doesn’t give one: 2",
        "  assumed to be rated, because the file doesn’t say: 2",
        "  end times: 2 from the date (end of the day)",
    ]
    # Neither too long nor at the same time as another.
    assert "longer than the time control" not in done.out
    assert "overlap" not in done.out
    assert Game.objects.filter(white__username="Bergström,A").count() == 2
    assert "2 already there" in run("import_games", *arguments).out


@pytest.mark.parametrize("step", [1, -1])
def test_games_of_a_day_without_times_are_rated_in_the_order_of_their_rounds(path, step):
    """RBB 3.11, whatever the order in the file: a win, then a loss.

    2000 + 10.00, and then D = 10: 2010 − 20 × 0.51 (RBB 4.2).
    """
    ann, ben, cas = (member(name) for name in ("ann", "ben", "cas"))
    for one in (ann, ben, cas):
        opening(one, 2000)
    day = {"White": "ann", "Site": "Lund", "UTCDate": None, "UTCTime": None, "Date": "2026.03.01"}
    win = pgn(**day, Black="ben", Round="9")
    loss = pgn("1. e4 e5 2. Nf3 Nc6 0-1", **day, Black="cas", Round="10", Result="0-1")
    path.write_text("".join([win, loss][::step]))
    assert run("import_games", path).code == 0
    assert str(points(ann)) == "1999.80"


@pytest.mark.parametrize("at_once", [10_000, 2])
@pytest.mark.parametrize("ids", ["abcdefghi", "ihgfedcba"])
def test_games_of_the_same_moment_are_rated_in_the_order_of_the_file(path, monkeypatch, at_once, ids):
    """Issue 36, section 4: their addresses say nothing of which came first.

    Anna wins the fifth game and loses the last: 2000 + 10.00, and then D = 10: 2010 − 20 × 0.51 (RBB 4.2).
    """
    monkeypatch.setattr(game_files, "_AT_ONCE", at_once)
    ann, ben, cas, _dan, _eva = (member(name) for name in ("ann", "ben", "cas", "dan", "eva"))
    for one in (ann, ben, cas):
        opening(one, 2000)
    games = [(f"https://arena.example/{own}", "dan", "eva", "1-0") for own in ids]
    games[4] = (games[4][0], "ann", "ben", "1-0")
    games[8] = (games[8][0], "ann", "cas", "0-1")
    path.write_text(
        "".join(
            pgn(f"1. e4 e5 2. Nf3 Nc6 {result}", Site=site, White=white, Black=black, Result=result)
            for site, white, black, result in games
        )
    )
    assert run("import_games", path).code == 0
    assert str(points(ann)) == "1999.80"
    stored = Game.objects.order_by("ended_at", "tie_rank", "id").values_list("external_id", flat=True)
    assert list(stored) == [site for site, *_ in games]


@pytest.mark.parametrize("at_once", [10_000, 2])
def test_games_of_a_day_and_a_round_are_in_the_order_of_the_file(path, monkeypatch, at_once):
    """Rounds first, wherever their games are in the file; their digits are a hash and say nothing."""
    monkeypatch.setattr(game_files, "_AT_ONCE", at_once)
    day = {"Site": "Lund", "UTCDate": None, "UTCTime": None, "Date": "2026.03.01"}
    players = ["ann", "ben", "cas", "dan", "eva", "fay"]
    for name in players:
        member(name)
    games = [(round_, white, black) for round_ in ("10", "9", "9.1") for white, black in pairwise(players)]
    for ordered in (games, games[::-1]):
        path.write_text(
            "".join(pgn(**day, White=white, Black=black, Round=round_) for round_, white, black in ordered)
        )
        assert run("import_games", path).code == 0
        stored = Game.objects.order_by("ended_at", "tie_rank", "id").values_list(
            "external_id", "white__username", "black__username"
        )
        due = sorted(ordered, key=lambda one: [int(part) for part in one[0].split(".")])
        assert [one[1:] for one in stored] == [one[1:] for one in due]
        with deferred():
            Game.objects.all().delete()


def test_the_report_says_how_the_ends_of_games_were_found(path):
    """Issue 36: 0.11.7 counted each game from its start and its clocks, whatever else the file says."""
    path.write_text(CHESS_COM + LICHESS + pgn())
    done = run("import_games", path, "--create-members")
    assert "  end times: 1 from tags, 1 from clocks, 1 from the start time" in done.out.splitlines()
    assert "ends of games" not in run("import_games", path).out


def test_a_game_of_which_only_the_day_is_known_is_not_on_the_list_of_that_day(path):
    """RBB 1.4: a list shows what had ended by 00:00 of its day."""
    day = {"UTCDate": None, "UTCTime": None, "Date": "2026.03.01"}
    path.write_text(pgn(**day))
    assert run("import_games", path, "--create-members").code == 0
    midnight = datetime(2026, 3, 1, tzinfo=UTC)
    ended = Game.objects.get().ended_at
    assert midnight < ended <= midnight + timedelta(days=1)


def test_a_day_that_is_not_over_has_no_game_that_ends_with_it(path):
    today = f"{timezone.now():%Y.%m.%d}"
    path.write_text(pgn(UTCDate=None, UTCTime=None, Date=today))
    assert "the file gives only the day, so import it once that day is over in UTC" in (
        run("import_games", path, "--create-members").err
    )


def test_a_game_without_address_is_stored_once(anna, path):
    path.write_text(CHESSBASE)
    assert "1 stored" in run("import_games", path).out
    path.write_text(CHESSBASE.replace("Lund", "Lund SWE").replace("Lind,M", "Berg"))
    assert "1 already there" in run("import_games", path).out
    path.write_text(CHESSBASE.replace("1-0", "0-1"))
    done = run("import_games", path)
    assert "a game with this external_id is already stored and differs in result" in done.err
    path.write_text(2 * CHESSBASE.replace('Round "2"', 'Round "3"'))
    assert "line 1 of this file already has this game" in run("import_games", path).err


def test_the_first_hundred_remarks_are_told_with_their_lines_and_then_a_number(path):
    def site(number):
        return f"https://arena.example/game/{number}"

    one = "".join(
        pgn(Site=site(number), UTCTime=f"10:{number // 60:02}:{number % 60:02}").replace(
            "[Result", '[ECO "C20"]\n[ECO "C21"]\n[Result'
        )
        for number in range(103)
    )
    path.write_text(one)
    done = run("import_games", path, "--create-members")
    lines = done.err.splitlines()
    assert lines[0] == "remark, line 6: the tag ECO appears twice, with different values; not needed here"
    assert (len(lines), lines[-1]) == (101, "… and 3 more remarks")
    assert "103 stored" in done.out


@pytest.mark.parametrize("arguments", [("--rate-unmarked",), ("--time-control", "180+2")])
def test_a_csv_file_says_for_itself_what_was_rated_and_how(tmp_path, arguments):
    (tmp_path / "games.csv").write_text("")
    done = run("import_games", tmp_path / "games.csv", *arguments)
    assert (done.code, done.err) == (
        1,
        "--rate-unmarked and --time-control are only for .pgn files.",
    )


def test_a_time_control_that_is_none_is_refused_before_anything_is_read(path):
    path.write_text(pgn())
    done = run("import_games", path, "--time-control", "blitz")
    assert done.code == 1
    assert "time control “blitz” is not seconds+increment such as 600+10 (RBB 2.3)" in done.err
    assert not RatingChange.objects.exists()


def test_games_at_an_unknown_control_are_rated_once_somebody_says_theirs(anna, path):
    path.write_text(pgn(TimeControl=None))
    done = run("import_games", path)
    assert (
        "  stored as unrated: 1, time control ? is not one of the seventeen that are rated (RBB 2.3); "
        "use --time-control to set one"
    ) in done.out.splitlines()
    assert "1 already there" in run("import_games", path).out
    done = run("import_games", path, "--time-control", "180+2")
    assert "Unrated games that are now rated: 1" in done.out
    game = Game.objects.get()
    assert (str(game.time_control), game.rated) == ("3 min + 2 s", True)
    assert "1 already there" in run("import_games", path).out
    assert "differs in time_control" in run("import_games", path, "--time-control", "300+0").err
    assert replay(check=True).differences == 0


def test_a_control_is_shown_as_it_is_written(anna, path, client):
    path.write_text(pgn(TimeControl="40/7200:3600") + pgn(TimeControl="*180", Site="https://arena.example/2"))
    assert run("import_games", path).err == ""
    game = Game.objects.get(time_control__written="40/7200:3600")
    assert "40/7200:3600" in client.get(f"/games/{game.pk}/").content.decode()
    assert client.get(f"/api/v1/all-games/{game.pk}").json()["time_control"] == "40/7200:3600"
    page = client.get(f"/games/?control={game.time_control_id}")
    assert [one.pk for one in page.context["table"].data] == [game.pk]
    rows = csv.DictReader(client.get("/games/?format=csv").getvalue().decode().splitlines())
    assert {row["time_control"] for row in rows} == {"*180", "40/7200:3600"}
