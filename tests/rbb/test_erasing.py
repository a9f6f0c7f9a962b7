"""Erasing a member who has left, and handing out what is stored of them (decision 0115)."""

import csv
import io
import json
from zipfile import ZipFile

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection

from members.models import AccountClosure, FormerName, FullMembership, Member
from ratings.desk.models import Case, LikelyDuplicate, MemberNote
from ratings.desk.services.cases import open_by_member
from ratings.fide.models import FideRating
from ratings.league.models import League, Player
from ratings.office import personal
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding, ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.merging import merge_members
from ratings.rbb.models import Game, OpeningRating, RatingChange, RatingList
from ratings.rbb.personal import erase_member, export_pieces
from tests.arena import at, game, member, opening
from tests.commands import run
from tests.decisions import DecisionCase

pytestmark = pytest.mark.django_db

NAME, USERNAME, FORMER, FIDE_ID = "Tóthová, Zdeňka", "zdenka_t", "Kisová, Zdeňka", 14_913_577
PERSONAL = (USERNAME, "zde", "Tóthová", "Tothova", "Zdeňka", "Zdenka", "Kisov", str(FIDE_ID), "z@example.org")
NOW = at(90 * 24 * 60)


def words_of(value):
    """Text as somebody would find it: escaped letters are letters."""
    text = value.decode("utf-8", "replace") if isinstance(value, (bytes, memoryview)) else str(value)
    return text.encode().decode("unicode_escape", "replace") if "\\u" in text else text


