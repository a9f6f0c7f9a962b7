"""Birth year and sex: in no file for everybody, and on no page for whoever hides them."""

from datetime import UTC, datetime

import pytest

from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingListEntry
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening
from tests.pages import words

pytestmark = pytest.mark.django_db

APRIL = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def players():
    """Anna and Clara, two women born in 1990, of whom Clara hides it."""
    anna, clara = (
        member(name.lower(), name=name, sex="F", birth_year=1990, hides_birth=name == "Clara")
        for name in ("Anna", "Clara")
    )
    for one in (anna, clara):
        opening(one, 1800)
    game(anna, clara)
    return anna, clara


@pytest.mark.rendered
@pytest.mark.parametrize(
    "address", ["/members/?sex=F", "/ratings/blitz/?sex=F", "/ratings/blitz/?born_until=1995"]
)
def test_who_hides_them_is_found_by_none(client, players, address):
    found = words(client.get(address))
    assert "Anna" in found
    assert "Clara" not in found
    assert "Clara" in words(client.get(address.partition("?")[0]))


def test_a_list_is_published_without_what_somebody_hides(players):
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    lines = RatingListEntry.objects.order_by("name").values_list("name", "sex", "birth_year")
    assert list(lines) == [("Anna", "F", 1990), ("Clara", "", None)]


@pytest.mark.rendered
def test_who_hides_them_later_is_not_found_by_them_on_lists_from_before(client, players):
    anna, _clara = players
    published = publish(category=Category.BLITZ, month=APRIL, at=APRIL)[0]
    address = f"{published.get_absolute_url()}?sex=F"
    assert "Anna" in words(client.get(address))
    type(anna).objects.filter(pk=anna.pk).update(hides_birth=True)
    assert "Anna" not in words(client.get(address))


@pytest.mark.rendered
def test_the_profile_doesnt_show_them(client, players):
    anna, clara = players
    assert "1990" in words(client.get(anna.get_absolute_url()))
    assert "1990" not in words(client.get(clara.get_absolute_url()))


@pytest.mark.rendered
def test_neither_is_in_the_api(client, players):
    for address in ("/api/v1/members", "/api/v1/members/anna"):
        said = client.get(address).text
        assert "1990" not in said
        assert '"sex"' not in said
