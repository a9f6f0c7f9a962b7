"""B.02 4.11, 4.13: a league is rated period by period with the ratings of each game's day, or all of it with
the ratings of its first day."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from ratings.formats import trf
from ratings.formats.problems import FileRefused
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding
from ratings.otb.models import OtbList, Tournament, TournamentResult
from ratings.otb.services.judging import NotPossible, refuse
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.publishing import NothingToClose
from ratings.otb.services.rating import as_rated, read
from ratings.otb.services.unrated import announce_unrated
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import TournamentType
from tests.backoffice import admin_page
from tests.commands import run
from tests.decisions import DecisionCase
from tests.otb import tournaments
from tests.otb.test_decisions import uploaded
from tests.otb.test_periods import (
    AT,
    ID,
    JANUARY,
    MARCH,
    NOVEMBER,
    TWO_ROUNDS,
    bring_september,
    close,
    on,
    september,
)
from tests.otb.tournaments import entrant, report
from tests.pages import words

__all__ = ["september"]

pytestmark = pytest.mark.django_db

RECEIVED, RATED, REFUSED = Tournament.Status.RECEIVED, Tournament.Status.RATED, Tournament.Status.REFUSED
FIRST_DAY, LAST_DAY = date(2025, 9, 14), date(2026, 2, 8)
DAYS = [FIRST_DAY, date(2025, 10, 5), date(2025, 11, 9)]
THREE_ROUNDS = [*TWO_ROUNDS, [(1, 4, "1"), (2, 3, "=")]]

RATED_BY_PERIOD = {1: 2007, 2: 1905, 3: 2110, 4: 2433}
"""Round 3 with the list of November, 1993, 1901, 2113 and 2442 (test_periods: AFTER_TWO_ROUNDS).

1: D -449 as -400: 0.08, 15 × (1 - 0.08) = +13.80: 2006.80. 4: 10 × (0 - 0.92) = -9.20: 2432.80.
2: D -212: 0.23, 15 × (0.5 - 0.23) = +4.05: 1905.05. 3: 10 × (0.5 - 0.77) = -2.70: 2110.30.
"""

RATED_FROM_THE_FIRST_DAY = {1: 2006, 2: 1905, 3: 2110, 4: 2433}
"""All three rounds with the list of September, 2000, 1900, 2100 and 2450.

