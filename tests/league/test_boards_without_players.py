"""Boards without a player, absent players and teams: in the standings as forfeits are, and never rated."""

import re

import pytest
from django.db import IntegrityError, transaction

from ratings.league.audit import cycle_results
from ratings.league.models import Board, Cycle, Match, Player, SquadPlayer, Team
from ratings.league.services.cycles import close_cycle, csv_rows
from ratings.league.services.standings import table
from tests.backoffice import admin_page
from tests.commands import run
from tests.decisions import confirmed_on, decide
from tests.league.office import NOW, board, bring_round, bring_squads, rounds_csv, saved
from tests.pages import words

pytestmark = pytest.mark.django_db

SQUADS = ("Reed,Reds,1500,30,no", "Ross,Reds,1400,30,no", "Bell,Blues,1600,30,no", "Burr,Blues,1450,30,no")
PLAYED = "1,Reds,Blues,1,Reed,Bell,1-0"

# K 32, 1500 against 1600: We = 1 ÷ (1 + 10^(100 ÷ 400)) = 0.35993…; Reed gains 32 × 0.64006… = 20.48.
RATED = {"Reed": "1520.48", "Bell": "1579.52", "Ross": "1400.00", "Burr": "1450.00"}


@pytest.fixture
def season():
    """Two teams of two, two cycles of a round each, and nothing played."""
    return bring_squads(*SQUADS, cycles=[1, 2]).season


def standing(season):
    """Name, match points, half points, won, drawn and lost matches."""
    return [
        (one.team.name, one.match_points, one.half_points, one.wins, one.draws, one.losses)
        for one in table(season)
    ]


def ratings(published):
    return {row[1]: str(row[6]) for row in csv_rows(published)}


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("Ross,,+/-", [("Reds", 2, 4, 1, 0, 0), ("Blues", 0, 0, 0, 0, 1)]),
        (",Burr,-/+", [("Blues", 1, 2, 0, 1, 0), ("Reds", 1, 2, 0, 1, 0)]),
        ("Ross,Burr,-/-", [("Reds", 2, 2, 1, 0, 0), ("Blues", 0, 0, 0, 0, 1)]),
        ("Ross,Burr,0-0", [("Reds", 2, 2, 1, 0, 0), ("Blues", 0, 0, 0, 0, 1)]),
        (",,-/-", [("Reds", 2, 2, 1, 0, 0), ("Blues", 0, 0, 0, 0, 1)]),
    ],
)
def test_a_board_that_was_not_played_counts_for_the_match_alone(season, second, expected):
    bring_round(season, PLAYED, f"1,Reds,Blues,2,{second}")
    assert standing(season) == expected
    assert ratings(close_cycle(season, at=NOW)) == RATED
    assert not list(cycle_results())
    assert Player.objects.count() == SquadPlayer.objects.count() == 4


def test_a_team_that_did_not_come_loses_every_board(season):
    bring_round(season, "1,Reds,Blues,1,Reed,,+/-", "1,Reds,Blues,2,,,+/-")
    assert standing(season) == [("Reds", 2, 4, 1, 0, 0), ("Blues", 0, 0, 0, 0, 1)]
    assert set(ratings(close_cycle(season, at=NOW)).values()) == {"1500.00", "1400.00", "1600.00", "1450.00"}


def test_both_teams_lose_a_match_to_which_neither_came(season):
    bring_round(season, "1,Reds,Blues,1,Reed,Bell,-/-", "1,Reds,Blues,2,,,-/-")
    assert standing(season) == [("Blues", 0, 0, 0, 0, 1), ("Reds", 0, 0, 0, 0, 1)]


def test_two_boards_without_a_player_are_not_the_same_player_twice(season):
    bring_round(season, "1,Reds,Blues,1,Reed,,+/-", "1,Reds,Blues,2,Ross,,+/-")
    assert Board.objects.filter(away_player=None).count() == 2


def test_the_same_file_again_has_nothing_to_do_and_another_result_replaces(season, tmp_path):
    path = saved(tmp_path / "rounds.csv", rounds_csv(PLAYED, "1,Reds,Blues,2,Ross,,+/-"))
    assert run("import_league_round", path, "--season", "2026").out.endswith(
        "2026: 2 boards stored, 0 replaced, 0 already there.\n"
    )
    assert "Nothing to do" in run("import_league_round", path, "--season", "2026").out
    path.write_bytes(rounds_csv("1,Reds,Blues,2,Ross,Burr,1-0"))
    done = run("import_league_round", path, "--season", "2026")
    assert "board 2 of Reds – Blues is stored as Ross – – +/-" in done.err
    run("import_league_round", path, "--season", "2026", "--replace")
    assert str(board(1, 2)) == "2: Ross – Burr 1-0"


