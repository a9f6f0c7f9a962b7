"""The cross-table: the worked example of B.02 8.58, a Swiss and a round robin by hand, the command."""

import csv
import io

import openpyxl
import pytest

from ratings.otb.models import Tournament
from ratings.otb.services.crosstable import columns_of, cross_table_line
from ratings.otb.services.rating import Participant
from ratings.rules.b02.tournament_rating import rate_tournament
from ratings.rules.b02.types import AS_IN_EXAMPLES
from tests.commands import run
from tests.otb.tournaments import entrant, everybody_listed, received, report, round_robin
from tests.rules.b02.players import EXAMPLE_8_58, example_8_58


def swiss():
    """Seven players, four rounds; number 6 has no rating. A forfeit, and byes of both kinds."""
    players = everybody_listed(2200, 2100, 2000, 1900, 1750, None, 1600)
    rounds = [
        {(1, 4): "1", (5, 2): "=", (3, 6): "1", (7, None): "U"},
        {(2, 1): "0", (4, 3): "=", (6, 5): "1", (7, None): "H"},
        {(1, 3): "1", (5, 7): "+", (6, 2): "=", (4, None): "U"},
        {(7, 1): "0", (6, 4): "0", (2, 3): "=", (5, None): "H"},
    ]
    return received(report(players, rounds, kind="Individual: Swiss-System")).tournament


def all_play_all():
    """Six players, of whom number 5 has no rating."""
    players = everybody_listed(2500, 2200, 2100, 2000, None, 1900)
    rounds = round_robin("*1=111", "0*1=11", "=0*1=1", "0=0*11", "00=0*1", "00000*")
    content = report(players, rounds, name="Round robin", kind="Individual: Round-Robin")
    return received(content).tournament


FIGURES = (
    *("start_no", "fide_id", "name", "rated_games", "score", "average", "expected", "change", "k"),
    *("new_rating", "buchholz_cut_1", "buchholz", "sonneborn_berger", "won"),
)


def exported(*arguments):
    """Who, the figures and the tie-breaks of each line, in the order of the start numbers."""
    done = run("export_crosstable", *arguments)
    assert done.code == 0, done.err
    rows = sorted(csv.DictReader(io.StringIO(done.out)), key=lambda row: int(row["start_no"]))
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([row[name] for name in FIGURES] for row in rows)
    return written.getvalue().splitlines()


def test_8_58_the_worked_example_line_by_line():
    # Rc of the rated players is not printed: 23229, all ratings with the first Ru, less the own one, by nine.
    tournament = example_8_58()
    results = rate_tournament(tournament, AS_IN_EXAMPLES).results
    lines = {
        name: cross_table_line(
            Participant(entrant(player.number + 1, player.rating, name=name), None, player, result)
        )
        for name, player, result in zip(EXAMPLE_8_58, tournament.players, results, strict=True)
    }
    assert {name: tuple(map(str, line[3:])) for name, line in lines.items()} == {
        "A": ("9", "8", "2292", "7.38", "6.20", "10", "2606.20"),
        "B": ("9", "7", "2303", "6.50", "5.00", "10", "2505.00"),
        "C": ("9", "7", "2348", "None", "None", "None", "2411"),
        "D": ("9", "6", "2314", "5.40", "6.00", "10", "2406.00"),
        "E": ("9", "6", "2348", "None", "None", "None", "2386"),
        "F": ("9", "4", "2342", "2.52", "22.20", "15", "2172.20"),
        "G": ("9", "3", "2325", "4.21", "-18.15", "15", "2281.85"),
        "H": ("9", "2", "2342", "None", "None", "None", "2144"),
        "I": ("9", "1", "2322", "None", "None", "None", "2006"),
        "J": ("9", "1", "2325", "4.21", "-48.15", "15", "2251.85"),
    }


