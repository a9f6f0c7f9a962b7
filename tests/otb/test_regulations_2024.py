"""FIDE's regulations of 2024 over the board: chapters, lists, K, first ratings, and what stays of 2009."""

from datetime import UTC, date, datetime

import pytest

from ratings.fide.models import FidePlayer
from ratings.office.audit import audit
from ratings.otb.audit import editions
from ratings.otb.explanation import explain
from ratings.otb.models import OtbList, OtbListEntry, RaisedList, Tournament, TournamentResult
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.publishing import NothingToClose, rerate_from
from ratings.otb.services.rating import as_rated
from ratings.otb.services.standings import beginning_of_2024, edition_on
from ratings.rules.b02.time_controls import Chapter
from tests.commands import run
from tests.fide.office import bring_players, listed
from tests.otb.tournaments import entrant, received, report

pytestmark = pytest.mark.django_db

AUGUST, SEPTEMBER, OCTOBER, NOVEMBER = (date(2026, month, 1) for month in (8, 9, 10, 11))
AT = datetime(2026, 10, 2, 10, tzinfo=UTC)
ID = 1_000_000
STANDARD, RAPID, BLITZ = "5400+30", "900+10", "180+2"


@pytest.fixture(autouse=True)
def of_2024(settings):
    settings.OTB_REGULATIONS_2024_SINCE = None


def players(*rows, period=SEPTEMBER):
    """Players of FIDE’s list of September with these fields; entrants with their standard ratings."""
    bring_players(
        period, *(listed(ID + number, f"Player{number}", **row) for number, row in enumerate(rows, 1))
    )
    return [entrant(number, row.get("standard")) for number, row in enumerate(rows, 1)]


def sent(entrants, rounds, control=STANDARD, name="Open", first_day=date(2026, 9, 5), at=AT, **more):
    what = report(entrants, rounds, kind="Swiss", control=control, name=name, first_day=first_day, **more)
    return received(what, at=at, registered_on=date(2026, 8, 1)).tournament


def close(chapter=Chapter.STANDARD, list_day=OCTOBER):
    return close_period(until=list_day, chapter=chapter, at=AT)


def on(chapter=Chapter.STANDARD, list_day=OCTOBER):
    """Rating, K, games of the period and games counted by number, on the latest revision of a list."""
    otb_list = OtbList.objects.in_chapter(chapter).latest_of(list_day)
    entries = OtbListEntry.objects.filter(otb_list=otb_list)
    return {one.fide_id - ID: (one.rating, one.k, one.games, one.games_counted) for one in entries}


def found(*names):
    return [many for many in audit(only=names).open.values() if many]


def test_7_1_lists_come_every_month_and_end_three_days_before():
    assert edition_on(date(2026, 9, 5)).rated_on(date(2026, 9, 28)) == OCTOBER
    assert edition_on(date(2026, 9, 5)).rated_on(date(2026, 9, 29)) == NOVEMBER


def test_8_3_the_change_of_a_period_is_rounded_once_away_from_zero():
    # 1900 against 1800: D 100, PD 0.64; K 20: +7.2, −12.8 and +7.2 are +1.6, and for the others −1.6.
    sent(players({"standard": 1900}, {"standard": 1800}), [{(1, 2): "1"}, {(1, 2): "0"}, {(1, 2): "1"}])
    closing = close()
    assert [(one.fide_id - ID, one.before, one.after, str(one.change), one.k) for one in closing.lines] == [
        (1, 1900, 1902, "1.60", 20),
        (2, 1800, 1798, "-1.60", 20),
    ]
    assert closing.otb_list.edition == 2025  # as amended on 1 October 2025
    assert on() == {1: (1902, 20, 3, 33), 2: (1798, 20, 3, 33)}


