"""The history of changes: who, when, what stood before, and why."""

from decimal import Decimal

import pytest
from django.apps import apps
from django.core import serializers
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foa.history import STOOD_BEFORE
from members.models import AccountClosure, FullMembership, Member
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment, TimeControl
from tests.arena import adjustment, at, control, game, member, opening, rated, taken_back
from tests.backoffice import admin_page, game_form, keeps_the_policy
from tests.decisions import confirmed_on, decide
from tests.pages import queries, words

pytestmark = pytest.mark.django_db

KEPT = {Member, FullMembership, AccountClosure, TimeControl, Game, OpeningRating, OtbAdjustment}


@pytest.fixture
def registrar(django_user_model):
    return django_user_model.objects.create_user("anna.registrar")


def kinds(what):
    """The rows of an object, oldest first: what each is, who, and why."""
    rows = what.history.order_by("history_id")
    return [(row.history_type, str(row.history_user or ""), row.history_change_reason or "") for row in rows]


def test_only_what_people_enter_has_a_history_and_projections_have_none():
    models = [*apps.get_app_config("members").get_models(), *apps.get_app_config("ratings").get_models()]
    assert {model for model in models if hasattr(model, "history")} == KEPT
    historical = {model for model in models if model.__name__.startswith("Historical")}
    assert historical == {model.history.model for model in KEPT}


def test_what_a_file_or_the_arena_brings_leaves_no_row():
    played = game(rated(1600), rated(1600))
    with deferred():
        Game.objects.bulk_create(
            [
                Game(
                    white=played.white,
                    black=played.black,
                    result="1-0",
                    time_control=control("180+2"),
                    started_at=at(20),
                    ended_at=at(25),
                )
            ]
        )
    for model in KEPT:
        assert not model.history.exists()


def test_what_staff_enter_is_kept_with_who_and_when(staff):
    before = timezone.now()
    staff.post(admin_page(Game, "add"), game_form(rated(1600), rated(1600)))
    (row,) = Game.history.all()
    assert (row.history_type, row.history_user.username) == ("+", "registrar")
    assert before <= row.history_date <= timezone.now()
    assert row.id == Game.objects.get().pk


def test_the_first_change_keeps_also_what_stood_before(registrar):
    played = game(rated(1600), rated(1600), external_id="x1")
    played._history_user = registrar
    played.result = "0-1"
    played.save()
    assert kinds(played) == [("+", "", STOOD_BEFORE), ("~", "anna.registrar", "")]
    stood, stands = played.history.order_by("history_id")
    assert (stood.result, stands.result) == ("1-0", "0-1")
    assert (stood.external_id, stood.ended_at, stood.white) == ("x1", at(10), played.white)
    played.result = "1/2-1/2"
    played.save()
    assert [row.result for row in played.history.order_by("history_id")] == ["1-0", "0-1", "1/2-1/2"]


def test_the_history_tells_what_was_stored_not_what_somebody_remembered():
    played = game(rated(1600), rated(1600))
    stale = Game.objects.get()
    played.termination = "resignation"
    played.save()
    stale.result = "0-1"
    stale.save(update_fields=["result"])
    rows = played.history.order_by("history_id")
    assert [(row.result, row.termination) for row in rows] == [
        ("1-0", "normal"),
        ("1-0", "resignation"),
        ("0-1", "resignation"),
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: member(),
        lambda: member().full_memberships.get(),
        lambda: control("180+2"),
        lambda: game(rated(1600), rated(1600)),
        lambda: opening(member(), 1600),
        lambda: adjustment(rated(1600), 5),
    ],
)
def test_a_save_that_changes_nothing_leaves_no_row(make):
    make().save()
    for model in KEPT:
        assert not model.history.exists()


def test_a_save_of_some_fields_keeps_only_these():
    played = game(rated(1600), rated(1600))
    played.termination, played.result = "resignation", "0-1"
    played.save(update_fields=["termination"])
    assert [(row.termination, row.result) for row in played.history.order_by("history_id")] == [
        ("normal", "1-0"),
        ("resignation", "1-0"),
    ]
    other = rated(1600)
    played.white = other
    played.save(update_fields=["white"])
    latest = played.history.first()
    assert (latest.white, latest.result) == (other, "1-0")


