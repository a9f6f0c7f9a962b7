"""Nothing published is ever altered: lines keep what they say, and their CSV is the same everywhere."""

import csv
import hashlib
import io
from datetime import UTC, datetime

import pytest

from ratings.rbb.ledger.activity import twelve_months_before
from ratings.rbb.lists.files import LIST_FORMATS, published_list_file
from ratings.rbb.lists.publishing import publish, publish_requested
from ratings.rbb.models import RatingList
from ratings.rbb.models.lists import entry_id
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, rated

pytestmark = pytest.mark.django_db

APRIL, MAY = datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
DAY = 24 * 60
"""Minutes."""

ODD_NAMES = (
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\tx",
    "'x",
    'Anna "Ann" Berg',
    "Berg, Anna",
    " blank",
    "\\.",
    "\\N",
    "a\\b",
    "two\nlines",
    "Łódź – naïve",
    "中文",
    "%s %(a)s",
    ";",
    "",
)


def freeze(month, **options):
    return publish(category=Category.BLITZ, month=month, at=month, **options)[0]


def file_of(published):
    return b"".join(LIST_FORMATS["csv"].pieces(published_list_file(published, published.entries)))


def test_a_member_who_is_called_otherwise_later_stands_on_the_list_as_he_was(client):
    who = member(
        "anna", name="Berg, Anna", federation="NOR", sex="F", title="WCM", birth_year=1990, fide_id=7
    )
    opening(who, 1700)
    published = freeze(APRIL)
    for field, value in {
        "username": "ann",
        "name": "Dahl, Anna",
        "federation": "SWE",
        "sex": "",
        "title": "WFM",
        "birth_year": None,
        "fide_id": 8,
    }.items():
        setattr(who, field, value)
    who.save()
    assert file_of(published).decode().splitlines()[1] == (
        '1,anna,7,"Berg, Anna",WCM,NOR,1700,0,,,0,20,0,0,,0.00,0.00,1700.00,0.00,1700.00'
    )
    assert hashlib.sha256(file_of(published)).hexdigest() == published.checksum
    line = published.entries.get()
    assert (line.sex, line.birth_year, line.known_as) == ("F", 1990, "Berg, Anna")
    assert freeze(APRIL, revise=True) == published, "no rating differs"


def test_every_name_comes_out_as_it_was_but_for_an_apostrophe_before_formulas():
    for number, name in enumerate(ODD_NAMES):
        opening(member(f"{name.strip() or 'x'}{number}".replace("\n", ""), name=name), 1500 + number)
    published = freeze(APRIL)
    found = list(csv.reader(io.StringIO(file_of(published).decode(), newline="")))
    told = {
        "=": "'=1+1",
        "+": "'+1",
        "-": "'-1",
        "@": "'@x",
        "\t": "'\tx",
        "\n": "'\nx",
        "＝": "'＝x",
        "＠": "'＠x",
    }
    assert [row[3] for row in found[1:]] == [told.get(name[:1], name) for name in reversed(ODD_NAMES)]


def test_a_line_knows_the_games_of_twelve_months():
    anna, bob = rated(1600), rated(1600)
    for minute in (10, 31 * DAY, 31 * DAY + 1, 240 * DAY):
        game(anna, bob, minute=minute)
    for month, period, year in (
        (APRIL, 2, 2),
        (MAY, 1, 3),
        (datetime(2027, 3, 1, tzinfo=UTC), 1, 4),
        # That of the first moment of April 2026 is no longer within the twelve months.
        (datetime(2027, 4, 1, tzinfo=UTC), 0, 2),
    ):
        line = freeze(month).entries.get(member=anna)
        assert (line.period_games, line.year_games) == (period, year), month


def test_twelve_months_before_the_29th_of_february_begin_on_the_28th():
    assert twelve_months_before(datetime(2028, 2, 29, tzinfo=UTC)) == datetime(2027, 2, 28, tzinfo=UTC)
    assert twelve_months_before(datetime(2028, 3, 1, tzinfo=UTC)) == datetime(2027, 3, 1, tzinfo=UTC)


def test_a_requested_list_is_the_state_of_its_second_and_of_one_federation():
    anna, bob = (member(name, federation="NOR", name=name) for name in ("anna", "bob"))
    carl = member("carl", federation="SWE")
    for who in (anna, bob, carl):
        opening(who, 1600)
    monthly = freeze(APRIL)
    game(anna, carl, minute=40 * DAY)
    game(carl, bob, minute=40 * DAY + 1)
    asked = publish_requested(
        category=Category.BLITZ, federation="NOR", member=bob, at=at(40 * DAY + 1 / 120)
    )
    assert (asked.month, asked.as_of, asked.previous, asked.members) == (None, at(40 * DAY), monthly, 2)
    assert [(line.position, line.rank, line.username, line.period_games) for line in asked.entries] == [
        (1, 1, "anna", 1),
        (2, 2, "bob", 0),
    ]
    assert [line.pk for line in asked.entries] == [entry_id(asked.pk, 1), entry_id(asked.pk, 2)]
    assert list(RatingList.objects.monthly()) == [monthly]
    assert list(RatingList.objects.requested()) == [asked]


def test_the_period_of_a_monthly_list_runs_from_the_monthly_list_before_not_from_a_requested_one():
    anna, bob = rated(1600), rated(1600)
    april = freeze(APRIL)
    game(anna, bob, minute=40 * DAY)
    publish_requested(category=Category.BLITZ, federation="", member=anna, at=at(41 * DAY))
    may = freeze(MAY)
    assert may.previous == april
    assert {line.period_games for line in may.entries} == {1}