def test_1_1_a_report_belongs_to_the_chapter_of_its_time_control():
    entrants = players({"standard": 1500}, {"standard": 1500})
    found = {
        control: sent(entrants, [{(1, 2): "1"}], control, name).chapter
        for control, name in ((STANDARD, "Long"), (RAPID, "Rapid"), (BLITZ, "Blitz"))
    }
    assert found == {STANDARD: Chapter.STANDARD, RAPID: Chapter.RAPID, BLITZ: Chapter.BLITZ}


def test_1_1_a_control_of_no_chapter_keeps_a_tournament_from_being_rated():
    tournament = sent(players({"standard": 1500}, {"standard": 1500}), [{(1, 2): "1"}], "180")
    (refusal,) = as_rated(tournament).refusals
    assert refusal.finds.name == "NO_CHAPTER"


def test_each_chapter_has_lists_and_ratings_of_its_own():
    entrants = players({"standard": 1900, "rapid": 1700}, {"standard": 1800, "rapid": 1700})
    sent(entrants, [{(1, 2): "1"}], STANDARD, "Long")
    sent(entrants, [{(1, 2): "0"}], RAPID, "Fast")
    close()
    close(Chapter.RAPID)
    assert on() == {1: (1907, 20, 1, 31), 2: (1793, 20, 1, 31)}
    # Equal players: PD 0.50, K 20.
    assert on(Chapter.RAPID) == {1: (1690, 20, 1, 31), 2: (1710, 20, 1, 31)}
    with pytest.raises(NothingToClose, match="no report"):
        close(Chapter.BLITZ)
    assert not found("tournament-results", "over-the-board-lists")


def test_7_2_1_without_a_rapid_rating_the_standard_rating_is_used_with_k_of_a_new_player():
    sent(players({"standard": 1900}, {"standard": 1900, "rapid": 1900}), [{(1, 2): "1"}], RAPID)
    close(Chapter.RAPID)
    assert on(Chapter.RAPID) == {1: (1920, 40, 1, 1), 2: (1890, 20, 1, 31)}
    assert not found("tournament-results")


def test_7_2_1_a_standard_list_that_is_revised_moves_who_began_with_it_in_rapid():
    entrants = players({"standard": 1900}, {"standard": 1900}, {"standard": 1900, "rapid": 1900})
    first = sent(entrants[:2], [{(1, 2): "1"}], name="Long")
    close()
    sent(entrants, [{(1, 3): "="}], RAPID, "Fast", date(2026, 10, 10), at=datetime(2026, 11, 1, tzinfo=UTC))
    close_period(until=NOVEMBER, chapter=Chapter.RAPID, at=datetime(2026, 11, 1, tzinfo=UTC))
    # 1910 against 1900: D 10, PD 0.51; K 40: −0.40.
    assert on(Chapter.RAPID, NOVEMBER)[1] == (1910, 40, 1, 1)
    Tournament.objects.filter(pk=first.pk).update(rated_for=None, status=Tournament.Status.RECEIVED)
    TournamentResult.objects.filter(tournament=first).delete()
    revised = rerate_from(OCTOBER, at=datetime(2026, 11, 2, tzinfo=UTC))
    assert [(one.chapter, one.list_day, one.revision) for one in revised] == [
        (Chapter.STANDARD, OCTOBER, 2),
        (Chapter.RAPID, NOVEMBER, 2),
    ]
    assert on(Chapter.RAPID, NOVEMBER)[1] == (1900, 40, 1, 1)


