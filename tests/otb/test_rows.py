"""Players and games of reports as rows: what the report says, and what the rating of a period settles."""

import io
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings

from ratings.formats import trf
from ratings.office.audit import audit
from ratings.office.models import AuditFinding
from ratings.otb.explanation import explain
from ratings.otb.models import (
    Tournament,
    TournamentGame,
    TournamentPlayer,
    TournamentReport,
    TournamentResult,
)
from ratings.otb.pairing_grid import performance_of
from ratings.otb.services import remaking_rows, rows
from ratings.otb.services.crosstable import cross_table_line
from ratings.otb.services.judging import refuse
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.places import by_place, tie_breaks_of
from ratings.otb.services.rating import as_rated, player_as_rated, read
from ratings.otb.services.remaking_rows import make_all_missing
from ratings.otb.services.rows import reported, store
from ratings.otb.services.unrated import announce_unrated
from ratings.rules.b02.types import GameReason, TournamentType
from tests.backoffice import admin_page
from tests.commands import run
from tests.formats.test_trf_writing import tournaments as any_report
from tests.formats.test_trf_writing import written
from tests.formats.trf_text import OLD, SWISS, TEAMS
from tests.otb import test_leagues
from tests.otb.test_crosstable import all_play_all, swiss
from tests.otb.test_leagues import league
from tests.otb.test_periods import NOVEMBER, bring_september, close
from tests.otb.test_stages import event
from tests.otb.test_tournament_admin import FORM
from tests.otb.tournaments import AT, entrant, everybody_listed, received, report
from tests.pages import queries, words
from tests.rbb.test_concurrency import at_once

pytestmark = pytest.mark.django_db

MAY = date(2026, 5, 1)
CLOSED = datetime(2026, 4, 26, 12, tzinfo=UTC)
CHECKS = ("tournament-rows", "tournament-results")


def kept(content, **fields):
    """A tournament with this report, as a version without rows left it."""
    one = Tournament.objects.create(name="Open", first_day=date(2026, 3, 14), last_day=date(2026, 3, 14))
    one.report = TournamentReport.objects.create(
        tournament=one, source="open.trf", content=content, sha256="0" * 64, received_at=AT
    )
    one.status = Tournament.Status.RECEIVED
    one.save()
    return one


def table(tournament):
    """Everything in the rows of a tournament but their keys."""
    players = TournamentPlayer.objects.filter(tournament=tournament).order_by("number").values()
    games = TournamentGame.objects.filter(tournament=tournament).order_by("round", "white").values()
    return [[{**row, "id": None} for row in some] for some in (players, games)]


def figures(tournament):
    """Round, start numbers and, for both sides, reason, opponent's rating and P(D)."""
    return list(
        TournamentGame.objects.filter(tournament=tournament)
        .order_by("round", "white")
        .values_list("round", "white", "black", *rows.FIGURE_COLUMNS)
    )


def closed(make):
    """A tournament that is rated for the list of May."""
    one = make()
    close_period(until=MAY, at=CLOSED)
    return Tournament.objects.select_related("report").get(pk=one.pk)


def found():
    audit(only=CHECKS)
    return [(one.check_name, one.key) for one in AuditFinding.objects.filter(is_there=True)]


