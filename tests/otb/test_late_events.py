"""B.02 7.13: official events that end, or whose reports come, after their list was closed."""

from datetime import UTC, date, datetime, timedelta

import pytest

from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.decision_types import kind_of
from ratings.otb.models import OtbList, OtbListEntry, Tournament
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.findings import Finds
from tests.otb import tournaments
from tests.otb.test_decisions import uploaded
from tests.otb.tournaments import IN_TIME, entrant, everybody_listed, report
from tests.pages import words

pytestmark = pytest.mark.django_db

MARCH, MAY, JULY = date(2026, 3, 1), date(2026, 5, 1), date(2026, 7, 1)
CLOSED = datetime(2026, 4, 24, 12, tzinfo=UTC)
APRIL_29 = datetime(2026, 4, 29, 9, tzinfo=UTC)
IDS = {1: 1_000_001, 2: 1_000_002, 3: 1_000_003, 4: 1_000_004}


def content(pairs=((1, 2),), first_day=date(2026, 3, 14), name="Open", **options):
    """A report of one round among the four, the first of each pair winning."""
    entrants = [entrant(number) for number in sorted({one for pair in pairs for one in pair})]
    last_day = options.pop("last_day", first_day)
    return report(
        entrants, [dict.fromkeys(pairs, "1")], name=name, first_day=first_day, last_day=last_day, **options
    )


CUP = {"pairs": ((3, 4),), "first_day": date(2026, 4, 20), "last_day": date(2026, 4, 28), "name": "World Cup"}


def a_world_cup():
    """An official event that is registered, and ends on 28 April; the May list was closed on 24 April."""
    everybody_listed(2000, 1900, 1800, 1700)
    tournaments.received(content())
    event = Tournament.objects.create(
        name="World Cup",
        first_day=date(2026, 4, 20),
        last_day=date(2026, 4, 28),
        official=True,
        time_control="7200",
    )
    close_period(until=date(2026, 4, 24), at=CLOSED)
    return event


@pytest.fixture(scope="class")
def cup(standing):
    return standing(a_world_cup)


def ratings(list_day):
    latest = OtbList.objects.latest_of(list_day)
    return latest.revision, {
        number: OtbListEntry.objects.get(otb_list=latest, fide_id=fide_id).rating
        for number, fide_id in IDS.items()
    }


def closing(until):
    return preview(Proposal(kind=kind_of("close-period"), parameters={"until": [until]}), at=CLOSED)


def test_7_13_closing_warns_of_official_events_that_end_before_the_list():
    everybody_listed(2000, 1900, 1800, 1700)
    tournaments.received(content())
    days = {"first_day": date(2026, 4, 20), "registered_on": IN_TIME}
    event = Tournament.objects.create(name="World Cup", last_day=date(2026, 4, 30), official=True, **days)
    Tournament.objects.create(name="Ends with the list", last_day=MAY, official=True, **days)
    Tournament.objects.create(name="Not of FIDE", last_day=date(2026, 4, 28), **days)
    (warning,) = closing("2026-04-24").warnings
    assert warning.key == f"tournament {event.pk}"
    assert warning.label == (
        "No report yet for World Cup (20 Apr 2026), an official event that ends on 30 Apr 2026, "
        "before the list. A report received before the list date will be rated for it, in a "
        "new revision"
        " (B.02 7.13)."
    )


def test_7_13_an_official_event_received_before_the_day_of_a_closed_list_enters_it(cup):
    # 2000 beat 1900: D 100, 15 × 0.36 = 5.40.
    assert ratings(MAY) == (1, {1: 2005, 2: 1895, 3: 1800, 4: 1700})
    done = tournaments.received(content(**CUP), at=APRIL_29)
    assert [str(one) for one in done.revised] == ["Over-the-board list 1 May 2026, revision 2"]
    assert (done.expected, done.missed) == (None, None)
    # Not the July list: 1800 beat 1700 as well.
    assert ratings(MAY) == (2, {1: 2005, 2: 1895, 3: 1805, 4: 1695})
    cup.refresh_from_db()
    assert (cup.status, cup.rated_for) == (Tournament.Status.RATED, MAY)
    first = OtbList.objects.get(list_day=MAY, revision=1)
    assert OtbListEntry.objects.get(otb_list=first, fide_id=IDS[3]).rating == 1800


