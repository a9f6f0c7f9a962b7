"""Tournaments and lists over the board in the API: what pages and files say, with their filters."""

import json
from datetime import date

import pytest

from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter
from tests.arena.conftest import ApiClient, statements
from tests.otb.test_crosstable import swiss
from tests.otb.test_list_pages import INACTIVE, entry, publish
from tests.otb.test_periods import AT as CLOSED

pytestmark = [pytest.mark.django_db, pytest.mark.needs("arena")]

MAY = date(2026, 5, 1)


@pytest.fixture
def visitor():
    return ApiClient()


@pytest.fixture
def open_of_fjord():
    return swiss()


def test_tournaments_are_found_by_the_filters_of_their_page(client, visitor, open_of_fjord):
    told = visitor.ask("GET", "tournaments")
    assert told.pop("next") is told.pop("previous") is None
    file = client.get("/fide/tournaments/", {"format": "json"})
    assert told == json.loads(b"".join(file))
    for query, number in (("kind=swiss", 1), ("kind=team", 0), ("status=received&federation=NOR", 1),
                          ("chapter=rapid", 0), ("tournament=fjord", 1), ("year=2025", 0),
                          ("rated_for=2026-05-01", 0)):  # fmt: skip
        assert len(visitor.ask("GET", f"tournaments?{query}")["tournaments"]) == number, query
    problem = visitor.ask("GET", "tournaments?status=lost", status=400)
    assert [fault["field"] for fault in problem["errors"]] == ["status"]


def test_one_tournament_says_how_many_play_and_when_its_report_came(visitor, open_of_fjord):
    told = visitor.ask("GET", f"tournaments/{open_of_fjord.pk}")
    assert (told["name"], told["players"], told["received_at"]) == ("Fjord Open", 7, "2026-04-02T10:00:00Z")
    assert (told["url"], told["parts"], told["part_of"]) == (open_of_fjord.get_absolute_url(), [], None)
    for rest in ("", "/players", "/games"):
        assert visitor.ask("GET", f"tournaments/999{rest}", status=404)["kind"] == "not-found"


def test_standings_are_by_place_with_points_and_tie_breaks(visitor, open_of_fjord):
    rows = visitor.ask("GET", f"tournaments/{open_of_fjord.pk}/players")["players"]
    # As in tests/otb/test_crosstable.py.
    assert [(row["place"], row["number"], row["points"]) for row in rows] == [
        (1, 1, "4"), (2, 4, "2.5"), (3, 3, "2"), (4, 5, "2"), (5, 2, "1.5"), (6, 7, "1.5"),
        (7, 6, "1.5"),
    ]  # fmt: skip
    assert [rows[2][name] for name in ("buchholz_cut_1", "buchholz", "sonneborn_berger", "won")] == [
        "8", "9.5", "3.5", 1,
    ]  # fmt: skip
    assert {row["rated_games"] for row in rows} == {None}
    (only,) = visitor.ask("GET", f"tournaments/{open_of_fjord.pk}/players?fide_id=1000006")["players"]
    assert only == rows[6]
    first = visitor.ask("GET", f"tournaments/{open_of_fjord.pk}/players?limit=3")
    following = visitor.ask("GET", first["next"].removeprefix("/api/v1/"))
    assert first["players"] + following["players"] == rows[:6]


def test_pairings_are_by_round_and_say_who_met_with_which_result(visitor, open_of_fjord):
    address = f"tournaments/{open_of_fjord.pk}/games"
    rows = visitor.ask("GET", address)["games"]
    assert [(row["round"], row["white"], row["black"], row["white_result"], row["black_result"])
            for row in rows[:4]] == [
        (1, 1, 4, "1", "0"), (1, 3, 6, "1", "0"), (1, 5, 2, "=", "="), (1, 7, None, "U", ""),
    ]  # fmt: skip
    assert (rows[0]["white_name"], rows[0]["black_fide_id"]) == ("PlayerA, Anna", 1000004)
    assert (rows[3]["black_name"], rows[3]["white_reason"]) == (None, None)
    assert {row["round"] for row in visitor.ask("GET", f"{address}?round=3")["games"]} == {3}
    of_seven = visitor.ask("GET", f"{address}?player=7")["games"]
    assert [(row["round"], row["white"], row["black"]) for row in of_seven] == [
        (1, 7, None), (2, 7, None), (3, 5, 7), (4, 7, 1),
    ]  # fmt: skip