def test_values_of_another_type_that_say_the_same_are_no_change():
    first = opening(member(), "1600.00")
    first.rating, first.category = "1600", 2
    first.save()
    assert not first.history.exists()
    first.rating = "1600.01"
    first.save()
    assert [row.rating for row in first.history.order_by("history_id")] == [Decimal(1600), Decimal("1600.01")]


def test_voids_and_reinstatements_are_kept_with_who_and_why(registrar):
    played = game(rated(1600), rated(1600))
    void_games(games=[played], by=registrar, reason="engine", at=at(500))
    reinstate_games(games=[played], by=None, reason="proven clean")
    assert kinds(played) == [
        ("+", "", STOOD_BEFORE),
        ("~", "anna.registrar", "engine"),
        ("~", "", "proven clean"),
    ]
    assert [(row.voided_at, row.void_reason) for row in played.history.order_by("history_id")] == [
        (None, ""),
        (at(500), "engine"),
        (None, ""),
    ]


def test_what_is_refused_or_only_shown_leaves_no_row(registrar):
    played = game(rated(1600), rated(1600))
    taken_back(lambda: void_games(games=[played], by=registrar, reason="engine", at=at(500)))
    with pytest.raises(ValidationError):
        reinstate_games(games=[played], by=registrar, reason="not void")
    assert not Game.history.exists()


def test_a_deletion_is_kept_with_what_was_deleted(staff):
    games = [game(rated(1600), rated(1600), minute=minute, external_id=f"g{minute}") for minute in (10, 20)]
    keys = [one.pk for one in games]
    confirmed_on(staff, staff.get(admin_page(games[0], "delete")))
    posted = {"action": "delete_selected", "_selected_action": keys[1], "post": "yes"}
    confirmed_on(staff, staff.post(admin_page(Game), posted))
    assert not Game.objects.exists()
    rows = Game.history.order_by("history_id")
    assert [(row.id, row.history_type, row.external_id, row.history_user.username) for row in rows] == [
        (keys[0], "-", "g10", "registrar"),
        (keys[1], "-", "g20", "registrar"),
    ]


def test_fixtures_leave_no_row():
    played = game(rated(1600), rated(1600))
    text = serializers.serialize("json", [played]).replace("normal", "resignation")
    for stored in serializers.deserialize("json", text):
        stored.save()
    assert Game.objects.get().termination == "resignation"
    assert not Game.history.exists()


def test_the_first_change_takes_three_statements_more_and_each_later_one_two():
    """Beside those of a transaction."""
    who = member()
    counts = []
    for federation in ("", "NOR", "POL"):
        who.federation = federation
        with CaptureQueriesContext(connection) as captured:
            who.save()
        counts.append(sum("SAVEPOINT" not in query["sql"] for query in captured))
    # What they were called, what stood, the update, and that others are told; is there a row, one for the
    # change; at first one for what stood before.
    assert counts == [4, 7, 6]


def test_the_page_of_an_object_tells_its_changes_in_words(staff):
    anna, bob, carl = rated(1600), rated(1600), rated(1600)
    played = game(anna, bob)
    confirmed_on(staff, staff.post(admin_page(played), game_form(anna, carl, result="0-1", rated="on")))
    decide(staff, "/admin/ratings/game/void/", {"game": played.pk}, staff_note="engine <b>use</b>")
    response = staff.get(admin_page(played, "history"))
    assert keeps_the_policy(response)
    text = words(response)
    assert f"Changed {anna} – {carl} 0-1 registrar engine <b>use</b> Voided at: – → " in text
    assert f"Black: {bob} → {carl}" in text
    assert "Result: 1-0 → 0-1" in text
    assert "Started at: 1 Mar 2026, 00:05 UTC → 1 Mar 2026, 00:10 UTC" in text
    assert f"Original values {anna} – {bob} 1-0 – – –" in text
    assert "<b>use</b>" not in response.content.decode()