@pytest.mark.django_db
def test_a_swiss_checked_by_hand():
    # Scores 4 1½ 2 2½ 2 1½ 1½, and none differs for opponents (C.07 16.3). Tie-breaks are after the Ru or Rn.
    assert exported(swiss().pk) == [
        # 4 of 4: D 300 0.85, 100 0.64, 200 0.76, 600 as 400 0.92: We 3.17, 15 × 0.83; Rc 7600 ÷ 4
        '1,1000001,"PlayerA, Anna",4,4,1900,3.17,12.45,15,2212.45,6,7.5,7.5,4',
        # −350 of 5: ½ − 0.89, 0 − 0.36, ½ − 0.64, draw with number 6 not rated: 1 − 1.89, × 15; Rc 5950 ÷ 3
        '2,1000002,"PlayerB, Anna",3,1,1983,1.89,-13.35,15,2086.65,8,9.5,2.75,0',
        # win over number 6 not rated; ½ − 0.64, 0 − 0.24, ½ − 0.36: 1 − 1.24; Rc 6200 ÷ 3 = 2066.67
        '3,1000003,"PlayerC, Anna",3,1,2067,1.24,-3.60,15,1996.40,8,9.5,3.5,1',
        # bye, and win over number 6, are nothing; 0 − 0.15, ½ − 0.36: −0.01; Rc 4200 ÷ 2. C.07: 4 + 2 + 1½
        # and for the bye a dummy of 2, as 2½ is more than four draws (16.4.2)
        '4,1000004,"PlayerD, Anna",2,0.5,2100,0.51,-0.15,15,1899.85,8,9.5,4.5,1',
        # forfeit and bye are nothing, nor is the loss to number 6; ½ − 0.11. C.07: 1½ + 1½, 1½ for the
        # forfeit as number 7 has no more (16.4.1), 2 for the bye of ½, cut though others are less (16.5.1)
        '5,1000005,"PlayerE, Anna",1,0.5,2100,0.11,5.85,15,1755.85,4.5,6.5,3.25,0',
        # new: 1½ of 4 against 2000, 1750, 2100, 1900: Rc 1937.5 up to 1938; p 0.375 up to 0.38, d(p) −87
        '6,1000006,"PlayerF, Anna",4,1.5,1938,,,,1851,6.5,8,2.75,1',
        # two byes, a forfeit; 0 − 0.08 against 2200, 600 as 400. C.07: 1½ three times and 4
        '7,1000007,"PlayerG, Anna",1,0,2200,0.08,-1.20,15,1598.80,7,8.5,2.25,0',
    ]


@pytest.mark.django_db
def test_the_file_has_ranks_and_each_round_with_opponent_colour_and_result(client):
    tournament = swiss()
    head, *lines = run("export_crosstable", tournament.pk).out.splitlines()
    assert head == (
        "rank,start_no,fide_id,name,title,federation,rating,round_1,round_2,round_3,round_4,points,"
        "buchholz_cut_1,buchholz,sonneborn_berger,won,"
        "rated_games,score,average,expected,change,k,new_rating"
    )
    assert head.split(",") == [*columns_of(4)]
    lines = [line.replace('"', "").replace(", Anna", "") for line in lines]
    # Ranks are those of the page: 4 2½ 2 2 1½ 1½ 1½, then by BH-C1.
    assert lines == [
        "1,1,1000001,PlayerA,,NOR,2200,2w1,5b1,3w1,6b1,4,6,7.5,7.5,4,4,4,1900,3.17,12.45,15,2212.45",
        "2,4,1000004,PlayerD,,NOR,1900,1b0,3w=,U,7b1,2.5,8,9.5,4.5,1,2,0.5,2100,0.51,-0.15,15,1899.85",
        "3,3,1000003,PlayerC,,NOR,2000,7w1,2b=,1b0,5b=,2,8,9.5,3.5,1,3,1,2067,1.24,-3.60,15,1996.40",
        "4,5,1000005,PlayerE,,NOR,1750,5w=,7b0,6w+,H,2,4.5,6.5,3.25,0,1,0.5,2100,0.11,5.85,15,1755.85",
        "5,2,1000002,PlayerB,,NOR,2100,4b=,1w0,7b=,3w=,1.5,8,9.5,2.75,0,3,1,1983,1.89,-13.35,15,2086.65",
        "6,7,1000007,PlayerG,,NOR,1600,U,H,4b-,1w0,1.5,7,8.5,2.25,0,1,0,2200,0.08,-1.20,15,1598.80",
        "7,6,1000006,PlayerF,,NOR,,3b0,4w1,5w=,2w0,1.5,6.5,8,2.75,1,4,1.5,1938,,,,1851",
    ]
    sheet = openpyxl.load_workbook(
        io.BytesIO(b"".join(client.get(f"{tournament.get_absolute_url()}crosstable.xlsx")))
    ).worksheets[0]
    first = [cell.value for cell in list(sheet.rows)[1]]
    assert first[:11] == [1, 1, 1000001, "PlayerA, Anna", None, "NOR", 2200, "2w1", "5b1", "3w1", "6b1"]
    assert first[11:] == [4, 6, 7.5, 7.5, 4, 4, 4, 1900, 3.17, 12.45, 15, 2212.45]


