"""B.02 6.2: the stages of one event, registered as such, are judged and rated together."""

from datetime import UTC, date, datetime

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from ratings.otb.models import OtbList, OtbListEntry, Tournament, TournamentResult
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.publishing import NothingToClose, rerate_from
from ratings.rules.b02.types import Outcome
from tests.backoffice import admin_page
from tests.otb import tournaments
from tests.otb.tournaments import IN_TIME, entrant, everybody_listed, report
from tests.pages import words

pytestmark = pytest.mark.django_db

MAY, JULY = date(2026, 5, 1), date(2026, 7, 1)
APRIL, JUNE = (datetime(2026, month, 26, tzinfo=UTC) for month in (4, 6))
NEW = 1_000_012
RATED = [1800] * 11
FIRST, LAST = date(2026, 3, 14), date(2026, 3, 28)


def games_of(results, opponents):
    """A new player, number 12, against these rated players in turn."""
    return [{(12, number): result} for result, number in zip(results, opponents, strict=True)]


def stage(name, day, results, opponents, **fields):
    """A stage of a Swiss that was received."""
    entrants = [*(entrant(number) for number in opponents), entrant(12)]
    what = report(entrants, games_of(results, opponents), name=name, kind="Swiss", first_day=day)
    at = max(tournaments.AT, datetime(day.year, day.month, day.day, tzinfo=UTC))
    one = tournaments.received(what, at=at, registered_on=IN_TIME).tournament
    Tournament.objects.filter(pk=one.pk).update(**fields)
    one.refresh_from_db()
    return one


def event(together=True):
    """The issue's event: half a point of 2 in the preliminary, 3½ of 7 in the final."""
    everybody_listed(*RATED)
    preliminary = stage("Preliminary", FIRST, "=0", (1, 2))
    final = stage("Final", LAST, "=1=1=00", (3, 4, 5, 6, 7, 8, 9), stage_of=preliminary if together else None)
    return preliminary, final


def outcomes():
    rows = TournamentResult.objects.filter(fide_id=NEW).order_by("tournament__first_day")
    return [(Outcome(row.outcome), row.why_not_first) for row in rows]


def published(list_day=MAY):
    entry = OtbListEntry.objects.filter(otb_list=OtbList.objects.latest_of(list_day), fide_id=NEW).first()
    return None if entry is None else (entry.rating, entry.games)


def test_6_2_apart_the_half_point_of_the_preliminary_is_lost():
    event(together=False)
    close_period(until=MAY, at=APRIL)
    # Two games against rated players, and less than a point: left out (8.21). Seven games are not nine
    # (7.14).
    assert outcomes() == [
        (Outcome.FEW_POINTS, Outcome.FEW_POINTS),
        (Outcome.NEW_RESULT, None),
    ]
    assert published() is None


def test_6_2_as_one_event_it_counts_and_the_first_rating_is_that_of_nine_games():
    event()
    close_period(until=MAY, at=APRIL)
    assert outcomes() == [(Outcome.NEW_RESULT, None)] * 2
    # 4 of 9 against 1800: p = 0.44, d(p) = -43.
    assert published() == (1757, 9)


def test_6_2_the_event_is_the_same_whichever_report_comes_first():
    everybody_listed(*RATED)
    final = stage("Final", LAST, "=1=1=00", (3, 4, 5, 6, 7, 8, 9))
    preliminary = stage("Preliminary", FIRST, "=0", (1, 2))
    Tournament.objects.filter(pk=final.pk).update(stage_of=preliminary)
    close_period(until=MAY, at=APRIL)
    assert published() == (1757, 9)


def test_6_1_without_a_point_in_any_stage_nothing_of_a_new_player_counts():
    everybody_listed(*RATED)
    preliminary = stage("Preliminary", FIRST, "00", (1, 2))
    stage("Final", LAST, "000", (3, 4, 5), stage_of=preliminary)
    close_period(until=MAY, at=APRIL)
    assert [outcome for outcome, _why in outcomes()] == [Outcome.ZERO_SCORE] * 2


def test_6_1_a_point_in_the_final_keeps_a_preliminary_without_one():
    everybody_listed(*RATED)
    preliminary = stage("Preliminary", FIRST, "00", (1, 2))
    stage("Final", LAST, "1=1====", (3, 4, 5, 6, 7, 8, 9), stage_of=preliminary)
    close_period(until=MAY, at=APRIL)
    assert outcomes() == [(Outcome.NEW_RESULT, None)] * 2
    # 4½ of 9: Ru = Rc.
    assert published() == (1800, 9)


def test_6_2_all_stages_wait_for_the_last_report_and_enter_its_list():
    everybody_listed(*RATED)
    preliminary = stage("Preliminary", FIRST, "=0", (1, 2))
    final = Tournament.objects.create(
        name="Final",
        first_day=date(2026, 5, 2),
        last_day=date(2026, 5, 2),
        stage_of=preliminary,
        registered_on=IN_TIME,
    )
    other = stage("Other", FIRST, "1", (10,))
    closing = close_period(until=MAY, at=APRIL)
    assert (closing.rated, closing.incomplete) == ([other], [preliminary])
    what = report(
        [*(entrant(number) for number in range(3, 10)), entrant(12)],
        games_of("=1=1=00", range(3, 10)),
        name="Final",
        kind="Swiss",
        first_day=date(2026, 5, 2),
    )
    tournaments.received(what, at=JUNE, tournament=final, registered_on=IN_TIME)
    close_period(until=JULY, at=JUNE)
    assert set(Tournament.objects.filter(rated_for=JULY)) == {preliminary, final}
    # The preliminary was played under the list of March, and so was the event (4.13).
    assert published(JULY) == (1757, 9)


