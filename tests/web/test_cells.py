"""The rows of a table are those of django-tables2, for every column that it knows of this office."""

import re

import pytest
from django.template import Context, Template
from django.utils import translation

from foa.addresses import address_of
from foa.web.cells import body, escaped
from members.models import Member
from members.tables import MemberTable
from ratings.rbb.models import Game, Rating, RatingChange
from ratings.rbb.tables import ChangeTable, GameTable, LiveRatingTable, PastRatingTable, PlayedGameTable
from tests.arena import at, game, member, rated

pytestmark = pytest.mark.django_db

ROWS_OF_THE_LIBRARY = Template(
    "{% load i18n %}"
    "{% for row in table.rows %}<tr>{% for column, cell in row.items %}"
    "<td {{ column.attrs.td.as_html }}>{{ cell }}</td>{% endfor %}"
    '{% if table.phone %}<td class="unfold">'
    '<input type="checkbox" aria-label="{% translate "Show details" %}" autocomplete="off"></td>{% endif %}'
    "</tr>\n{% endfor %}"
)


def an_arena():
    """Members and games with whatever a table shows differently."""
    best, other = rated(2200), rated(1500)
    Member.objects.filter(pk=best.pk).update(name="<b>A & B", title="GM", federation="NOR", fide_id=7)
    unrated = member(username="o'neill")
    game(best, other)
    game(unrated, best, "1/2-1/2", minute=20)
    game(other, unrated, minute=30, rated=False, unrated_reason="x")
    game(other, best, minute=40, voided_at=at(41), void_reason="x")
    game(best, other, "", minute=50, ended_at=None)


@pytest.fixture(scope="class")
def arena(standing):
    standing(an_arena)


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (GameTable, lambda: Game.objects.with_names()),
        (ChangeTable, lambda: RatingChange.objects.with_events()),
        (PlayedGameTable, lambda: RatingChange.objects.filter(game__isnull=False)),
        (LiveRatingTable, lambda: Rating.objects.filter(rating__isnull=False)),
        (PastRatingTable, lambda: RatingChange.objects.filter(after__isnull=False)),
        (MemberTable, lambda: Member.objects.all()),
    ],
)
def test_rows_are_those_of_the_library(arena, table, rows, language):
    with translation.override(language):
        found = body(table(list(rows())))
        expected = ROWS_OF_THE_LIBRARY.render(Context({"table": table(list(rows()))}))
    assert found.count("<tr>") >= 2
    assert found == re.sub("<td >", "<td>", expected)


def test_a_table_without_rows_has_no_body():
    assert body(GameTable([])) == ""


def test_text_is_escaped_and_numbers_are_written_as_in_templates():
    assert escaped("<a>'&") == "&lt;a&gt;&#x27;&amp;"
    assert [escaped(value) for value in (1234567, True, None)] == ["1234567", "True", "None"]


@pytest.mark.needs("otb")
def test_an_address_is_that_of_reverse_at_every_mount_point():
    from django.urls import reverse, set_script_prefix

    try:
        for prefix in ("/", "/office/"):
            set_script_prefix(prefix)
            for view in ("ratings:profile", "ratings:game", "ratings:change", "otb:player"):
                for key in (1, 42, 2**52):
                    assert address_of(view, key) == reverse(view, args=(key,))
    finally:
        set_script_prefix("/")


def test_a_page_of_a_list_shows_those_rows(arena, client):
    page = client.get("/members/").content.decode()
    assert "&lt;b&gt;A &amp; B" in page
    assert body(MemberTable(list(Member.objects.order_by("name", "username", "pk")))) in page