def sql(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1


def without_rows():
    """Leave the database as a version without rows left it."""
    TournamentGame.objects.all().delete()
    TournamentPlayer.objects.all().delete()
    TournamentReport.objects.update(records=None)


@pytest.mark.parametrize("text", [SWISS, OLD, TEAMS])
def test_rows_and_records_are_the_whole_report(text):
    one = kept(text.encode() if isinstance(text, str) else text)
    make_all_missing()
    one.report.refresh_from_db()
    assert reported(one) == read(one.report)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(any_report())
def test_any_report_comes_back_from_its_rows(any_one):
    found = trf.read_trf(io.BytesIO(written(any_one))).tournament
    if found is None:
        return
    one = kept(written(any_one))
    store(one, found)
    assert reported(one) == found
    assert rows.rows_are_of(one, found)


def test_pairings_without_colours_results_and_opponents_are_kept():
    players = everybody_listed(2200, 2100, 2000, 1900, 1800)
    rounds = [
        {(1, 2): "1", (3, 4): " ", (5, None): "U"},
        {(2, 3): "--", (4, 1): "W", (5, None): "H"},
        {(5, 1): "=", (2, None): "Z", (3, None): "F"},
    ]
    one = received(report(players, rounds, kind="Swiss")).tournament
    games = TournamentGame.objects.filter(tournament=one).order_by("round", "white")
    assert list(games.values_list("round", "white", "black", "colours", "white_result", "black_result")) == [
        (1, 1, 2, "wb", "1", "0"),
        (1, 3, 4, "wb", " ", " "),
        (1, 5, None, "--", "U", ""),
        (2, 2, 3, "wb", "-", "-"),
        (2, 4, 1, "wb", "W", "L"),
        (2, 5, None, "--", "H", ""),
        (3, 2, None, "--", "Z", ""),
        (3, 3, None, "--", "F", ""),
        (3, 5, 1, "wb", "=", "="),
    ]


def test_a_pairing_without_a_result_is_shown(client):
    players = everybody_listed(2200, 2100)
    one = received(report(players, [{(1, 2): " "}], kind="Swiss")).tournament
    assert client.get(f"{one.get_absolute_url()}players/1/").status_code == 200
    assert "( – ) w2" in words(client.get(one.get_absolute_url()))


def test_players_have_their_places_tie_breaks_and_teams():
    one = swiss()
    of_report = read(one.report)
    ties = tie_breaks_of(one, of_report)
    placed = [player.start_rank for player in by_place(TournamentType.SWISS, of_report.players, ties)]
    players = TournamentPlayer.objects.filter(tournament=one)
    assert list(players.order_by("place").values_list("number", flat=True)) == placed
    assert {player.number: (player.buchholz_cut_1, player.won) for player in players} == {
        number: (tie.buchholz_cut_1, tie.won) for number, tie in ties.items()
    }
    team = ("013", f"{'Bergen':<32}   1    2")
    content = report([entrant(1), entrant(2), entrant(3)], [{(1, 2): "1"}], name="Teams", more=[team])
    of_teams = received(content).tournament
    assert dict(of_teams.players.values_list("number", "team")) == {1: "Bergen", 2: "Bergen", 3: ""}


def test_a_replaced_report_replaces_the_rows():
    players = everybody_listed(2200, 2100, 2000)
    one = received(report(players, [{(1, 2): "1", (3, None): "U"}])).tournament
    received(report(players[:2], [{(2, 1): "="}]), tournament=one, at=CLOSED)
    one.refresh_from_db()
    assert list(one.games.values_list("white", "black", "white_result")) == [(2, 1, "=")]
    assert one.players.count() == 2
    # The lines of the one before aren't kept twice.
    assert one.reports.filter(records__isnull=False).get() == one.report
    assert found() == []


@pytest.mark.django_db(transaction=True)
def test_a_report_that_comes_twice_at_once_has_its_rows_once():
    players = everybody_listed(2200, 2100)
    content = report(players, [{(1, 2): "1"}])
    at_once(*[lambda: received(content)] * 4)
    assert (TournamentPlayer.objects.count(), TournamentGame.objects.count()) == (2, 1)
    assert found() == []


def test_nothing_is_half_if_receiving_stops_in_the_middle(monkeypatch):
    players = everybody_listed(2200, 2100)
    one = received(report(players, [{(1, 2): "1"}])).tournament
    before = table(one)

    def insert(model, columns, some):
        if model is TournamentGame:
            raise KeyboardInterrupt
        insert_rows(model, columns, some)

    insert_rows = rows.insert_rows
    monkeypatch.setattr(rows, "insert_rows", insert)
    with pytest.raises(KeyboardInterrupt):
        received(report(players, [{(2, 1): "="}]), tournament=one, at=CLOSED)
    assert table(one) == before
    assert TournamentReport.objects.count() == 1
    assert found() == []


@pytest.mark.parametrize("make", [swiss, all_play_all])
def test_rating_settles_of_every_game_what_its_players_results_add_up_to(make):
    one = make()
    assert {row[3:] for row in figures(one)} == {(None,) * 6}
    one = closed(lambda: one)
    results = {result.number: result for result in TournamentResult.objects.filter(tournament=one)}
    expected, half_points = dict.fromkeys(results, Decimal()), dict.fromkeys(results, 0)
    for _round, white, black, ours, theirs, against, theirs_against, we, their_we in figures(one):
        game = one.games.get(round=_round, white=white)
        sides = [(white, ours, against, we, game.white_result)]
        if black is None:
            assert (theirs, theirs_against, their_we) == (None, None, None)
        else:
            sides.append((black, theirs, theirs_against, their_we, game.black_result))
        for number, reason, opponent, points, result in sides:
            assert GameReason(reason)
            if opponent is not None:
                expected[number] += points or 0
                half_points[number] += {"1": 2, "=": 1, "0": 0}[result]
    rated = [result for result in results.values() if result.change is not None]
    assert len(rated) > 3
    for result in rated:
        assert result.expected == expected[result.number]
        score = Decimal(half_points[result.number]) / 2
        assert result.change == result.k * (score - expected[result.number])
    assert found() == []


def with_penalties():
    """Five rated players; a forfeit, a bye, a game without colours, and two with a penalty."""
    players = everybody_listed(2500, 2200, 2100, 2000, 1500)
    rounds = [
        {(1, 2): "1", (4, 3): "=0", (5, None): "U"},
        {(3, 1): "00", (2, 5): "+", (4, None): "H"},
        {(5, 1): "=", (2, 4): "W", (3, None): "Z"},
    ]
    return received(report(players, rounds, kind="Swiss"), accept="Agreed.").tournament


def told(rated, participant):
    """Everything that the page of a player says of their games and their result."""
    told = explain(rated, participant)
    games = [replace(game, opponent=game.opponent and game.opponent.reported.name) for game in told.games]
    return replace(told, games=tuple(games)), cross_table_line(participant), performance_of(participant)


@pytest.mark.parametrize("make", [swiss, all_play_all, with_penalties])
def test_the_rows_of_a_player_explain_what_the_rules_find_in_the_whole_tournament(make):
    one = closed(make)
    assert one.status == Tournament.Status.RATED
    whole = as_rated(one)
    alone = 0
    for participant in whole.participants:
        number = participant.reported.start_rank
        rated, found = player_as_rated(one, number)
        alone += rated.report != whole.report
        assert found.result == participant.result
        assert told(rated, found) == told(whole, participant)
    assert alone >= 4
    assert player_as_rated(one, 99) is None


def test_the_page_of_a_player_takes_as_many_statements_whatever_the_tournament(client):
    few = closed(swiss)
    players = everybody_listed(*(1400 + n for n in range(60)), period=date(2026, 2, 1))
    many = received(report(players, [{(n, n + 1): "=" for n in range(1, 60, 2)}] * 3, name="Large"))
    close_period(until=date(2026, 6, 24), at=datetime(2026, 6, 25, tzinfo=UTC))
    address = "players/1/"
    of_few = queries(client, f"{few.get_absolute_url()}{address}")
    assert queries(client, f"{many.tournament.get_absolute_url()}{address}") <= of_few <= 20


def test_taking_the_rating_back_empties_what_it_settled():
    one = closed(swiss)
    assert all(row[3] for row in figures(one))
    announce_unrated(one, at=CLOSED)
    assert {row[3:] for row in figures(one)} == {(None,) * 6}
    assert found() == []


def test_a_replaced_report_of_a_rated_tournament_has_its_own_figures():
    players = everybody_listed(2200, 2100, 2000)
    one = closed(lambda: received(report(players, [{(1, 2): "1", (3, None): "U"}])).tournament)
    received(report(players, [{(3, 2): "1", (1, None): "U"}]), tournament=one, at=CLOSED)
    # D = -100: 0.36, and 0.64.
    assert figures(one) == [
        (1, 1, None, GameReason.NOT_PLAYED, None, None, None, None, None),
        (1, 3, 2, GameReason.RATED, GameReason.RATED, 2100, 2000, Decimal(".36"), Decimal(".64")),
    ]
    assert found() == []


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE otb_tournamentplayer SET name = 'Somebody' WHERE tournament_id = %s AND number = 1", 0),
        ("UPDATE otb_tournamentplayer SET place = 9 WHERE tournament_id = %s AND number = 1", 0),
        ("DELETE FROM otb_tournamentgame WHERE tournament_id = %s AND round = 1 AND white = 5", 0),
        ("UPDATE otb_tournamentgame SET white_result = '=' WHERE tournament_id = %s AND white = 1", 0),
        ("UPDATE fide_tournamentreport SET records = NULL WHERE tournament_id = %s", 0),
        (
            "UPDATE otb_tournamentgame SET white_expected = 1"
            " WHERE tournament_id = %s AND round = 1 AND white = 3",
            1,
        ),
    ],
)
def test_the_audit_names_a_changed_row_and_the_command_mends_it(statement, check):
    one = closed(swiss)
    before = table(one)
    with connection.cursor() as cursor:
        cursor.execute(statement, [one.pk])
        assert cursor.rowcount
    named = found()
    assert (CHECKS[check], f"tournament {one.pk}") in named
    done = run("make_tournament_rows", str(one.pk))
    assert (done.code, done.out.strip()) == (0, "Rebuilt the rows of 1 tournament.")
    assert table(one) == before
    assert found() == []