def test_6_2_without_the_report_of_a_stage_there_is_nothing_to_close():
    everybody_listed(*RATED)
    preliminary = stage("Preliminary", FIRST, "=0", (1, 2))
    Tournament.objects.create(name="Final", first_day=LAST, last_day=LAST, stage_of=preliminary)
    with pytest.raises(NothingToClose):
        close_period(until=MAY, at=APRIL)


def test_6_2_a_stage_that_waits_for_consent_keeps_the_others_with_it_and_a_refused_one_does_not():
    preliminary, final = event()
    stage("Other", FIRST, "1", (10,))
    Tournament.objects.filter(pk=final.pk).update(registered_on=LAST)
    closing = close_period(until=MAY, at=APRIL)
    assert {one.tournament for one in closing.refused} == {preliminary, final}
    assert set(Tournament.objects.filter(status=Tournament.Status.RECEIVED)) == {preliminary, final}
    Tournament.objects.filter(pk=final.pk).update(registered_on=None)
    stage("Another", date(2026, 5, 10), "1", (10,))
    close_period(until=JULY, at=JUNE)
    preliminary.refresh_from_db()
    final.refresh_from_db()
    assert (preliminary.status, preliminary.rated_for) == (Tournament.Status.RATED, JULY)
    assert final.status == Tournament.Status.REFUSED


def test_6_2_rating_the_period_again_gives_the_same_list():
    event()
    close_period(until=MAY, at=APRIL)
    assert rerate_from(MAY, at=JUNE) == []


def test_6_2_a_later_event_finds_the_result_of_the_whole_event():
    """Seven games of two stages are one result, of which the first alone would be too few."""
    everybody_listed(*RATED)
    preliminary = stage("Preliminary", FIRST, "=0", (1, 2))
    stage("Final", LAST, "=1=10", (3, 4, 5, 6, 7), stage_of=preliminary)
    close_period(until=MAY, at=APRIL)
    assert published() is None
    stage("Later", date(2026, 5, 10), "00", (8, 9))
    close_period(until=JULY, at=JUNE)
    assert TournamentResult.objects.get(fide_id=NEW, tournament__name="Later").earlier_result
    # 3½ of 9: p = 0.39, d(p) = -80.
    assert published(JULY) == (1720, 2)


def test_6_2_pages_name_the_stages_and_the_explanation_counts_them_together(client):
    preliminary, final = event()
    text = words(client.get(preliminary.get_absolute_url()))
    assert "Stages of the event Preliminary , 14 Mar 2026 Final , 28 Mar 2026" in text
    assert "less than one point" not in text
    player = words(client.get(f"{preliminary.get_absolute_url()}players/12/"))
    said = (
        "All stages of the event count as one tournament: 9 games, 9 of them against rated players, with "
        "a score of 4, worth 1757. (B.02 6.2)"
    )
    assert said in player
    close_period(until=MAY, at=APRIL)
    assert said in words(client.get(f"{final.get_absolute_url()}players/12/"))


def test_6_2_stages_are_registered_in_the_admin(officer):
    preliminary, _final = event(together=False)
    page = officer.get("/admin/otb/tournament/add/")
    assert 'name="stage_of"' in page.text
    assert admin_page(preliminary) in officer.get(admin_page(Tournament)).text


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("itself", "A tournament can’t be a later stage of itself."),
        ("later stage", "This is a later stage itself. Choose the first stage of the event."),
        (
            "has stages",
            "This tournament is the first stage of an event, so it can’t be a later stage of another one.",
        ),
        (
            "too early",
            "This stage starts before the first stage. Register the first stage of the event first.",
        ),
        (
            "rated",
            "The first stage has already been rated. Stages must be registered before that (B.02 6.2).",
        ),
    ],
)
def test_6_2_an_event_has_one_first_stage(fault, said):
    preliminary, final = event()
    other = stage("Other", LAST, "1", (10,))
    one, of = {
        "itself": (other, other),
        "later stage": (other, final),
        "has stages": (preliminary, other),
        "too early": (stage("Early", date(2026, 3, 1), "1", (11,)), preliminary),
        "rated": (other, preliminary),
    }[fault]
    if fault == "rated":
        Tournament.objects.filter(pk=preliminary.pk).update(status=Tournament.Status.RATED, rated_for=MAY)
        of.refresh_from_db()
    one.stage_of = of
    with pytest.raises(ValidationError) as caught:
        one.clean()
    assert caught.value.messages == [said]


def test_6_2_the_database_lets_no_tournament_be_a_stage_of_itself():
    preliminary, _final = event(together=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Tournament.objects.filter(pk=preliminary.pk).update(stage_of=preliminary)