@pytest.mark.django_db
def test_a_round_robin_with_a_new_player_checked_by_hand():
    # p 0.9 0.7 0.6 0.5 0.0, d(p) 366 149 72 0 −800: d(pa) = −42.6. Rar = 10700 ÷ 5 = 2140, n = 5.
    # Ra = 2140 + 42.6 × 5 ÷ 6 = 2175.5, up to 2176. Number 5: 1½ of 5, p 0.30, d(p) −149:
    # Ru = 2176 − 149 × 5 ÷ 6 = 2051.83, 2052. Only 2500 is more than 400 away, by 48:
    # Rc = 2176 − 48 ÷ 5 = 2166.4, 2166, and Ru = 2166 − 124.17 = 2042. The others meet him as 2042.
    # Sonneborn-Berger of 1: 3½ + 1½ + 2½ + 1½ + 0; of 2: 3 + 1¼ + 1½ + 0; of 3: 2¼ + 2½ + ¾ + 0.
    assert exported(all_play_all().pk) == [
        # 0.85, 400 0.92, 500 0.92, 458 0.92, 600 0.92: 4½ − 4.53; Rc 10242 ÷ 5
        '1,1000001,"PlayerA, Anna",5,4.5,2048,4.53,-0.45,15,2499.55,,,9,4',
        # 0.15, 0.64, 0.76, 158 0.71, 0.85: 3½ − 3.11; Rc 10542 ÷ 5
        '2,1000002,"PlayerB, Anna",5,3.5,2108,3.11,5.85,15,2205.85,,,5.75,3',
        # 0.08, 0.36, 0.64, 58 0.58, 0.76: 3 − 2.42; Rc 10642 ÷ 5
        '3,1000003,"PlayerC, Anna",5,3,2128,2.42,8.70,15,2108.70,,,5.5,2',
        # 0.08, 0.24, 0.36, −42 0.44, 0.64: 2½ − 1.76; Rc 10742 ÷ 5
        '4,1000004,"PlayerD, Anna",5,2.5,2148,1.76,11.10,15,2011.10,,,3.25,2',
        '5,1000005,"PlayerE, Anna",5,1.5,2166,,,,2042,,,1.5,1',
        # 0.08, 0.15, 0.24, 0.36, −142 0.31: 0 − 1.14; Rc 10842 ÷ 5
        '6,1000006,"PlayerF, Anna",5,0,2168,1.14,-17.10,15,1882.90,,,0,0',
    ]


@pytest.mark.django_db
def test_where_nothing_is_rated_everything_but_the_tie_breaks_is_blank():
    # Number 3 has no rating and one game against a rated player: under three (6.41). Number 4 has no game.
    players = everybody_listed(2200, 2100, None, 1900)
    content = report(players, [{(1, 3): "0", (4, None): "Z"}, {(2, 1): "="}], kind="Swiss")
    lines = exported(received(content).tournament.pk)
    # C.07 of number 3, 1 point: ½ of number 1, and 1 for round 2 without a game, which is cut.
    assert lines[2:] == [
        '3,1000003,"PlayerC, Anna",0,,,,,,,0.5,1.5,0.5,1',
        '4,1000004,"PlayerD, Anna",0,,,,,,,0,0,0,0',
    ]
    assert lines[0].startswith('1,1000001,"PlayerA, Anna",1,0.5,2100,0.64,')


@pytest.mark.django_db
def test_a_tournament_is_named_by_number_or_by_its_whole_name(tmp_path):
    tournament = swiss()
    by_number = run("export_crosstable", tournament.pk)
    assert "is received, not rated: the file shows what it would change" in by_number.err
    assert run("export_crosstable", "Fjord Open").out == by_number.out
    target = tmp_path / "table.csv"
    assert run("export_crosstable", "Fjord Open", "--output", target).out == ""
    assert target.read_bytes().decode() == by_number.out


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Open of nowhere", "No tournament has this number or name: “Open of nowhere”."),
        ("9" * 30, "No tournament has"),
        ("-1", "No tournament has"),
        ("٣", "No tournament has"),
        ("Twice", "Several tournaments are called “Twice”. Give a number instead."),
        ("Planned", "has no report yet."),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_line(name, said):
    for title in ("Twice", "Twice", "Planned"):
        Tournament.objects.create(name=title, first_day="2026-03-14", last_day="2026-03-15")
    done = run("export_crosstable", "--", name)
    assert done.code == 1
    assert said in done.err


@pytest.mark.django_db
def test_a_name_that_a_spreadsheet_takes_for_a_formula_gets_an_apostrophe():
    first, second = everybody_listed(2200, 2100)
    content = report([first._replace(name="=1+1"), second], [{(1, 2): "1"}], kind="Swiss")
    assert exported(received(content).tournament.pk)[0].startswith("1,1000001,'=1+1,1,1,2100,0.64,5.40,15,")
