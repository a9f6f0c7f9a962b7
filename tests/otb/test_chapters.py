"""Standard, rapid and blitz together: what is closed first, and who begins with a standard rating."""

from datetime import UTC, date, datetime

import pytest

from ratings.office.due import due_for
from ratings.otb.explanation import explain
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.rating import as_rated
from ratings.otb.services.receiving import ReportRefused, Upload, preview
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.time_controls import Chapter
from tests.commands import run
from tests.fide.office import bring_players, listed
from tests.otb.test_regulations_2024 import (
    BLITZ,
    ID,
    NOVEMBER,
    OCTOBER,
    RAPID,
    SEPTEMBER,
    STANDARD,
    close,
    found,
    of_2024,
    on,
    players,
    sent,
)
from tests.otb.tournaments import entrant, received, report

__all__ = ["of_2024"]

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 27, 10, tzinfo=UTC)


def lists_due(user):
    """The text and the link of each period that can be closed."""
    return [
        (one.text, one.link)
        for one in due_for(user, NOW)
        if one.text.startswith("Over-the-board") and one.button == "Close the period"
    ]


def named_as_listed(entrants):
    return [one._replace(name=f"Player{one.start_rank}") for one in entrants]


def remarks(content, at=NOW):
    upload = Upload(content=content, source="open.trf")
    return [f"line {one.line}: {one.text}" for one in preview(upload, at=at).remarks]


def test_7_1_an_office_that_is_behind_closes_the_first_period_first(admin_user):
    entrants = players({"standard": 1900}, {"standard": 1900})
    sent(entrants, [{(1, 2): "1"}], name="In October", first_day=date(2026, 10, 5), at=NOW)
    sent(entrants, [{(1, 2): "1"}], name="In September")
    assert lists_due(admin_user) == [
        (
            "Over-the-board list of 1 Oct 2026: the period has ended (B.02 (2024) 7.1.3)",
            "/admin/otb/otblist/close/?chapter=standard&until=2026-09-28",
        )
    ]
    close()
    assert [link for _text, link in lists_due(admin_user)] == [
        "/admin/otb/otblist/close/?chapter=standard&until=2026-10-29"
    ]
    close_period(until=NOVEMBER, at=NOW)
    assert lists_due(admin_user) == []


def test_the_link_of_a_period_that_is_due_leads_to_its_preview(admin_user, admin_client):
    sent(players({"standard": 1900}, {"standard": 1900}), [{(1, 2): "1"}])
    ((_text, link),) = lists_due(admin_user)
    assert admin_client.get(link)["Location"].startswith("/admin/otb/otblist/close/?rehearsal=")


def test_7_2_1_a_standard_list_that_comes_after_a_rapid_one_revises_it():
    entrants = players({"standard": 1900}, {"standard": 1900}, {"standard": 1900, "rapid": 1900})
    sent(entrants[:2], [{(1, 2): "1"}], name="Long")
    sent(entrants, [{(1, 3): "="}], RAPID, "Fast", date(2026, 10, 10), at=NOW)
    close_period(until=NOVEMBER, chapter=Chapter.RAPID, at=NOW)
    assert on(Chapter.RAPID, NOVEMBER)[1] == (1900, 40, 1, 1)
    said = run("close_period", "--until", "2026-10-01").out
    assert "Over-the-board rapid list 1 Nov 2026, revision 2: published." in said
    # 1910 against 1900: D 10, PD 0.51; K 40: −0.40.
    assert on(Chapter.RAPID, NOVEMBER)[1] == (1910, 40, 1, 1)
    assert not found("tournament-results", "over-the-board-lists")


def test_a_standard_list_that_comes_first_revises_nothing():
    sent(players({"standard": 1900}, {"standard": 1900}), [{(1, 2): "1"}])
    assert close().revised == []
    assert list(OtbList.objects.published().values_list("chapter", "list_day")) == [(1, OCTOBER)]


def test_7_2_1_who_begins_with_the_standard_rating_is_not_called_new():
    entrants = named_as_listed(players({"standard": 1900}, {"standard": 1850, "rapid": 1800}))
    entrants[1] = entrants[1]._replace(rating=1800)
    content = report(entrants, [{(1, 2): "1"}], control=RAPID, kind="Swiss", first_day=date(2026, 9, 5))
    assert remarks(content) == [
        "line 8: no rating on the list in force: the standard rating on that day, 1900, is used (B.02 RB "
        "(2024) 7.2.1)"
    ]


def test_another_year_of_birth_than_on_the_list_is_remarked_upon():
    bring_players(SEPTEMBER, listed(ID + 1, "PlayerA", standard=1900), listed(ID + 2, "PlayerB", 1900))
    entrants = [entrant(1, 1900, birth="2010/05/01"), entrant(2, 1900)]
    content = report(entrants, [{(1, 2): "1"}], kind="Swiss", first_day=date(2026, 9, 5))
    assert remarks(content) == [
        "line 8: the year of birth is 2010 in the report, but 1990 on the list for FIDE ID 1000001; the "
        "list’s is used"
    ]