def test_a_rated_tournament_has_figures_and_belongs_to_the_list_of_its_period(visitor, open_of_fjord):
    close_period(until=MAY, at=CLOSED.replace(month=5))
    tournament = Tournament.objects.get()
    assert tournament.status == Tournament.Status.RATED, tournament.refusals.all()
    (row,) = visitor.ask("GET", f"tournaments?rated_for={tournament.rated_for}")["tournaments"]
    assert (row["id"], row["status"]) == (tournament.pk, "rated")
    first = visitor.ask("GET", f"tournaments/{tournament.pk}/players")["players"][0]
    # D 300 0.85, 100 0.64, 200 0.76, 600 as 400 0.92: We 3.17, 15 × 0.83
    assert (first["rating"], first["k"], first["rated_games"], first["score"]) == (2200, 15, 4, "4")
    assert (first["expected"], first["change"], first["outcome"]) == ("3.17", "12.45", "changed")
    game = visitor.ask("GET", f"tournaments/{tournament.pk}/games?round=1&player=1")["games"][0]
    assert (game["white_reason"], game["white_expected"], game["black_expected"]) == ("rated", "0.85", "0.15")


def test_lists_and_their_lines_are_those_of_the_files(client, visitor):
    may = publish(players=2, checksum="1" * 64)
    publish(date(2025, 9, 1))
    entry(may, 1, "Berg, Anna", 1900, sex="F", birth_year=1990, games=9)
    entry(may, 2, "Dahl, Erik", 2300, INACTIVE)
    rows = visitor.ask("GET", "over-the-board/lists")["lists"]
    assert [(row["list_day"], row["chapter"], row["revision"], row["players"]) for row in rows] == [
        ("2026-05-01", "standard", 1, 2), ("2025-09-01", "standard", 1, 0),
    ]  # fmt: skip
    assert len(visitor.ask("GET", "over-the-board/lists?year=2025")["lists"]) == 1
    told = visitor.ask("GET", "over-the-board/lists/standard/2026-05-01/1/players")
    assert (told["chapter"], told["list_day"], told["revision"], told["checksum"]) == (
        "standard", "2026-05-01", 1, "1" * 64,
    )  # fmt: skip
    assert [(row["fide_id"], row["rating"], row["games"], row["flag"]) for row in told["players"]] == [
        (1000001, 1900, 9, "w"), (1000002, 2300, 0, "i"),
    ]  # fmt: skip
    found = visitor.ask("GET", "over-the-board/lists/standard/2026-05-01/1/players?player=dahl")
    assert [row["name"] for row in found["players"]] == ["Dahl, Erik"]
    for place in ("standard/2026-05-01/2", "rapid/2026-05-01/1", "chess/2026-05-01/1", "standard/may/1"):
        visitor.ask("GET", f"over-the-board/lists/{place}/players", status=404)
    assert OtbList.objects.count() == 2
    address = "over-the-board/lists/standard/2026-05-01/1/players"
    one, both = (statements(lambda n=n: visitor.ask("GET", f"{address}?limit={n}")) for n in (1, 2))
    assert one == both


def file_of(client, page, instead):
    """The JSON of a page, which says where it went."""
    answer = client.get(page)
    assert answer["Link"].startswith(f'</api/v1/{instead}>; rel="successor-version"')
    return json.loads(answer.getvalue())


@pytest.mark.parametrize(
    ("page", "part", "names"),
    [
        ("", "", ["Berg, Anna", "Dahl, Erik"]),
        ("active/", "?part=active", ["Berg, Anna"]),
        ("delisted/", "?part=delisted", ["Gram, Ida"]),
        ("titled/", "?part=titled", ["Titus, Olav"]),
    ],
)
def test_each_part_of_a_list_has_the_lines_of_its_page(client, visitor, page, part, names):
    may = publish(players=2, edition=2009)
    entry(may, 1, "Berg, Anna", 1900)
    entry(may, 2, "Dahl, Erik", 2300, INACTIVE)
    entry(may, 3, "Gram, Ida", None, Lists.DELISTED, previous=1210)
    entry(may, 4, "Titus, Olav", None, Lists.TITLED, title="IM")
    address = "over-the-board/lists/standard/2026-05-01/1/players"
    told = visitor.ask("GET", f"{address}{part}")["players"]
    assert [row["name"] for row in told] == names
    assert told == file_of(client, f"/fide/otb/2026-05-01/1/{page}?format=json", address)["players"]
    problem = visitor.ask("GET", f"{address}?part=everybody", status=400)
    assert [fault["field"] for fault in problem["errors"]] == ["part"]