def test_8_3_3_k_times_the_games_of_a_period_is_at_most_700():
    young = listed(ID + 1, "Player1", standard=1500)._replace(birth_year=2010)
    young = young._replace(standard=young.standard._replace(k=40))
    bring_players(SEPTEMBER, young, listed(ID + 2, "Player2", standard=1500))
    entrants = [entrant(1, 1500), entrant(2, 1500)]
    for number, day in enumerate((5, 12), 1):
        sent(
            entrants,
            [{(1, 2): "="}] * 8 + [{(1, 2): "1"}],
            name=f"Open {number}",
            first_day=date(2026, 9, day),
        )
    closing = close()
    # 18 games: K 38 instead of 40. Each tournament is half a point over.
    assert [(one.after, str(one.change), one.k) for one in closing.lines] == [
        (1538, "38.00", 38),
        (1480, "-20.00", 20),
    ]
    results = TournamentResult.objects.filter(fide_id=ID + 1)
    assert [(one.k, str(one.change)) for one in results] == [(38, "19.00"), (38, "19.00")]
    assert not found("tournament-results")
    steps = [(step.text, step.article) for step in explained(results[0].tournament, 1)]
    assert (
        "K = 38 instead of 40: K comes from the previous list, and K times the games in the period may "
        "not exceed 700.",
        "8.3.3",
    ) in steps


def explained(tournament, number):
    tournament.refresh_from_db()
    rated = as_rated(tournament)
    return explain(rated, rated.participants[number - 1]).steps


NEW = {"standard": 1900}, {"standard": 1850}, {"standard": 2000}, {"standard": 1750}, {"standard": 1800}


def test_8_2_a_first_rating_has_two_hypothetical_opponents():
    entrants = [*players(*NEW), entrant(6, None)]
    rounds = [{(6, 1): "1"}, {(6, 2): "1"}, {(6, 3): "="}, {(6, 4): "1"}, {(6, 5): "0"}]
    tournament = sent(entrants, rounds)
    assert [(step.text, step.article) for step in explained(tournament, 6)] == [
        (
            "On the list in force on 5 Sep 2026, the first day of the tournament, Anna PlayerF has no "
            "rating.",
            "7.1.1",
        ),
        ("Only games against rated players count: 5, with a score of 3½.", "8.2.3"),
        (
            "Two opponents rated 1800 are added, with a draw against each: Ra = (9300 + 3600) ÷ 7 ≈ 1842.86.",
            "8.2.2",
        ),
        ("p = 4½ ÷ 7 ≈ 0.64, and dp = 102. Ru = Ra + dp ≈ 1944.86, rounded to 1945.", "8.2.3"),
        ("The result counts towards a first rating, together with those of the last 26 periods.", "8.2.1"),
    ]
    close()
    assert on()[6] == (1945, 40, 5, 5)
    assert not found("tournament-results")


def test_8_2_1_a_very_first_event_without_a_point_is_forgotten_and_later_ones_count():
    entrants = [*players(*NEW), entrant(6, None)]
    lost = [{(6, number): "0"} for number in range(1, 6)]
    sent(entrants, lost, name="First")
    close()
    assert 6 not in on()
    sent(entrants, lost, name="Second", first_day=date(2026, 10, 5), at=datetime(2026, 10, 30, tzinfo=UTC))
    close_period(until=NOVEMBER, at=datetime(2026, 10, 30, tzinfo=UTC))
    result = TournamentResult.objects.get(tournament__name="Second", number=6)
    assert (result.new_games, result.new_half_points) == (5, 0)


def test_7_2_1_below_1400_a_player_is_unrated_on_the_next_list_and_keeps_the_games():
    sent(players({"standard": 1404}, {"standard": 1404}), [{(1, 2): "0"}, {(1, 2): "="}])
    close()
    assert on() == {1: (None, None, 2, 32), 2: (1414, 20, 2, 32)}
    entry = OtbListEntry.objects.get(fide_id=ID + 1, otb_list__list_day=OCTOBER)
    assert entry.delisted_on == OCTOBER
    assert not entry.listing


def test_9_1_a_report_that_misses_the_third_list_is_not_rated():
    entrants = players({"standard": 1500}, {"standard": 1500})
    sent(entrants, [{(1, 2): "1"}], name="In time")
    late = sent(entrants, [{(1, 2): "1"}], name="Late", first_day=date(2026, 6, 6))
    close_period(until=OCTOBER, at=AT)
    assert [one.finds.name for one in as_rated(late).refusals] == ["REPORTED_LATE"]
    late.refresh_from_db()
    assert late.status == Tournament.Status.REFUSED


