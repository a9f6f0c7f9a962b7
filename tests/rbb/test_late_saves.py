"""Editing without accidents: a save never takes back what somebody else has changed since."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.test import RequestFactory
from django.utils import timezone

from members.models import Member
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import Game
from tests.arena import game, member, opening, points, rated
from tests.backoffice import admin_page, furnish, game_form
from tests.decisions import decide

pytestmark = pytest.mark.django_db

GONE = "Someone deleted this after you loaded it. Nothing was saved."


@pytest.fixture
def played():
    return game(rated(1600), rated(1600))


def test_a_late_save_of_a_spelling_takes_no_result_back(played):
    late = Game.objects.get(pk=played.pk)
    played.result = "0-1"
    played.save()
    late.pgn = "1. e4 *"
    with pytest.raises(ValidationError) as refused:
        late.save()
    assert refused.value.messages == [
        "Someone changed this after you opened it: result was “1-0” and is now “0-1”. "
        "Reload the page and make your change again."
    ]
    late.refresh_from_db()
    assert (late.result, late.pgn) == ("0-1", "")
    late.pgn = "1. e4 *"
    late.save()
    assert Game.objects.get().pgn == "1. e4 *"


def test_a_late_save_takes_no_void_back_even_one_that_a_job_has_made(played):
    late = Game.objects.get(pk=played.pk)
    with deferred():
        Game.objects.filter(pk=played.pk).update(voided_at=timezone.now(), void_reason="error")
    late.termination = "resignation"
    with pytest.raises(ValidationError, match="voided at was “None”"):
        late.save()
    assert points(played.white) == 1600


def test_what_a_save_does_not_write_is_in_nobodys_way(played):
    late = Game.objects.get(pk=played.pk)
    played.result = "0-1"
    played.save()
    late.external_id = "x1"
    late.save(update_fields=["external_id"])
    assert (Game.objects.get().result, Game.objects.get().external_id) == ("0-1", "x1")


def test_reading_one_more_field_does_not_forget_what_was_loaded(played):
    some = Game.objects.defer("pgn").get(pk=played.pk)
    some.result = "0-1"
    assert some.pgn == ""
    assert some.was("result") == "1-0"
    some.save()
    assert Game.objects.get().result == "0-1"


def test_two_who_enter_the_same_are_not_in_each_others_way(played):
    late = Game.objects.get(pk=played.pk)
    for one in (played, late):
        one.result = "0-1"
        one.save()
    assert Game.objects.get().result == "0-1"


def test_a_first_rating_is_not_overwritten_either():
    first = opening(member(), 1600)
    late = type(first).objects.get()
    first.rating = 1700
    first.save()
    late.source = "other"
    with pytest.raises(ValidationError, match=r"rating was “1600.00” and is now “1700.00”"):
        late.save()


def opened(page):
    """What the form knows of the object as it was opened."""
    return unescape(re.search(r'name="opened" value="([^"]*)"', page.text).group(1))


def member_form(who, **values):
    span = who.full_memberships.get()
    return {
        "username": who.username,
        "name": who.name,
        "full_memberships-TOTAL_FORMS": "1",
        "full_memberships-INITIAL_FORMS": "1",
        "full_memberships-0-id": span.pk,
        "full_memberships-0-member": who.pk,
        "full_memberships-0-full_from_0": f"{span.full_from:%Y-%m-%d}",
        "full_memberships-0-full_from_1": "00:00:00",
        "full_memberships-0-full_until_0": "",
        "full_memberships-0-full_until_1": "",
        **values,
    }


def test_a_form_is_not_saved_over_somebody_elses_save_and_says_the_difference(staff, django_user_model):
    who = member("anna", name="Berg")
    form = opened(staff.get(admin_page(who)))
    who.name, who._history_user = "Berg, Anna", django_user_model.objects.create_user("clerk")
    who.save()
    refused = staff.post(admin_page(who), member_form(who, name="Bergh", opened=form))
    assert refused.status_code == 200
    text = unescape(re.sub(r"<[^>]*>", "", refused.text))
    changed = r"clerk changed this on \d+ [A-Z][a-z]+ \d{4}, [:\d]{5} UTC, after you opened the form\."
    assert re.search(changed, text), text
    assert "Name: Berg → Berg, Anna" in text
    assert Member.objects.get(pk=who.pk).name == "Berg, Anna"
    # The page now knows how the member stands: a further save is meant.
    posted = staff.post(admin_page(who), member_form(who, name="Bergh", opened=opened(refused)))
    assert posted.status_code == 302
    assert Member.objects.get(pk=who.pk).name == "Bergh"


def test_a_form_sees_changed_spans_too(staff):
    who = member("anna", name="Berg")
    form = opened(staff.get(admin_page(who)))
    span = who.full_memberships.get()
    span.full_until = datetime(2027, 3, 1, tzinfo=UTC)
    span.save()
    refused = staff.post(admin_page(who), member_form(who, name="Bergh", opened=form))
    assert "2027-03-01" in refused.text
    assert Member.objects.get(pk=who.pk).name == "Berg"


def test_a_form_of_a_game_is_not_saved_over_a_void(staff, played):
    form = opened(staff.get(admin_page(played)))
    decide(staff, admin_page(Game, "void"), {"game": played.pk})
    refused = staff.post(
        admin_page(played), game_form(played.white, played.black, external_id="x1", opened=form)
    )
    assert "Voided at" in refused.text
    assert Game.objects.get().external_id is None


def test_a_late_save_does_not_enter_a_deleted_game_again(played):
    late = Game.objects.get(pk=played.pk)
    played.delete()
    late.pgn = "1. e4 *"
    with pytest.raises(ValidationError) as refused:
        late.save()
    assert refused.value.messages == [GONE]
    assert not Game.objects.exists()


def meanwhile_deleted(monkeypatch, obj):
    """Somebody else deletes an object just after a page has loaded it."""
    get_form = ModelAdmin.get_form

    def delete_first(self, request, loaded=None, *args, **kwargs):
        if loaded == obj:
            type(obj)._base_manager.filter(pk=obj.pk)._raw_delete("default")
        return get_form(self, request, loaded, *args, **kwargs)

    monkeypatch.setattr(ModelAdmin, "get_form", delete_first)


@pytest.mark.parametrize("change", [{"external_id": "x1"}, {"result": "0-1"}])
def test_a_form_of_a_game_that_is_deleted_meanwhile_says_so(staff, change, monkeypatch):
    in_progress = game(rated(1600), rated(1600), result="", ended_at=None)
    fields = {"result": "", "ended_at_0": "", "ended_at_1": "", **change}
    if "result" in change:
        fields |= {"ended_at_0": "2026-03-01", "ended_at_1": "00:20:00"}
    meanwhile_deleted(monkeypatch, in_progress)
    posted = staff.post(admin_page(in_progress), game_form(in_progress.white, in_progress.black, **fields))
    assert posted.status_code == 200
    assert GONE in posted.text
    assert not Game.objects.exists()


def changeable():
    """The models with a form in the admin."""
    request = RequestFactory().get("/")
    request.user = User(is_active=True, is_staff=True, is_superuser=True)
    return [
        model
        for model, pages in admin.site._registry.items()
        if pages.has_change_permission(request) and model not in (User, Group)
    ]


@pytest.mark.needs("league", "otb", "arena")
def test_no_form_in_the_admin_enters_an_object_again_that_is_deleted_meanwhile(staff, monkeypatch):
    furnish()
    asked = set()
    for model in changeable():
        obj = model._base_manager.order_by("pk").first()
        if obj is None:
            continue
        with monkeypatch.context() as patch, transaction.atomic():
            meanwhile_deleted(patch, obj)
            posted = staff.post(admin_page(obj), {})
            assert (posted.status_code, model, GONE in posted.text) == (200, model, True)
            assert not model._base_manager.filter(pk=obj.pk).exists()
            transaction.set_rollback(True)
        asked.add(model._meta.label)
    assert {"ratings.Game", "members.Member", "league.Match", "otb.Tournament", "arena.Webhook"} <= asked
