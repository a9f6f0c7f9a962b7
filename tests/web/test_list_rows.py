"""Rows of lists: one declaration for files and for the API."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db.models import F, Value
from django.db.models.functions import Concat

from foa.list_rows import ListRows, exact, moment, month, text, whole
from members.exporting import MEMBERS
from members.models import Member
from ratings.arena.api.public_pages import row_serializer
from ratings.rbb.lists.columns import ARCHIVE, CHANGES, GAMES, LIVE, PUBLISHED, published_columns
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, Rating, RatingChange, RatingList, RatingListEntry
from ratings.rules.time_controls import Category
from tests.arena import member, opening

APRIL_1 = datetime(2026, 4, 1, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def of(rows, queryset):
    return [dict(zip(rows.names, row, strict=True)) for row in rows.of(queryset)]


def test_a_column_reads_the_field_of_its_name_another_path_or_an_expression():
    opening(member("anna", federation="NOR"), 1500, Category.RAPID)
    rows = ListRows(
        "A rating.",
        games=whole(),
        who=text("member__username"),
        shouted=text(Concat("member__username", Value("!"))),
    )
    assert of(rows, Rating.objects.all()) == [{"games": 0, "who": "anna", "shouted": "anna!"}]


def test_a_column_makes_its_cell_of_one_or_of_several_values_and_leaves_null_alone():
    member("anna", name="Berg, Anna", fide_id=1500001)
    member("boris")
    rows = ListRows(
        "A member.",
        fide_id=text(value=lambda number: f"FIDE {number}", null=True),
        called=text("name", "username", value=lambda name, username: name or username),
        username=text(),
    )
    assert of(rows, Member.objects.order_by("username")) == [
        {"fide_id": "FIDE 1500001", "called": "Berg, Anna", "username": "anna"},
        {"fide_id": None, "called": "boris", "username": "boris"},
    ]


def test_what_columns_read_besides_fields_is_added_to_the_queryset_and_related_rows_are_not_fetched(
    django_assert_num_queries,
):
    member("anna", name="Berg, Anna")
    rows = ListRows(
        "A member.", lambda members: members.annotate(known=F("name")), username=text(), known=text()
    )
    with django_assert_num_queries(1):
        assert of(rows, Member.objects.prefetch_related("ratings")) == [
            {"username": "anna", "known": "Berg, Anna"}
        ]


def test_moments_are_to_the_second_in_utc_months_without_a_day_and_ratings_exact():
    opening(member("anna"), "1799.60", Category.RAPID)
    publish(category=Category.RAPID, month=APRIL_1, at=APRIL_1)
    rows = ListRows("A list.", month=month(), as_of=moment(), mean=exact())
    assert of(rows, RatingList.objects.all()) == [
        {"month": "2026-04", "as_of": "2026-04-01T00:00:00Z", "mean": Decimal("1799.60")}
    ]


def test_the_schema_says_of_each_column_its_type_its_words_and_whether_it_may_be_null_or_missing():
    fields = row_serializer("ListLine", PUBLISHED)().fields
    assert list(fields) == list(PUBLISHED.names)
    assert {name for name, field in fields.items() if not field.required} == {
        *("late_games", "withdrawn_games", "exact_change", "games_change", "adjustments_change"),
        *("openings_change", "earlier_change", "exact_rating"),
    }
    assert fields["previous"].allow_null
    assert not fields["rating"].allow_null
    assert "GM" in fields["title"].choices


def test_a_line_of_a_list_has_the_displayed_ratings_and_the_exact_change_between_them():
    anna = member("anna")
    opening(anna, "1799.60", Category.RAPID)
    publish(category=Category.RAPID, month=APRIL_1, at=APRIL_1)
    RatingListEntry.objects.update(previous=Decimal("1782.49"))
    published = RatingList.objects.get()
    (line,) = of(PUBLISHED, published.entries)
    assert (line["rating"], line["previous"], line["change"]) == (1800, 1782, 18)
    assert (line["exact_change"], line["exact_rating"]) == (Decimal("17.11"), Decimal("1799.60"))
    published.layout = 1
    assert published_columns(published)[-1] == "k"


LISTS = [
    (MEMBERS, Member),
    (GAMES, Game),
    (CHANGES, RatingChange),
    (LIVE, Rating),
    (ARCHIVE, RatingList),
    (PUBLISHED, RatingListEntry),
]
NEVER_NULL_HERE = {"exact", "last_event_at", "last_change", "month"}
"""The live list has rated members alone, the archive monthly lists alone."""


@pytest.mark.parametrize(("rows", "model"), LISTS, ids=[model.__name__ for _rows, model in LISTS])
def test_a_column_may_be_null_in_the_schema_where_it_can_be_null_in_the_database(rows, model):
    checked = 0
    for name, column in rows.columns.items():
        (path, *more) = column.read or (name,)
        if more or not isinstance(path, str) or path.startswith("in_"):
            continue
        can_be_null, of = False, model
        for part in path.split("__"):
            field = of._meta.get_field(part)
            can_be_null |= field.null
            of = field.related_model
        checked += 1
        assert column.null or not can_be_null or name in NEVER_NULL_HERE, name
    assert checked >= 5