def test_the_rounds_of_a_season_come_back_as_they_went_out(season, client, tmp_path):
    rows = (PLAYED, "1,Reds,Blues,2,Ross,,+/-", "2,Blues,Reds,1,,,-/-")
    bring_round(season, *rows)
    path = saved(tmp_path / "rounds.csv", b"".join(client.get(f"{season.get_absolute_url()}rounds.csv")))
    assert "3 boards are already there" in run("import_league_round", path, "--season", "2026").out


def test_a_board_that_is_left_out_is_said(season, tmp_path):
    bring_round(season, PLAYED, "1,Reds,Blues,2,Ross,Burr,1-0")
    path = saved(tmp_path / "rounds.csv", rounds_csv("2,Blues,Reds,1,Bell,Reed,1-0"))
    assert run("import_league_round", path, "--season", "2026").out.endswith(
        "Round 2: Blues – Reds: board 2 hasn’t been entered.\nIf a team had nobody on a board, enter it "
        "as a forfeit without that player.\n"
    )


def test_the_database_knows_that_a_board_without_a_player_is_not_played(season):
    bring_round(season, PLAYED)
    for change in ({"home_player": None}, {"away_player": None}, {"away_player": None, "result": "-/+"}):
        with pytest.raises(IntegrityError, match="board_without_player"), transaction.atomic():
            Board.objects.update(**change)


def test_pages_say_that_there_was_nobody(season, client):
    bring_round(season, PLAYED, "1,Reds,Blues,2,Ross,,+/-")
    page = words(client.get(season.get_absolute_url()))
    assert "Reds 2 – 0 Blues" in page
    assert "2 Ross 1400 +/− no player" in page
    ross = Player.objects.get(name="Ross")
    assert "2026 1 no opponent + Reds Blues 2" in words(client.get(ross.get_absolute_url()))
    cycle = Cycle.objects.get(number=1)
    why = words(client.get(f"{ross.get_absolute_url()}cycles/{cycle.pk}/"))
    assert "1 no opponent – 1 – – forfeit: does not count" in why
    assert "Games in this cycle: 1. Forfeits do not count, for either player: nc = 0." in why


def test_a_board_without_a_player_is_entered_in_the_form_of_its_match(season, officer):
    reds, blues = Team.objects.order_by("-name")
    match = Match.objects.create(season=season, round=1, home_team=reds, away_team=blues)
    address = admin_page(match)
    assert re.search(
        r'name="boards-0-away_player".*?<option value="" selected>nobody<', officer.get(address).text, re.S
    )
    reed, ross, bell = (Player.objects.get(name=name).pk for name in ("Reed", "Ross", "Bell"))
    posted = {
        "round": "1",
        "home_team": reds.pk,
        "away_team": blues.pk,
        "boards-TOTAL_FORMS": "3",
        "boards-INITIAL_FORMS": "0",
    }
    rows = [(1, reed, bell, "1-0"), (2, ross, "", "1-0"), (3, "", "", "-/-")]
    for place, row in enumerate(rows):
        for name, value in zip(("number", "home_player", "away_player", "result"), row, strict=True):
            posted[f"boards-{place}-{name}"] = value
    refused = officer.post(address, posted)
    assert (
        "A board with a player missing isn’t played. The team whose player is there wins by forfeit"
        in words(refused)
    )
    assert not Board.objects.exists()
    assert officer.post(address, posted | {"boards-1-result": "+/-"}).status_code == 302
    assert list(map(str, Board.objects.order_by("number"))) == [
        "1: Reed – Bell 1-0",
        "2: Ross – – +/−",
        "3: – – – −/−",
    ]


def test_a_correction_takes_a_player_away_and_is_taken_back(season, officer):
    bring_round(season, PLAYED, "1,Reds,Blues,2,Ross,Burr,0-1")
    close_cycle(season, at=NOW)
    wrong = board(1, 2)
    ross = Player.objects.get(name="Ross")
    asked = {"board": wrong.pk, "home_player": ross.pk, "away_player": "", "result": "+/-"}
    done = officer.get(decide(officer, admin_page(wrong, "correct"), asked)["Location"])
    wrong.refresh_from_db()
    assert str(wrong) == "2: Ross – – +/−"
    cycle = Cycle.objects.get(number=1)
    assert ratings(cycle.lists.latest()) == RATED
    (undo,) = re.findall(r'href="([^"]*undoes[^"]*)"', done.text)
    assert confirmed_on(officer, officer.get(undo.replace("&amp;", "&"))).status_code == 302
    wrong.refresh_from_db()
    assert str(wrong) == "2: Ross – Burr 0-1"
