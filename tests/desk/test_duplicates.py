"""Members who may be one person: a worklist that finds them, and remembers who isn't."""

import io

import pytest
from django.core.cache import cache
from django.urls import reverse

from members.comparing import compare_members
from members.importing import COLUMNS, import_members, read_members
from members.models import Member
from ratings.desk.identity import duplicates_due, look_for_duplicates
from ratings.desk.models import LikelyDuplicate
from ratings.desk.services.duplicates import Pair, Person, dismiss, find_duplicates, likely_pairs, trigrams_of
from ratings.rbb.merging import merge_members
from tests.arena import START, at, member
from tests.commands import run
from tests.decisions import confirmed_on, staff_login
from tests.desk.cases import login

LIST = "/admin/desk/likelyduplicate/"


def pairs(*people):
    return [
        (pair.first, pair.second, round(pair.likeness, 2))
        for pair in likely_pairs(Person(key, *person) for key, person in enumerate(people, 1))
    ]


@pytest.mark.pure
@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        # pg_trgm: show_trgm('smith jon') and of 'smith john' have 8 of 13 in common.
        (("Smith, Jon", 1990), ("Smith, John", 1990), 0.62),
        (("Tóth, Tamás", 1990), ("Toth, Tamas", 1990), 1.0),
        (("Hans Tiefenbach", 1990), ("Tiefenbach, Hans", None), 1.0),
        (("Hans Tiefenbach", None), ("Tiefenbach, Hans", None), 1.0),
        (("Smith, Jon", 1990), ("Smith, Jon", 1991), None),
        (("Smith, Jon", 1990), ("Smith, John", None), None),
        (("Smith, Jon", 1990), ("Smith, Margaret", 1990), None),
        (("", 1990), ("", 1990), None),
        (("-", 1990), ("-", 1990), None),
    ],
)
def test_people_of_one_name_and_year_or_of_names_alike_are_likely_one(one, other, likeness):
    assert pairs(one, other) == ([] if likeness is None else [(1, 2, likeness)])


@pytest.mark.pure
def test_trigrams_are_those_of_postgresql():
    # SELECT show_trgm('word'): {"  w"," wo","ord","rd ","wor"}
    assert trigrams_of("word") == {"  w", " wo", "ord", "rd ", "wor"}


@pytest.mark.pure
def test_a_name_that_a_crowd_has_says_nothing():
    assert not pairs(*[("Nowak, Jan", None)] * 21)
    assert len(pairs(*[("Nowak, Jan", None)] * 20)) == 190


@pytest.mark.pure
def test_same_year_is_told_from_a_year_not_known():
    (pair,) = likely_pairs([Person(1, "A B", 1990), Person(2, "A B", None)])
    assert pair == Pair(1, 2, 1.0, False)


@pytest.fixture
def found(db):
    """Two of one name and year, and two of names alike."""
    people = [
        member(name=name, birth_year=1990) for name in ("Berg, Anna", "Berg, Anna", "Lund, Jon", "Lund, John")
    ]
    find_duplicates(at=START)
    return people


def waiting():
    return [(one.first, one.second, one.why) for one in LikelyDuplicate.objects.open().order_by("pk")]


def test_pairs_are_found_once_and_go_when_they_are_no_longer_likely(found):
    anna, other, jon, john = found
    assert waiting() == [(anna, other, "same"), (jon, john, "alike")]
    assert find_duplicates(at=at(5)) == 0
    john.name = "Dahl, Peter"
    john.save()
    find_duplicates(at=at(10))
    assert waiting() == [(anna, other, "same")]


def test_what_is_not_the_same_is_never_asked_again(found, django_user_model):
    officer = django_user_model.objects.create_user("officer")
    dismiss(LikelyDuplicate.objects.earliest("pk"), by=officer, at=at(5))
    find_duplicates(at=at(10))
    assert [why for _one, _other, why in waiting()] == ["alike"]
    settled = LikelyDuplicate.objects.get(dismissed_by=officer)
    assert settled.dismissed_at == at(5)


def test_who_was_merged_waits_no_longer(found):
    merge_members(member=found[0], other=found[1], at=at(10))
    assert [why for _one, _other, why in waiting()] == ["alike"]


def test_the_fide_id_of_another_in_a_file_makes_a_pair(db):
    anna, otto = member("anna", fide_id=7), member("otto")
    file = f"{','.join(COLUMNS)}\notto,,7,,,,,,\n".encode()
    import_members(rows=read_members(io.BytesIO(file)))
    assert waiting() == [(anna, otto, "fide-id")]
    LikelyDuplicate.objects.all().delete()
    assert compare_members(rows=read_members(io.BytesIO(file))).refused
    assert waiting() == [(anna, otto, "fide-id")]
    # It isn't found by name, and isn't lost by that.
    find_duplicates(at=at(5))
    assert waiting() == [(anna, otto, "fide-id")]


