"""Reports that come in: what is read, what is said of them, and what is stored with them."""

from datetime import date, timedelta

import pytest

from ratings.otb.models import Tournament, TournamentReport
from ratings.otb.services.judging import NotPossible, refuse
from ratings.otb.services.receiving import KnownBy, ReportRefused, preview
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import TournamentType
from tests.formats.trf_text import changed
from tests.otb.tournaments import (
    AT,
    FIRST_DAY,
    IN_TIME,
    entrant,
    everybody_listed,
    received,
    report,
    round_robin,
    upload,
)

pytestmark = pytest.mark.django_db

MET = round_robin("*1==", "0*1=", "=0*1", "==0*")
DAYS = [FIRST_DAY] * 3


def four_players():
    """Four, rated 2100, 2000, 1900 and 1800 on the list in force, as the report says."""
    return everybody_listed(2100, 2000, 1900, 1800)


@pytest.fixture(scope="class")
def players(standing):
    return standing(four_players)


def remarks(content, **options):
    """What is said of a report, each with its line."""
    return [str(remark) for remark in preview(upload(content, **options), at=AT).remarks]


def refusal(content, **options):
    """Why a report is refused, and that nothing of it is stored."""
    before = Tournament.objects.count(), TournamentReport.objects.count()
    with pytest.raises((ReportRefused, NotPossible)) as caught:
        received(content, **options)
    assert (Tournament.objects.count(), TournamentReport.objects.count()) == before
    return caught.value


def registered(name="Fjord Open", first_day=FIRST_DAY, **fields):
    return Tournament.objects.create(
        name=name, first_day=first_day, **{"last_day": first_day, "registered_on": IN_TIME, **fields}
    )


def test_a_report_brings_its_tournament_and_stays_byte_for_byte(players):
    content = report(
        players, MET, kind="Round robin", last_day=date(2026, 3, 16), control="40/5400+30:1800+30"
    )
    one = received(content, source="/home/anna/open.trf").tournament
    one.refresh_from_db()
    assert (one.name, one.city, one.federation) == ("Fjord Open", "Bergen", "NOR")
    assert (one.first_day, one.last_day) == (date(2026, 3, 14), date(2026, 3, 16))
    assert (one.kind, one.time_control) == (TournamentType.ROUND_ROBIN, "40/5400+30:1800+30")
    assert (one.status, one.registered_on) == (Tournament.Status.RECEIVED, IN_TIME)
    assert bytes(one.report.content) == content
    assert (one.report.source, one.report.received_at) == ("open.trf", AT)
    assert list(one.reports.all()) == [one.report]


def test_a_preview_stores_nothing_and_says_what_receiving_says(players):
    content = report(players, MET, days=DAYS)
    shown = preview(upload(content), at=AT)
    assert not Tournament.objects.exists()
    assert shown.tournament.pk is None
    done = received(content)
    assert [p.result for p in shown.rated.participants] == [p.result for p in done.rated.participants]
    assert (shown.rated.findings, shown.known_by, shown.remarks) == (done.rated.findings, done.known_by, ())
    assert shown.rated.findings == ()
    assert done.known_by is KnownBy.PAIRINGS


def test_0_4_a_tournament_that_nobody_registered_is_registered_on_the_day_of_receipt(players):
    done = received(report(players, MET), registered_on=None)
    assert done.tournament.registered_on == AT.date()
    assert [finding.finds for finding in done.rated.refusals] == [Finds.REGISTERED_LATE]


def test_4_13_ratings_and_k_are_those_of_the_list_in_force(players):
    lying = [players[0]._replace(rating=2500), *players[1:]]
    done = received(report(lying, MET))
    first = done.rated.participants[0]
    assert (first.player.rating, first.player.k) == (2100, 15)
    # 2½ of 3 would be expected at 2500; at 2100 it is 0.64 + 0.76 + 0.85, and he has 2.
    assert (first.result.expected, first.result.change) == (225, 15 * -25)


def test_each_player_who_is_not_as_on_the_list_is_named_with_his_line(players):
    changed_ones = [
        players[0]._replace(rating=2105),
        players[1]._replace(rating=None),
        players[2]._replace(name="PlayersC, Anna"),
        players[3]._replace(fide_id=7_654_321),
        entrant(5, 1700, None),
        entrant(6, None, 7_654_322),
    ]
    assert remarks(report(changed_ones, [{(1, 2): "1", (3, 4): "1", (5, 6): "="}])) == [
        "line 7: rated 2105 in the report, but 2100 on the list in force, which is used (B.02 4.13)",
        "line 8: unrated in the report, but rated 2000 on the list in force, which is used (B.02 4.13)",
        "line 9: the name is “PlayersC, Anna” in the report, but “PlayerC, Anna” on the list for FIDE ID "
        "1000003",
        "line 10: FIDE ID 7654321 is not on the list in force: rated as a new player; the rating in the "
        "report, 1800,"
        " is not used (B.02 4.13)",
        "line 11: no FIDE ID: rated as a new player",
        "line 12: FIDE ID 7654322 is not on the list in force: rated as a new player",
    ]