def test_9_1_a_report_that_came_in_time_is_not_late_because_the_office_is():
    entrants = players({"standard": 1500}, {"standard": 1500}, period=date(2026, 6, 1))
    received_on = datetime(2026, 8, 30, tzinfo=UTC)
    sent(entrants, [{(1, 2): "1"}], first_day=date(2026, 6, 6), at=received_on)
    # The third list is that of September.
    close()
    assert on() == {1: (1510, 20, 1, 31), 2: (1490, 20, 1, 31)}


def test_an_office_that_published_under_2009_begins_with_its_next_list():
    assert beginning_of_2024() == date(2024, 3, 1)
    OtbList.objects.create(list_day=date(2026, 9, 1), edition=2009, published_at=AT, checksum="0" * 64)
    assert beginning_of_2024() == NOVEMBER
    assert edition_on(date(2026, 10, 31)).cited_as == "B.02"
    assert edition_on(NOVEMBER).cited_as == "B.02 (2024)"


def test_a_list_of_a_chapter_is_exported_as_fide_writes_it_and_imported_again():
    sent(
        players({"standard": 1900, "blitz": 1700}, {"standard": 1800, "blitz": 1700}), [{(1, 2): "1"}], BLITZ
    )
    close(Chapter.BLITZ)
    text = run("export_frl", "--chapter", "blitz").out
    assert "1710" in text
    assert "1690" in text
    assert FidePlayer.objects.get(pk=ID + 1).blitz_rating == 1700


def test_a_list_that_the_office_raised_in_march_2024_keeps_the_change_with_every_revision():
    entrants = players({"standard": 1900}, {"standard": 1800}, {"standard": 2100}, {"standard": 2100})
    sent(entrants, [{(1, 2): "1", (3, 4): "="}])
    otb_list = close().otb_list
    assert [row[0] for row in on().values()] == [1907, 1793, 2100, 2100]
    RaisedList.objects.create(chapter=otb_list.chapter, list_day=otb_list.list_day)
    rerate_from(OCTOBER, at=AT)
    # 1907 + 0.40 × 93 = 1944.2; 1793 + 0.40 × 207 = 1875.8.
    assert [row[0] for row in on().values()] == [1944, 1876, 2100, 2100]
    assert rerate_from(OCTOBER, at=AT) == []
    assert [one.revision for one in OtbList.objects.of(OCTOBER)] == [2, 1]


def test_7_1_1_of_more_than_30_days_each_game_is_rated_with_the_list_of_its_day():
    entrants = players({"standard": 1900}, {"standard": 1800}, period=AUGUST)
    days = [date(2026, 8, 20), date(2026, 9, 25)]
    tournament = sent(
        entrants, [{(1, 2): "1"}, {(1, 2): "0"}], first_day=days[0], last_day=days[1], days=days
    )
    assert tournament.by_period
    assert [(one.first_day, one.last_day) for one in tournament.parts.order_by("first_day")] == [
        (days[0], days[0]),
        (days[1], days[1]),
    ]
    close(list_day=SEPTEMBER)
    assert on(list_day=SEPTEMBER) == {1: (1907, 20, 1, 31), 2: (1793, 20, 1, 31)}
    close()
    # D 114, PD 0.66: 20 × −0.66 = −13.2.
    assert on() == {1: (1894, 20, 1, 32), 2: (1806, 20, 1, 32)}
    assert not found("tournament-results", "league-parts")


def test_7_3_1_a_game_of_a_player_above_2600_and_one_600_points_below_is_not_rated_in_rapid():
    sent(players({"rapid": 2610}, {"rapid": 2010}), [{(1, 2): "1"}], RAPID)
    closing = close(Chapter.RAPID)
    assert closing.lines == []
    game = as_rated(Tournament.objects.get()).participants[0].result.games[0]
    assert game.reason.name == "TOO_FAR_APART"


