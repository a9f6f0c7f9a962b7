"""Rehearsals: a dry run of the command, and files in the browser whose options change on the way."""

import re

import pytest
from django.contrib.auth.models import Group, User

from members.models import Member
from ratings.formats.problems import Fault, Problem
from ratings.office.importing import grouped
from ratings.office.models import FileImport
from ratings.rbb.models import Game, ImportBatch
from tests.arena import projections
from tests.commands import csv_file, game_row, run
from tests.files import brought, games_csv, page_of
from tests.formats.league_text import rounds_csv, squads_csv
from tests.league.office import SQUADS, bring_squads, everything
from tests.pages import words

pytestmark = pytest.mark.django_db

DRY = "This was a dry run: nothing was stored.\n"

PGN = (
    b'[Event "Friday"]\n[Site "https://arena.example/1"]\n[UTCDate "2026.03.02"]\n[UTCTime "10:00:00"]\n'
    b'[White "anna"]\n[Black "bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n'
)


def stored():
    return projections(), Game.objects.count(), Member.objects.count(), ImportBatch.objects.count()


# --dry-run


def test_a_dry_run_says_what_the_import_says_and_stores_nothing(arena, tmp_path):
    path = csv_file(tmp_path / "games.csv", [game_row(1), game_row(2, "carl", "bob")])
    before = stored()
    dry = run("import_games", path, "--create-members", "--dry-run")
    assert stored() == before
    done = run("import_games", path, "--create-members")
    assert (dry.code, dry.out, dry.err) == (done.code, done.out + DRY, done.err)
    assert "1 member created." in done.out
    assert Game.objects.count() == 2


@pytest.mark.parametrize(
    ("rows", "options", "code"),
    [
        ([game_row(1), game_row(2, "carl")], (), 0),
        ([game_row(2, "carl")], (), 1),
        ([game_row(1), game_row(2, "carl")], ("--strict",), 1),
    ],
    ids=["some are refused", "all are refused", "strict"],
)
def test_a_dry_run_ends_with_the_exit_code_of_the_import(arena, tmp_path, rows, options, code):
    path = csv_file(tmp_path / "games.csv", rows)
    before = stored()
    dry = run("import_games", path, *options, "--dry-run")
    assert (dry.code, stored()) == (code, before)
    done = run("import_games", path, *options)
    assert (done.code, done.err) == (code, dry.err)


MEMBERS = "username,name,fide_id,federation,sex,birth_year,title,full_from,full_until\n"
OPENINGS = "username,category,rating,effective_at\n"


@pytest.mark.parametrize(
    ("command", "content", "options"),
    [
        ("import_members", MEMBERS + "zoe,Zoe,,,,,,2026-01-01,\nanna,Other,,,,,,,\n", ()),
        ("import_ratings", OPENINGS + "anna,rapid,1500,2025-01-01\ncarl,blitz,1,2026-01-01\n", ()),
        ("import_league_players", squads_csv("Carr,East,1500,30,no").decode(), ("--season", "2026")),
        (
            "import_league_round",
            rounds_csv("1,North,South,1,Adams,Zander,1-0").decode(),
            ("--season", "2026", "--add-unknown-as-ce"),
        ),
    ],
)
def test_every_import_has_a_dry_run(arena, tmp_path, command, content, options):
    bring_squads(*SQUADS, cycles=[1])
    path = tmp_path / "file.csv"
    path.write_text(content)
    before = stored(), everything()
    dry = run(command, path, *options, "--dry-run")
    assert (stored(), everything()) == before
    done = run(command, path, *options)
    assert (dry.code, dry.out, dry.err) == (done.code, done.out + DRY, done.err)
    assert (stored(), everything()) != before


def test_refusals_of_members_and_ratings_say_which_line_of_the_file_was_first(arena, tmp_path):
    path = tmp_path / "file.csv"
    rows = (
        "zoe,Zoe,,,,,,x,\n",
        "yan,Yan,77,,,,,,\n",
        "yan,Jan,77,,,,,,\n",
        "zoe,Zoe,77,,,,,,\n",
        "a b,,,,,,,y,\n",
    )
    path.write_text(MEMBERS + "".join(rows))
    lines = run("import_members", path).err.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"refused, line {number}" for number in (2, 4, 5, 6)]
    assert lines[1].endswith("name: line 3 of this file already has “yan”, with “Yan”; this line has “Jan”")
    assert lines[2].endswith("fide_id: 77 already belongs to “yan” on line 3 of this file")
    path.write_text(OPENINGS + "anna,rapid,1500,2025-01-01\nanna,rapid,1600,2025-01-01\n")
    assert run("import_ratings", path).err == (
        "refused, line 3: anna already has a starting rating in rapid on line 2 of this file: 1500.00 of "
        "1 Jan 2025, 00:00 UTC (RBB 3.4: once)\n"
    )


