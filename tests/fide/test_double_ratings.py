"""A FIDE ID with two ratings in one list: none counts until somebody chooses, or a later list has one."""

from datetime import UTC, date, datetime
from itertools import permutations

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from members.models import Member
from ratings.fide.models import DoubleRating
from ratings.fide.services.announcing import announce
from ratings.fide.services.doubles import choose
from ratings.fide.services.first_ratings import determine_first_ratings, state_of
from ratings.fide.services.lists import Listeners
from ratings.fide.services.watch import redetermine
from ratings.fide.upkeep import look_up_in_lists
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding
from ratings.rules.time_controls import Category
from tests.arena import member, opening, points
from tests.fide.office import bring, bring_players, combined, history, in_force, listed
from tests.pages import words

pytestmark = pytest.mark.django_db

RAPID = Category.RAPID
OCTOBER, NOVEMBER, DECEMBER = (date(2025, month, 1) for month in (10, 11, 12))
JOINED = datetime(2025, 10, 2, 12, tzinfo=UTC)
TWICE = listed(1, "Berg, A", rapid=1900, games=3), listed(1, "Berg, Anna", rapid=2000, games=5)


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    return settings.UPLOAD_DIR


def first_rating(who):
    """What the lists give, as far as it is known now: points in rapid."""
    look_up_in_lists(timezone.now())
    determine_first_ratings(at=timezone.now())
    redetermine(at=timezone.now())
    return points(who, RAPID)


def row(rating):
    return DoubleRating.objects.get(rating=rating)


def chosen(rating):
    """Somebody chooses the row with this rating."""
    asked = {"row": [str(row(rating).pk)]}
    return decide_at_once(Proposal(kind=kind_of("choose-double-rating"), parameters=asked))


def test_both_are_listed_and_neither_is_in_force():
    refused = []
    done = bring_players(OCTOBER, *TWICE, listed(2, rapid=1500))
    assert in_force() == {1: ("Berg, Anna", None, None, None), 2: ("Berg, Anna", None, 1500, None)}
    assert [(one.line, one.rating, one.games) for one in done.fide_list.double_ratings.all()] == [
        (2, 1900, 3),
        (3, 2000, 5),
    ]
    bring(
        NOVEMBER,
        combined(*TWICE),
        force=True,
        told=Listeners(refused=lambda problem: refused.append(str(problem))),
    )
    assert refused == [
        "line 2: FIDE ID 1 is also on line 3, with another rating (rapid 1900 on line 2, rapid 2000 on line"
        " 3); none of them counts until somebody chooses one, or a later list has one of them"
    ]


def test_only_the_control_in_which_they_differ_is_open():
    bring_players(OCTOBER, listed(1, standard=2200, rapid=1900), listed(1, standard=2200, rapid=2000))
    assert in_force()[1] == ("Berg, Anna", 2200, None, None)


def test_two_rows_with_the_same_rating_are_no_question():
    bring_players(OCTOBER, TWICE[0], listed(1, "Berg, Anna", rapid=1900))
    assert in_force()[1] == ("Berg, Anna", None, 1900, None)
    assert not DoubleRating.objects.exists()


def test_the_one_that_is_chosen_is_in_force_until_that_is_taken_back():
    bring_players(OCTOBER, *TWICE)
    done, _effect = chosen(1900)
    assert in_force()[1] == ("Berg, Anna", None, 1900, None)
    undo = Proposal(kind=kind_of(done.undo["kind"]), parameters=done.undo["parameters"], undoes=done)
    decide_at_once(undo)
    assert in_force()[1] == ("Berg, Anna", None, None, None)


def test_a_choice_about_an_older_list_leaves_the_list_in_force_alone():
    bring_players(OCTOBER, *TWICE)
    bring_players(NOVEMBER, listed(1, rapid=2222))
    chosen(1900)
    assert in_force()[1] == ("Berg, Anna", None, 2222, None)