def test_the_worker_looks_once_a_day_and_where_there_are_new_members(db):
    cache.delete("desk.duplicates")
    for _ in range(2):
        member(name="Berg, Anna", birth_year=1990)
    look_for_duplicates(START)
    LikelyDuplicate.objects.all().delete()
    look_for_duplicates(START)
    assert not waiting()
    member(name="Berg, Ana", birth_year=1990)
    look_for_duplicates(START)
    assert [why for _one, _other, why in waiting()] == ["same", "alike", "alike"]
    cache.delete("desk.duplicates")


@pytest.mark.parametrize("how", ["by hand", "by file"])
def test_a_new_member_of_the_name_and_birth_year_of_another_waits_at_once(db, how):
    anna = member("anna", name="Berg, Anna", birth_year=1990)
    if how == "by hand":
        member("otto", name="Berg, Anna", birth_year=1990)
    else:
        file = f'{",".join(COLUMNS)}\notto,"Berg, Anna",,,,1990,,,\n'.encode()
        import_members(rows=read_members(io.BytesIO(file)))
    assert waiting() == [(anna, Member.objects.get(username="otto"), "same")]
    member("paula", name="Berg, Anna", birth_year=1991)
    assert len(waiting()) == 1


def test_the_desk_says_how_many_wait(found):
    (due,) = duplicates_due(None, START)
    assert (due.text, due.button, due.link) == ("2 likely duplicates to review", "Review them", LIST)
    LikelyDuplicate.objects.all().delete()
    assert not list(duplicates_due(None, START))


def test_an_officer_says_who_is_not_the_same_and_an_auditor_may_not(found, admin_client, client):
    pair = LikelyDuplicate.objects.earliest("pk")
    page = admin_client.get(LIST).text
    merge = reverse("admin:members_member_merge")
    assert f"{merge}?keep={found[0].pk}&amp;other={found[1].username}" in page
    auditor = staff_login("auditor")
    assert auditor.post(LIST, {"not_the_same": pair.pk}).status_code == 403
    assert admin_client.post(LIST, {"not_the_same": "x"}).status_code == 404
    answer = admin_client.post(LIST, {"not_the_same": pair.pk}, follow=True)
    assert "Berg, Anna and Berg, Anna are marked as two different people" in answer.text
    assert "Not the same person: admin" in admin_client.get(f"{LIST}?state=different").text
    assert len(waiting()) == 1


def test_an_officer_does_not_see_or_settle_a_pair_with_an_account_of_their_own(found, admin_client, client):
    anna, other, *_rest = found
    pair = LikelyDuplicate.objects.earliest("pk")
    officer = login("officer", "Rating officers")
    Member.objects.filter(pk=other.pk).update(user=officer.user)
    merge_members(member=member("later"), other=other, at=at(10))
    LikelyDuplicate.objects.create(
        first=anna, second=Member.objects.get(username="later"), why="same", found_at=at(20)
    )
    for page in (LIST, f"/admin/members/member/{anna.pk}/change/"):
        assert "(later" in admin_client.get(page).text
        assert "(later" not in officer.get(page).text
    for one in LikelyDuplicate.objects.filter(first=anna):
        assert officer.post(LIST, {"not_the_same": one.pk}).status_code == 404
    (due,) = duplicates_due(officer.user, START)
    assert due.text.startswith("1 likely duplicate")
    pair.refresh_from_db()
    assert pair.dismissed_at is None


@pytest.mark.rendered
def test_the_list_asks_as_much_for_many_pairs_as_for_one(found, admin_client, django_assert_max_num_queries):
    with django_assert_max_num_queries(12) as few:
        admin_client.get(LIST)
    for _ in range(10):
        member(name="Lund, Jon", birth_year=1990)
    find_duplicates(at=at(20))
    with django_assert_max_num_queries(len(few.captured_queries)):
        admin_client.get(LIST)


def test_a_merge_asks_for_the_other_account_and_shows_both(found):
    officer = staff_login("officer", "merge-members")
    address = reverse("admin:members_member_merge")
    asked = officer.get(address, {"keep": found[0].pk})
    assert "errornote" not in asked.text
    assert f'value="{found[0].pk}"' in asked.text
    unknown = officer.get(address, {"keep": found[0].pk, "other": "nobody"})
    assert "No member has the username “nobody”." in unknown.text
    shown = officer.get(address, {"keep": found[0].pk, "other": found[1].username.upper()})
    assert f"Keep {found[1].username} instead" in shown.text
    assert confirmed_on(officer, shown, public_reason="duplicate").status_code == 302
    assert not Member.objects.filter(pk=found[1].pk).exists()


def test_the_command_shows_what_it_would_do_and_does_it(found):
    keep, other = found[0].username, found[1].username
    looked = run("merge_members", keep, other, "--dry-run")
    assert looked.code == 0, looked.err
    assert f"Berg, Anna ({other}) would be merged into Berg, Anna ({keep}): 0 rating changes." in looked.out
    assert Member.objects.count() == 4
    assert "was merged" in run("merge_members", keep, other, "--reason", "one person").out
    assert Member.objects.count() == 3
    again = run("merge_members", keep, other)
    assert (again.code, again.err) == (1, "Choose two different accounts.")
    assert "There’s no member called “nobody”." in run("merge_members", keep, "nobody").err
