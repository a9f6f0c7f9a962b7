"""Members without FIDE ID, confirmed one by one by a person; members who wait for 3.4."""

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry

from members.models import Member
from ratings.fide.models import AnnouncedChange, Determination, FideList, FideRating, FirstRating
from ratings.office.models import ChangeSet, Job
from ratings.rbb.models import OpeningRating
from ratings.rules.time_controls import Category
from tests.arena import START, member, points
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import REASONS, look, shown_on
from tests.fide.office import OCTOBER, bring_players, listed
from tests.pages import queries, words

pytestmark = pytest.mark.django_db

LISTS = admin_page(FideList)
WORKLIST, WAITING = admin_page(FideList, "worklist"), admin_page(FideList, "waiting")


@pytest.fixture
def anna():
    """A member without FIDE ID; two players may be she, one is of another country."""
    bring_players(
        OCTOBER,
        listed(1, "Berg, Anna", rapid=1800),
        listed(2, "Berg, Anna", blitz=1500, birth_year=None),
        listed(3, "Berg, Anna", federation="SWE"),
    )
    return member("anna", name="Berg, Anna", federation="NOR", birth_year=1990)


def test_the_worklist_names_likely_players_and_enters_nothing_by_itself(officer, anna):
    response = officer.get(WORKLIST)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert f'href="{WORKLIST}"' in officer.get(LISTS).text
    text = words(response)
    assert "Berg, Anna (anna, NOR, 1990)" in text
    assert "Berg, Anna 1 NOR 1990 – 1800 – Berg, Anna 2 NOR – – – 1500" in text
    assert "SWE" not in text
    anna.refresh_from_db()
    assert anna.fide_id is None


def test_a_confirmation_sets_the_fide_id_and_the_history_says_who_and_why(officer, anna):
    response = officer.post(f"{WORKLIST}?q=berg", {f"player-{anna.pk}": 2}, follow=True)
    assert response.redirect_chain == [(f"{WORKLIST}?q=berg", 302)]
    assert "Berg, Anna now has FIDE ID 2." in words(response)
    anna.refresh_from_db()
    assert anna.fide_id == 2
    row = anna.history.first()
    why = "Confirmed as Berg, Anna (2) on the FIDE rating list"
    assert (row.history_user.username, row.history_change_reason) == ("Rating officers", why)
    assert LogEntry.objects.get(object_id=str(anna.pk)).change_message == why
    assert "This member doesn’t exist." in words(response)


def test_many_fide_ids_are_confirmed_at_once_and_one_that_is_refused_stops_no_other(officer, anna):
    other, third = member("other", name="Lund, Bob"), member("third", name="Cruz, Carl")
    chosen = {f"player-{anna.pk}": 1, f"player-{other.pk}": 1, f"player-{third.pk}": 2}
    text = words(officer.post(WORKLIST, chosen, follow=True))
    assert "Berg, Anna now has FIDE ID 1." in text
    assert "Lund, Bob: nothing was changed. " in text
    assert "Cruz, Carl now has FIDE ID 2." in text
    assert "Choose a player for at least one member." in words(officer.post(WORKLIST, {}, follow=True))


@pytest.mark.parametrize(
    ("posted", "status"),
    [
        ({}, 302),
        ({"player-x": "1"}, 400),
        ({"player-1": "9" * 30}, 400),
        ({"player-999999": "1"}, 404),
        ({None: "77"}, 404),
    ],
)
def test_what_is_no_member_or_player_is_refused(officer, anna, posted, status):
    posted = {key or f"player-{anna.pk}": value for key, value in posted.items()}
    assert officer.post(WORKLIST, posted).status_code == status
    assert not Member.objects.exclude(fide_id=None).exists()


def test_a_fide_id_that_is_taken_or_a_member_who_has_one_stays_as_it_is(officer, anna):
    other = member("other", name="Berg, Anna", fide_id=1)
    for who, player, told in ((anna, 1, "already exists"), (other, 2, "This member now has a FIDE ID.")):
        response = officer.post(WORKLIST, {f"player-{who.pk}": player}, follow=True)
        assert "Berg, Anna: nothing was changed. " in words(response)
        assert told in words(response)
    assert set(Member.objects.values_list("username", "fide_id")) == {("anna", None), ("other", 1)}