def test_the_top_has_active_players_with_ranks_that_equal_ratings_share(client, visitor):
    may = publish(chapter=Chapter.RAPID, edition=2024)
    for number, rating, federation in ((1, 2100, "NOR"), (2, 2200, "SWE"), (3, 2200, "NOR")):
        entry(may, number, f"Player {number}", rating, federation=federation)
    entry(may, 4, "Dahl, Erik", 2300, INACTIVE)
    address = "over-the-board/lists/rapid/2026-05-01/1/top"
    told = visitor.ask("GET", address)
    assert (told["chapter"], told["list_day"]) == ("rapid", "2026-05-01")
    assert [(row["rank"], row["fide_id"], row["rating"]) for row in told["players"]] == [
        (1, 1000002, 2200), (1, 1000003, 2200), (3, 1000001, 2100),
    ]  # fmt: skip
    page = "/fide/otb/rapid/2026-05-01/1/top/?format=json"
    assert told["players"] == file_of(client, page, address)["players"]
    (first, second) = visitor.ask("GET", f"{address}?federation=NOR")["players"]
    assert [(row["rank"], row["name"]) for row in (first, second)] == [(1, "Player 3"), (2, "Player 1")]
    visitor.ask("GET", f"{address}?federation=Atlantis", status=400)
    visitor.ask("GET", "over-the-board/lists/rapid/2026-05-01/2/top", status=404)


def test_a_cross_table_is_that_of_the_file_with_its_rounds_together(client, visitor, open_of_fjord):
    address = f"tournaments/{open_of_fjord.pk}/crosstable"
    told = visitor.ask("GET", address)
    assert (told["tournament"], told["status"], len(told["players"])) == ("Fjord Open", "received", 7)
    # As in tests/otb/test_crosstable.py, with a forfeit and byes of both kinds.
    fourth = told["players"][3]
    assert fourth["rounds"] == ["5w=", "7b0", "6w+", "H"]
    assert (fourth["rank"], fourth["points"], fourth["change"], fourth["new_rating"]) == (
        4, "2", "5.85", "1755.85",
    )  # fmt: skip
    file = file_of(client, f"/fide/tournaments/{open_of_fjord.pk}/crosstable.json", address)
    for row in file["players"]:
        row["rounds"] = [row.pop(f"round_{number}") for number in range(1, 5)]
    assert told == file
    assert "crosstable.json" not in client.get(open_of_fjord.get_absolute_url()).text


def test_there_is_no_cross_table_without_a_report_or_of_a_league_in_parts(visitor, open_of_fjord):
    Tournament.objects.update(report=None, status=Tournament.Status.REGISTERED)
    address = f"tournaments/{open_of_fjord.pk}/crosstable"
    assert "report" in visitor.ask("GET", address, status=404)["detail"]
    Tournament.objects.update(by_period=True, league=True)
    assert "period by period" in visitor.ask("GET", address, status=404)["detail"]
    visitor.ask("GET", "tournaments/999/crosstable", status=404)


def test_a_page_takes_as_many_statements_for_many_players_as_for_one(visitor, open_of_fjord):
    address = f"tournaments/{open_of_fjord.pk}/players"
    assert statements(lambda: visitor.ask("GET", f"{address}?limit=1")) == statements(
        lambda: visitor.ask("GET", f"{address}?limit=7")
    )


def test_nothing_new_is_304(visitor, open_of_fjord):
    answer = visitor.get(f"/api/v1/tournaments/{open_of_fjord.pk}/players")
    again = visitor.get(
        f"/api/v1/tournaments/{open_of_fjord.pk}/players", headers={"if-none-match": answer["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