def test_8_3_1_the_change_of_a_player_rated_2650_has_no_cap():
    tournament = sent(players({"standard": 2700}, {"standard": 2100}), [{(1, 2): "1"}])
    steps = [(step.text, step.article) for step in explained(tournament, 1)]
    assert (
        "D is the player’s rating minus the opponent’s. For players rated 2650 or more, D is not capped. P(D)"
        " is read from the table.",
        "8.3.1, 8.1.2",
    ) in steps
    # D 600: PD 0.98; capped, 0.92. The list has K 20 for both.
    assert [str(line.change) for line in close().lines] == ["0.40", "-1.60"]


def test_0_1_a_list_of_2009_is_not_rated_again_under_2024_whatever_the_settings_say(settings):
    settings.OTB_REGULATIONS_2024_SINCE = date(2100, 1, 1)
    first = sent(players({"standard": 1900}, {"standard": 1800}), [{(1, 2): "1"}], "7200")
    close_period(until=NOVEMBER, at=datetime(2026, 11, 1, tzinfo=UTC))
    settings.OTB_REGULATIONS_2024_SINCE = None
    assert rerate_from(NOVEMBER, at=AT) == []
    settings.OTB_REGULATIONS_2024_SINCE = date(2026, 1, 1)
    assert found("editions-of-lists") == [1]
    with pytest.raises(NotPossible, match="published under"):
        rerate_from(NOVEMBER, at=AT, replaced=[first])


def test_0_1_the_audit_finds_lists_that_the_settings_put_under_earlier_or_later_regulations(settings):
    october = date(2026, 10, 1)
    sent(players({"standard": 1900}, {"standard": 1800}), [{(1, 2): "1"}])
    close(list_day=october)
    assert found("editions-of-lists") == []
    settings.OTB_REGULATIONS_2024_SINCE = date(2100, 1, 1)
    (finding,) = editions()
    assert finding.text % finding.words == (
        "The over-the-board list of 2026-10-01 was published under FIDE Rating Regulations of 1 March "
        "2024, as amended on 1 October 2025, but OTB_REGULATIONS_2024_SINCE puts it under FIDE B.02 of 1 "
        "July 2009. Set another day."
    )


def test_7_2_1_an_office_without_standard_lists_keeps_that_of_fide_for_who_begins_with_it():
    entrants = players({"standard": 1900}, {"standard": 1900, "rapid": 1900})
    sent(entrants, [{(1, 2): "1"}], RAPID)
    line = close(Chapter.RAPID).lines[0]
    assert (line.before, line.after, str(line.change), line.k) == (None, 1920, "20.00", 40)
    assert [(one.list_day, one.taken_from is None) for one in OtbList.objects.in_chapter(1)] == [
        (SEPTEMBER, False)
    ]
    players({"standard": 1700}, {"standard": 1700, "rapid": 1900}, period=OCTOBER)
    assert not found("tournament-results")
    assert rerate_from(OCTOBER, Chapter.RAPID, at=AT) == []


def test_8_2_1_an_event_stays_the_first_one_however_long_ago_it_was():
    entrants = [*players(*NEW, period=date(2024, 3, 1)), entrant(6, None)]
    sent(
        entrants,
        [{(6, 1): "1"}],
        name="First",
        first_day=date(2024, 4, 6),
        at=datetime(2024, 5, 1, tzinfo=UTC),
    )
    close_period(until=date(2024, 5, 1), at=datetime(2024, 5, 1, tzinfo=UTC))
    sent(entrants, [{(6, number): "0"} for number in range(1, 6)], name="Later", first_day=date(2026, 9, 5))
    close()
    later = TournamentResult.objects.get(tournament__name="Later", number=6)
    assert (later.earlier_result, later.new_games, later.new_half_points) == (True, 5, 0)
    assert not found("tournament-results")


