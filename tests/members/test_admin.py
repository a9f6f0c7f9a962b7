"""Members behind the counter."""

import pytest

from members.models import FullMembership, Member
from tests.arena import START, at, member, rated
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

LIST = "/admin/members/member/"


def form(**fields):
    """What the form of a member posts, with no spans unless they are given."""
    return {
        "username": "anna",
        "name": "",
        "fide_id": "",
        "federation": "",
        "sex": "",
        "birth_year": "",
        "title": "",
        "user": "",
        "full_memberships-TOTAL_FORMS": "0",
        "full_memberships-INITIAL_FORMS": "0",
        **fields,
    }


def span(number, begins, ends=""):
    """A row of the inline; ends on a later day of March 2026, or not at all."""
    row = f"full_memberships-{number}-"
    return {
        f"{row}full_from_0": f"2026-03-{begins:02}",
        f"{row}full_from_1": "00:00:00",
        f"{row}full_until_0": f"2026-03-{ends:02}" if ends else "",
        f"{row}full_until_1": "00:00:00" if ends else "",
    }


def test_the_admin_of_members_opens_for_a_superuser(client, django_user_model):
    who = member("anna")
    pages = (LIST, f"{LIST}add/", f"{LIST}{who.pk}/change/", f"{LIST}{who.pk}/delete/", f"{LIST}?q=an")
    client.force_login(django_user_model.objects.create_superuser("registrar"))
    for page in pages:
        assert client.get(page).status_code == 200


def test_a_clerk_without_the_permission_is_refused(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
    response = client.get(LIST)
    assert response.status_code == 403
    assert is_friendly(response)


@pytest.mark.parametrize("text", ["berg", "anna", "1500001"])
def test_members_are_found_by_name_username_and_fide_id(staff, text):
    member("anna", name="Berg, Anna", fide_id=1500001)
    member("boris", name="Lund, Boris")
    found = words(staff.get(LIST, {"q": text}))
    assert "Berg, Anna" in found
    assert "Lund, Boris" not in found


@pytest.mark.parametrize("query", ["q=%00", "q=" + "9" * 400, "p=99999", "o=77"])
def test_the_list_survives_a_broken_address(staff, query):
    member()
    assert staff.get(f"{LIST}?{query}").status_code in (200, 302, 400)


def test_the_list_takes_as_many_queries_for_25_members_as_for_5(staff):
    for _ in range(5):
        rated(1800)
    few = queries(staff, LIST)
    for _ in range(20):
        rated(1800)
    assert queries(staff, LIST) == few


def test_a_member_is_entered_with_his_spans(staff):
    posted = form(**span(0, 1, 5), **span(1, 5)) | {"full_memberships-TOTAL_FORMS": "2"}
    assert staff.post(f"{LIST}add/", posted).status_code == 302
    assert Member.objects.get(username="anna").full_memberships.count() == 2


@pytest.mark.parametrize("spans", [{**span(0, 1), **span(1, 5)}, {**span(0, 3, 9), **span(1, 1, 4)}])
def test_spans_entered_together_may_not_overlap(staff, spans):
    response = staff.post(f"{LIST}add/", form(**spans) | {"full_memberships-TOTAL_FORMS": "2"})
    assert "Periods of full membership can’t overlap" in words(response)
    assert not Member.objects.exists()


def test_a_span_may_not_overlap_one_that_is_stored(staff):
    who = member("anna", full_from=None)
    stored = FullMembership.objects.create(member=who, full_from=START, full_until=at(60 * 24 * 4))
    posted = form(**span(0, 1, 5), **span(1, 4)) | {
        "full_memberships-TOTAL_FORMS": "2",
        "full_memberships-INITIAL_FORMS": "1",
        "full_memberships-0-id": stored.pk,
        "full_memberships-0-member": who.pk,
    }
    assert "overlap" in words(staff.post(f"{LIST}{who.pk}/change/", posted))
    assert who.full_memberships.count() == 1


def test_the_end_of_a_membership_is_cleared_by_an_empty_day(staff):
    who = member("anna", full_from=None)
    stored = FullMembership.objects.create(member=who, full_from=START, full_until=at(60 * 24 * 4))
    # The browser posts the hidden time of day along with the cleared date.
    posted = form(**span(0, 1)) | {
        "full_memberships-0-full_until_1": "00:00:00",
        "full_memberships-TOTAL_FORMS": "1",
        "full_memberships-INITIAL_FORMS": "1",
        "full_memberships-0-id": stored.pk,
        "full_memberships-0-member": who.pk,
    }
    assert staff.post(f"{LIST}{who.pk}/change/", posted).status_code == 302
    assert who.full_memberships.get().full_until is None
    posted["full_memberships-0-full_from_0"] = ""
    assert "This field is required." in words(staff.post(f"{LIST}{who.pk}/change/", posted))


def test_a_member_with_ratings_cannot_be_deleted(staff):
    who = rated(1800)
    response = staff.post(f"{LIST}{who.pk}/delete/", {"post": "yes"})
    assert "can’t be deleted, because these depend on it" in words(response)
    assert "Close the account to end rated play, or erase the member" in words(response)
    assert Member.objects.filter(pk=who.pk).exists()


def test_a_new_member_who_may_be_another_is_stored_and_said(staff):
    member("anna", name="Berg, Anna", birth_year=1990)
    answer = staff.post(
        f"{LIST}add/", form(username="аnna2", name="Berg, Anna", birth_year="1990"), follow=True
    )
    assert [str(message) for message in answer.context["messages"]][:2] == [
        "“аnna2” mixes letters from several alphabets, so it may look like another name: а + nna.",
        "“anna” has the same name and birth year. If they are the same person, merge the accounts.",
    ]
    added = Member.objects.get(username="аnna2")
    answer = staff.post(
        f"{LIST}{added.pk}/change/",
        form(username="аnna2", name="Berg, Anna", birth_year="1990", federation="NOR"),
        follow=True,
    )
    assert len(answer.context["messages"]) == 1


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "Berg,\u202e Anna", "U+202E in the name is invisible. Remove it."),
        ("username", "..", "The username “..” needs at least one letter or digit."),
    ],
)
def test_the_form_refuses_names_that_mislead(staff, field, value, said):
    answer = staff.post(f"{LIST}add/", form(**{field: value}))
    assert said in answer.text
    assert not Member.objects.exists()