def test_7_13_the_list_is_the_same_as_if_the_event_had_been_there_when_it_was_closed(cup):
    tournaments.received(content(**CUP), at=APRIL_29)
    columns = ("fide_id", "rating", "k", "games", "games_counted", "last_game", "listing")
    late = list(OtbListEntry.objects.filter(otb_list=OtbList.objects.latest_of(MAY)).values_list(*columns))
    OtbList.objects.filter(list_day=MAY).delete()
    Tournament.objects.update(status=Tournament.Status.RECEIVED, rated_for=None)
    close_period(until=MAY, at=APRIL_29)
    assert (
        list(OtbListEntry.objects.filter(otb_list=OtbList.objects.latest_of(MAY)).values_list(*columns))
        == late
    )


def test_7_13_from_the_day_of_the_list_on_it_goes_to_the_next_and_everybody_is_told(cup, client):
    done = tournaments.received(content(**CUP), at=datetime(2026, 5, 1, tzinfo=UTC))
    assert (done.revised, done.expected, done.missed) == ((), JULY, MAY)
    assert ratings(MAY)[0] == 1
    text = words(client.get(cup.get_absolute_url()))
    assert (
        "The report arrived after the list of 1 May 2026 was closed, so the tournament counts for the"
        " list of 1 Jul 2026"
        " (B.02 7.13)." in text
    )
    tournaments.received(
        content(first_day=date(2026, 5, 10), name="Later"), at=datetime(2026, 5, 12, tzinfo=UTC)
    )
    close_period(until=JULY, at=datetime(2026, 6, 25, tzinfo=UTC))
    assert ratings(JULY) == (1, {1: 2010, 2: 1890, 3: 1805, 4: 1695})


def test_7_13_what_is_not_official_and_ended_in_time_goes_to_the_next_list_as_before(cup):
    what = content(pairs=((3, 4),), first_day=date(2026, 3, 20), name="Lost on its way")
    done = tournaments.received(what, at=APRIL_29)
    assert (done.revised, done.expected, done.missed) == ((), JULY, MAY)


def test_7_13_the_decision_shows_whose_ratings_move_and_says_where_it_counts(cup):
    def proposal(**options):
        parameters = uploaded(content(**{**CUP, **options}), tournament=[str(cup.pk)])
        return Proposal(kind=kind_of("receive-report"), parameters=parameters)

    effect = preview(proposal(), at=APRIL_29)
    assert [move[:] for move in sorted(effect.moves)] == [
        (IDS[3], "otb", 180_000, 180_500),
        (IDS[4], "otb", 170_000, 169_500),
    ]
    assert [fact.label for fact in effect.lists] == [
        "Over-the-board list 1 May 2026, revision 2: 2 ratings change."
    ]
    late = preview(proposal(), at=datetime(2026, 5, 2, tzinfo=UTC))
    assert late.moves == []
    assert [(fact.key, fact.before, fact.after) for fact in late.warnings] == [
        ("administrator", "", ""),
        ("next list", "2026-05-01", "2026-07-01"),
    ]
    assert late.outcome[-1].text == (
        "The 1 May 2026 list is closed, so the tournament will count for the 1 Jul 2026 list (B.02 7.13)."
    )


def test_7_13_one_that_waits_for_consent_enters_the_list_when_the_finding_is_accepted(cup, monkeypatch):
    cup.time_control = ""
    cup.save()
    what = content(**CUP, control="?")
    done = tournaments.received(what, at=APRIL_29)
    assert [finding.finds for finding in done.rated.refusals] == [Finds.CONTROL_UNKNOWN]
    assert done.revised == ()
    monkeypatch.setattr("ratings.office.deciding.timezone.now", lambda: APRIL_29 + timedelta(hours=1))
    parameters = {
        "tournament": [str(cup.pk)],
        "finds": [str(Finds.CONTROL_UNKNOWN.value)],
        "reason": ["By the arbiter's letter: 120 minutes."],
    }
    accepted, effect = decide_at_once(Proposal(kind=kind_of("accept-finding"), parameters=parameters))
    assert [move.subject for move in sorted(effect.moves)] == [IDS[3], IDS[4]]
    assert accepted.undo is None
    assert ratings(MAY) == (2, {1: 2005, 2: 1895, 3: 1805, 4: 1695})