def test_a_rating_that_the_list_has_not_is_no_rating():
    listed = everybody_listed(2100, None)
    [remark] = remarks(report([listed[0], listed[1]._replace(rating=1500)], [{(1, 2): "1"}]))
    assert remark == (
        "line 8: rated 1500 in the report, but unrated on the list in force: rated as a new player "
        "(B.02 4.13)"
    )


@pytest.mark.parametrize(
    "name", ["PLAYERA, Anna", "Playera,Eva", "Plâyerà, A.", "Anna PlayerA", "PlayerA Anna Liv"]
)
def test_a_name_written_otherwise_is_the_same(players, name):
    assert remarks(report([players[0]._replace(name=name), *players[1:]], MET)) == []


@pytest.mark.parametrize("name", ["Anna, PlayerA", "PlayerAs, Anna", "Anna Player", ""])
def test_another_family_name_is_another_name(players, name):
    assert len(remarks(report([players[0]._replace(name=name), *players[1:]], MET))) == 1


def test_what_the_reader_adjusted_is_told_too():
    said = remarks(changed("062 5", "062 6").encode())
    assert said[0] == "line 6: 6 players, but the file has 5"
    assert [int(remark.split(":")[0].removeprefix("line ")) for remark in said] == [6, 15, 16, 17, 18, 19]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2.5    1", "2.5    2", "line 16: rank 2 with 2.0 points, but rank 2 on line 15 has 2.5"),
        ("0.0    5", "0.0    1", "line 17: rank 1 with 0.0 points, but rank 1 on line 15 has 2.5"),
    ],
)
def test_ranks_that_contradict_the_points_are_said_with_both_lines(old, new, said):
    found = [one for one in remarks(changed(old, new).encode()) if "rank of this report" in one]
    assert found == [f"{said}; no rank of this report is used"]


def test_all_that_is_wrong_with_a_report_is_said_with_its_lines():
    wrong = changed("     1 b 0     2 b -", "     3 b 0     2 b +").encode()
    assert refusal(wrong).reasons == (
        "line 15: round 1: the opponent is 3, but 3 (line 17) has the opponent 3",
        "line 17: round 1: the player is paired with themselves (3)",
        "line 17: 0.0 points, but the results give 1.0",
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "line 1: the file is empty; it must be a tournament report (TRF)"),
        (
            b"PK\x03\x04",
            "line 1: this is a ZIP archive or a spreadsheet workbook, not a tournament report (TRF)",
        ),
        (b"hello\n", "line 1: no players (record 001); it must be a tournament report (TRF)"),
        (
            report([entrant(1), entrant(2)], [{(1, 2): "1"}], first_day=date(1926, 3, 14)),
            "line 4: a tournament can’t last from 1926-03-14 to 1926-03-14",
        ),
        (
            changed("012 Fjord Open\n", "").encode(),
            "line 1: the name of the tournament is missing (record 012)",
        ),
    ],
)
def test_what_is_no_report_is_refused(content, reason):
    assert refusal(content).reasons == (reason,)


def test_a_report_without_its_last_day_is_taken_to_be_of_one_day(players):
    content = report(players, MET, days=DAYS).replace(b"052 2026/03/14\r\n", b"")
    assert received(content).tournament.last_day == FIRST_DAY
    without_days = report(players, MET, name="Other").replace(b"052 2026/03/14\r\n", b"")
    assert remarks(without_days) == [
        "line 1: the end of the tournament is missing (record 052)",
        "line 1: assumed to have ended on its first day, 2026-03-14",
    ]


def test_a_tournament_that_would_end_before_it_begins_is_refused(players):
    """The end is missing, and of the rounds only the second has a date, which is before the first day."""
    content = report(players, MET, days=[FIRST_DAY, date(2026, 3, 12), FIRST_DAY])
    content = content.replace(b"052 2026/03/14\r\n", b"").replace(b" 26/03/14", b" " * 9)
    assert refusal(content).reasons == ("line 4: a tournament can’t last from 2026-03-14 to 2026-03-12",)