def test_the_page_of_a_member_tells_also_of_his_spans(staff):
    who = member("anna")
    span = who.full_memberships.get()
    posted = {
        "username": "anna",
        "name": "Berg, Anna",
        "fide_id": "",
        "federation": "",
        "sex": "",
        "birth_year": "",
        "title": "",
        "user": "",
        "full_memberships-TOTAL_FORMS": "1",
        "full_memberships-INITIAL_FORMS": "1",
        "full_memberships-0-id": span.pk,
        "full_memberships-0-member": who.pk,
        "full_memberships-0-DELETE": "on",
        "full_memberships-0-full_from_0": "2026-03-01",
        "full_memberships-0-full_from_1": "00:00:00",
        "full_memberships-0-full_until_0": "",
        "full_memberships-0-full_until_1": "",
    }
    assert staff.post(admin_page(who), posted).status_code == 302
    text = words(staff.get(admin_page(who, "history")))
    assert "Changed Berg, Anna registrar – Name: – → Berg, Anna" in text
    assert "Full memberships When What Object Who Reason Changes" in text
    assert "Deleted 1 Mar 2026 – … registrar" in text


def test_deleted_objects_are_found_on_the_page_of_all_changes_and_keep_their_own(staff):
    played = game(rated(1600), rated(1600))
    name, own = str(played), admin_page(played, "history")
    confirmed_on(staff, staff.get(admin_page(played, "delete")))
    response = staff.get(admin_page(Game, "history"))
    assert f"Deleted {name} registrar seen by two" in words(response)
    assert f'href="{own}"' in response.content.decode()
    assert keeps_the_policy(response)
    assert f"Deleted {name} registrar seen by two" in words(staff.get(own))


def test_a_row_that_names_somebody_who_is_gone_says_so(staff):
    anna, bob, carl = rated(1600), rated(1600), member()
    played = game(anna, bob, rated=False)
    played.black = carl
    played.save()
    played.black = bob
    played.save()
    number = carl.pk
    carl.delete()
    text = words(staff.get(admin_page(played, "history")))
    assert f"Black: deleted, number {number} → {bob}" in text
    assert f"Changed number {played.pk} –" in text


def test_the_history_is_shown_a_hundred_rows_a_page_in_as_many_queries_as_for_two(staff):
    played = game(rated(1600), rated(1600), rated=False)
    for number in range(2):
        played.plies = number + 10
        played.save()
    few = queries(staff, admin_page(played, "history"))
    for number in range(101):
        played.plies = number + 50
        played.save()
    assert queries(staff, admin_page(played, "history")) == few <= 10
    first = words(staff.get(admin_page(played, "history")))
    assert "Plies: 149 → 150" in first
    # The last row of the page is compared with the first of the next.
    assert "Plies: 50 → 51" in first
    second = words(staff.get(admin_page(played, "history") + "?p=2"))
    assert "Plies: 11 → 50" in second
    assert "Original values" in second
    assert "Earlier" in first
    assert "Later" in second


@pytest.mark.parametrize("key", ["0", "x", "-1", "9" * 30, "_00", "99999"])
@pytest.mark.parametrize("model", [Member, Game, TimeControl])
def test_what_never_was_has_no_history(staff, model, key):
    assert staff.get(f"{admin_page(model)}{key}/history/").status_code == 404


def test_a_page_that_never_was_is_the_nearest_one(staff):
    played = game(rated(1600), rated(1600))
    for page in ("0", "x", "99999", "9" * 30, ""):
        assert staff.get(admin_page(played, "history"), {"p": page}).status_code == 200


def test_nothing_is_reverted_from_the_history(staff):
    played = game(rated(1600), rated(1600))
    played.result = "0-1"
    played.save()
    before = list(Game.objects.values_list()), list(Game.history.values_list())
    version = played.history.last()
    for address in (
        admin_page(played, "history"),
        f"{admin_page(played, 'history')}{version.pk}/",
        admin_page(Game, "history"),
    ):
        staff.post(address, game_form(played.white, played.black, _save="Revert"))
        assert "Revert" not in words(staff.get(address, follow=True))
    assert (list(Game.objects.values_list()), list(Game.history.values_list())) == before


def test_only_who_may_see_an_object_sees_its_history(client, django_user_model):
    played = game(rated(1600), rated(1600))
    client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
    assert client.get(admin_page(played, "history")).status_code == 403
    assert client.get(admin_page(Game, "history")).status_code == 403
