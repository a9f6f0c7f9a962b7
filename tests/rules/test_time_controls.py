"""RBB 2.3: the seventeen controls, and nothing beside them."""

from datetime import UTC, datetime, timedelta

import pytest

from ratings.rules.rbb.conditions import (
    Account,
    Closure,
    closures_over,
    is_full,
    why_not_played,
    why_not_rated,
)
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import RATED_CONTROLS, Category, Control, category_of

RAPID, BLITZ, BULLET = Category

START = datetime(2026, 10, 31, 18, 30, tzinfo=UTC)
SINCE = (START, None)
LATER = (START + timedelta(seconds=1), None)

# RBB 2.3.1 to 2.3.3 as printed.
PRINTED = {
    RAPID: "15m, 25m, 45m, 10m + 10s, 15m + 10s, 25m + 10s, 45m + 10s",
    BLITZ: "3m, 5m, 10m, 3m + 2s, 3m + 3s, 5m + 3s",
    BULLET: "1m, 2m, 1m + 1s, 1m + 2s",
}


@pytest.mark.parametrize("category", list(Category))
def test_the_controls_of_2_3_are_those_printed(category):
    listed = ", ".join(str(control) for control, of in RATED_CONTROLS.items() if of is category)
    assert listed.replace(" min", "m").replace(" s", "s") == PRINTED[category]


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("900+10", "15 min + 10 s"),
        ("180", "3 min"),
        ("15+0", "15 s"),
        ("90+1", "1 min 30 s + 1 s"),
        ("0+5", "0 min + 5 s"),
    ],
)
def test_a_control_is_written_as_people_write_it(notation, text):
    assert str(Control.parse(notation)) == text


def test_there_are_seventeen():
    assert len(RATED_CONTROLS) == 17


@pytest.mark.parametrize(
    ("notation", "category"),
    [
        ("600", BLITZ),
        ("600+10", RAPID),
        ("120+1", None),
        ("120+0", BULLET),
        ("180+3", BLITZ),
        ("180+1", None),
        ("900+5", None),
        ("0+0", None),
        ("86400+0", None),
    ],
)
def test_a_control_is_rated_by_look_up_never_by_a_formula(notation, category):
    assert category_of(Control.parse(notation)) is category


@pytest.mark.parametrize(
    "text", ["", "-", "10m", "600+", "+5", "600+5+5", "6e2", "９００", "86401+0", "600+3601"]
)
def test_what_is_no_control_says_what_is_expected(text):
    with pytest.raises(ValueError, match=r"RBB 2\.3|longer than"):
        Control.parse(text)


def test_notation_reads_back():
    for control in RATED_CONTROLS:
        assert Control.parse(control.notation) == control


@pytest.mark.parametrize(("slug", "category"), [("rapid", RAPID), ("blitz", BLITZ), ("Bullet", BULLET)])
def test_categories_have_names(slug, category):
    assert Category.from_slug(slug) is category
    assert category.slug == slug.lower()


def test_an_unknown_category_names_the_three():
    with pytest.raises(ValueError, match="rapid, blitz or bullet"):
        Category.from_slug("classical")


def test_a_loss_by_disconnection_counts_once_each_side_has_moved():
    """RBB 2.4 with FIDE B.02 5.1."""
    assert why_not_played(2, Termination.WHITE_GONE) == ""
    assert why_not_played(None, Termination.WHITE_GONE) == ""
    assert "fewer than one move by each side" in why_not_played(1, Termination.WHITE_GONE)


def test_every_fault_of_section_2_is_named_with_its_article():
    reasons = why_not_rated(
        Control(120, 1), started_at=START, white=Account([LATER]), black=Account([]), plies=1, result="1-0"
    )
    assert [str(reason) for reason in reasons] == [
        "time control 120+1 is not one of the seventeen that are rated (RBB 2.3)",
        "White was not a full member when the game started (RBB 2.1)",
        "Black was not a full member when the game started (RBB 2.1)",
        "not played: fewer than one move by each side (FIDE B.02 5.1)",
    ]


def test_while_a_game_is_in_progress_both_sides_may_still_move():
    playing = {"started_at": START, "white": Account([SINCE]), "black": Account([SINCE]), "plies": 1}
    assert why_not_rated(Control(180, 0), **playing) == []
    assert len(why_not_rated(Control(180, 0), **playing, result="1-0")) == 1


def test_a_game_that_meets_section_2_has_no_fault():
    assert (
        why_not_rated(
            Control(180, 0), started_at=START, white=Account([SINCE]), black=Account([SINCE, LATER])
        )
        == []
    )


def closure(opponents=(), until=START + timedelta(days=2)):
    """An account that is closed for a day after START, with its games of the day before."""
    begin = START + timedelta(days=1)
    return Closure(begin, until, START, set(opponents), START, "fair-play", "")


@pytest.mark.parametrize(
    ("days", "of_all", "of_rival"),
    [(-0.001, False, False), (0, True, False), (0.999, True, False), (1, True, True), (2, False, False)],
    ids=["before", "since", "just before it is closed", "first moment", "last moment"],
)
def test_a_closure_takes_out_what_starts_in_it_and_before_it_what_its_dates_and_opponents_say(
    days, of_all, of_rival
):
    """From the first moment up to, not including, the last, as full membership counts."""
    started_at = START + timedelta(days=days)
    rival, other = 7, 8
    assert closure().takes_out(started_at, other) is of_all
    assert closure([rival]).takes_out(started_at, rival) is of_all
    assert closure([rival]).takes_out(started_at, other) is of_rival


def test_of_two_closures_over_a_game_the_first_decided_comes_first():
    early, late = closure(until=None), closure()._replace(decided_at=START + timedelta(days=9))
    white, black = Account([], [late], 7), Account([], [early], 8)
    started_at = START + timedelta(days=1)
    assert closures_over(started_at, white=white, black=black) == [(8, early), (7, late)]


def test_full_membership_counts_from_its_first_moment_up_to_not_including_its_last():
    end = START + timedelta(days=1)
    assert is_full([(START, end)], START)
    assert not is_full([(START, end)], end)
    assert is_full([(START, end), (end, None)], end)
    assert not is_full([LATER], START)
    assert not is_full([], START)


@pytest.mark.parametrize(
    ("control", "short"),
    [
        (Control(180, 2), "3+2"),
        (Control(300, 0), "5+0"),
        (Control(90, 1), "1 min 30 s + 1 s"),
        (Control(0, 0, "40/7200:3600"), "40/7200:3600"),
    ],
)
def test_players_call_a_control_by_minutes_and_seconds(control, short):
    assert control.short == short
