"""What the database and the model refuse of a closed account."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from members.models import AccountClosure
from tests.arena import at, game, member, rated

pytestmark = pytest.mark.django_db


def closure(who, begin, end=None, **fields):
    facts = {"category": "request", "decided_at": at(0), **fields}
    return AccountClosure(member=who, closed_from=at(begin), closed_until=end and at(end), **facts)


def past_clean(one):
    """Stored without asking the model."""
    with transaction.atomic():
        one.save_base(raw=True)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"begin": 10, "end": 10}, "account_closure_from_before_until"),
        ({"begin": 10, "games_since": at(11)}, "account_closure_games_before_it"),
    ],
)
def test_a_closure_that_contradicts_itself_is_refused_by_the_database_too(fields, name):
    one = closure(member(), **fields)
    with pytest.raises(ValidationError):
        one.full_clean()
    with pytest.raises(IntegrityError, match=name):
        past_clean(one)


@pytest.mark.parametrize("second", [(10, 20), (10, None), (5, 11), (12, 13)], ids=str)
def test_closures_of_one_member_do_not_overlap(second):
    anna = member()
    closure(anna, 10, 20).save()
    with pytest.raises(ValidationError, match="already closed at that time"):
        closure(anna, *second).save()
    closure(anna, 20).save()
    closure(anna, 5, 10).save()
    closure(member(), *second).save()
    assert anna.closures.count() == 3


@pytest.mark.parametrize(("second", "name"), [(10, "one_from"), (30, "one_open_end")])
def test_one_closure_begins_at_a_moment_and_one_has_no_end(second, name):
    anna = member()
    closure(anna, 10).save()
    # SQLite names the columns of a unique constraint, not the constraint.
    said = name if connection.vendor == "postgresql" else "UNIQUE constraint failed"
    with pytest.raises(IntegrityError, match=said):
        past_clean(closure(anna, second))


def test_no_way_of_storing_a_closure_leaves_a_rated_game_in_it():
    anna, bob = rated(1700), rated(1700)
    game(anna, bob, minute=30)
    with pytest.raises(ValidationError, match=r"1 rated game of .* started during this closure"):
        closure(anna, 20).save()
    with pytest.raises(RuntimeError, match="one by one"):
        AccountClosure.objects.bulk_create([closure(anna, 20)])
    stored = closure(anna, 40)
    stored.save()
    with pytest.raises(RuntimeError, match="one by one"):
        AccountClosure.objects.update(closed_from=at(20))
    stored.closed_from = at(20)
    with pytest.raises(ValidationError, match="started during this closure"):
        stored.save()
    assert AccountClosure.objects.get().closed_from == at(40)
    assert AccountClosure.objects.update(note="seen") == 1


def test_a_member_with_a_closure_stays_on_the_books():
    anna = member()
    closure(anna, 10).save()
    with pytest.raises(ProtectedError):
        anna.delete()
