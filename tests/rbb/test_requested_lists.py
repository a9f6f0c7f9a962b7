"""RBB 1.4: lists on demand: who may ask, how often, what he gets, and where such lists are not to be seen."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import connections

from members.models import FullMembership
from ratings.rbb.lists.files import LIST_FORMATS
from ratings.rbb.lists.publishing import (
    DAY,
    MOST_A_DAY,
    PAUSE,
    TooManyRequestsError,
    due_months,
    publish,
    request_list,
)
from ratings.rbb.lists.report import report
from ratings.rbb.models import RatingList
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

FORM = "/lists/requested/"
NOW = datetime(2026, 4, 10, 18, 30, 5, 400_000, tzinfo=UTC)
APRIL, MAY = datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
BLITZ = Category.BLITZ


def three_people():
    """Anna of NOR, who has a login, beats Boris of POL in March; Cecil of NOR looks on."""
    anna = member("anna", name="Berg, Anna", federation="NOR", user=User.objects.create_user("a"))
    boris = member("boris", name="Lund, Boris", federation="POL")
    cecil = member("cecil", name="Cruz, Cecil", federation="NOR")
    for who in (anna, boris, cecil):
        opening(who, 1600)
    game(anna, boris, minute=10)
    return anna, boris, cecil


@pytest.fixture(scope="class")
def people(standing):
    return standing(three_people)


@pytest.fixture
def clock():
    """A clock that stands at NOW until it is set."""
    with patch("django.utils.timezone.now", return_value=NOW) as now:
        yield now


@pytest.fixture
def anna(people, client, clock):
    """Anna, logged in."""
    client.force_login(people[0].user)
    return people[0]


def ask(client, category="blitz", federation="", **kwargs):
    return client.post(FORM, {"category": category, "federation": federation}, **kwargs)


def frozen(who, when, federation="", category=BLITZ):
    return request_list(category=category, federation=federation, member=who, at=when)


def test_a_full_member_gets_a_frozen_list_of_this_second_at_a_permanent_address(anna, client):
    response = ask(client)
    published = RatingList.objects.get()
    assert response["Location"] == f"/lists/requested/{published.pk}/"
    assert published.as_of == NOW.replace(microsecond=0)
    assert (published.month, published.requested_by, published.members) == (None, anna, 3)
    page = client.get(response["Location"])
    text = words(page)
    assert "Blitz ratings on 10 Apr 2026, 18:30 UTC" in text
    assert published.checksum in text
    file = b"".join(client.get(f"{response['Location']}?format=csv").streaming_content)
    assert hashlib.sha256(file).hexdigest() == published.checksum
    assert "1610.00" in text
    assert "What changed" not in text


def test_a_later_game_or_change_of_a_member_alters_nothing_of_it(anna, people, client, clock):
    published = frozen(anna, NOW)
    addresses = [f"{published.get_absolute_url()}?format={name}" for name in LIST_FORMATS]
    before = [b"".join(client.get(address).streaming_content) for address in addresses]
    people[1].name = "Other, Name"
    people[1].federation = "GER"
    people[1].save()
    clock.return_value = at(60 * 24 * 90)
    game(people[0], people[1], "0-1", minute=60 * 24 * 60)
    assert [b"".join(client.get(address).streaming_content) for address in addresses] == before
    assert "Lund, Boris" in words(client.get(published.get_absolute_url()))


def test_a_list_of_a_federation_has_only_its_members(anna, client):
    response = ask(client, federation="nor")
    page = client.get(response["Location"])
    assert "Blitz ratings on 10 Apr 2026, 18:30 UTC (NOR)" in words(page)
    assert [(row.rank, row.username) for row in page.context["table"].page.rows] == [
        (1, "anna"),
        (2, "cecil"),
    ]


def test_its_page_has_filters_jumps_to_positions_and_all_files(anna, client):
    address = ask(client)["Location"]
    found = client.get(f"{address}?federation=POL").context["table"].page.rows
    assert [row.username for row in found] == ["boris"]
    jumped = client.get(f"{address}?position=3", follow=True).context["table"].page.rows
    assert [row.position for row in jumped] == [3]
    for name, kind in LIST_FORMATS.items():
        response = client.get(f"{address}?format={name}")
        assert b"".join(response.streaming_content)
        assert response["Content-Type"] == kind.media_type
        assert f"blitz-as-of-20260410T183005Z.{name}" in response["Content-Disposition"]
    assert client.get(f"{address}?position=4").status_code == 400
    assert client.get(f"{address}?format=exe").status_code == 400
    client.logout()
    assert queries(client, address) <= 8


def test_nobody_rated_gives_an_empty_list_and_no_fault(anna, client):
    response = ask(client, category="bullet")
    assert RatingList.objects.get().members == 0
    assert "Nothing found." in words(client.get(response["Location"]))


@pytest.mark.parametrize(
    ("category", "federation", "message"),
    [
        ("blitz", "XYZ", "No rated blitz players from XYZ."),
        ("bullet", "NOR", "No rated bullet players from NOR."),
        ("blitz", "N1", "Three capital letters, such as NOR."),
        ("blitz", "NORW", "at most 3 characters"),
        ("blitz", "\0", "Null characters are not allowed."),
        ("chess", "", "is not one of the available choices"),
        ("", "", "This field is required."),
    ],
)
def test_what_makes_no_sense_is_told_beside_its_field(anna, client, category, federation, message):
    response = ask(client, category, federation)
    assert response.status_code == 400
    assert message in words(response)
    assert is_friendly(response)
    assert not RatingList.objects.exists()


def test_whoever_is_not_logged_in_is_led_to_the_login_and_back(client):
    for response in (client.get(FORM), ask(client)):
        assert response["Location"] == f"/login/?next={FORM}"
    assert not RatingList.objects.exists()


def test_a_login_without_member_may_not_ask(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("nobody"))
    for response in (client.get(FORM), ask(client)):
        assert response.status_code == 403
        assert "Full members only (RBB 1.4)" in words(response)
        assert "the login nobody isn’t linked to a member" in words(response)
        assert is_friendly(response)


def test_a_member_whose_full_membership_has_ended_may_not_ask(anna, client):
    FullMembership.objects.filter(member=anna).update(full_until=NOW)
    for response in (client.get(FORM), ask(client)):
        assert response.status_code == 403
        assert "Full members only (RBB 1.4)" in words(response)
        assert "Berg, Anna isn’t a full member now" in words(response)
    with pytest.raises(PermissionDenied):
        frozen(anna, NOW)
    assert frozen(anna, NOW - timedelta(seconds=1)).members == 3


def test_a_membership_that_ends_while_the_form_is_sent_is_answered_alike(anna, client):
    with patch("ratings.rbb.views.published.request_list", side_effect=PermissionDenied):
        assert ask(client).status_code == 403


def test_the_form_cannot_be_sent_from_elsewhere(people, clock):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(people[0].user)
    assert ask(client).status_code == 403
    assert not RatingList.objects.exists()


def test_a_second_request_within_a_minute_is_429_and_says_when(anna, client, clock):
    assert ask(client).status_code == 302
    clock.return_value = NOW + PAUSE - timedelta(milliseconds=1)
    refused = ask(client)
    assert refused.status_code == 429
    # The minute ends at 18:31:05.4; in whole seconds one may ask at 06.
    assert "You can request the next one at 10 Apr 2026, 18:31:06 UTC." in words(refused)
    assert refused["Retry-After"] == "Fri, 10 Apr 2026 18:31:06 GMT"
    assert is_friendly(refused)
    assert RatingList.objects.count() == 1
    clock.return_value = datetime(2026, 4, 10, 18, 31, 6, tzinfo=UTC)
    assert ask(client).status_code == 302


def test_ten_requests_in_24_hours_are_the_most(anna):
    first = frozen(anna, NOW)
    for number in range(1, MOST_A_DAY):
        frozen(anna, NOW + number * timedelta(hours=1))
    with pytest.raises(TooManyRequestsError) as refused:
        frozen(anna, NOW + DAY - timedelta(seconds=1))
    assert refused.value.again_at == datetime(2026, 4, 11, 18, 30, 6, tzinfo=UTC)
    assert RatingList.objects.count() == MOST_A_DAY
    assert frozen(anna, refused.value.again_at).as_of - first.as_of == DAY + timedelta(seconds=1)


def test_the_requests_of_others_count_for_nobody_else(anna, people):
    frozen(people[1], NOW)
    publish(category=BLITZ, month=APRIL, at=NOW)
    assert frozen(anna, NOW).requested_by == anna


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
def test_of_two_requests_at_the_same_moment_one_passes():
    anna = member("anna")
    opening(anna, 1600)
    start = Barrier(2)

    def job():
        start.wait(60)
        try:
            return frozen(anna, NOW).pk
        except TooManyRequestsError:
            return None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        results = [future.result() for future in [pool.submit(job), pool.submit(job)]]
    assert results.count(None) == 1
    assert [published.pk for published in RatingList.objects.all()] == [pk for pk in results if pk]


def test_the_name_of_the_requester_is_for_himself_and_staff(anna, people, client, django_user_model):
    published = frozen(anna, NOW, "POL")
    address = published.get_absolute_url()
    assert "Requested by Berg, Anna" in words(client.get(address))
    client.logout()
    assert "Berg, Anna" not in words(client.get(address))
    other = django_user_model.objects.create_user("other")
    client.force_login(other)
    assert "Berg, Anna" not in words(client.get(address))
    client.force_login(django_user_model.objects.create_user("officer", is_staff=True))
    assert "Requested by Berg, Anna" in words(client.get(address))
    for name in ("csv", "json", "xml", "txt"):
        assert b"Berg" not in b"".join(client.get(f"{address}?format={name}").streaming_content)


def test_the_form_lists_the_last_20_lists_of_the_member_alone(anna, people, client):
    for day in range(20, -1, -1):
        frozen(anna, NOW - timedelta(days=day) / 2)
    frozen(people[1], NOW)
    mine = client.get(FORM).context["mine"]
    assert len(mine) == 20
    assert {one.requested_by_id for one in mine} == {anna.pk}
    assert mine[0].as_of == NOW.replace(microsecond=0)


def test_the_form_is_reached_from_the_live_list_the_archive_and_the_own_page(anna, client):
    for address in ("/ratings/blitz/", "/lists/", f"/members/{anna.pk}/"):
        assert f'href="{FORM}' in client.get(address).content.decode()
    client.logout()
    assert FORM not in client.get(f"/members/{anna.pk}/").content.decode()
    client.force_login(anna.user)
    page = client.get(f"{FORM}?category=blitz&federation=NOR").content.decode()
    assert '<option value="blitz" selected>' in page
    assert 'value="NOR"' in page
    assert client.get(f"{FORM}?category=chess&federation=%3Cb%3E").status_code == 200


@pytest.mark.parametrize("key", ["0", "999999", "9" * 30, "1" * 5000])
def test_a_list_that_nobody_asked_for_is_not_found(key, client):
    assert client.get(f"/lists/requested/{key}/").status_code == 404


def test_a_monthly_list_has_no_address_among_the_requested(people, client):
    monthly = publish(category=BLITZ, month=APRIL, at=NOW)[0]
    assert client.get(f"/lists/requested/{monthly.pk}/").status_code == 404


def test_requested_lists_are_no_monthly_lists(anna, people, client):
    april = publish(category=BLITZ, month=APRIL, at=APRIL)[0]
    asked = frozen(anna, NOW)
    assert asked.previous == april
    for address in ("/lists/", "/lists/?format=csv", "/lists/?category=blitz", "/"):
        response = client.get(address)
        content = b"".join(response) if response.streaming else response.content
        assert b"2026-04" in content or b"April 2026" in content
        assert f"/lists/requested/{asked.pk}/".encode() not in content
        assert b"2026-04-10" not in content
        assert b"10 Apr 2026" not in content
    assert [published.pk for published in client.get("/").context["lists"]] == [april.pk]
    # A profile shows how far the member has come since the monthly list.
    cards = client.get(f"/members/{anna.pk}/").context["cards"]
    assert [card.entry.rating_list for card in cards if card.entry] == [april]
    assert client.get("/lists/blitz/2026-04/")["Location"] == april.get_absolute_url()
    assert due_months(category=BLITZ, at=MAY) == [MAY]
    may = publish(category=BLITZ, month=MAY, at=MAY)[0]
    assert may.previous == april


def test_who_was_on_a_requested_list_alone_is_new_on_the_next_monthly_one(anna, people, client):
    publish(category=BLITZ, month=APRIL, at=NOW)
    late = member("late")
    opening(late, 1500, minute=60 * 24 * 40)
    frozen(anna, at(60 * 24 * 41))
    may = publish(category=BLITZ, month=datetime(2026, 6, 1, tzinfo=UTC), at=NOW)[0]
    assert [entry.username for entry in report(may).new.first] == ["late"]


def test_staff_see_requested_lists_in_the_admin(people, staff, clock):
    asked = frozen(people[0], NOW, "NOR")
    text = words(staff.get("/admin/ratings/ratinglist/"))
    assert "Berg, Anna" in text
    assert "NOR" in text
    page = words(staff.get(f"/admin/ratings/ratinglist/{asked.pk}/change/"))
    assert "Berg, Anna" in page
    assert asked.checksum in page
    assert staff.get("/admin/ratings/ratinglist/?requested_by__isempty=1").status_code == 200
    assert staff.get(f"/admin/ratings/ratinglistentry/?rating_list__id__exact={asked.pk}").status_code == 200
