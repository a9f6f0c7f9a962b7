"""The search for members by words of their names."""

import pytest
from django.db import connection

from members.models import FormerName, Member
from ratings.rbb.merging import merge_members
from ratings.rbb.models import RatingChange
from tests.arena import at, game, member, rated

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "text",
    ["hans tief", "TIEFENBACH, hans", "bach-tief", "toth", "Tóth hans", "old_hans", "Kovacs", "łód", "lod"],
)
def test_words_find_a_member_in_any_order_without_accents_and_by_former_names(text):
    who = member("old_hans", name="Kovács, Jan")
    who.username, who.name = "bach-tief_99", "Tiefenbach-Tóth, Hans Łódź"
    who.save()
    member("hansel", name="Berg, Tóm")
    assert list(Member.objects.matching(text)) == [who]


def test_words_follow_every_change_of_names():
    who, other = member("anna", name="Berg, Anna"), member("otto", name="Lund, Otto")
    Member.objects.filter(pk=who.pk).update(name="Cruz, Anna")
    assert list(Member.objects.matching("cruz")) == [who]
    FormerName.objects.get(member=who).delete()
    assert not Member.objects.matching("berg").exists()
    (third,) = Member.objects.bulk_create([Member(username="nina", username_key="nina", name="Vega, Nina")])
    assert list(Member.objects.matching("nin veg")) == [third]
    merge_members(member=who, other=other, at=at(1))
    assert list(Member.objects.matching("otto")) == [who]


def test_a_part_within_a_word_finds_whom_no_beginning_finds():
    who = member("anna", name="Lindberg, Anna")
    assert list(Member.objects.matching("dber")) == [who]
    other = member("bob", name="Berg, Bob")
    assert list(Member.objects.matching("berg")) == [other]


def test_indexes_answer_a_search_for_words():
    for number in range(300):
        member(f"user{number}", name=f"Name{number}, Anna", full_from=None)
    plan = Member.objects.matching("name77 ann").order_by().explain()
    assert "name_word_of_member" in plan or connection.vendor == "postgresql"
    assert "SCAN members_member" not in plan


@pytest.fixture
def officer(client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("officer"))
    return client


def test_namesakes_are_told_apart_where_one_is_picked(officer):
    for username, born in (("anna", 1984), ("anna2", None)):
        member(username, name="Berg, Anna", federation="NOR", birth_year=born)
    query = {"app_label": "ratings", "model_name": "game", "field_name": "white", "term": "anna berg"}
    picks = officer.get("/admin/autocomplete/", query).json()["results"]
    assert [one["text"] for one in picks] == ["Berg, Anna (anna, NOR, 1984)", "Berg, Anna (anna2, NOR)"]


def test_games_are_found_by_the_beginning_of_an_external_id_and_by_numbers(officer):
    white, black = rated(1700), rated(1700)
    first = game(white, black, minute=10, id=777_001, external_id="arena/4711")
    game(white, black, minute=20, external_id="arena/5822")
    line = RatingChange.objects.filter(game=first).first()
    for text in ("arena/4711", "arena/47", str(first.pk), str(line.pk)):
        page = officer.get("/admin/ratings/game/", {"q": text})
        assert [one.pk for one in page.context["cl"].result_list] == [first.pk], text
    assert len(officer.get("/admin/ratings/game/", {"q": "arena/"}).context["cl"].result_list) == 2
    assert not officer.get("/admin/ratings/game/", {"q": "9" * 30}).context["cl"].result_list