@pytest.mark.parametrize("first", [0, 1])
def test_8_2_1_which_of_two_events_of_the_same_days_is_the_first_goes_by_their_names(first):
    entrants = [*players(*NEW), entrant(6, None)]
    events = [("Harbour", "0"), ("Lake", "1")]
    for name, score in (events[first], events[1 - first]):
        sent(entrants, [{(6, number): score} for number in range(1, 4)], name=name)
    close()
    results = TournamentResult.objects.filter(number=6).order_by("tournament__name")
    assert [(one.outcome, one.earlier_result) for one in results] == [(4, False), (2, True)]


def test_the_one_off_change_comes_before_the_lowest_rating():
    march = date(2024, 3, 1)
    entrants = players(*[{"standard": 1300}] * 3, period=date(2024, 2, 1))
    sent(
        entrants[:2],
        [{(1, 2): "="}],
        "7200",
        first_day=date(2024, 2, 3),
        at=datetime(2024, 2, 28, tzinfo=UTC),
    )
    otb_list = close_period(until=march, at=datetime(2024, 3, 1, tzinfo=UTC)).otb_list
    assert [row[0] for row in on(list_day=march).values()] == [None, None, None]
    RaisedList.objects.create(chapter=otb_list.chapter, list_day=march)
    rerate_from(march, at=AT)
    # 1300 + 0.40 × 700.
    assert [row[0] for row in on(list_day=march).values()] == [1580, 1580, 1580]


def test_6_2_a_match_of_more_than_30_days_is_decided_as_a_whole():
    entrants = players({"standard": 1900}, {"standard": 1800}, period=AUGUST)
    days = [date(2026, 8, 20), date(2026, 8, 21), date(2026, 9, 22), date(2026, 9, 23)]
    what = report(
        entrants,
        [{(1, 2): "1"}] * 4,
        kind="Match",
        control=STANDARD,
        first_day=days[0],
        last_day=days[-1],
        days=days,
    )
    tournament = received(what, at=AT, registered_on=AUGUST).tournament
    assert not tournament.by_period
    games = as_rated(tournament).participants[0].result.games
    assert [game.reason.name for game in games] == ["RATED", "RATED", "RATED", "MATCH_DECIDED"]


def test_7_2_1_a_standard_list_that_comes_late_does_not_move_who_began_in_rapid():
    entrants = players({"standard": 1900}, {"standard": 1900, "rapid": 1900}, period=AUGUST)
    sent(entrants, [{(1, 2): "1"}], RAPID)
    close(Chapter.RAPID)
    players({"standard": 1950}, {"standard": 1950, "rapid": 1900}, period=SEPTEMBER)
    sent(entrants, [{(1, 2): "1"}], BLITZ, "Blitz")
    close(Chapter.BLITZ)
    assert not found("tournament-results")
    assert rerate_from(OCTOBER, Chapter.RAPID, at=AT) == []


def test_9_1_a_report_in_time_that_is_mended_later_is_not_late():
    entrants = players({"standard": 1500}, {"standard": 1500}, period=date(2026, 6, 1))
    tournament = sent(
        entrants, [{(1, 2): "1"}], first_day=date(2026, 6, 6), at=datetime(2026, 8, 20, tzinfo=UTC)
    )
    mended = report(
        entrants, [{(1, 2): "0"}], kind="Swiss", control=STANDARD, name="Open", first_day=date(2026, 6, 6)
    )
    received(mended, at=AT, tournament=tournament)
    close()
    assert on() == {1: (1490, 20, 1, 31), 2: (1510, 20, 1, 31)}


def test_8_3_3_a_newcomer_to_blitz_with_many_games_reads_why_k_is_lower():
    sent(players({"standard": 1900}, {"standard": 1900, "blitz": 1900}), [{(1, 2): "="}] * 20, BLITZ)
    close(Chapter.BLITZ)
    texts = [step.text for step in explained(Tournament.objects.get(), 1)]
    assert any(text.startswith("K = 35 instead of 40:") for text in texts)
