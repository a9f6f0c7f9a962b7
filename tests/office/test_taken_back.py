"""A decision is taken back once, and a member's first rating is entered once."""

import pytest
from django.core.exceptions import ValidationError

from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.rbb.decisions.inputs import OPENING_FIELDS, parameters_of
from ratings.rbb.models import OpeningRating
from tests.arena import at, game, rated

pytestmark = pytest.mark.django_db


def test_what_was_taken_back_is_not_taken_back_again():
    one = game(rated("1500.00"), rated("1600.00"))
    voided, _effect = decide_at_once(Proposal(kind=kind_of("void-games"), parameters={"game": [str(one.pk)]}))
    undo = Proposal(kind=kind_of(voided.undo["kind"]), parameters=voided.undo["parameters"], undoes=voided)
    undone, _effect = decide_at_once(undo)
    decide_at_once(Proposal(kind=kind_of("void-games"), parameters={"game": [str(one.pk)]}))
    with pytest.raises(ValidationError, match=f"{voided.for_staff} was taken back already, by #{undone.pk}"):
        decide_at_once(undo)


def test_3_4_a_first_rating_of_one_moment_is_entered_once():
    who = rated("1500.00")
    first = OpeningRating.objects.filter(member=who).first()
    again = parameters_of(
        OpeningRating(
            member=who, category=first.category, rating=1700, effective_at=first.effective_at, source="twice"
        ),
        OPENING_FIELDS,
    )
    with pytest.raises(ValidationError, match="opening rating of this category and moment already"):
        decide_at_once(Proposal(kind=kind_of("enter-opening"), parameters=again))
    later = {**again, "effective_at": [at(60).isoformat()]}
    decide_at_once(Proposal(kind=kind_of("enter-opening"), parameters=later))
    assert OpeningRating.objects.filter(member=who, category=first.category).count() == 2