1: 15 × (1.5 - 0.64 - 0.36 - 0.08) = +6.30. 2: 15 × (1 - 0.36 - 0.08 - 0.24) = +4.80: 1904.80.
3: 10 × (2.5 - 0.11 - 0.64 - 0.76) = +9.90: 2109.90. 4: 10 × (1 - 0.89 - 0.92 - 0.92) = -17.30: 2432.70.
"""


def league(**fields):
    """Registered in May, as rated period by period."""
    return Tournament.objects.create(
        name="League", first_day=FIRST_DAY, last_day=LAST_DAY, kind=TournamentType.TEAM, league=True,
        **{"registered_on": date(2025, 5, 1), "by_period": True, **fields},
    )  # fmt: skip


def report_of(rounds, days=DAYS, players=(1, 2, 3, 4)):
    """The report of the rounds so far, of which the last was on the last day."""
    entrants = [entrant(number, fide_id=ID + player) for number, player in enumerate(players, 1)]
    games = [{(white, black): result for white, black, result in pairings} for pairings in rounds]
    return report(
        entrants, games, name="League", kind="Team", first_day=FIRST_DAY,
        last_day=days[: len(rounds)][-1], days=days[: len(rounds)],
    )  # fmt: skip


def received(rounds, days=DAYS, of=None, **options):
    """As if there were no other day of registration."""
    return tournaments.received(
        report_of(rounds, days), at=AT, tournament=of, **{"registered_on": None, **options}
    )


def another(first_day):
    """A tournament of others, so that there is something to rate."""
    of_others = [entrant(1, fide_id=ID + 5), entrant(2, fide_id=ID + 6)]
    what = report(of_others, [{(1, 2): "="}], first_day=first_day, kind="Swiss")
    tournaments.received(what, at=AT, registered_on=date(2025, 5, 1))


def ratings(list_day):
    return {number: on(list_day)[number][0] for number in (1, 2, 3, 4)}


def parts():
    """Name, days, status and list of each part."""
    found = Tournament.objects.exclude(part_of=None).order_by("first_day")
    return list(found.values_list("name", "first_day", "last_day", "status", "rated_for"))


def test_4_13_each_period_is_rated_with_the_ratings_of_its_games_days():
    one = league()
    received(TWO_ROUNDS)
    assert parts() == [("League, rounds 1, 2", DAYS[0], DAYS[1], RECEIVED, None)]
    close(NOVEMBER)
    assert ratings(NOVEMBER) == {1: 1993, 2: 1901, 3: 2113, 4: 2442}
    received(THREE_ROUNDS, of=one)
    close(JANUARY)
    assert parts() == [
        ("League, rounds 1, 2", DAYS[0], DAYS[1], RATED, NOVEMBER),
        ("League, round 3", DAYS[2], DAYS[2], RATED, JANUARY),
    ]
    assert ratings(JANUARY) == RATED_BY_PERIOD
    results = TournamentResult.objects.filter(tournament__name="League, round 3").order_by("number")
    assert [(row.rating, row.k, row.rated_games, row.change) for row in results] == [
        (1993, 15, 1, Decimal("13.80")), (1901, 15, 1, Decimal("4.05")),
        (2113, 10, 1, Decimal("-2.70")), (2442, 10, 1, Decimal("-9.20")),
    ]  # fmt: skip
    one.refresh_from_db()
    assert (one.status, one.rated_for) == (RECEIVED, None), "what is rated are its parts"


def test_4_13_otherwise_all_of_it_is_rated_with_the_ratings_of_its_first_day():
    league(by_period=False)
    received(THREE_ROUNDS)
    close(JANUARY)
    assert ratings(JANUARY) == RATED_FROM_THE_FIRST_DAY
    assert parts() == []


def test_4_13_one_report_at_the_end_gives_the_same_as_one_after_each_period():
    """A part that comes too late for its list is rated for the next, with the ratings of its own days."""
    league()
    received(THREE_ROUNDS)
    close(NOVEMBER)
    close(JANUARY)
    assert ratings(JANUARY) == RATED_BY_PERIOD


def test_7_13_a_round_in_the_last_week_of_a_period_has_its_ratings_and_is_rated_with_the_next():
    """Round 3 on 27 December: after 25 December, so for 1 March; with the list of 1 November."""
    league()
    received(THREE_ROUNDS, [*DAYS[:2], date(2025, 12, 27)])
    close(NOVEMBER)
    another(first_day=date(2025, 11, 10))
    close(JANUARY)
    assert parts()[1][3:] == (RECEIVED, None)
    assert ratings(JANUARY) == ratings(NOVEMBER)
    close(MARCH)
    assert parts()[1][3:] == (RATED, MARCH)
    assert ratings(MARCH) == RATED_BY_PERIOD


def test_a_corrected_result_rates_its_part_and_every_later_list_again():
    """Round 1 of 1 and 2 was a win of 1: 15 × 0.5 more and less in November, and other differences after."""
    one = league()
    received(THREE_ROUNDS)
    close(NOVEMBER)
    close(JANUARY)
    corrected = [[(1, 2, "1"), (3, 4, "1")], *THREE_ROUNDS[1:]]
    done = received(corrected, of=one)
    # 2000: 15 × (1 - 0.64 - 0.36) = 0; 1900: 15 × (0 - 0.36 - 0.08) = -6.60: 1893.40.
    assert ratings(NOVEMBER) == {1: 2000, 2: 1893, 3: 2113, 4: 2442}
    # D 442 and 220: 1: +13.80. 2: 0.22, 15 × 0.28 = +4.20: 1897.20. 3: 10 × (0.5 - 0.78) = -2.80: 2110.20.
    assert ratings(JANUARY) == {1: 2014, 2: 1897, 3: 2110, 4: 2433}
    assert [(one.list_day, one.revision) for one in done.revised] == [(NOVEMBER, 2), (JANUARY, 2)]
    assert [change.name for change in done.parts] == ["League, rounds 1, 2"]


def test_a_report_that_says_the_same_of_the_old_rounds_rates_nothing_again():
    one = league()
    received(TWO_ROUNDS)
    close(NOVEMBER)
    done = received(THREE_ROUNDS, of=one)
    assert done.revised == ()
    assert [change.name for change in done.parts] == ["League, round 3"]
    assert not OtbList.objects.filter(revision=2).exists()


def test_a_round_that_was_played_on_another_day_leaves_its_part():
    """Round 3 was brought forward to 12 October: all three rounds are of the first part."""
    one = league()
    received(THREE_ROUNDS)
    close(NOVEMBER)
    close(JANUARY)
    received(THREE_ROUNDS, [*DAYS[:2], date(2025, 10, 12)], of=one)
    assert parts() == [("League, rounds 1, 2, 3", DAYS[0], date(2025, 10, 12), RATED, NOVEMBER)]
    assert ratings(NOVEMBER) == RATED_FROM_THE_FIRST_DAY
    assert ratings(JANUARY) == RATED_FROM_THE_FIRST_DAY, "nothing more is rated for January"


def test_4_13_without_the_day_of_each_round_the_report_is_refused():
    league()
    with pytest.raises(FileRefused, match=r"B\.02 4\.13.*no date for these rounds: 3\."):
        received(THREE_ROUNDS, DAYS[:2])
    assert parts() == []


def test_0_4_a_part_is_registered_as_early_as_its_league():
    """A month before the first round of the league, 14 September, and not of each part."""
    league(registered_on=date(2025, 8, 20))
    received(THREE_ROUNDS)
    for part in Tournament.objects.exclude(part_of=None):
        assert [one.article for one in as_rated(part).refusals] == ["0.4"]


def test_0_4_what_is_accepted_of_a_league_is_accepted_of_its_parts(admin_client):
    one = league(registered_on=date(2025, 8, 20))
    received(THREE_ROUNDS, accept="The storm")
    for part in Tournament.objects.exclude(part_of=None):
        assert as_rated(part).refusals == []
        page = words(Client().get(part.get_absolute_url()))
        assert "Accepted on 10 Mar 2026: The storm" in page
        withdraw = f"{admin_page(one, 'judge')}withdraw/"
        assert (
            f'href="{withdraw}?finds={Finds.REGISTERED_LATE.value}"'
            in admin_client.get(admin_page(part, "judge")).text
        ), "where it was accepted"


def test_parts_of_a_refused_league_and_of_one_announced_as_not_rated_wait():
    one = league()
    received(TWO_ROUNDS)
    Tournament.objects.filter(pk=one.pk).update(announced_unrated=True)
    assert not Tournament.objects.to_be_rated().filter(status=RECEIVED).exists()
    Tournament.objects.filter(pk=one.pk).update(announced_unrated=False)
    assert [part.part_of for part in Tournament.objects.to_be_rated().filter(status=RECEIVED)] == [one]
    refuse(one, "No clocks.", AT.date())
    assert not Tournament.objects.to_be_rated().filter(status=RECEIVED).exists()


def test_the_report_of_a_part_is_that_of_the_league_and_cannot_be_replaced_alone():
    one = league()
    received(THREE_ROUNDS)
    part = Tournament.objects.get(name="League, round 3")
    with pytest.raises(NotPossible, match="part of League"):
        received(THREE_ROUNDS, of=part)
    extracted = read(part.report)
    assert (extracted.start, extracted.end, extracted.name) == (DAYS[2], DAYS[2], "League, round 3")
    assert extracted.round_dates == (None, None, DAYS[2])
    assert trf.played_rounds(extracted) == [3]
    assert read(one.__class__.objects.get(pk=one.pk).report).name == "League"


@pytest.mark.parametrize("fields", [{"league": False}, {"status": RATED, "rated_for": NOVEMBER}])
def test_4_11_only_a_league_is_rated_period_by_period_and_never_as_a_whole(fields):
    one = league()
    received(TWO_ROUNDS)
    with pytest.raises(IntegrityError), transaction.atomic():
        Tournament.objects.filter(pk=one.pk).update(**fields)
    one.league = False
    with pytest.raises(
        ValidationError, match=r"Only a league can be rated period by period \(B\.02 4\.11, 4\.13\)"
    ):
        one.validate_constraints()


def test_the_pages_of_a_league_lead_to_its_parts_and_back():
    one = league()
    received(THREE_ROUNDS)
    stranger = Client()
    page = stranger.get(one.get_absolute_url())
    part = Tournament.objects.get(name="League, round 3")
    assert part.get_absolute_url() in page.text
    assert "League, rounds 1, 2 , 14 Sep 2025 – 5 Oct 2025: received" in words(page)
    assert "Cross-table" not in words(page)
    of_part = stranger.get(part.get_absolute_url())
    assert "Cross-table" in words(of_part)
    assert f'<a href="{one.get_absolute_url()}">League</a>' in of_part.text
    for name, args in (("crosstable", (one.pk, "csv")), ("tournament_player", (one.pk, 1))):
        assert stranger.get(reverse(f"otb:{name}", args=args)).status_code == 404


FORM = {
    "name": "League", "city": "", "federation": "NOR", "first_day": "2025-09-14", "last_day": "2026-02-08",
    "registered_on": "2025-05-01", "kind": "3", "time_control": "7200", "planned_games": "", "chapter": "1",
    "league": "on", "by_period": "on",
}  # fmt: skip


def test_4_13_how_a_league_is_rated_is_chosen_before_the_first_round(officer):
    late = officer.post(admin_page(Tournament, "add"), {**FORM, "registered_on": "2025-09-15"})
    assert "how it is rated has to be chosen before the first round (B.02 4.13)." in words(late)
    assert officer.post(admin_page(Tournament, "add"), FORM).status_code == 302
    one = Tournament.objects.get(by_period=True)
    assert 'name="by_period"' in officer.get(admin_page(one)).text
    received(TWO_ROUNDS)
    assert 'name="by_period"' not in officer.get(admin_page(one)).text, "there is a report"


def test_what_is_corrected_of_a_league_is_corrected_of_its_parts_until_one_is_rated(officer):
    one = league()
    received(TWO_ROUNDS)
    form = {name: value for name, value in FORM.items() if name != "by_period"}
    initial = {f"initial-{name}": value for name, value in form.items()} | {"initial-time_control": ""}
    done = officer.post(admin_page(one), {**form, **initial, "time_control": "40/5400+30:1800+30"})
    assert done.status_code == 302, words(done)
    part = Tournament.objects.get(part_of=one)
    assert part.time_control == "40/5400+30:1800+30"
    assert 'name="time_control"' not in officer.get(admin_page(part)).text
    assert "Import a report" not in words(officer.get(admin_page(part)))
    close(NOVEMBER)
    assert 'name="time_control"' not in officer.get(admin_page(one)).text


class TestReplaceTheReportOfALeague(DecisionCase):
    """Both parts are rated, and the first round of the first was another result."""

    kind = "replace-report"

    @pytest.fixture
    def september(self):
        """It is among what is arranged."""

    def arrange(self):
        bring_september()
        self.league = league()
        received(THREE_ROUNDS)
        close(NOVEMBER)
        close(JANUARY)
        corrected = [[(1, 2, "1"), (3, 4, "1")], *THREE_ROUNDS[1:]]
        return {**uploaded(report_of(corrected)), "tournament": [str(self.league.pk)]}

    def disturb(self):
        Tournament.objects.filter(pk=self.league.pk).update(city="Oslo", name="The League")

    def state(self):
        names = Tournament.objects.order_by("pk").values_list("name", "status", "rated_for", "report__sha256")
        return [ratings(NOVEMBER), ratings(JANUARY), list(names)]


def test_the_commands_know_the_parts_of_a_league(tmp_path):
    one = league()
    path = tmp_path / "league.trf"
    path.write_bytes(report_of(THREE_ROUNDS))
    done = run("import_trf", str(path))
    assert done.code == 0, done.err
    assert "  League, rounds 1, 2: received.\n  League, round 3: received.\n" in done.out
    table = run("export_crosstable", "League")
    first, second = Tournament.objects.filter(part_of=one).order_by("first_day")
    assert f"rated period by period. Give the number of a part: {first.pk}, {second.pk}." in table.err
    assert run("export_crosstable", str(second.pk)).out.count("\n") == 5


def test_9_2_a_league_that_was_announced_as_not_rated_leaves_the_lists_of_its_parts():
    one = league()
    received(THREE_ROUNDS)
    close(NOVEMBER)
    _stored, revised = announce_unrated(one, at=AT)
    assert [(found.list_day, found.revision) for found in revised] == [(NOVEMBER, 2)]
    assert ratings(NOVEMBER) == {1: 2000, 2: 1900, 3: 2100, 4: 2450}
    assert [status for _name, _first, _last, status, _list in parts()] == [RECEIVED, RECEIVED]
    with pytest.raises(NothingToClose):
        close(JANUARY)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE fide_tournamentreport SET content = %s WHERE tournament_id = {part}",
        "UPDATE fide_tournament SET part_of_id = NULL WHERE id = {part}",
        "UPDATE fide_tournament SET first_day = '2025-09-01', last_day = '2025-09-02' WHERE id = {part}",
    ],
)
def test_4_13_the_audit_finds_parts_that_the_report_does_not_give_and_nothing_else(statement):
    one = league()
    received(THREE_ROUNDS)
    close(NOVEMBER)
    checks = ["announced-unrated", "league-parts"]
    assert audit(only=checks).open == {"announced-unrated": 0, "league-parts": 0}
    part = Tournament.objects.get(name="League, round 3").pk
    with connection.cursor() as cursor:
        cursor.execute(statement.format(part=part), [b"x"] if "%s" in statement else [])
    assert audit(only=checks).open == {"announced-unrated": 0, "league-parts": 1}
    (found,) = AuditFinding.objects.all()
    assert found.key == f"tournament {one.pk}"
    kind, asked = found.mends["kind"], found.mends["parameters"]
    decide_at_once(Proposal(kind=kind_of(kind), parameters=asked))
    assert audit(only=checks).open == {"announced-unrated": 0, "league-parts": 0}


def test_7_13_a_part_of_an_official_league_enters_a_list_that_is_closed_until_its_day():
    """The list of 1 November closes on 25 October; the part ends on the 5th, and comes on the 28th."""
    league(official=True)
    another(first_day=date(2025, 9, 20))
    close_period(until=date(2025, 10, 25), at=datetime(2025, 10, 25, 12, tzinfo=UTC))
    late = datetime(2025, 10, 28, 12, tzinfo=UTC)
    done = tournaments.received(report_of(TWO_ROUNDS), at=late, registered_on=None)
    assert [(one.list_day, one.revision) for one in done.revised] == [(NOVEMBER, 2)]
    assert parts() == [("League, rounds 1, 2", DAYS[0], DAYS[1], RATED, NOVEMBER)]
    assert ratings(NOVEMBER) == {1: 1993, 2: 1901, 3: 2113, 4: 2442}


def test_9_2_an_official_event_announced_as_not_rated_enters_no_list_that_is_closed():
    league(official=True, by_period=False, announced_unrated=True)
    another(first_day=date(2025, 9, 20))
    close_period(until=date(2025, 10, 25), at=datetime(2025, 10, 25, 12, tzinfo=UTC))
    late = datetime(2025, 10, 28, 12, tzinfo=UTC)
    done = tournaments.received(report_of(TWO_ROUNDS), at=late, registered_on=None)
    assert done.revised == ()
    assert Tournament.objects.get(name="League").status == RECEIVED
