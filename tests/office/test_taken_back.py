"""A decision is taken back once, and a member’s first rating is entered once."""

import pytest
from django.core.exceptions import ValidationError

from ratings.rbb.decisions.inputs import OPENING_FIELDS, parameters_of
from ratings.rbb.models import OpeningRating
from tests.arena import at, game, rated
from tests.decisions import decided, undo

pytestmark = pytest.mark.django_db


def test_what_was_taken_back_is_not_taken_back_again():
    one = game(rated("1500.00"), rated("1600.00"))
    voided = decided("void-games", game=[str(one.pk)])
    undone = undo(voided)
    decided("void-games", game=[str(one.pk)])
    with pytest.raises(ValidationError, match=f"{voided.for_staff} was already reversed by #{undone.pk}"):
        undo(voided)


def test_3_4_a_first_rating_is_entered_once_in_a_category():
    who = rated("1500.00")
    first = OpeningRating.objects.filter(member=who).first()
    again = parameters_of(
        OpeningRating(
            member=who, category=first.category, rating=1700, effective_at=first.effective_at, source="twice"
        ),
        OPENING_FIELDS,
    )
    told = (
        r"already has a first rating in Blitz: 1500\.00 from 1 Mar 2026.*only one per category \(RBB 3\.4\)"
    )
    for minute in (0, 60):
        with pytest.raises(ValidationError, match=told):
            decided("enter-opening", **{**again, "effective_at": [at(minute).isoformat()]})
    assert OpeningRating.objects.filter(member=who, category=first.category).get() == first


def test_3_4_of_merged_accounts_each_may_have_had_a_first_rating():
    who = rated("1500.00")
    other = rated("1600.00", minute=-30)
    decided("merge-members", keep=[str(who.pk)], other=[other.username])
    theirs = OpeningRating.objects.get(rating=1600)
    undo(decided("delete-openings", openingrating=[str(theirs.pk)]))
    assert OpeningRating.objects.filter(member=who, category=theirs.category).count() == 2
