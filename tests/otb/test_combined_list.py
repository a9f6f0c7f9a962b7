"""FIDE's combined list of the office's own ratings: three in a line, read back to the same figures."""

from datetime import date
from io import BytesIO

import pytest

from ratings.formats.frl import FideControl, FideRating, open_frl
from ratings.otb.services import combined
from ratings.otb.services.combined import combined_list
from ratings.otb.services.files import player_rows
from ratings.rules.b02.time_controls import Chapter
from tests.commands import run
from tests.formats.frl_text import rows_of
from tests.otb.test_list_pages import INACTIVE, MAY, body, entry, publish

pytestmark = pytest.mark.django_db

APRIL = date(2026, 4, 1)
ADDRESS = "/fide/otb/2026-05-01/combined."
NONE = FideRating(None, 0, 0)


@pytest.fixture
def lists():
    """Standard and rapid lists of May, and a blitz list of April; the rapid one was revised."""
    standard, rapid, blitz = publish(), publish(chapter=Chapter.RAPID), publish(APRIL, chapter=Chapter.BLITZ)
    revised = publish(revision=2, chapter=Chapter.RAPID)
    entry(standard, 1, "Berg, Anna", 1900, sex="F", women_title="WFM", title="WFM", birth_year=1990, games=9)
    entry(standard, 3, "Dahl, Erik", 2300, INACTIVE, sex="M", other_titles="IA,FT", k=10)
    entry(rapid, 1, "Berg, Anna", 9999)
    entry(revised, 1, "Berg, Anna", 1850, games=3, k=20)
    entry(revised, 2, "Cerny, Petr", 1700, federation="CZE", games=7, k=40)
    entry(blitz, 3, "Dahl, Erik", 2200, games=12, k=20)
    entry(blitz, 4, "Eder, Max", 1600, INACTIVE, sex="M")
    return standard, revised, blitz


def read(content, control=None):
    return {row.fide_id: row for row in rows_of(open_frl(BytesIO(content), control))}


def test_a_line_has_the_three_ratings_in_the_layout_of_players_list_foa(client, lists):
    response = client.get(f"{ADDRESS}txt")
    assert response["Content-Type"] == "text/plain; charset=us-ascii"
    assert 'filename="over-the-board-combined-2026-05-01.txt"' in response["Content-Disposition"]
    header, *lines = body(response).decode("ascii").split("\r\n")
    assert header == (
        "ID Number      Name                                                         Fed Sex Tit  WTit OTit"
        "           FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
    )
    assert [(len(line), line[:8].strip(), line[113:]) for line in lines] == [
        (162, "1000001", "1900  9   15 1850  3   20 0     0   0  1990  w   "),
        (162, "1000002", "0     0   0  1700  7   40 0     0   0  0         "),
        # The games of April belong to the list of April. On one of two lists they are active.
        (162, "1000003", "2300  0   10 0     0   0  2200  0   20 0         "),
        (162, "1000004", "0     0   0  0     0   0  1600  0   15 0     i   "),
        (0, "", ""),
    ]


@pytest.mark.parametrize("ending", ["txt", "xml"])
def test_it_is_read_back_to_the_figures_of_the_single_lists(client, lists, ending):
    content = body(client.get(f"{ADDRESS}{ending}"))
    told = read(content)
    single = {one: {row.fide_id: row for row in player_rows(found)}
              for one, found in zip(FideControl, lists, strict=True)}  # fmt: skip
    assert told.keys() == set().union(*single.values())
    for fide_id, row in told.items():
        for control, rows in single.items():
            there = getattr(rows[fide_id], control) if fide_id in rows else NONE
            games = 0 if control == FideControl.BLITZ else there.games
            assert getattr(row, control) == there._replace(games=games)
    assert (told[1000001].name, told[1000001].title, told[1000001].birth_year) == ("Berg, Anna", "WFM", 1990)
    assert run("export_frl", "--chapter", "combined", "--format", ending).out.encode() == content


def test_players_are_in_order_of_their_names_whatever_piece_they_are_in(lists, monkeypatch):
    monkeypatch.setattr(combined, "_AT_ONCE", 1)
    assert [row.fide_id - 1_000_000 for row in combined_list(MAY).players()] == [1, 2, 3, 4]


def test_every_list_leads_to_it_and_it_changes_with_a_revision(client, lists):
    page = client.get("/fide/otb/2026-05-01/1/").content.decode()
    assert f'<a href="{ADDRESS}txt" download>TXT</a>' in page
    first = client.get(f"{ADDRESS}xml")
    assert body(first)
    assert first["Cache-Control"] == "no-cache"
    kept = client.get(f"{ADDRESS}xml", headers={"if-none-match": first["ETag"]})
    assert kept.status_code == 304
    publish(revision=2, checksum="1" * 64)
    assert body(client.get(f"{ADDRESS}xml", headers={"if-none-match": first["ETag"]}))
    assert client.get("/fide/otb/2026-05-02/combined.txt").status_code == 404


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "csv"], "The combined list is available as txt and xml."),
        (["--revision", "1"], "The combined list uses the latest revisions. Leave out --revision."),
        (["--period", "2020-01"], "No list was published for 2020-01."),
    ],
)
def test_export_frl_says_what_there_is_not(lists, arguments, said):
    assert run("export_frl", "--chapter", "combined", *arguments).err == said


def test_export_frl_takes_a_month_or_a_day(lists):
    by_day, by_month, latest = (
        run("export_frl", "--chapter", "combined", *more).out
        for more in (["--period", "2026-05-01"], ["--period", "2026-05"], [])
    )
    assert by_day == by_month == latest
    april = run("export_frl", "--chapter", "combined", "--period", "2026-04").out
    # Then there is the list of blitz alone, with its own games.
    assert [line[113:] for line in april.splitlines()[1:]] == [
        "0     0   0  0     0   0  2200  12  20 0         ",
        "0     0   0  0     0   0  1600  0   15 0     i   ",
    ]
