"""FIDE's flag i: each control has its own, whatever the order in which lists are imported."""

from datetime import date
from itertools import permutations

import pytest

from ratings.fide.models import FidePlayer, is_inactive
from ratings.formats.frl import FideControl
from tests.fide.office import bring, combined, listed, single

pytestmark = pytest.mark.django_db

STANDARD, RAPID, BLITZ = FideControl
JULY, AUGUST = date(2025, 7, 1), date(2025, 8, 1)


def golf(flag="", games=0, **more):
    return listed(1, "Golf, G", 2000, 2000, 2000, games, flag=flag, **more)


def hotel(flag="", games=0):
    return listed(2, "Hotel, H", 2000, 2000, 2000, games, flag=flag)


def of_one(control, *players, period=AUGUST):
    return period, single(control, period, *players), control


def bring_all(*files):
    FidePlayer.objects.all().delete()
    for period, content, control in files:
        bring(period, content, control, force=True)


def inactive(fide_id):
    player = FidePlayer.objects.get(pk=fide_id)
    return [str(control) for control in FideControl if is_inactive(player, control)]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_each_control_has_the_flag_of_its_own_list(order):
    files = [
        of_one(STANDARD, golf("wi"), hotel("w", 9)),
        of_one(BLITZ, golf("w", 9), hotel("wi")),
        of_one(RAPID, golf("w"), hotel("w", 1)),
    ]
    bring_all(*(files[number] for number in order))
    assert (inactive(1), inactive(2)) == (["standard"], ["blitz"])
    assert [one.flag for one in FidePlayer.objects.order_by("pk")] == ["wi", "w"]


@pytest.mark.parametrize("with_combined_first", [True, False])
def test_the_flag_of_a_combined_list_is_that_of_standard(with_combined_first):
    # Golf: inactive in standard, 4 rapid games. Hotel: nothing but the flag of the blitz list.
    four = golf("wi")
    four = four._replace(rapid=four.rapid._replace(games=4))
    files = [(AUGUST, combined(four, hotel("w")), None), of_one(BLITZ, golf("w"), hotel("wi"))]
    bring_all(*(files if with_combined_first else reversed(files)))
    assert (inactive(1), inactive(2)) == (["standard"], ["blitz"])


@pytest.mark.parametrize("with_combined_first", [True, False])
def test_a_list_of_another_month_says_nothing_of_this_one(with_combined_first):
    files = [(AUGUST, combined(golf(), hotel()), None), of_one(BLITZ, golf("i"), hotel("i"), period=JULY)]
    bring_all(*(files if with_combined_first else reversed(files)))
    assert (inactive(1), inactive(2)) == ([], [])


def test_games_in_the_month_mean_active():
    bring_all(of_one(RAPID, golf("i", 3)))
    assert inactive(1) == []


def test_a_flag_that_changes_alone_is_a_change():
    bring(AUGUST, single(BLITZ, AUGUST, golf(), hotel()), BLITZ)
    imported = bring(AUGUST, single(BLITZ, AUGUST, golf("i"), hotel()), BLITZ, force=True)
    assert (imported.fide_list.added, imported.fide_list.changed) == (0, 1)
    assert (inactive(1), inactive(2)) == (["blitz"], [])


def test_a_blitz_list_says_nothing_of_who_is_inactive_in_standard():
    bring_all(of_one(STANDARD, golf("wi")), of_one(BLITZ, golf("w", 2), period=date(2025, 9, 1)))
    assert inactive(1) == ["standard"]
    assert FidePlayer.objects.get().flag == "wi"
