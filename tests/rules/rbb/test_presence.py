"""RBB 2.4: a player gone for more than 60 seconds without reconnecting has lost (regulations, section 2)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.rbb.presence import Absence, Event, Loss, absences, loss
from ratings.rules.rbb.terminations import Termination

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
LATER = START + timedelta(hours=1)


def at(seconds):
    return START + timedelta(seconds=seconds)


def events(*told):
    """Events in the order of their sequence: white gone at 0 is "w-0", back at 59.5 is "w+59.5"."""
    what = {"-": "gone", "+": "back"}
    players = {"w": "white", "b": "black"}
    return [
        Event(number, players[one[0]], what[one[1]], at(float(one[2:]))) for number, one in enumerate(told, 1)
    ]


def lost(*told, until=LATER, ended_at=None):
    return loss(events(*told), known_until=until, ended_at=ended_at)


@pytest.mark.parametrize(
    ("back", "has_lost"), [(59.999, False), (60.0, False), (60.000001, True), (60.001, True), (300, True)]
)
def test_2_4_sixty_seconds_are_not_yet_lost_and_a_millisecond_more_is(back, has_lost):
    expected = Loss(at(60), Termination.WHITE_GONE) if has_lost else None
    assert lost("w-0", f"w+{back}") == expected


@pytest.mark.parametrize(("until", "has_lost"), [(0, False), (60.0, False), (60.001, True)])
def test_2_4_who_does_not_come_back_has_lost_once_more_than_sixty_seconds_are_known(until, has_lost):
    assert (lost("b-0", until=at(until)) == Loss(at(60), Termination.BLACK_GONE)) is has_lost


def test_2_4_a_return_that_is_too_late_is_lost_at_the_end_of_the_sixty_seconds():
    assert lost("w-12.5", "w+100", until=at(100)) == Loss(at(72.5), Termination.WHITE_GONE)


def test_2_4_of_two_who_are_gone_the_one_whose_sixty_seconds_end_first_has_lost():
    assert lost("w-1", "b-0.999") == Loss(at(60.999), Termination.BLACK_GONE)
    assert lost("b-1", "w-0.999") == Loss(at(60.999), Termination.WHITE_GONE)


def test_2_4_of_two_who_are_gone_at_the_same_instant_nobody_has_lost():
    found = lost("w-5", "b-5")
    assert found == Loss(at(65), Termination.BOTH_GONE)
    assert found.result == "1/2-1/2"


def test_2_4_of_two_who_are_gone_at_the_same_instant_the_one_who_stays_away_has_lost():
    assert lost("w-5", "b-5", "b+65") == Loss(at(65), Termination.WHITE_GONE)


def test_who_has_lost_loses_the_game():
    assert lost("w-0").result == "0-1"
    assert lost("b-0").result == "1-0"


def test_absences_do_not_add_up():
    assert lost("w-0", "w+40", "w-41", "w+90") is None


def test_the_first_absence_that_is_too_long_decides():
    assert lost("w-0", "w+10", "w-20", "w+90", "w-100", "w+300") == Loss(at(80), Termination.WHITE_GONE)


def test_who_is_gone_already_does_not_go_again():
    assert absences(events("w-0", "w-30", "w+65")) == [Absence("white", at(0), at(65))]


def test_who_was_not_gone_does_not_come_back():
    assert absences(events("w+10", "w-20")) == [Absence("white", at(20), None)]


@pytest.mark.parametrize(("ended", "has_lost"), [(59, False), (60.0, False), (60.001, True)])
def test_2_4_a_game_that_ends_within_the_sixty_seconds_is_not_lost_by_them(ended, has_lost):
    assert (lost("w-0", ended_at=at(ended)) is not None) is has_lost


def test_an_absence_after_the_end_does_not_count():
    assert lost("w-20", "w+500", ended_at=at(10)) is None


TOLD = st.lists(
    st.tuples(
        st.sampled_from(["white", "black"]),
        st.sampled_from(["gone", "back"]),
        st.integers(0, 300_000).map(lambda milliseconds: START + timedelta(milliseconds=milliseconds)),
    ),
    max_size=8,
)


@given(TOLD, st.randoms(use_true_random=False), st.data())
def test_any_order_and_any_repetition_give_one_outcome(told, chance, data):
    in_order = [Event(number, *one) for number, one in enumerate(told, 1)]
    again = data.draw(st.lists(st.sampled_from(in_order), max_size=5)) if in_order else []
    shuffled = in_order + again
    chance.shuffle(shuffled)
    assert loss(shuffled, known_until=LATER) == loss(in_order, known_until=LATER)


@given(TOLD)
def test_what_is_known_later_takes_no_loss_back(told):
    in_order = [Event(number, *one) for number, one in enumerate(told, 1)]
    found = loss(in_order, known_until=LATER)
    if found is not None:
        just_after = found.at + timedelta(milliseconds=1)
        assert loss(in_order, known_until=just_after) == found
        assert loss(in_order, known_until=found.at) is None
