"""What members were called: kept by itself, found again, and nobody else's (decision 0114)."""

import io

import pytest
from django.core.exceptions import ValidationError

from members.comparing import compare_members
from members.former import FormerName
from members.importing import COLUMNS, import_members, read_members
from members.models import Member
from tests.arena import member
from tests.commands import csv_file, game_row, run

pytestmark = pytest.mark.django_db


def former(who):
    return [(one.text, one.is_username) for one in FormerName.objects.filter(member=who).order_by("pk")]


def renamed(username="otto", to="otto_new", **fields):
    who = member(username, **fields)
    who.username = to
    who.save()
    return who


def file_of(*rows):
    header = ",".join(COLUMNS)
    return read_members(io.BytesIO("\n".join([header, *rows]).encode()))


def test_a_save_keeps_the_username_and_the_name_until_then():
    who = member("otto", name="Berg, Otto")
    who.username, who.name = "otto_new", "Lund, Otto"
    who.save()
    assert former(who) == [("otto", True), ("Berg, Otto", False)]
    assert not FormerName.objects.exclude(since=None).exists()
    who.username = "otto_newer"
    who.save(update_fields=["username"])
    second = FormerName.objects.get(text="otto_new")
    assert second.since == FormerName.objects.get(text="otto").until < second.until


def test_an_update_of_many_keeps_them_too():
    who, other = member("otto"), member("paula")
    Member.objects.filter(pk__in=(who.pk, other.pk)).update(name="Berg")
    assert former(who) == []
    who.refresh_from_db()
    who.username = "otto_new"
    Member.objects.bulk_update([who], ["username"])
    assert former(who) == [("otto", True)]


def test_what_is_saved_without_another_name_keeps_nothing():
    who = member("otto", name="Berg, Otto")
    who.federation = "NOR"
    who.save()
    who.username = "Otto"
    who.save()
    assert former(who) == []


def test_who_takes_a_former_username_up_again_has_it_and_no_longer_had_it():
    who = renamed()
    who.username = "otto"
    who.save()
    assert former(who) == [("otto_new", True)]


@pytest.mark.parametrize("username", ["otto", "OTTO"])
def test_a_former_username_is_nobody_elses(username):
    renamed(name="Berg, Otto")
    with pytest.raises(ValidationError, match="Berg, Otto had the username “otto” before"):
        member(username)
    with pytest.raises(ValidationError, match="still leads to them"):
        Member.objects.bulk_create([Member(username=username)])
    other = member("paula")
    other.username = username
    with pytest.raises(ValidationError, match="Choose another"):
        other.full_clean()
    with pytest.raises(ValidationError, match="Choose another"):
        other.save()
    with pytest.raises(ValidationError, match="Choose another"):
        Member.objects.filter(pk=other.pk).update(username=username)


@pytest.mark.rendered
def test_a_search_finds_who_was_called_so():
    who = renamed(name="Berg, Otto")
    who.name = "Lund, Otto"
    who.save()
    member("someone")
    for text in ("berg", "ott", "OTTO"):
        assert list(Member.objects.matching(text)) == [who]
    assert Member.objects.called("Otto") == who


def test_a_search_takes_one_query_for_former_names_and_one_for_members(django_assert_num_queries):
    renamed()
    with django_assert_num_queries(2):
        list(Member.objects.matching("otto"))


def test_a_file_that_says_a_former_username_means_the_member():
    who = renamed()
    row = "otto,,,NOR,,,,,"
    compared = compare_members(rows=file_of(row))
    assert [(one.member, one.facts) for one in compared.updates] == [(who, {"federation": ("", "NOR")})]
    refused = []
    result = import_members(rows=file_of("otto,,,,,,,,"), on_refused=refused.append)
    assert (result.already_there, result.stored, refused) == (1, 0, [])


def test_games_that_name_a_former_username_are_the_members_and_make_nobody_new(tmp_path):
    who = member("otto")
    first = csv_file(tmp_path / "first.csv", [game_row(1, "otto", "paula")])
    assert "1 stored" in run("import_games", first, "--create-members").out
    who.username = "otto_new"
    who.save()
    both = csv_file(tmp_path / "both.csv", [game_row(1, "otto", "paula"), game_row(2, "otto", "paula")])
    done = run("import_games", both, "--create-members")
    assert done.code == 0, done.err
    assert set(Member.objects.values_list("username", flat=True)) == {"otto_new", "paula"}
    assert who.games_as_white.count() == 2
    against = csv_file(tmp_path / "against.csv", [game_row(3, "otto", "otto_new")])
    assert "white and black are both “otto”" in run("import_games", against).err


@pytest.mark.rendered
def test_the_profile_says_what_they_were_called(client):
    who = renamed()
    assert "Formerly" in client.get(who.get_absolute_url()).text
    assert "<dd>otto</dd>" in client.get(who.get_absolute_url()).text
    assert "Formerly" not in client.get(member("paula").get_absolute_url()).text


@pytest.mark.rendered
@pytest.mark.needs("desk")
def test_the_office_sees_them_and_takes_one_away(admin_client):
    who = renamed()
    page = admin_client.get(f"/admin/members/member/{who.pk}/change/").text
    one = FormerName.objects.get()
    assert "Former names" in page
    assert f"/admin/members/formername/{one.pk}/delete/" in page
    admin_client.post(f"/admin/members/formername/{one.pk}/delete/", {"post": "yes"})
    assert member("otto").pk != who.pk
