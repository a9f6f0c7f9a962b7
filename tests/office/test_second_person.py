"""When the office wants a second person: by kind, number of ratings, size of a move, and published lists."""

import pytest

from ratings.office.deciding import needs_second
from ratings.office.effects import Effect, Fact, Move
from ratings.office.kinds import kind_of
from ratings.rules.units import Hundredths

KIND = kind_of("void-games")
FAR = Move(1, "blitz", Hundredths(1600_00), Hundredths(1612_50))
EFFECT = Effect(moves=[FAR, Move(2, "blitz", None, Hundredths(1500_00))])
ON_A_LIST = Effect(facts=[Fact("lists", "list 1", "Blitz", after="2")])


def test_without_a_setting_nobody_else_has_to_look():
    assert not needs_second(KIND, EFFECT.shown())
    assert not needs_second(KIND, ON_A_LIST.shown())


@pytest.mark.parametrize(
    ("names", "needed"), [(["void-games"], True), (["all"], True), (["announce"], False)]
)
def test_by_kind(settings, names, needed):
    settings.SECOND_PERSON_KINDS = names
    assert needs_second(KIND, EFFECT.shown()) is needed


@pytest.mark.parametrize(("ratings", "needed"), [(2, True), (3, False)])
def test_by_how_many_ratings_move(settings, ratings, needed):
    settings.SECOND_PERSON_RATINGS = ratings
    assert needs_second(KIND, EFFECT.shown()) is needed


@pytest.mark.parametrize(("points", "needed"), [(12, True), (13, False)])
def test_by_how_far_one_moves(settings, points, needed):
    settings.SECOND_PERSON_POINTS = points
    assert needs_second(KIND, EFFECT.shown()) is needed


def test_whenever_a_published_list_is_concerned(settings):
    settings.SECOND_PERSON_LISTS = True
    assert needs_second(KIND, ON_A_LIST.shown())
    assert not needs_second(KIND, EFFECT.shown())
