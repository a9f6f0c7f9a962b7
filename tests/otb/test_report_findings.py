"""What a report says of itself and doesn’t bear out: findings that wait for somebody, or a refusal."""

import csv
import io
from datetime import date

import pytest
from django.urls import reverse

from ratings.otb.audit import wrong_results
from ratings.otb.explanation import explain
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.judging import accept
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.rating import as_rated
from ratings.otb.services.receiving import ReportRefused, preview
from ratings.rules.b02.findings import Finds
from tests.commands import run
from tests.otb.tournaments import AT, FIRST_DAY, everybody_listed, received, report, round_robin, upload

pytestmark = pytest.mark.django_db

MET = round_robin("*1==", "0*1=", "=0*1", "==0*")
DAYS = [FIRST_DAY] * 3


@pytest.fixture
def players():
    """Four, rated 2100, 2000, 1900 and 1800 on the list in force."""
    return everybody_listed(2100, 2000, 1900, 1800)


def league_by_period():
    return Tournament.objects.create(
        name="Fjord Open",
        first_day=FIRST_DAY,
        last_day=FIRST_DAY,
        registered_on=date(2026, 1, 10),
        league=True,
        by_period=True,
    )


def changes(rated):
    """The rating changes of everybody, in hundredths."""
    return [one.result.change for one in rated.participants]


def waiting(content, **options):
    """What keeps a report from being rated."""
    return [finding.finds for finding in received(content, **options).rated.refusals]


@pytest.mark.parametrize("tag", ["XXR", "142"])
def test_7_13_an_interim_report_waits_until_somebody_accepts_that_it_is_all(players, tag, admin_user):
    """288 interim files were received with a remark alone, and could be rated as final."""
    content = report(players, MET, days=DAYS, kind="Swiss", more=[(tag, "9")])
    done = received(content)
    assert [finding.finds for finding in done.rated.refusals] == [Finds.UNFINISHED]
    assert done.remarks == ()
    accept(done.tournament, Finds.UNFINISHED, "The hall burnt down.", admin_user, AT)
    rated = as_rated(Tournament.objects.get(pk=done.tournament.pk))
    assert rated.refusals == []
    assert changes(rated) == changes(received(report(players, MET, name="Whole", kind="Swiss")).rated)


def test_7_13_an_interim_report_is_not_rated_when_its_period_is_closed(players, file_of, admin_client):
    path = file_of(report(players, MET, days=DAYS, kind="Swiss", more=[("XXR", "9")]))
    done = run("import_trf", path, "--registered", "2026-01-10")
    assert (
        "  refusal: 3 rounds have results, but the report says that there are 9 rounds. If the "
        "tournament is still in progress, replace the report when it has ended (B.02 7.13)." in done.out
    )
    assert "With these findings, the tournament can’t be rated." in done.out
    tournament = Tournament.objects.get()
    page = admin_client.get(reverse("admin:otb_tournament_judge", args=(tournament.pk,))).content.decode()
    assert "3 rounds have results, but the report says that there are 9 rounds." in page
    close_period(until=date(2026, 5, 1), at=AT.replace(month=5))
    tournament.refresh_from_db()
    assert (tournament.status, tournament.rated_for) == (Tournament.Status.RECEIVED, None)
    assert OtbList.objects.filter(list_day=date(2026, 5, 1)).exists()


@pytest.fixture
def file_of(tmp_path):
    """Writes a report and gives its path."""

    def write(content):
        path = tmp_path / "open.trf"
        path.write_bytes(content)
        return path

    return write


def test_4_13_a_league_by_period_sends_in_the_rounds_so_far(players):
    league = league_by_period()
    done = received(report(players, MET, days=DAYS, more=[("142", "9")]), tournament=league)
    assert [finding.finds for finding in done.rated.refusals] == []
    (part,) = done.parts
    assert as_rated(part.part).refusals == []


@pytest.mark.parametrize(
    ("code", "score", "change"), [("00", "0", -960), ("=0", "½", -210), ("0=", "0", -960)]
)
def test_5_1_a_game_with_a_penalty_is_rated_by_own_score_once_somebody_accepts_it(
    players, admin_user, client, code, score, change
):
    """P(100) = 0.64: 15 × (0 − 0.64) and 15 × (½ − 0.64)."""
    done = received(report(players[:2], [{(1, 2): code}], days=DAYS[:1], kind="Swiss"))
    assert [finding.finds for finding in done.rated.refusals] == [Finds.PENALTY]
    accept(done.tournament, Finds.PENALTY, "Both phones rang.", admin_user, AT)
    close_period(until=date(2026, 5, 1), at=AT.replace(month=5))
    tournament = Tournament.objects.get()
    assert tournament.status == Tournament.Status.RATED
    rated = as_rated(tournament)
    assert changes(rated)[0] == change
    assert not list(wrong_results())
    explained = explain(rated, rated.participants[0])
    assert [game.score for game in explained.games] == [score]
    assert explained.steps[-1].text.startswith(f"Round 1: PlayerA, Anna has {score} and PlayerB, Anna ")
    table = csv.DictReader(io.StringIO(run("export_crosstable", tournament.pk).out))
    assert [float(row["score"]) for row in table if row["start_no"] == "1"] == [{"0": 0, "½": 0.5}[score]]
    page = client.get(tournament.get_absolute_url()).content.decode()
    assert f"Round 1: the report gives PlayerA, Anna {score} and PlayerB, Anna " in page


