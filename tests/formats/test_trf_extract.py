"""A part of a report as a report of its own."""

import io
from datetime import date

from ratings.formats.trf import extract, played_rounds, read_trf, trf_lines
from tests.formats.reports import entrant, report

DAYS = [date(2025, 9, 14), date(2025, 10, 5), date(2025, 11, 9)]
ROUNDS = [{(1, 2): "1", (3, None): "U"}, {(2, 3): "=", (1, None): "U"}, {(1, 3): "0", (2, None): "U"}]


def read(content):
    reading = read_trf(io.BytesIO(content))
    assert reading.tournament is not None, reading.problems
    return reading


def whole(rounds=3):
    content = report(
        [entrant(number, 2000) for number in (1, 2, 3)], ROUNDS[:rounds], name="League", kind="Team",
        first_day=DAYS[0], last_day=DAYS[rounds - 1], days=DAYS[:rounds], more=[("062", "3")],
    )  # fmt: skip
    return read(content).tournament


def part(rounds, of=3):
    days = [DAYS[number - 1] for number in rounds]
    return b"".join(trf_lines(extract(whole(of), rounds, "Part", days[0], days[-1])))


def test_an_extract_has_the_pairings_and_days_of_its_rounds_alone():
    found = read(part([2])).tournament
    assert (found.name, found.start, found.end) == ("Part", DAYS[1], DAYS[1])
    assert found.round_dates == (None, DAYS[1])
    assert played_rounds(found) == [2]
    assert [player.rounds[1] for player in found.players] == [one.rounds[1] for one in whole().players]
    assert [player.start_rank for player in found.players] == [1, 2, 3]
    assert (found.header("092"), found.header("222")) == ("Team", "7200")


def test_an_extract_can_be_read_without_a_fault():
    reading = read(part([1, 2]))
    assert not reading.problems
    assert {one.text for one in reading.remarks} == {"no points, so the results can’t be compared with them"}


def test_an_extract_stays_the_same_when_later_rounds_are_played():
    assert part([1, 2], of=2) == part([1, 2], of=3)


def test_rounds_with_byes_alone_are_not_played():
    content = report([entrant(1, 2000), entrant(2, 1900)], [{(1, 2): "1"}, {(1, None): "U", (2, None): "U"}])
    assert played_rounds(read(content).tournament) == [1]