def test_registrars_confirm_auditors_look_on_and_strangers_see_nothing(clerk, client, anna):
    auditor, registrar = clerk("Auditors"), clerk("Registrars")
    assert 'type="radio"' not in auditor.get(WORKLIST).text
    assert auditor.post(WORKLIST, {f"player-{anna.pk}": 1}).status_code == 403
    assert client.get(WORKLIST).status_code == 302
    assert f'href="{WORKLIST}"' in registrar.get(admin_page(Member)).text
    assert f'href="{LISTS}"' not in registrar.get(WORKLIST).text
    assert f'href="{LISTS}"' in auditor.get(WORKLIST).text
    assert registrar.post(WORKLIST, {f"player-{anna.pk}": 1}).status_code == 302
    anna.refresh_from_db()
    assert anna.fide_id == 1


def test_the_worklist_is_walked_page_by_page_searched_and_costs_no_more_with_more_members(officer, anna):
    for number in range(25):
        member(f"m{number}", name=f"Lund, Boris{number:02}")
    text = words(officer.get(WORKLIST))
    assert ("Boris18" in text, "Boris19" in text, "Next members" in text) == (True, False, True)
    page = officer.get(WORKLIST).context["page"]
    text = words(officer.get(f"{WORKLIST}?after={page.next}"))
    assert ("Boris19" in text, "Boris24" in text, "Previous members" in text) == (True, True, True)
    assert "Boris11" in words(officer.get(f"{WORKLIST}?q=boris11"))
    # A search for each of the twenty.
    assert queries(officer, WORKLIST) <= 27
    assert officer.get(f"{WORKLIST}?after=x").status_code == 400


def test_3_4_who_waits_is_listed_and_determined_by_the_worker(officer, worker):
    anna = member("anna", name="Berg, Anna", fide_id=1, full_from=START)
    bring_players(OCTOBER, listed(1, "Berg, Anna", rapid=1800))
    response = look(officer, WAITING)
    assert keeps_the_policy(response)
    assert "Berg, Anna 1 1 Mar 2026, 00:00 UTC" in words(response)
    assert "Berg, Anna Rapid unrated 1800.00" in words(response)
    assert 'value="Determine now"' in response.text
    assert points(anna, Category.RAPID) is None
    response = officer.post(WAITING, {"shown": shown_on(response)})
    job = ChangeSet.objects.get().job
    assert response["Location"] == admin_page(job)
    worker()
    assert str(points(anna, Category.RAPID)) == "1800.00"
    job.refresh_from_db()
    assert job.outcome[0]["text"].startswith("Members looked up: 1. First ratings given: 3.")
    assert "No members are waiting." in words(look(officer, WAITING))


def test_only_officers_determine(clerk, client, worker):
    member("anna", fide_id=1)
    bring_players(OCTOBER, listed(1, rapid=1800))
    auditor, registrar = clerk("Auditors"), clerk("Registrars")
    looked = auditor.get(WAITING)
    assert "anna 1 1 Mar 2026, 00:00 UTC" in words(looked)
    assert "Determine now" not in looked.text
    assert keeps_the_policy(looked)
    assert auditor.post(WAITING).status_code == registrar.post(WAITING).status_code == 403
    assert registrar.get(WAITING).status_code == 403
    assert not Job.objects.exists()


def test_nothing_that_goes_with_an_input_or_a_member_forbids_to_delete_it(staff):
    anna = member("anna", fide_id=1, full_from=None)
    bring_players(OCTOBER, listed(1, rapid=1800))
    Determination.objects.create(member=anna, fide_id=1, determined_at=START)
    for model in (AnnouncedChange, FirstRating, Determination):
        assert not admin.site.is_registered(model)
    assert staff.post(admin_page(anna, "delete"), {"post": "yes"}).status_code == 302
    assert not Member.objects.exists()
    given = member("boris", fide_id=1, full_from=START).opening_ratings.first()
    page = staff.get(admin_page(given, "delete"))
    asked = {"openingrating": given.pk, "shown": shown_on(page), **REASONS}
    assert staff.post(admin_page(OpeningRating, "remove"), asked).status_code == 302
    assert not OpeningRating.objects.filter(pk=given.pk).exists()


def test_published_ratings_are_found_by_fide_id_alone(staff):
    member(fide_id=1)
    bring_players(OCTOBER, listed(1, rapid=1800))
    for text, rows in (("1", 3), ("2", 0), ("x", 0), ("9" * 30, 0)):
        response = staff.get(f"{admin_page(FideRating)}?q={text}")
        assert len(response.context["cl"].result_list) == rows


def test_the_page_of_a_list_says_what_it_is_in_force_for(staff):
    bring_players(OCTOBER, listed(1, rapid=1800))
    text = words(staff.get(admin_page(FideList.objects.get())))
    assert "In force: standard, rapid, blitz" in text