def test_refusals_come_in_the_order_of_lines(arena, tmp_path):
    rows = [
        game_row(1, "carl"),
        game_row(2),
        game_row(2),
        game_row(3, started_at="soon"),
        game_row(4, "dora"),
    ]
    done = run("import_games", csv_file(tmp_path / "games.csv", rows))
    lines = [line.split(":")[0] for line in done.err.splitlines()]
    assert lines == ["refused, line 2", "refused, line 4", "refused, line 5", "refused, line 6"]


# Groups


def unknown(line, *names):
    told = "white “%s” is not registered"
    faults = [Fault("white", told % name, option="create", about=name) for name in names]
    return Problem.of(line, faults, {})


def test_rows_with_one_cause_are_put_together_in_the_order_of_their_first_lines():
    late = Problem.of(4, [Fault("ended_at", "ended_at 2027-01-01 is in the future")], {})
    later = Problem.of(6, [Fault("ended_at", "ended_at 2027-02-02 is in the future")], {})
    both = Problem.of(7, [*unknown(7, "carl").faults, *late.faults], {})
    groups = grouped([unknown(2, "carl"), late, unknown(5, "carl", "dora"), later, both])
    assert [([row.line for row in one.rows], one.option, one.about) for one in groups] == [
        ([2, 5], "create", {"carl", "dora"}),
        ([4, 6], "", set()),
        ([7], "", {"carl"}),
    ]


# In the browser


def test_unknown_players_are_registered_by_a_button_of_their_group(arena, officer, worker):
    content = games_csv(game_row(1), game_row(2, "carl", "dora"), game_row(3, "dora", "anna"))
    one = brought(officer, "import-games", content, "games.csv")
    worker()
    page = officer.get(page_of(one))
    assert "2 rows: players who are not registered" in words(page)
    assert 'name="choose" value="create_members">Register 2 members<' in page.text
    assert officer.post(page_of(one), {"choose": "create_members"}).status_code == 302
    worker()
    assert not Member.objects.filter(username="carl").exists()
    page = words(officer.get(page_of(one)))
    assert "Games read: 3. New: 3. Already there: 0. Refused: 0." in page
    assert "Members registered: 2" in page
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert Game.objects.count() == 3


def test_a_group_without_an_option_names_its_first_row(arena, officer, worker):
    rows = [game_row(number, result=f"{number}-0") for number in (2, 3)]
    one = brought(officer, "import-games", games_csv(*rows), "games.csv")
    worker()
    page = words(officer.get(page_of(one)))
    assert re.search("2 rows, such as line 2: .*2-0", page)
    assert re.search("line 3: .*3-0", page)


def test_options_are_changed_on_the_page_and_the_kept_file_is_checked_again(arena, officer, worker):
    one = brought(officer, "import-games", PGN, "games.pgn")
    worker()
    page = officer.get(page_of(one))
    assert 'name="time_control"' in page.text
    assert "New games that count for ratings: 0." in words(page)
    officer.post(page_of(one), {"again": "on", "time_control": "180+2"})
    worker()
    page = officer.get(page_of(one))
    assert 'name="time_control" value="180+2"' in page.text
    assert 'name="choose" value="rate_unmarked">Rate 1 game<' in page.text
    officer.post(page_of(one), {"choose": "rate_unmarked", "time_control": "180+2"})
    worker()
    assert "New games that count for ratings: 1." in words(officer.get(page_of(one)))
    officer.post(page_of(one), {"again": "on", "time_control": "180+2"})
    worker()
    one.refresh_from_db()
    assert "rate_unmarked" not in one.parameters
    assert "New games that count for ratings: 0." in words(officer.get(page_of(one)))