def test_what_is_longer_than_its_field_is_cut_and_told(players):
    content = report(players, MET, name="Fjord " * 60, control="40/7200:900" + ":900" * 60)
    shown = preview(upload(content), at=AT)
    assert (len(shown.tournament.name), len(shown.tournament.time_control)) == (150, 60)
    assert [str(remark) for remark in shown.remarks] == [
        "line 1: “Fjord Fjord Fjord Fjord Fjord Fjord Fjo…” is too long and was cut",
        "line 6: time control: “40/7200:900:900:900:900:900:900:900:900…” can’t be read; not checked",
        "line 6: “40/7200:900:900:900:900:900:900:900:900…” is too long and was cut",
    ]
    # Cut, it is no time control that is understood.
    assert Finds.CONTROL_UNKNOWN in [finding.finds for finding in shown.rated.findings]
    assert received(content).tournament.name == shown.tournament.name


def test_a_long_time_control_that_was_read_is_kept_encoded(players):
    words = "90 minutes for the first 40 moves followed by 30 minutes for the rest with 30 seconds per move"
    content = report(players, MET, control="", more=[("122", words)])
    assert received(content).tournament.time_control == "40/5400+30:1800+30"


def test_a_place_that_is_no_federation_is_left_out(players):
    content = report(players, MET).replace(b"032 NOR", b"032 Norway")
    assert remarks(content) == ["line 3: “NORWAY” isn’t a FIDE federation, so it was left out"]
    assert received(content).tournament.federation == ""


def test_unknown_federations_of_players_are_left_out_if_it_is_asked(players):
    content = report([players[0]._replace(federation="KIL"), *players[1:]], MET)
    assert refusal(content).reasons == (
        "line 7: federation: “KIL” isn’t a FIDE federation; correct it, or leave out unknown federations",
    )
    done = received(content, skip_unknown_federations=True)
    assert done.tournament.report.skip_unknown_federations
    assert [str(one) for one in done.remarks] == [
        "line 7: federation: “KIL” isn’t a FIDE federation; left out"
    ]


@pytest.mark.parametrize(
    ("records", "control"),
    [
        ("222 5400+30\r\n122 an hour", "5400+30"),
        ("222 90+30\r\n122 90 min + 30 sec", "90 min + 30 sec"),
        ("122 an hour", "an hour"),
        ("222 90+30\r\n122 an hour", "an hour"),
        ("222 90+30", "90+30"),
    ],
)
def test_the_time_control_is_that_record_which_is_understood(players, records, control):
    content = report(players, MET).replace(b"222 7200", records.encode())
    assert preview(upload(content), at=AT).tournament.time_control == control


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        ("Round robin", TournamentType.SWISS, ["line 6: type in the report: Round robin; rated as: Swiss"]),
        ("Swiss", TournamentType.ROUND_ROBIN, ["line 6: type in the report: Swiss; rated as: Round robin"]),
        ("Swiss", TournamentType.SWISS, []),
    ],
)
def test_the_kind_that_is_asked_for_goes_before_the_report_and_is_told(players, words, kind, said):
    shown = preview(upload(report(players, MET, kind=words), kind=kind), at=AT)
    assert (shown.tournament.kind, shown.known_by) == (kind, KnownBy.ASKED)
    assert [str(one) for one in shown.remarks] == said


def test_pairings_like_those_of_a_swiss_do_not_speak_against_the_kind_asked_for(players):
    assert remarks(report(players, MET[:2]), kind=TournamentType.TEAM) == []
    assert remarks(report(players, MET), kind=TournamentType.TEAM) == [
        "line 1: type in the report: Round robin; rated as: Team"
    ]


def test_6_5_the_planned_games_of_a_match_are_its_record_142(players):
    content = report(players[:2], [{(1, 2): "1"}] * 3, more=[("142", "8")])
    assert received(content).tournament.planned_games == 8
    swiss = report(players[:2], [{(1, 2): "1"}] * 3, more=[("142", "8")], kind="Swiss", name="Other")
    assert received(swiss).tournament.planned_games is None


def test_the_report_of_a_registered_tournament_is_put_to_it_whatever_the_capitals(players):
    one = registered(
        "FJORD  ÖPEN", kind=TournamentType.SWISS, time_control="5400+30", city="Oslo", league=True
    )
    done = received(report(players, MET, name="Fjord Öpen", control=""), registered_on=None)
    assert Tournament.objects.get() == one == done.tournament
    one.refresh_from_db()
    assert (one.name, one.city, one.status) == ("Fjord Öpen", "Bergen", Tournament.Status.RECEIVED)
    assert (one.registered_on, one.league, one.time_control) == (IN_TIME, True, "5400+30")
    assert (one.kind, done.known_by) == (TournamentType.SWISS, KnownBy.REGISTERED)
    assert [str(remark) for remark in done.remarks] == [
        "line 1: type in the report: Round robin; rated as: Swiss",
        "line 1: until now the tournament was called FJORD  ÖPEN, 2026-03-14 – 2026-03-14",
    ]