def of_stages():
    event()
    close_period(until=MAY, at=CLOSED)


def of_a_league():
    bring_september()
    league()
    received(test_leagues.report_of(test_leagues.THREE_ROUNDS), at=test_leagues.AT, registered_on=None)
    close(NOVEMBER)


@pytest.mark.parametrize("make", [of_stages, of_a_league])
def test_the_rows_of_an_earlier_version_are_those_that_receiving_makes(make):
    make()
    assert Tournament.objects.filter(status=Tournament.Status.RATED).exists()
    before = [table(one) for one in Tournament.objects.order_by("pk")]
    without_rows()
    make_all_missing()
    assert [table(one) for one in Tournament.objects.order_by("pk")] == before
    assert found() == []


def test_what_the_worker_has_made_stays_if_it_is_stopped_and_it_goes_on_from_there(monkeypatch):
    for name in ("One", "Two", "Three"):
        received(report(everybody_listed(2200, 2100), [{(1, 2): "1"}], name=name))
    without_rows()
    make_rows, made = remaking_rows.make_rows, []

    def stopping(tournament):
        if len(made) == 1:
            raise KeyboardInterrupt
        make_rows(tournament)
        made.append(tournament.pk)

    monkeypatch.setattr(remaking_rows, "make_rows", stopping)
    with pytest.raises(KeyboardInterrupt):
        make_all_missing()
    assert TournamentGame.objects.count() == 1
    assert len(found()) == 2
    monkeypatch.setattr(remaking_rows, "make_rows", make_rows)
    make_all_missing()
    assert TournamentGame.objects.count() == 3
    assert found() == []


