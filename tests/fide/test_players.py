"""Finding players of the FIDE list: by the beginning of a name, and for members without a FIDE ID."""

import pytest
from django.db import connection

from members.models import Member
from ratings.fide.models import FidePlayer
from ratings.fide.services.players import likely_players, without_fide_id
from ratings.formats.frl import combined_xml
from ratings.office.names import folded
from tests.arena import member
from tests.fide.office import OCTOBER, bring, listed

pytestmark = pytest.mark.django_db


def bring_named(*names, **other):
    rows = [listed(number, name, **other) for number, name in enumerate(names, 1)]
    bring(OCTOBER, b"".join(combined_xml(rows)))


def likely(name, **about):
    return [player.pk for player in likely_players(Member(name=name, **about))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("berg", [1, 2]),
        ("BERG, A", [1]),
        (" Berg,", [1, 2]),
        ("bergm", [3]),
        ("Łuk", [4]),
        ("luk", [4]),
        ("anna", []),
        ("b%", []),
        ("", [1, 2, 3, 4]),
        ("\x00berg", [1, 2]),
        ("𝔘" * 200, []),
    ],
)
def test_players_are_found_by_the_beginning_of_the_name_whatever_its_capitals_and_accents(text, found):
    bring_named("Berg, Anna", "BERG, Bo", "Bergman, Anna", "Łukasik, Jan")
    expected = found if text.strip().lower() != "berg" and text != "\x00berg" else [1, 2, 3]
    assert list(FidePlayer.objects.named(text).values_list("pk", flat=True)) == expected


def test_a_name_is_folded_to_capitals_without_accents():
    assert [folded(name) for name in ("Berg, Anna", "Müller, Łukasz", "Weiß")] == [
        "BERG, ANNA",
        "MULLER, LUKASZ",
        "WEISS",
    ]


def test_the_worklist_has_members_with_a_name_and_without_fide_id():
    berg, _, aas = member(name="Berg"), member(name="Lund", fide_id=1), member(name="Aas")
    member(name="")
    assert list(without_fide_id()) == [aas, berg]


def test_likely_is_who_has_the_family_name_and_a_first_name_that_begins_alike():
    bring_named("Berg, Anna", "Berg, Andrea", "Berg, Bo", "Bergman, Anna", "Berg", "Lund, Anna")
    assert likely("Berg, Anna") == [1, 5, 2]
    assert likely("berg, a") == [5, 2, 1]
    assert likely("Berg") == [5, 2, 1, 3]
    assert likely("") == likely(", Anna") == likely("Nobody") == []


def test_federation_and_year_of_birth_speak_against_only_where_both_are_known():
    bring(
        OCTOBER,
        b"".join(
            combined_xml(
                [
                    listed(1, federation="SWE"),
                    listed(2, federation="FID"),
                    listed(3, birth_year=1991),
                    listed(4, birth_year=None),
                    listed(5),
                    listed(6, federation="", birth_year=None),
                ]
            )
        ),
    )
    assert likely("Berg, Anna", federation="NOR", birth_year=1990) == [5, 2, 4, 6]
    assert likely("Berg, Anna", federation="NOR") == [3, 4, 5, 2, 6]
    assert likely("Berg, Anna", birth_year=1991) == [3, 4, 6]
    assert likely("Berg, Anna") == [1, 2, 3, 4, 5, 6]


def test_a_player_who_is_a_member_already_is_likely_nobody_else():
    bring_named("Berg, Anna", "Berg, Anna")
    member(fide_id=1)
    assert likely("Berg, Anna") == [2]


def test_ten_are_named_and_no_fide_id_is_set():
    bring_named(*["Berg, Anna"] * 12)
    who = member(name="Berg, Anna")
    assert len(likely_players(who)) == 10
    who.refresh_from_db()
    assert who.fide_id is None


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="the plan of PostgreSQL")
def test_players_are_found_by_index():
    bring_named(*(f"Berg{number}, Anna" for number in range(3000)))
    for players in (
        FidePlayer.objects.named("Berg77"),
        FidePlayer.objects.named("Berg77").filter(federation="NOR"),
        FidePlayer.objects.order_by("folded", "fide_id")[:50],
    ):
        assert "Seq Scan" not in players.explain()
    assert connection.vendor == "postgresql"
