"""What a revision of an over-the-board list moved."""

from datetime import date

import pytest

from ratings.otb.decisions.base import ratings_moved
from ratings.otb.models import OtbList, OtbListEntry
from tests.arena import START

pytestmark = pytest.mark.django_db


def listed(revision, **ratings):
    """A revision with these players: p1=1800 is the player with the FIDE ID 1."""
    otb_list = OtbList.objects.create(list_day=date(2026, 5, 1), revision=revision, published_at=START)
    for name, rating in ratings.items():
        OtbListEntry.objects.create(
            otb_list=otb_list, fide_id=int(name[1:]), name=name, folded=name.upper(), rating=rating
        )
    return otb_list


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ({"p1": 1800, "p2": 1700}, {"p1": 1800, "p2": 1700}, []),
        ({"p1": 1800, "p2": 1700}, {"p1": 1801, "p2": 1700}, [(1, 1800, 1801)]),
        ({"p1": 1800}, {"p1": None}, [(1, 1800, None)]),
        ({"p1": None}, {"p1": 1400}, [(1, None, 1400)]),
        ({"p1": None}, {"p1": None}, []),
        ({"p1": 1800}, {"p1": 1800, "p2": 1400, "p3": None}, [(2, None, 1400)]),
        ({"p1": 1800, "p2": 1400, "p3": None}, {"p1": 1800}, [(2, 1400, None)]),
    ],
)
def test_a_rating_has_moved_that_is_another_or_was_lost_or_given(before, after, moved):
    listed(1, p9=2500)
    listed(2, **before)
    assert ratings_moved(listed(3, **after)) == moved


def test_without_a_revision_before_every_rating_is_new():
    assert ratings_moved(listed(1, p1=1800, p2=None)) == [(1, None, 1800)]