def test_a_report_of_an_earlier_version_that_cannot_be_read_is_kept_whole_and_named(client):
    bad = kept(b"nothing of the kind")
    good = received(report(everybody_listed(2200, 2100), [{(1, 2): "1"}])).tournament
    TournamentReport.objects.filter(tournament=good).update(records=None)
    make_all_missing()
    assert (bad.players.count(), bad.games.count()) == (0, 0)
    assert bytes(TournamentReport.objects.get(tournament=bad).content) == b"nothing of the kind"
    assert (good.players.count(), good.games.count()) == (2, 1)
    assert found() == [("tournament-rows", f"tournament {bad.pk}")]
    done = run("make_tournament_rows")
    assert done.code == 1
    assert f"Tournament {bad.pk}, Open" in done.err
    assert "aren’t ready yet" in words(client.get(bad.get_absolute_url()))


def test_closing_a_period_makes_the_rows_that_are_missing():
    one = swiss()
    without_rows()
    one = closed(lambda: one)
    assert one.status == Tournament.Status.RATED
    assert all(row[3] for row in figures(one))
    assert found() == []


def test_the_command_names_a_tournament_that_has_no_report():
    done = run("make_tournament_rows", "4711")
    assert (done.code, "There’s no tournament 4711 with a report." in done.err) == (1, True)


def test_another_kind_of_tournament_has_other_tie_breaks(officer):
    one = swiss()
    assert one.players.exclude(buchholz=None).count() == 7
    form = FORM | {"name": "Fjord Open", "last_day": "2026-03-14", "time_control": "7200"}
    initial = {f"initial-{name}": value for name, value in form.items()}
    answer = officer.post(admin_page(one, "change"), form | initial | {"kind": "2"})
    assert answer.status_code == 302, words(answer)
    assert one.players.exclude(buchholz=None).count() == 0
    assert one.players.exclude(sonneborn_berger=None).count() == 7
    assert found() == []


def test_a_refused_tournament_keeps_its_games():
    one = swiss()
    refuse(one, "Not rated.", date(2026, 4, 2))
    assert one.games.count() > 0
    assert found() == []
