"""Published lists one after the other: mean, median, quantiles, who came and went; the cohort to watch."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ratings.lab.over_time import cohort, lists_of, scales
from ratings.office.scales import scale_of
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rbb.models.lists import entry_id
from ratings.rules.time_controls import Category
from tests.arena import adjustment, member, opening
from tests.pages import words

DAY = 24 * 60
APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5))


@pytest.mark.pure
def test_a_quantile_is_the_lowest_rating_that_as_many_per_cent_have_or_less():
    """Ten players: 1000, 1100, …, 1900. The median lies between the fifth and the sixth."""
    found = scale_of({100 * rating: 1 for rating in range(1000, 2000, 100)}, "A list", "/")
    assert (found.players, found.mean, found.median) == (10, Decimal(1450), 1450)
    assert found.quantiles == (1000, 1200, 1700, 1800)
    many = scale_of({100_000: 99, 200_049: 1}, "A list", "/")
    assert (many.mean, many.median, many.quantiles) == (Decimal("1010.00"), 1000, (1000, 1000, 1000, 1000))
    none = scale_of({}, "A list", "/")
    assert (none.players, none.mean, none.median, none.quantiles) == (0, None, None, ())


def two_lists():
    """1500, 1700 and 101 in April; in May 1500 and 1700 remain, and 1400.60 comes."""
    anna, boris, low, dora = (member(name) for name in ("anna", "boris", "low", "dora"))
    for who, rating in ((anna, 1500), (boris, 1700), (low, 101)):
        opening(who, rating)
    adjustment(low, -2, minute=40 * DAY)
    opening(dora, 1400, minute=41 * DAY)
    adjustment(dora, "0.60", minute=42 * DAY)
    for month in (APRIL, MAY):
        publish(category=Category.BLITZ, month=month, at=month)


def blitz():
    return list(next(one for one in scales() if one.slug == "blitz").find())


@pytest.mark.django_db
def test_each_list_has_its_figures_and_who_came_and_went():
    two_lists()
    april, may = blitz()
    assert (april.label, april.players, april.mean, april.median) == (
        "April 2026", 3, Decimal("1100.33"), 1500,
    )  # fmt: skip
    assert (april.entrants, april.leavers) == (None, None)
    assert (may.players, may.mean, may.median) == (3, Decimal("1533.53"), 1500)
    assert may.quantiles == (1401, 1401, 1700, 1700)
    assert (may.entrants, may.leavers) == (1, 1)


@pytest.mark.django_db
def test_the_page_shows_each_scale_and_no_other(client):
    two_lists()
    shown = client.get("/lab/scale/lists/blitz/")
    said = words(shown)
    assert "May 2026 3 1 1 1533.53 1401 1401 1500 1700 1700" in said
    assert "April 2026 3 – – 1100.33" in said
    assert "Mean: from 1100.33 to 1533.53." in shown.text
    assert "We need four years of lists for this." in said
    rapid = words(client.get("/lab/scale/lists/"))
    assert "There are too few lists for a chart." in rapid
    assert client.get("/lab/scale/lists/nothing/").status_code == 404
    assert 'href="/lab/scale/lists/"' in client.get("/lab/scale/").text


def entry(published, position, **fields):
    facts = {"birth_year": 1986, "games": 30, "year_games": 1, "k": 20, "rating": 1500} | fields
    return RatingListEntry(
        id=entry_id(published.pk, position),
        rating_list=published,
        position=position,
        rank=position,
        member_id=position,
        **facts,
    )


def lists_of_four_years(members):
    """Lists of May of four years, with these members of the cohort, and one more who differs in each way."""
    odd = [{"games": 29}, {"k": 40}, {"birth_year": 1980}, {"birth_year": 1992}, {"birth_year": None}]
    for year in (2023, 2024, 2025, 2026):
        month = datetime(year, 5, 1, tzinfo=UTC)
        published = RatingList.objects.create(
            category=Category.BLITZ, month=month, as_of=month, published_at=month, members=members
        )
        rows = [entry(published, number, rating=1500 + year - 2023) for number in range(1, members + 1)]
        rows += [entry(published, members + n, rating=2500, **one) for n, one in enumerate(odd, 1)]
        # Didn't play in 2024.
        rows.append(entry(published, members + len(odd) + 1, rating=2500, year_games=int(year != 2024)))
        RatingListEntry.objects.bulk_create(rows)


@pytest.mark.django_db
def test_the_cohort_is_established_between_35_and_45_and_played_in_each_of_four_years(client):
    """Born 1981 to 1991 for 2026. Only the last list has three years of lists before it."""
    lists_of_four_years(20)
    ((published, members, mean),) = cohort(lists_of(Category.BLITZ))
    assert (published.month, members, mean) == (date(2026, 5, 1), 20, Decimal("1503.00"))
    assert "May 2026 20 1503.00" in words(client.get("/lab/scale/lists/blitz/"))


@pytest.mark.django_db
def test_fewer_than_twenty_members_have_no_mean(client):
    lists_of_four_years(19)
    assert [one[1:] for one in cohort(lists_of(Category.BLITZ))] == [(19, None)]
    assert "May 2026 19 too few" in words(client.get("/lab/scale/lists/blitz/"))
