"""Taking a decision back changes what that decision changed, and nothing that was decided later."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from members.models import FullMembership
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import OPENING_FIELDS, parameters_of
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.models import Game, OpeningRating
from tests.arena import START, at, game, member, opening, rated
from tests.decisions import decided, undo

pytestmark = pytest.mark.django_db


@pytest.fixture
def played():
    return game(rated(1600), rated(1500), "1-0", plies=None)


def corrected(played, **changes):
    """The decision that corrects these fields of a game."""
    played.refresh_from_db()
    asked = parameters_of(played, GAME_FIELDS)
    new = {name: [str(value)] for name, value in changes.items() if value is not None}
    kept = {name: values for name, values in asked.items() if name not in changes}
    return decided("correct-game", game=[str(played.pk)], **kept, **new)


def facts(played):
    return Game.objects.values_list("result", "termination", "plies").get(pk=played.pk)


def test_a_correction_taken_back_leaves_the_fields_of_a_later_one(played):
    first = corrected(played, result="0-1")
    corrected(played, plies=60)
    assert undo(first).state == ChangeSet.State.APPLIED
    assert facts(played) == ("1-0", "normal", 60)


def test_a_field_that_has_changed_since_refuses_to_take_the_correction_back(played):
    first = corrected(played, result="0-1", plies=60)
    corrected(played, plies=62)
    with pytest.raises(ValidationError) as refusal:
        undo(first)
    (told,) = refusal.value.messages
    assert " has changed again since that correction: plies. Reverse the later correction first" in told
    assert facts(played) == ("0-1", "normal", 62)


def test_corrections_taken_back_from_the_last_to_the_first_leave_the_original(played):
    before = facts(played)
    done = [corrected(played, result="0-1", plies=60), corrected(played, plies=62, termination="resignation")]
    for one in reversed(done):
        undo(one)
    assert facts(played) == before


def test_what_took_a_correction_back_can_be_taken_back_in_turn(played):
    first = corrected(played, result="0-1")
    corrected(played, plies=60)
    undo(undo(first))
    assert facts(played) == ("0-1", "normal", 60)


def test_values_that_do_not_fit_together_any_more_are_refused_with_the_reason(played):
    first = corrected(played, result="0-1")
    corrected(played, termination="checkmate")
    drawn = corrected(played, result="1/2-1/2", termination="agreement")
    undo(drawn)
    Game.objects.filter(pk=played.pk).update(pgn="1. f3 e5 2. g4 Qh4# 0-1")
    with pytest.raises(ValidationError, match="0-1"):
        undo(first)
    assert facts(played) == ("0-1", "checkmate", None)


def test_an_opening_rating_taken_back_leaves_a_later_source():
    given = opening(member(), 1400)

    def correct(**changes):
        given.refresh_from_db()
        asked = parameters_of(given, OPENING_FIELDS)
        return decided("correct-opening", openingrating=[str(given.pk)], **{**asked, **changes})

    first = correct(rating=["1450.00"])
    correct(source=["A letter of 3 March"])
    undo(first)
    assert OpeningRating.objects.values_list("rating", "source").get(pk=given.pk) == (
        Decimal(1400),
        "A letter of 3 March",
    )


def spans_of(who):
    return FullMembership.objects.spans_of([who.pk])[who.pk]


def membership(who, *spans):
    return decided("change-membership", member=[str(who.pk)], span=span_texts(spans), rate_games=["on"])


def test_a_span_of_membership_taken_back_leaves_a_later_one():
    who = member(full_from=START)
    ended = membership(who, (START, at(100)))
    membership(who, (START, at(100)), (at(500), at(600)))
    with pytest.raises(ValidationError, match="can’t overlap"):
        undo(ended)
    assert spans_of(who) == [(START, at(100)), (at(500), at(600))]
    shortened = membership(who, (START, at(50)), (at(500), at(600)))
    membership(who, (START, at(50)), (at(500), at(700)))
    undo(shortened)
    assert spans_of(who) == [(START, at(100)), (at(500), at(700))]


def test_a_span_that_has_changed_since_refuses_to_take_the_change_back():
    who = member(full_from=START)
    ended = membership(who, (START, at(100)))
    membership(who, (START, at(200)))
    with pytest.raises(
        ValidationError, match="full membership has changed again since then, and no longer includes"
    ):
        undo(ended)
    assert spans_of(who) == [(START, at(200))]


def changed(who, fide_id=None, *spans):
    asked = {"fide_id": [str(fide_id)]} if fide_id else {}
    return decided("change-member", member=[str(who.pk)], span=span_texts(spans), rate_games=["on"], **asked)


def test_a_change_of_a_member_taken_back_leaves_later_spans_and_refuses_a_later_fide_id():
    who = member(full_from=START)
    first = changed(who, 2016192, (START, None))
    assert json.loads(first.undo["parameters"]["member"][0])["now"] == {"fide_id": 2016192}
    membership(who, (START, at(300)))
    undo(first)
    who.refresh_from_db()
    assert (who.fide_id, spans_of(who)) == (None, [(START, at(300))])
    second = changed(who, 2016192, (START, at(300)))
    changed(who, 1503014, (START, at(300)))
    with pytest.raises(ValidationError, match="has changed again since that update: FIDE ID"):
        undo(second)
    who.refresh_from_db()
    assert who.fide_id == 1503014