def test_a_tournament_that_has_not_ended_is_remarked_upon():
    entrants = named_as_listed(players({"standard": 1900}, {"standard": 1900}))
    content = report(entrants, [{(1, 2): " "}], kind="Swiss", first_day=date(2026, 12, 18))
    ahead = ["line 5: ends on 18 Dec 2026, which is in the future"]
    assert [one for one in remarks(content) if "ends on" in one] == ahead
    assert not any("ends on" in one for one in remarks(content, at=datetime(2026, 12, 18, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("days", "reason", "the_day_before"),
    [
        ((), "line 4: round 1 has results, but its day, 18 Dec 2026, is in the future", 17),
        ((18, 19), "line 7: round 2 has results, but its day, 19 Dec 2026, is in the future", 18),
    ],
)
def test_results_of_a_round_to_come_are_refused(days, reason, the_day_before):
    """East of UTC, a round has been played on what is the next day here."""
    entrants = named_as_listed(players({"standard": 1900}, {"standard": 1900}, {"standard": 1900}))
    content = report(
        entrants,
        [{(1, 2): "1", (3, None): "U"}, {(1, 3): "=", (2, None): "U"}],
        first_day=date(2026, 12, 18),
        last_day=date(2026, 12, 19),
        days=[date(2026, 12, day) for day in days],
    )
    with pytest.raises(ReportRefused) as refused:
        remarks(content, at=datetime(2026, 12, the_day_before - 1, 23, tzinfo=UTC))
    assert refused.value.reasons == (reason,)
    assert "line 5: ends on 19 Dec 2026, which is in the future" in remarks(
        content, at=datetime(2026, 12, the_day_before, tzinfo=UTC)
    )


def test_a_league_may_play_a_game_before_the_day_of_its_round():
    entrants = named_as_listed(players({"standard": 1900}, {"standard": 1900}))
    days = date(2026, 11, 10), date(2026, 12, 19)
    content = report(
        entrants,
        [{(1, 2): "1"}, {(2, 1): "1"}],
        kind="Swiss",
        first_day=days[0],
        last_day=days[1],
        days=days,
    )
    assert not any("has results" in one for one in remarks(content))


def test_8_3_1_a_difference_without_a_cap_is_shown_as_it_is_used():
    tournament = sent(players({"standard": 2700}, {"standard": 1400}), [{(1, 2): "1"}])
    rated = as_rated(tournament)
    strong, weak = (explain(rated, one).games[0] for one in rated.participants)
    assert (strong.difference, strong.capped, strong.expected) == ("1300", "1300", "1.00")
    assert (weak.difference, weak.capped, weak.expected) == ("−1300", "−400", "0.08")


def of_one_name(control, first_day=date(2026, 9, 5)):
    entrants = [entrant(1, 1900), entrant(2, 1900)]
    return report(entrants, [{(1, 2): "1"}], control=control, kind="Swiss", first_day=first_day)


def test_tournaments_of_one_name_and_day_in_standard_and_rapid_are_two():
    bring_players(
        SEPTEMBER, listed(ID + 1, "PlayerA, Anna", 1900, 1900), listed(ID + 2, "PlayerB, Anna", 1900)
    )
    standard = received(of_one_name(STANDARD), at=NOW).tournament
    rapid = received(of_one_name(RAPID), at=NOW)
    assert [one.get_chapter_display() for one in (standard, rapid.tournament)] == ["standard", "rapid"]
    assert [remark.text for remark in rapid.remarks if "already exists in" in remark.text] == [
        f"Fjord Open (5 Sep 2026) already exists in standard as number {standard.pk}; this is treated "
        f"as a different tournament. If this report corrects the earlier one, replace that one instead"
    ]
    with pytest.raises(NotPossible, match=f"already exists as number {standard.pk} "):
        received(of_one_name("5400+15"), at=NOW)


def test_a_report_is_that_of_the_tournament_that_is_registered_in_its_chapter():
    bring_players(SEPTEMBER, listed(ID + 1, "PlayerA, Anna", 1900), listed(ID + 2, "PlayerB, Anna", 1900))
    registered = {
        chapter: Tournament.objects.create(
            name="Fjord Open",
            first_day=date(2026, 9, 5),
            last_day=date(2026, 9, 5),
            registered_on=date(2026, 8, 1),
            chapter=chapter,
        )
        for chapter in (Chapter.STANDARD, Chapter.RAPID)
    }
    assert received(of_one_name(RAPID), at=NOW).tournament == registered[Chapter.RAPID]
    # The other one is registered for standard, which this report isn't: that is found.
    done = received(of_one_name(BLITZ), at=NOW)
    assert done.tournament == registered[Chapter.STANDARD]
    assert Finds.OTHER_CHAPTER in [finding.finds for finding in done.rated.refusals]
