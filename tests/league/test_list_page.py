"""The list of a cycle: its page, filters and files; what stays when it is superseded."""

import hashlib
import io
import json
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from ratings.league.models import CycleList, Team
from ratings.league.scales import scales
from ratings.league.services.cycles import close_cycle
from tests.league.by_hand import season_by_hand
from tests.league.office import NOW, bring_squads
from tests.league.test_cycles import HAND_LIST
from tests.league.test_pages import corrected, list_address, why
from tests.pages import is_friendly, words


def test_the_list_of_a_cycle_has_everybody_by_name_with_gain_and_adjusted_gain(client, season):
    response = client.get(list_address(season))
    assert is_friendly(response)
    text = words(response)
    assert "BAL 2026, ratings after cycle 1" in text
    assert "Abel 1898 North new, starts at 1300 2 1½ – +597.50 +597.50 1897.50 2" in text
    assert "Baker 1971 South 2000.00 1 0 32 −29.09 −29.09 1970.91 26" in text
    assert "Brook unrated South new, starts at 1300 0 – – 0.00 0.00 – 0" in text
    assert "Cruz 2102 East 2095.00 2 1½ 32 +8.23 +7.42 2102.42 42" in text
    assert f'href="{why("Cruz")}">2102</a>' in response.text
    assert "superseded" not in text


def test_the_checksum_is_of_the_file_that_everybody_can_have(client, season):
    published = CycleList.objects.get()
    response = client.get(f"{list_address(season)}list.csv")
    content = b"".join(response)
    assert content.decode().replace("\r\n", "\n") == HAND_LIST
    assert hashlib.sha256(content).hexdigest() == published.checksum
    assert published.checksum in words(client.get(list_address(season)))
    assert response["Cache-Control"] == "no-cache"
    kept = client.get(f"{list_address(season)}list.csv", headers={"if-none-match": response["ETag"]})
    assert (kept.status_code, kept["Cache-Control"], kept["ETag"]) == (304, "no-cache", response["ETag"])
    assert response["Content-Disposition"].endswith(f'"league-season-{season.pk}-cycle-1.csv"')


def test_a_list_is_filtered_and_ordered_and_its_files_have_exactly_the_rows_shown(client, season):
    address, north = list_address(season), Team.objects.get(name="North")
    for query, names in (
        ("name=AD", ["Adams"]),
        ("name=dams", ["Adams"]),  # in the middle of a word, as no word begins with it
        ("name=damz", []),
        (f"team={north.pk}", ["Abel", "Adams", "Avery"]),
        ("order=gain", ["Abel", "Dunn", "Cole", "Adams", "Cruz", "Boyd", "Avery", "Brook", "Diaz", "Baker"]),
        (
            "",
            ["Cruz", "Diaz", "Baker", "Abel", "Adams", "Cole", "Avery", "Boyd", "Dunn", "Brook"],
        ),
        (f"order=name&team={north.pk}", ["Abel", "Adams", "Avery"]),
        ("order=name", ["Abel", "Adams", "Avery", "Baker", "Boyd", "Brook", "Cole", "Cruz", "Diaz", "Dunn"]),
    ):
        rows = client.get(f"{address}?{query}").context["table"].data.data
        assert [row.name for row in rows] == names, query
        lines = b"".join(client.get(f"{address}?{query}&format=csv")).decode().splitlines()
        assert [line.split(",")[1] for line in lines[1:]] == names, query
    assert lines[0] == "cycle,name,team,old,gain,adjusted,new,games_after"
    assert lines[1] == "1,Abel,North,1300.00,597.50,597.50,1897.50,2"
    xlsx = io.BytesIO(b"".join(client.get(f"{address}?name=brook&format=xlsx")))
    sheet = load_workbook(xlsx).active
    assert [cell.value for cell in sheet[2]] == [1, "Brook", "South", 1300, 0, 0, None, 0]
    assert sheet.max_row == 2
    (brook,) = json.loads(b"".join(client.get(f"{address}?name=brook&format=json")))["players"]
    assert (brook["old"], brook["new"], brook["games_after"]) == ("1300.00", None, 0)


def test_a_superseded_list_stays_as_it_was_and_leads_to_the_one_that_holds(client, season):
    corrected()
    response = client.get(list_address(season))
    assert "Replaced by revision 2 on 2 Nov 2026, 09:00 UTC, after a correction." in words(response)
    assert f'<a href="{list_address(season, 2)}">revision 2</a>' in response.text
    assert "Abel 1898 North new, starts at 1300 2 1½ – +597.50 +597.50 1897.50 2" in words(response)
    assert b"".join(client.get(f"{list_address(season)}list.csv")).decode().splitlines() == (
        HAND_LIST.splitlines()
    )
    text = words(client.get(list_address(season, 2)))
    assert "BAL 2026, ratings after cycle 1, revision 2" in text
    assert "Replaced by" not in text
    # 1300 + 2095 + 400 × 2 = 4195, ÷ 2 = 2097.50.
    assert "Abel 2098 North new, starts at 1300 2 2 – +797.50 +797.50 2097.50 2" in text


@pytest.mark.usefixtures("pages_kept")
@pytest.mark.django_db
def test_visitors_share_a_published_list_and_the_browser_asks_again(client, django_assert_num_queries):
    address = list_address(season_by_hand())
    first = client.get(address)
    assert first["Cache-Control"] == "no-cache"
    with django_assert_num_queries(1):
        assert client.get(address).content == first.content


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("team=x", 400),
        ("team=0", 400),
        ("team=" + "9" * 30, 400),
        ("team=%00", 400),
        ("order=x", 400),
        ("name=" + "x" * 101, 400),
        ("name=%25_%27%22%3Cscript%3E", 200),
        ("format=exe", 400),
        ("format=csv&team=x", 400),
        ("sort=nonsense", 200),
        ("sort=%00", 400),
        ("after=x", 200),
    ],
)
def test_odd_addresses_of_a_list_get_an_answer(client, season, query, status):
    assert client.get(f"{list_address(season)}?{query}").status_code == status


def test_a_team_of_another_season_is_no_choice(client, season):
    other = bring_squads("Adams,Elsewhere,,,no", season="2027", cycles=[1]).season
    team = Team.objects.get(season=other)
    assert client.get(f"{list_address(season)}?team={team.pk}").status_code == 400


def test_each_cycle_has_mean_median_and_quantiles(season):
    """The nine rated players of HAND_LIST."""
    close_cycle(season, at=NOW)
    (league,) = scales()
    first, second = league.find()
    assert (league.title, first.label, second.label) == ("League: BAL", "2026, cycle 1", "2026, cycle 2")
    assert (first.players, first.mean, first.median) == (9, Decimal("1688.18"), 1609)
    assert first.quantiles == (1260, 1444, 1971, 2102)
    assert (first.entrants, first.leavers) == (None, None)
    assert (second.players, second.entrants, second.leavers) == (9, 0, 0)
