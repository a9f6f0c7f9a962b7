"""An effect: its fingerprint, and what differs between two."""

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from ratings.office.effects import KEPT, AboutRow, Effect, Fact, Move, Shown, differences, unsealed
from ratings.rules.units import Hundredths


def move(subject=1, before=1600_00, after=1610_00, scale="blitz"):
    return Move(subject, scale, *(None if one is None else Hundredths(one) for one in (before, after)))


def named(moves):
    return {one: f"player {one.subject}" for one in moves}


def test_the_order_in_which_an_effect_is_told_does_not_matter():
    facts = [Fact("inputs", "a", "A", "1", "2"), Fact("lists", "b", "B", after="3")]
    one = Effect(moves=[move(1), move(2)], facts=facts)
    other = Effect(moves=[move(2), move(1)], facts=facts[::-1])
    assert one.fingerprint == other.fingerprint


def test_words_do_not_count_so_an_effect_is_the_same_in_every_language():
    def effect():
        return Effect(moves=[move()], facts=[Fact("inputs", "a", str(_("Games")), "1", "2")])

    with translation.override("pl"):
        polish = effect()
    assert polish.facts[0].label != effect().facts[0].label
    assert polish.fingerprint == effect().fingerprint


def test_every_rating_list_input_and_warning_counts():
    effects = [
        Effect(),
        Effect(moves=[move()]),
        Effect(moves=[move(after=1610_01)]),
        Effect(moves=[move(before=None)]),
        Effect(moves=[move(scale="rapid")]),
        *(Effect(facts=[Fact(section, "a", "A", after="1")]) for section in ("lists", "inputs", "warnings")),
        Effect(facts=[Fact("inputs", "a", "A", after="2")]),
    ]
    assert len({one.fingerprint for one in effects}) == len(effects)


def test_a_rating_lost_or_gained_comes_first_then_the_farthest():
    effect = Effect(moves=[move(1, after=1601_00), move(2, after=1500_00), move(3, after=None)])
    assert [one.subject for one in effect.farthest] == [3, 2, 1]
    assert effect.largest == 100_00


def test_what_differs_is_named_with_what_was_shown_and_what_is_now():
    shown = Effect(moves=[move(1), move(2)], facts=[Fact("lists", "x", "Blitz list", after="3")])
    now = Effect(moves=[move(1, after=1620_00), move(3)], facts=[Fact("lists", "x", "Blitz list", after="4")])
    assert {(one.label, one.shown, one.now) for one in differences(shown.shown(), now.shown(), named)} == {
        ("Blitz list", "3", "4"),
        ("player 1", "1600.00 → 1610.00", "1600.00 → 1620.00"),
        ("player 2", "1600.00 → 1610.00", ""),
        ("player 3", "", "1600.00 → 1610.00"),
    }
    assert differences(shown.shown(), shown.shown(), named) == []


def test_of_many_moves_only_so_many_are_kept_but_all_count():
    many = Effect(moves=[move(number) for number in range(KEPT + 5)])
    shown = many.shown()
    assert (shown["moved"], len(shown["moves"])) == (KEPT + 5, KEPT)
    fewer = Effect(moves=[move(number) for number in range(KEPT + 4)])
    assert next(one.label for one in differences(shown, fewer.shown(), named)) == "Ratings that change"


def test_what_a_form_carries_is_good_for_one_decision_only():
    sealed = Shown(Effect(moves=[move()]).shown()).sealed("void-games?game=1#7")
    assert unsealed(sealed, "void-games?game=1#7")["moved"] == 1
    assert unsealed(sealed, "void-games?game=2#7") == {}
    assert unsealed(sealed[:-1], "void-games?game=1#7") == {}
    assert unsealed("", "void-games?game=1#7") == {}


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("game 12", AboutRow("game", 12)),
        ("game 12 result", AboutRow("game", 12, "result")),
        ("game new result", None),
        ("anna.berg new", None),
        ("boards", None),
    ],
)
def test_a_fact_about_a_row_is_known_again_by_its_key(key, row):
    assert Fact("inputs", key, "").row == row
    assert row is None or str(row) == key
