"""The journal: who changed what, when, from what to what, and by which change set."""

import csv
import io
from datetime import UTC, datetime

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group
from django.urls import reverse

from members.models import Member
from ratings.office import journal
from ratings.office.journal import Asked
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game
from tests.arena import game, member, rated
from tests.backoffice import admin_page
from tests.decisions import decide
from tests.pages import words

pytestmark = pytest.mark.django_db

ADDRESS = "/admin/office/journal/"


@pytest.fixture
def changed(staff, django_user_model):
    """A game that an officer corrected last March, and a member whom a clerk renamed since."""
    played = game(rated(1600), rated(1600))
    played._history_user = officer = django_user_model.objects.get()
    played.result = "0-1"
    played.save()
    played.history.update(history_date=datetime(2026, 3, 12, 9, 30, tzinfo=UTC))
    who = member("anna", name="Berg")
    who.name = "Berg, Anna"
    who.save()
    who.history.update(history_date=datetime(2026, 4, 2, tzinfo=UTC))
    return played, who, officer


def told(**asked):
    return [
        (line.action, line.model, [tuple(map(str, one)) for one in line.differences])
        for line in journal.everything(Asked(**asked))
        if line.action != "added"
    ]


def test_who_changed_a_game_last_march(staff, changed):
    played, _who, _officer = changed
    page = staff.get(ADDRESS, {"source": "ratings.game", "since": "2026-03-01", "until": "2026-03-31"})
    text = words(page)
    assert "12 Mar 2026, 09:30 UTC registrar" in text
    assert "Result: 1-0 → 0-1" in text
    assert admin_page(played, "history") in page.text
    assert "Berg, Anna" not in text


def test_all_models_stand_together_newest_first(changed):
    assert told() == [
        ("changed", "member", [("Name", "Berg", "Berg, Anna")]),
        ("changed", "game", [("Result", "1-0", "0-1")]),
    ]


def test_it_is_narrowed_by_login_kind_action_and_days(changed):
    assert [kind for _action, kind, _changes in told(who="registrar")] == ["game"]
    assert [kind for _action, kind, _changes in told(source="members.member")] == ["member"]
    assert told(action="deleted") == []
    april = datetime(2026, 4, 1, tzinfo=UTC)
    assert [kind for _action, kind, _changes in told(since=april)] == ["member"]
    assert [kind for _action, kind, _changes in told(until=april)] == ["game"]


def test_a_change_by_a_decision_names_its_change_set(staff):
    played = game(rated(1600), rated(1600))
    decide(staff, admin_page(Game, "void"), {"game": played.pk})
    number = ChangeSet.objects.get().pk
    lines = list(journal.everything(Asked()))
    found = [(line.action, line.model, line.change_set) for line in lines]
    assert ("changed", "game", number) in found
    assert ("decided", "change set", number) in found


def test_models_without_a_history_are_there_by_the_log_of_the_admin(staff, django_user_model):
    group = Group.objects.get(name="Auditors")
    LogEntry.objects.log_actions(django_user_model.objects.get().pk, [group], CHANGE, change_message="x")
    (line,) = (line for line in journal.everything(Asked(source="log")))
    assert (line.action, line.model, line.name, line.reason) == ("changed", "group", "Auditors", "x")
    assert line.address == reverse("admin:auth_group_change", args=(group.pk,))


def test_pages_follow_each_other_without_a_gap_even_at_one_moment():
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    for number in range(5):
        who = member(f"m{number}")
        who.name = f"Name {number}"
        who.save()
        played = game(rated(1600), rated(1600))
        played.termination = "resignation"
        played.save()
        for one in (who, played):
            one.history.update(history_date=moment)
    together = list(journal.everything(Asked()))
    found, place = [], None
    while True:
        lines, place = journal.page(Asked(), place, 3)
        found += lines
        if place is None:
            break
    assert [line.place for line in found] == [line.place for line in together]
    assert len({line.place for line in found}) == len(found) == 10


def test_all_of_it_is_a_file_with_a_row_for_each_changed_field(staff, changed):
    answer = staff.get(ADDRESS, {"format": "csv", "until": "2026-12-31", "action": "changed", "all": "on"})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert [(row["kind"], row["field"], row["from"], row["to"]) for row in rows] == [
        ("member", "Name", "Berg", "Berg, Anna"),
        ("game", "Result", "1-0", "0-1"),
    ]
    assert rows[1]["at"] == "2026-03-12T09:30:00Z"
    assert rows[1]["who"] == "registrar"


def test_what_arrived_by_itself_is_apart_from_the_work_of_people(staff, changed):
    text = words(staff.get(ADDRESS))
    assert "Result: 1-0 → 0-1" in text
    assert "Name: Berg → Berg, Anna" not in text
    assert "Name: Berg → Berg, Anna" in words(staff.get(f"{ADDRESS}?all=on"))


def test_nobody_deletes_from_it_superusers_included(staff, changed):
    before = len(list(journal.everything(Asked())))
    for page in ("add/", "1/change/", "1/delete/"):
        assert staff.post(f"{ADDRESS}{page}", {"post": "yes"}).status_code in (302, 403, 404)
    assert staff.post(ADDRESS, {"action": "delete_selected", "_selected_action": "1"}).status_code == 200
    assert len(list(journal.everything(Asked()))) == before
    assert Member.objects.filter(name="Berg, Anna").exists()


def test_a_senseless_page_is_refused_in_words(staff):
    assert staff.get(ADDRESS, {"before": "x"}).status_code == 400
    assert "Enter a valid date." in staff.get(ADDRESS, {"since": "x"}).text