@pytest.mark.parametrize(("reported", "control"), [("an hour", "5400+30"), ("7200", "7200")])
def test_a_registered_time_control_stays_unless_the_report_has_one_that_is_understood(
    players, reported, control
):
    registered(time_control="5400+30")
    assert received(report(players, MET, control=reported)).tournament.time_control == control


@pytest.mark.parametrize("other", [{"name": "Fjord Open B"}, {"first_day": FIRST_DAY + timedelta(days=1)}])
def test_a_tournament_of_another_name_or_day_is_another(players, other):
    one = registered(**other)
    assert received(report(players, MET)).tournament != one
    one.refresh_from_db()
    assert one.status == Tournament.Status.REGISTERED


def test_a_file_that_was_received_is_not_received_again(players):
    content = report(players, MET)
    first = received(content)
    again = received(content, kind=TournamentType.SWISS)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.tournament == first.tournament
    assert TournamentReport.objects.count() == 1


def test_another_report_of_a_tournament_is_not_put_beside_it(players):
    one = received(report(players, MET)).tournament
    assert str(refusal(report(players, MET[:2], name="FJORD open"))) == (
        f"Fjord Open (14 Mar 2026) already exists as number {one.pk} (received). Replace its report instead."
    )


def test_a_report_takes_the_place_of_another_and_leaves_it_there(players):
    one = received(report(players, MET)).tournament
    later = AT + timedelta(days=1)
    content = report(players, MET[:2], name="Harbour Cup", last_day=date(2026, 3, 15))
    done = received(content, tournament=one, at=later, registered_on=None)
    one.refresh_from_db()
    assert done.tournament == one
    assert (one.name, one.last_day, one.registered_on) == ("Harbour Cup", date(2026, 3, 15), IN_TIME)
    assert bytes(one.report.content) == content
    assert [row.received_at for row in one.reports.all()] == [later, AT]
    assert done.revised == ()


def test_a_refused_tournament_with_a_new_report_waits_again(players):
    one = received(report(players, MET)).tournament
    refuse(one, "No arbiter.", AT.date())
    assert "(refused)" in str(refusal(report(players, MET[:2])))
    received(report(players, MET[:2]), tournament=one)
    one.refresh_from_db()
    assert (one.status, one.refusal) == (Tournament.Status.RECEIVED, None)


def test_a_tournament_is_not_made_to_another_by_its_report(players):
    one = received(report(players, MET)).tournament
    other = registered("Harbour Cup")
    assert f"already exists as number {one.pk}" in str(refusal(report(players, MET[:2]), tournament=other))
    assert f"already exists as number {one.pk}" in str(refusal(report(players, MET), tournament=other))


def test_the_same_file_again_with_something_said_beside_it_is_taken(players):
    content = report(players, MET)
    one = received(content, registered_on=None).tournament
    assert not received(content, tournament=one, registered_on=None).is_new
    assert received(content, tournament=one, registered_on=IN_TIME).is_new
    one.refresh_from_db()
    assert one.registered_on == IN_TIME


def test_a_tournament_that_is_gone_takes_no_report(players):
    one = registered()
    gone = Tournament.objects.get(pk=one.pk)
    one.delete()
    assert str(refusal(report(players, MET), tournament=gone)) == "This tournament no longer exists."


def test_what_may_be_accepted_is_accepted_with_its_reason(players):
    done = received(report(players, MET, control="?"), registered_on=None, accept=" The chairman agreed. ")
    assert done.rated.refusals == []
    assert list(done.tournament.accepted.values_list("finds", "reason", "accepted_at")) == [
        (Finds.REGISTERED_LATE, "The chairman agreed.", AT),
        (Finds.CONTROL_UNKNOWN, "The chairman agreed.", AT),
    ]
    fast = received(report(players, MET, control="900", name="Fast"), accept="The chairman agreed.")
    assert [finding.finds for finding in fast.rated.refusals] == [Finds.TOO_FAST]
    assert not fast.tournament.accepted.exists()


def test_a_reason_that_is_too_long_stores_nothing_at_all(players):
    too_long = refusal(report(players, MET, control="?"), accept="x" * 501)
    assert str(too_long) == "The reason has more than 500 characters."