def test_an_option_that_is_not_valid_is_refused_and_the_rehearsal_stays(arena, officer, worker):
    one = brought(officer, "import-games", games_csv(game_row(1)), "games.csv")
    worker()
    one.refresh_from_db()
    before = one.parameters, one.shown
    page = officer.post(page_of(one), {"again": "on", "time_control": "x"}, follow=True)
    assert "Time control for games without one: time control “x” is not seconds+increment" in words(page)
    one.refresh_from_db()
    assert (one.parameters, one.shown) == before


def test_what_was_kept_cannot_be_exchanged_by_an_option(arena, officer, worker):
    one = brought(officer, "import-games", games_csv(game_row(1)), "games.csv")
    worker()
    officer.post(page_of(one), {"again": "on", "upload": "other", "sha256": "0", "choose": "upload"})
    again = FileImport.objects.get(pk=one.pk)
    assert again.parameters == one.parameters


def test_a_button_needs_the_right_of_its_option(arena, worker, client):
    clerk = User.objects.create_user("clerk", is_staff=True)
    rights = Group.objects.get(name="Rating officers").permissions
    clerk.user_permissions.add(*rights.filter(codename__in=("add_game", "view_fileimport")))
    client.force_login(clerk)
    one = brought(client, "import-games", games_csv(game_row(1, "carl")), "games.csv")
    worker()
    page = client.get(page_of(one))
    assert "line 2: white “carl” is not registered" in words(page)
    assert 'name="choose"' not in page.text
    page = client.post(page_of(one), {"choose": "create_members"}, follow=True)
    assert "You aren’t allowed to choose “Register unknown players”." in words(page)
    one.refresh_from_db()
    assert "create_members" not in one.parameters


def test_a_file_that_was_applied_has_no_options_any_more(arena, officer, worker):
    one = brought(officer, "import-games", games_csv(game_row(1)), "games.csv")
    worker()
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert 'id="options"' not in officer.get(page_of(one)).text
    page = officer.post(page_of(one), {"again": "on", "create_members": "on"}, follow=True)
    assert "was already applied or discarded." in words(page)


def test_unknown_players_of_a_league_round_are_taken_into_their_teams_by_a_button(officer, worker):
    season = bring_squads(*SQUADS, cycles=[1]).season
    content = rounds_csv("1,North,South,1,Adams,Zander,1-0", "1,North,South,2,Abel,Zorn,1-0")
    one = brought(officer, "import-rounds", content, "round.csv", season=str(season.pk))
    worker()
    page = officer.get(page_of(one))
    assert "2 rows: players who aren’t in a squad" in words(page)
    assert 'value="add_unknown_as_ce">Add 2 players to their teams<' in page.text
    officer.post(page_of(one), {"choose": "add_unknown_as_ce", "season": str(season.pk)})
    worker()
    assert "new boards: 2, replaced: 0, already there: 0." in words(officer.get(page_of(one)))


@pytest.mark.parametrize(
    ("kind", "name", "content", "options"),
    [
        ("import-games", "games.csv", games_csv(game_row(1, "carl"), game_row(1)), {}),
        ("import-games", "games.pgn", PGN, {}),
        (
            "import-members",
            "members.csv",
            b"username,name,fide_id,federation,sex,birth_year,title,full_from,full_until\n"
            b"anna,Other,,,,,,,\nzoe,,1,,,,,,\nzoe,Zoe,1,,,,,,\n",
            {},
        ),
        (
            "import-openings",
            "openings.csv",
            b"username,category,rating,effective_at\nanna,blitz,1500,2026-01-01\ncarl,x,1,2026-01-01\n",
            {},
        ),
        ("import-squads", "squads.csv", squads_csv("Adams,North,1500,30,no"), {"season": "New"}),
        ("import-rounds", "round.csv", rounds_csv("1,North,South,1,Adams,Zander,1-0"), {"season": ""}),
    ],
)
def test_no_page_of_a_file_speaks_of_commands(arena, officer, worker, kind, name, content, options):
    if kind == "import-rounds":
        options = {"season": str(bring_squads(*SQUADS, cycles=[1]).season.pk)}
    one = brought(officer, kind, content, name, **options)
    worker()
    page = words(officer.get(page_of(one)))
    assert "--" not in page.replace("---------", "")
    assert "import_" not in page
    assert "manage.py" not in page