def test_3_4_a_member_waits_until_somebody_chooses(admin_client):
    who = member(full_from=JOINED, fide_id=1)
    bring_players(OCTOBER, *TWICE)
    assert first_rating(who) is None
    assert history(1).keys() == {"2025-10 standard", "2025-10 blitz"}
    told = "Waiting: a FIDE list has several ratings for them, and one must be chosen."
    assert state_of(who, at=timezone.now()) == told
    audit()
    (finding,) = AuditFinding.objects.filter(check_name="fide-ratings-undecided")
    assert finding.key == f"member {who.pk} 2025-10"
    page = admin_client.get(reverse("admin:fide_doublerating_changelist"), {"undecided": "yes"})
    assert words(page).count("Choose") >= 2
    chosen(2000)
    assert first_rating(who) == 2000
    audit()
    assert not AuditFinding.objects.filter(check_name="fide-ratings-undecided", is_there=True).exists()


def test_it_is_due_while_the_list_is_in_force(admin_client):
    bring_players(OCTOBER, *TWICE)
    told = "October 2025 FIDE list: 1 FIDE ID has several ratings, and none of them counts"
    assert told in words(admin_client.get(reverse("admin:index")))
    chosen(2000)
    assert told not in words(admin_client.get(reverse("admin:index")))


def test_3_15_a_change_is_known_once_one_is_chosen():
    who = member(full_from=JOINED, fide_id=1)
    opening(who, "1500", RAPID)
    bring_players(OCTOBER, listed(1, rapid=1950))
    bring_players(NOVEMBER, *TWICE)
    announce(period=NOVEMBER, at=timezone.now())
    assert points(who, RAPID) == 1500
    assert first_rating(who) == 1500
    chosen(2000)
    # By hand: 2000 − 1950.
    assert first_rating(who) == 1550


LATER = {
    "the next list has one": ([listed(1, rapid=1900)], 1900),
    "the next list has neither": ([listed(1, rapid=1950)], None),
    "the next list doesn’t rate them": ([listed(1)], None),
    "the next list has both again": (TWICE, None),
}


@pytest.mark.parametrize("what", LATER)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "the older one later"])
@pytest.mark.parametrize("known", [True, False], ids=["known before", "known later"])
def test_a_later_list_that_has_one_of_them_decides_in_whatever_order_it_is_learnt(what, order, known):
    rows, expected = LATER[what]
    who = member(full_from=JOINED, **({"fide_id": 1} if known else {}))
    lists = [(OCTOBER, TWICE), (NOVEMBER, (*rows, listed(2)))]
    for at in order:
        bring_players(lists[at][0], *lists[at][1])
    if not known:
        who.fide_id = 1
        who.save()
    assert first_rating(who) == expected


def test_a_list_with_both_is_passed_over():
    who = member(full_from=JOINED, fide_id=1)
    bring_players(OCTOBER, *TWICE)
    bring_players(NOVEMBER, *TWICE, listed(2))
    bring_players(DECEMBER, listed(1, rapid=2000))
    assert first_rating(who) == 2000


def test_lists_and_a_choice_give_the_same_in_any_order():
    """The choice counts before the list of November, which has the other one."""
    facts = {
        "joins": lambda: member("anna", full_from=JOINED, fide_id=1),
        "october": lambda: bring_players(OCTOBER, *TWICE),
        "november": lambda: bring_players(NOVEMBER, listed(1, rapid=1900)),
        "chosen": lambda: choose(row(2000), row(2000)),
    }
    given = set()
    for order in permutations(facts):
        if order.index("chosen") < order.index("october"):
            continue
        with transaction.atomic():
            for one in order:
                facts[one]()
            given.add(first_rating(Member.objects.get(username="anna")))
            transaction.set_rollback(True)
    assert given == {2000}


def test_a_file_read_again_for_a_new_fide_id_keeps_what_was_chosen():
    bring_players(OCTOBER, *TWICE)
    bring_players(NOVEMBER, listed(1, rapid=1950))
    chosen(2000)
    who = member(full_from=JOINED, fide_id=1)
    assert first_rating(who) == 2000
    assert DoubleRating.objects.count() == 2
