"""The office's page of a member: ratings and their origin, FIDE's data, and warnings where they disagree."""

import pytest

from members.models import Member
from tests.arena import game, member, opening, rated
from tests.backoffice import admin_page
from tests.fide.office import OCTOBER, bring_players, listed
from tests.members.test_admin import form
from tests.pages import queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

LOOK_UP = "/admin/members/member/fide/"


def test_the_page_says_where_each_rating_comes_from(officer):
    anna, carl = rated(1800, minute=0), rated(1700)
    lost = game(carl, anna)
    text = words(officer.get(admin_page(anna)))
    # RBB 3.8 and 3.10: D 100 is PD 0.64, K is 20; a loss against 1700 takes 12.80.
    assert "Blitz 1787 1787.20 1" in text
    assert "1800.00, test" in text
    assert "Rapid – – 0 – No games yet" in text
    assert f"Latest games {lost.white} – {lost.black} 1-0 , 3 min + 2 s" in text


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"name": "Toth, Anna"}, "The name is “Berg, Anna” on the FIDE list, but “Toth, Anna” here."),
        ({"birth_year": 1991}, "The birth year is 1990 on the FIDE list, but 1991 here."),
        ({"federation": "SWE"}, "The federation is NOR on the FIDE list, but SWE here."),
        ({"fide_id": 123}, "No player on the FIDE list in force has the FIDE ID 123."),
        ({"name": "Anna BÉRG", "birth_year": "", "federation": "nor"}, ""),
    ],
)
def test_a_fact_that_differs_from_the_fide_list_gives_a_warning_and_is_stored(officer, fields, warning):
    bring_players(OCTOBER, listed(7, "Berg, Anna"))
    anna = member("anna", full_from=None)
    asked = {"name": "Berg, Anna", "fide_id": 7, "birth_year": 1990, "federation": "NOR", **fields}
    looked_up = words(officer.get(LOOK_UP, asked))
    saved = officer.post(admin_page(anna), form(**asked, _continue="1"), follow=True)
    assert Member.objects.get().fide_id == asked["fide_id"]
    assert Member.objects.get().federation in ("NOR", "SWE")
    shown = words(saved)
    if warning:
        assert warning in looked_up
        assert shown.count(warning) == 2  # as a message, and on the page from then on
    else:
        assert looked_up == "On the current FIDE list: Berg, Anna, NOR, 1990"
        assert "on the FIDE list, but" not in shown


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("federation", "XYZ", "XYZ isn’t a federation code. Enter FIDE’s code, such as NOR."),
        ("birth_year", "2090", "Ensure this value is less than or equal to 20"),
    ],
)
def test_facts_that_cannot_be_are_refused(officer, field, value, fault):
    anna = member("anna", full_from=None)
    page = officer.post(admin_page(anna), form(**{field: value}))
    assert fault in words(page)
    assert Member.objects.get().federation == ""


def test_looking_up_needs_the_right_to_see_members_and_fails_for_no_address(officer, clerk):
    assert words(officer.get(LOOK_UP, {"fide_id": "x", "birth_year": "9" * 50, "federation": "é\x01"})) == ""
    assert clerk("Registrars").get(LOOK_UP, {"fide_id": 7}).status_code == 200
    officer.logout()
    assert officer.get(LOOK_UP).status_code == 302


def test_the_page_of_a_member_takes_the_same_queries_for_any_number_of_games(officer):
    anna, carl = rated(1800), rated(1700)
    for minute in range(10, 16):
        game(anna, carl, minute=minute)
    few = queries(officer, admin_page(anna))
    for minute in range(16, 40):
        game(carl, anna, minute=minute)
    opening(anna, 1500, 1, minute=50)
    assert queries(officer, admin_page(anna)) <= few + 1