def places(*texts):
    """Every column of every table in which one of these texts stands."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for name, value in zip(names, row, strict=True):
                    if any(text.lower() in words_of(value).lower() for text in texts):
                        found.setdefault(f"{table}.{name}", value)
    return found


def decide(kind, note="", by=None, **parameters):
    asked = {name: [str(one) for one in value] for name, value in parameters.items()}
    return decide_at_once(Proposal(kind=kind_of(kind), parameters=asked, by=by, note=note))


def erase(who, **more):
    return erase_member(member=who, at=NOW, **more)


def a_leaver():
    """A member of whom there is something everywhere."""
    officer = User.objects.create_user("officer", is_staff=True, is_superuser=True)
    user = User.objects.create_user(
        "zdenka_login", email="z@example.org", first_name="Zdeňka", last_name="Tóthová", password="x"
    )
    who = member(
        "zde_before", name=FORMER, fide_id=FIDE_ID, birth_year=1984, sex="F", title="WFM", federation="CZE"
    )
    who.username, who.name, who.user = USERNAME, NAME, user
    who.save()
    FormerName.objects.filter(member=who).update(since=None)
    other, second = member("bob", name="Berg, Bob"), member("zde2", name=NAME)
    opening(who, 1500)
    OpeningRating.objects.update(source="from the file of Zdeňka Tóthová")
    opening(other, 1600)
    pgn = (
        f'[Event "Tóthová against Berg"]\n[White "{USERNAME}"]\n[WhiteFideId "{FIDE_ID}"]\n'
        f'[WhiteTitle "WFM"]\n[Black "bob"]\n[BlackFideId "4100018"]\n\n1. e4 {{ {NAME} likes this }} e5 1-0'
    )
    played = game(who, other, minute=10, pgn=pgn)
    game(other, second, minute=20)
    decide("publish-lists", by=officer, month=["2026-04"], category=["blitz"])
    decide("void-games", f"asked by {NAME}", officer, game=[played.pk])
    decide("reinstate-games", "Zdeňka Tóthová was right", officer, game=[played.pk])
    merge_members(member=who, other=second, at=at(50_000))
    AccountClosure.objects.create(
        member=who,
        closed_from=at(60_000),
        closed_until=at(70_000),
        category="request",
        note="Tóthová wrote",
        decided_at=NOW,
    )
    case = open_by_member(about="game", key=played.pk, member=who, text="I am Zdeňka", at=NOW)
    MemberNote.objects.create(member=who, text="wrote by mail", by=officer, at=NOW)
    MemberNote.objects.create(member=other, text=f"a friend of {NAME}", by=officer, at=NOW)
    LikelyDuplicate.objects.create(first=who, second=other, why="alike", found_at=NOW)
    Player.objects.create(league=League.objects.create(name="BAL"), name=NAME, member=who)
    FideRating.objects.create(fide_id=FIDE_ID, control="standard", period=at(0).date(), rating=1900, games=3)
    who.refresh_from_db()
    return who, other, officer, case


@pytest.fixture(scope="class")
def leaver(standing):
    return standing(a_leaver)


def test_nothing_in_any_table_names_a_member_who_was_erased(leaver):
    who, _other, officer, _case = leaver
    assert places(*PERSONAL), "the member was somewhere before"
    change_set, _effect = decide("erase-member", "asked for by mail", officer, member=[who.pk])
    assert change_set.state == ChangeSet.State.APPLIED
    assert places(*PERSONAL) == {}


def test_ratings_games_and_the_ledger_stay(leaver):
    who, *_rest = leaver
    before = list(RatingChange.objects.order_by("pk").values_list())
    erase(who)
    assert list(RatingChange.objects.order_by("pk").values_list()) == before
    assert replay(check=True).differences == 0
    who.refresh_from_db()
    assert (who.username, str(who)) == (f"withdrawn-{who.pk}", f"Withdrawn member {who.pk}")
    assert (who.federation, who.title, who.sex, who.birth_year) == ("CZE", "", "", None)


def test_a_published_list_keeps_its_figures_and_its_checksum_and_says_so(leaver, client):
    who, *_rest = leaver
    published = RatingList.objects.get()
    before = published.entries.order_by("pk").values_list("pk", "rank", "rating", "games")
    rows, checksum = list(before), published.checksum
    erase(who)
    published.refresh_from_db()
    assert (list(before.all()), published.checksum, published.withdrawn_at) == (rows, checksum, NOW)
    page = client.get(published.get_absolute_url()).text
    assert f"Withdrawn member {who.pk}" in page
    assert "A member on this list has left, and their name was removed on" in page

    audit(only=["list-checksums"])
    assert not AuditFinding.objects.filter(check_name="list-checksums").exists()


def test_the_audit_finds_nothing_wrong_with_what_an_erased_member_leaves(leaver):

    who, *_rest = leaver
    audit()
    before = {one.text for one in AuditFinding.objects.filter(is_there=True)}
    erase(who)
    audit()
    after = {one.text for one in AuditFinding.objects.filter(is_there=True)}
    assert after <= before


def test_nobody_logs_in_or_plays_as_a_member_who_was_erased(leaver, client):
    who, *_rest = leaver
    erase(who)
    client.post("/login/", {"username": "zdenka_login", "password": "x"})
    assert "_auth_user_id" not in client.session
    assert User.objects.filter(is_active=False, username__startswith="withdrawn-login-").count() == 1
    assert not FullMembership.objects.at(NOW).filter(member=who).exists()


def test_a_login_that_a_merge_left_without_a_member_goes_with_them(leaver):
    who, other, officer, _case = leaver
    left, elsewhere = (
        User.objects.create_user(f"{name}-zdenka", email=f"{name}.z@example.org") for name in ("a", "b")
    )
    for number, user in enumerate((left, elsewhere)):
        merge_members(member=who, other=member(f"zde{number}-too", user=user), at=NOW)
    LogEntry.objects.log_actions(officer.pk, [left], CHANGE, change_message="a.z@example.org")
    # The other one has been given to somebody else since.
    Member.objects.filter(pk=other.pk).update(user=elsewhere)
    files = unpacked(export_pieces(who, for_staff=False))
    assert "a.z@example.org" in files["login.csv"]
    assert "b.z@example.org" not in files["login.csv"]
    User.objects.filter(pk=left.pk).update(is_staff=True)
    with pytest.raises(ValidationError, match="has a staff login"):
        erase(who)
    User.objects.filter(pk=left.pk).update(is_staff=False)
    erase(who)
    assert places("a-zdenka", "a.z@example.org") == {}
    assert User.objects.get(pk=left.pk).is_active is False
    elsewhere.refresh_from_db()
    assert (elsewhere.username, elsewhere.is_active) == ("b-zdenka", True)


def test_the_tags_of_the_other_player_and_the_moves_stay(leaver):
    who, *_rest = leaver
    erase(who)
    pgn = Game.objects.order_by("pk").first().pgn
    assert f'[White "withdrawn-{who.pk}"]\n[Black "bob"]\n[BlackFideId "4100018"]' in pgn
    assert pgn.endswith("e5 1-0")
    assert "1. e4" in pgn


def test_a_case_of_a_member_who_was_erased_is_over_and_says_nothing(leaver):
    who, _other, _officer, case = leaver
    erase(who)
    case.refresh_from_db()
    assert case.state == Case.State.WITHDRAWN
    assert [one.text for one in case.entries.exclude(text="")] == [personal.REMOVED]


def test_a_note_that_names_the_member_is_refused(leaver):
    who, *_rest = leaver
    with pytest.raises(ValidationError, match="Don’t name the member in the note"):
        erase(who, note="Zdeňka Tóthová wrote")


def test_staff_members_and_those_who_have_left_already_are_refused(leaver):
    who, other, officer, _case = leaver
    Member.objects.filter(pk=other.pk).update(user=officer)
    with pytest.raises(ValidationError, match="has a staff login"):
        erase(other)
    erase(who)
    with pytest.raises(ValidationError, match="has already been erased or merged"):
        erase(who)


def test_a_word_that_is_part_of_a_name_goes_only_where_the_member_is_named():
    called = personal.Called(usernames=["ann"], names=["Grey, Ann"], numbers=[12, 123456], instead="w-1")
    assert called.out_of("annual grey-ann 12 Grey") == "annual grey-ann 12 Grey"
    assert called.out_of("GREY, ANN: grey matter, 123456.") == "w-1: w-1 matter, w-1."


def unpacked(pieces):
    archive = ZipFile(io.BytesIO(b"".join(pieces)))
    return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_export_has_every_table_twice_with_the_same_rows(leaver):
    who, *_rest = leaver
    files = unpacked(export_pieces(who, for_staff=True))
    tables = {name.partition(".")[0] for name in files} - {"README"}
    assert tables >= {"member", "games", "ledger", "published-lines", "cases", "notes", "decisions", "login"}
    for name in tables:
        rows = list(csv.DictReader(io.StringIO(files[f"{name}.csv"])))
        assert len(rows) == len(json.loads(files[f"{name}.json"])), name
    assert json.loads(files["fide-ratings.json"])[0]["rating"] == 1900
    assert json.loads(files["notes.json"])[0]["text"] == "wrote by mail"
    line = json.loads(files["ledger.json"])[0]
    assert (line["category"], line["category_in_words"]) == (2, "Blitz")
    assert line["reason_in_words"] == "3.4 started with an existing rating"


def test_a_member_gets_what_is_stored_of_them_without_what_staff_wrote_for_each_other(leaver, client):
    who, *_rest = leaver
    client.force_login(who.user)
    answer = client.get("/my-ratings/data/")
    assert answer["Content-Disposition"] == f'attachment; filename="member-{who.pk}.zip"'
    files = unpacked(answer.streaming_content)
    assert json.loads(files["member.json"])[0]["username"] == USERNAME
    together = "".join(files.values())
    assert "wrote by mail" not in together
    assert "Tóthová wrote" not in together
    assert "notes.csv" not in files
    assert "Ask the office for them" in files["README.txt"]


def test_an_export_with_secrets_of_a_login_does_not_exist(leaver):
    who, *_rest = leaver
    together = "".join(unpacked(export_pieces(who, for_staff=True)).values())
    assert who.user.password not in together


class TestErasing(DecisionCase):
    kind = "erase-member"
    told_by_number = {"fullmembership": "members.FullMembership"}
    undoable = False
    is_public = False

    def arrange(self):
        self.who, self.other = member("zora", name="Kral, Zora", fide_id=FIDE_ID), member()
        return {"member": [str(self.who.pk)]}

    def disturb(self):
        game(self.who, self.other, pgn='[White "zora"]')

    def state(self):
        return list(Member.objects.order_by("pk").values_list())


def test_the_command_erases_only_without_dry_run_and_names_nobody():
    who = member("zora", name="Kral, Zora")
    looked = run("erase_member", "zora", "--dry-run")
    assert looked.out.endswith(f"Member {who.pk} would be erased.\n")
    assert Member.objects.called("zora") == who
    done = run("erase_member", "zora", "--reason", "by mail")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"  Members: 1\n  Full memberships: 1\nMember {who.pk} was erased.\n"), done.out
    assert ChangeSet.objects.get().staff_note == "by mail"
    assert Member.objects.called("zora") is None
    assert run("erase_member", "zora").err == "There’s no member called “zora”."


def test_the_command_writes_all_that_is_stored(tmp_path):
    member("zora", name="Kral, Zora")
    done = run("export_member", "zora", "--output", str(tmp_path / "zora.zip"))
    assert (done.code, done.err) == (0, "")
    files = unpacked([(tmp_path / "zora.zip").read_bytes()])
    assert json.loads(files["member.json"])[0]["name"] == "Kral, Zora"
    assert run("export_member", "nobody").err == "There’s no member called “nobody”."
