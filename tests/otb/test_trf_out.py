"""Tournaments leave as TRF16 and TRF26: received in an empty office, they give the same cross-table."""

import io
import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from ratings.formats.trf import Version, read_trf
from ratings.otb.models import Tournament, TournamentReport
from ratings.otb.services.crosstable import cross_table_file
from ratings.otb.services.rating import as_rated
from ratings.otb.services.rows import reported
from ratings.otb.services.trf_files import trf_lines
from ratings.rules.b02.types import TournamentType
from tests.commands import run
from tests.formats.trf_text import OLD, SWISS, TEAMS
from tests.otb.test_crosstable import all_play_all, swiss
from tests.otb.test_leagues import THREE_ROUNDS, league, report_of
from tests.otb.tournaments import AT, entrant, everybody_listed, received, report

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).parent / "trf_readers.json"
"""What trf 1.1.1 and caissify-pairings 0.5.0, both of PyPI, read from the Swiss as TRF16 and TRF26."""

AFTER_ALL = AT + timedelta(days=30)
"""TEAMS were played on 1 May."""


def with_scoring():
    """Three points for a win, no FIDE IDs; ranks as reported."""
    players = [entrant(number, None, None, rank=4 - number) for number in (1, 2, 3)]
    rounds = [{(1, 2): "1", (3, None): "Z"}, {(3, 1): "0", (2, None): "H"}]
    more = [("162", "W 3.0 D 1.0 L 0.0 P 3.0"), ("192", "FIDE_DUTCH_2025"), ("142", "2")]
    content = report(players, rounds, name="Three Points", more=more)
    return received(content.replace(b" 2.0 ", b" 6.0 ").replace(b" 0.5 ", b" 1.0 ")).tournament


def with_parts():
    """A league that is rated period by period."""
    league()
    return received(report_of(THREE_ROUNDS)).tournament


def match():
    players = everybody_listed(2000, 1900)
    games = [{(1, 2): "1"}, {(2, 1): "="}]
    return received(report(players, games, kind="Match", more=[("142", "4")])).tournament


def asked_for():
    """A report that says nothing of its kind; the office knows that it was a tournament of teams."""
    players = everybody_listed(2000, 1900, 1800, None)
    rounds = [{(1, 2): "1", (3, 4): "+"}, {(4, 1): "W", (2, 3): "--"}]
    content = report(players, rounds, kind="Swiss")
    return received(content, kind=TournamentType.TEAM).tournament


def text(content):
    return lambda: (
        received(content.encode(), at=AT + timedelta(days=30), skip_unknown_federations=True).tournament
    )


TOURNAMENTS = {
    "swiss": swiss,
    "all-play-all": all_play_all,
    "scoring": with_scoring,
    "match": match,
    "asked-for": asked_for,
    "league": with_parts,
    "trf26": text(SWISS),
    "teams": text(TEAMS),
    "old": text(OLD),
}


def exported(tournament, version):
    return b"".join(trf_lines(tournament, version))


def table(tournament):
    """The cross-table, its columns, and what is kept of the tournament."""
    rated = as_rated(tournament)
    file = cross_table_file(rated)
    facts = [getattr(tournament, name) for name in ("name", "city", "federation", "kind", "chapter",
             "first_day", "last_day", "time_control", "planned_games")]  # fmt: skip
    return file.columns, list(file.rows), facts


def remarks_on(content):
    """What is said about a file."""
    reading = read_trf(io.BytesIO(bytes(content)), skip_unknown_federations=True)
    return {remark.text for remark in reading.remarks}


def emptied():
    """Take all tournaments away."""
    Tournament.objects.update(report=None, stage_of=None, status=Tournament.Status.REGISTERED, rated_for=None)
    TournamentReport.objects.all().delete()
    Tournament.objects.all().delete()


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("name", TOURNAMENTS)
def test_an_empty_office_makes_the_same_cross_table_of_it(name, version):
    tournament = TOURNAMENTS[name]()
    before, content = table(tournament), exported(tournament, version)
    remarks = remarks_on(tournament.report.content)
    emptied()
    again = received(content, at=AFTER_ALL)
    assert table(again.tournament) == before
    # And once more, the same bytes.
    assert exported(again.tournament, version) == content
    # Nothing is new to say about the file.
    assert remarks_on(content) <= remarks


def test_it_has_the_records_of_its_version_and_nothing_private():
    content = SWISS.replace("112", "### arbiter@example.org\n112", 1)
    tournament = text(content)()
    tags = {
        version: [line[:3] for line in exported(tournament, version).decode().split("\r\n")]
        for version in Version
    }
    assert tags[Version.TRF16][:9] == ["012", "022", "032", "042", "052", "062", "072", "082", "092"]
    assert "XXR" in tags[Version.TRF16]
    assert not {"142", "192", "222"} & set(tags[Version.TRF16])
    assert {"142", "222", "XXR"} <= set(tags[Version.TRF26])
    assert "###" not in tags[Version.TRF26]
    births = {player.birth for player in reported(tournament).players}
    assert any(len(birth) == len("1993/12/20") and not birth.endswith("00/00") for birth in births)
    read = read_trf(io.BytesIO(exported(tournament, Version.TRF26))).tournament
    assert {player.birth[4:] for player in read.players if player.birth} == {"/00/00"}


@pytest.mark.parametrize("version", Version)
def test_two_other_readers_find_the_same_players_and_pairings(version):
    told = json.loads(GOLDEN.read_text())[version]
    content = exported(swiss(), version)
    assert content.decode().splitlines() == told["file"]
    mine = [
        {
            "number": player.start_rank,
            "name": player.name,
            "rating": player.rating or 0,
            "fide_id": player.fide_id,
            "points": player.points / 10,
            "rounds": [
                [pairing.opponent or 0, pairing.colour or "-", pairing.result.value]
                for pairing in player.rounds
            ],
        }
        for player in read_trf(io.BytesIO(content)).tournament.players
    ]
    assert told["trf 1.1.1"] == mine
    assert told["caissify-pairings 0.5.0"] == mine


def test_pages_offer_both_versions_and_the_command_writes_them(client):
    tournament = swiss()
    page = client.get(tournament.get_absolute_url()).content.decode()
    for version in Version:
        address = f"{tournament.get_absolute_url()}{version}.trf"
        assert f'href="{address}" download>{version.upper()}</a>' in page
        response = client.get(address)
        assert response["Content-Disposition"] == (
            f'attachment; filename="tournament-{tournament.pk}-{version}.trf"'
        )
        content = b"".join(response)
        assert content == exported(tournament, version)
        done = run("export_trf", tournament.pk, "--format", version)
        assert (done.err, done.out.encode()) == ("", content)


def test_a_tournament_without_a_report_has_no_file(client):
    day = date(2026, 3, 14)
    planned = Tournament.objects.create(name="Planned", first_day=day, last_day=day)
    assert client.get(f"{planned.get_absolute_url()}trf16.trf").status_code == 404
    assert run("export_trf", "Planned").err == f"{planned} has no report yet."
    assert client.get(f"{planned.get_absolute_url()}trf20.trf").status_code == 404