def test_1_1_a_time_control_that_cannot_be_read_is_quoted_where_somebody_decides(players, admin_client):
    done = received(report(players, MET, days=DAYS, control="", more=[("122", "moves/time, increment")]))
    assert [finding.finds for finding in done.rated.refusals] == [Finds.CONTROL_UNKNOWN]
    page = admin_client.get(reverse("admin:otb_tournament_judge", args=(done.tournament.pk,)))
    assert "The time control “moves/time, increment” can’t be read" in page.content.decode()


def test_5_1_points_that_only_byes_explain_wait_and_their_lines_are_said(players):
    """1.5 points, but the results give 0.5: a bye without its result, as in real team reports."""
    rounds = [{(1, 2): "1", (3, None): "Z", (4, None): "-"}, {(3, 1): "=", (2, 4): "1"}]
    content = report(players, rounds, days=DAYS[:2], kind="Swiss")
    assert content.count(b" 0.5 ") == 1
    wrong = content.replace(b" 0.5 ", b" 1.5 ")
    done = received(wrong)
    assert [(one.finds, one.player, one.found) for one in done.rated.refusals] == [
        (Finds.POINTS_OF_BYES, 3, 1)
    ]
    line = next(number for number, row in enumerate(content.splitlines(), 1) if b" 0.5 " in row)
    assert [str(remark) for remark in done.remarks] == [
        f"line {line}: 1.5 points, but the results give 0.5; we assume that the difference is byes"
        " (1 without an opponent), which are never rated",
        f"line {line + 1}: a result without an opponent in round 1; treated as a bye, which is never rated",
    ]
    assert changes(done.rated) == changes(received(content.replace(b"Fjord Open", b"Other"), kind=None).rated)


def test_4_13_points_that_only_byes_explain_hold_every_part_of_a_league(players, admin_user):
    league = league_by_period()
    rounds = [{(1, 2): "1", (3, None): "Z"}, {(3, 1): "=", (2, 4): "1"}]
    content = report(players, rounds, days=DAYS[:2], kind="Swiss").replace(b" 0.5 ", b" 1.5 ", 1)
    done = received(content, tournament=league)
    assert [finding.finds for finding in done.rated.refusals] == [Finds.POINTS_OF_BYES]
    (part,) = done.parts
    assert [finding.finds for finding in as_rated(part.part).refusals] == [Finds.POINTS_OF_BYES]
    accept(league, Finds.POINTS_OF_BYES, "The captains agree.", admin_user, AT)
    assert as_rated(Tournament.objects.get(pk=part.part.pk)).refusals == []


@pytest.mark.parametrize(
    ("first", "last"),
    [(date(2026, 3, 13), date(2026, 3, 16)), (FIRST_DAY, date(2026, 3, 17)), (date(2026, 3, 15), FIRST_DAY)],
)
def test_4_13_another_day_that_moves_no_list_waits_for_somebody(players, first, last):
    days = [first, max(first, last), max(first, last)]
    content = report(players, MET, days=days, kind="Swiss", last_day=date(2026, 3, 16))
    done = received(content)
    assert {finding.finds for finding in done.rated.refusals} == {Finds.OTHER_DAYS}
    assert done.tournament.first_day == FIRST_DAY
    same = received(report(players, MET, name="Other", kind="Swiss"))
    assert changes(done.rated) == changes(same.rated)


def test_4_13_another_day_under_another_list_is_refused_with_its_line(players):
    """Lists come out on 1 January, 1 March and 1 May: 28 February is under another one than 14 March."""
    content = report(players, MET, days=[date(2026, 2, 28), FIRST_DAY, FIRST_DAY])
    with pytest.raises(ReportRefused) as caught:
        preview(upload(content), at=AT)
    assert caught.value.reasons == (
        "line 7: the first round, 2026-02-28, is not on the first day, 2026-03-14. Different lists "
        "are in force on those two days (B.02 4.13).",
    )


def test_7_13_a_last_round_that_is_rated_for_another_list_is_refused_with_its_line(players):
    """The list of 1 May closes seven days before: 23 April is rated for it, 24 April for that of 1 July."""
    days = [FIRST_DAY, FIRST_DAY, date(2026, 4, 25)]
    content = report(players, MET, days=days, last_day=date(2026, 4, 20))
    with pytest.raises(ReportRefused) as caught:
        preview(upload(content), at=AT)
    assert caught.value.reasons == (
        "line 7: the last round, 2026-04-25, is not on the last day, 2026-04-20. Those two days "
        "belong to different lists (B.02 7.13).",
    )
    assert not Tournament.objects.exists()


def test_a_fide_id_that_stands_again_rates_the_player_once(players):
    idle = players[1]._replace(start_rank=5)
    content = report([*players, idle], MET, days=DAYS, kind="Swiss")
    done = received(content)
    rated = [one for one in done.rated.participants if one.reported.fide_id == players[1].fide_id]
    assert [one.reported.start_rank for one in rated] == [2]
    assert done.rated.refusals == []
    assert any("this player played no game" in remark.text for remark in done.remarks)
