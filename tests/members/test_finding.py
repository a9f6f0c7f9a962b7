"""The search that finds a member while somebody types."""

import pytest
from django.db import connection

from members.models import FormerName, Member
from ratings.rbb.merging import merge_members
from ratings.rbb.models import RatingChange
from tests.arena import at, game, member, opening, rated
from tests.pages import words

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize("text", ["berg", "ANN", "1500001", " anna "])
def test_a_member_is_found_by_name_username_or_fide_id(client, text):
    anna = member("anna", name="Berg, Anna", fide_id=1500001, title="WGM", federation="NOR")
    opening(anna, "1799.60")
    member("boris", name="Lund, Boris")
    response = client.get("/members/find/", {"member": text}, headers=HTMX)
    assert words(response) == (
        "1 member found. Live ratings: Rapid · Blitz · Bullet WGM Berg, Anna anna – · 1800 · –"
    )
    assert f'href="/members/{anna.pk}/"' in response.content.decode()


def test_at_most_eight_are_shown_by_name_and_it_says_that_there_are_more(client):
    for number in range(9):
        member(f"m{number}", name=f"Li, {number}")
    text = words(client.get("/members/find/", {"member": "li"}, headers=HTMX))
    assert text.startswith("More matches. Type more letters.")
    assert "Li, 7" in text
    assert "Li, 8" not in text


@pytest.mark.parametrize(("text", "answer"), [("", ""), ("  ", ""), ("nobody", "No members found.")])
def test_nothing_typed_finds_nothing(client, text, answer):
    member("anna")
    assert words(client.get("/members/find/", {"member": text}, headers=HTMX)) == answer


@pytest.mark.parametrize("text", ["\x01", "x" * 5000, "%", "_", "\\", "'; drop table", "9" * 40, "\ud800"])
def test_strange_text_finds_nobody_and_does_no_harm(client, text):
    member("anna")
    response = client.get("/members/find/", {"member": text.encode("utf-8", "replace")}, headers=HTMX)
    assert response.status_code == 200
    assert "anna" not in words(response)


def test_without_javascript_the_search_opens_the_list(client):
    response = client.get("/members/find/", {"member": "a&b"})
    assert response.status_code == 302
    assert response["Location"] == "/members/?member=a%26b"


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
