"""The rating office behind the counter."""

from decimal import Decimal
from unittest.mock import patch

import pytest
from django.apps import apps

from ratings.models import (
    Game,
    ImportBatch,
    OpeningRating,
    OtbAdjustment,
    Rating,
    RatingChange,
    RatingList,
    RatingListEntry,
    TimeControl,
)
from ratings.rules.time_controls import Category
from ratings.services import replay
from tests.arena import START, at, control, game, member, opening, points, rated
from tests.pages import queries, words

pytestmark = pytest.mark.django_db

INPUTS = (Game, OpeningRating, OtbAdjustment)
LOOK_AT_ONLY = (TimeControl, ImportBatch, RatingChange, Rating, RatingList, RatingListEntry)


def admin_list(model):
    """The address of a model's list."""
    return f"/admin/ratings/{model._meta.model_name}/"


def furnish(rows=1):
    """So many rows of every model."""
    for number in range(rows):
        who, other = rated(1800), rated(1700)
        batch = ImportBatch.objects.create(source="games.csv", sha256="0" * 64, imported_at=START)
        game(who, other, minute=10 + RatingChange.objects.count(), batch=batch)
        OtbAdjustment.objects.create(
            member=who, category=Category.BLITZ, period=START.date(), change=Decimal(5), effective_at=at(5),
            source="FIDE list",
        )  # fmt: skip
        published, _ = RatingList.objects.get_or_create(
            category=Category.BLITZ, month=START.date(),
            defaults={"published_at": START, "members": 1, "checksum": "0" * 64},
        )  # fmt: skip
        position = published.entries.count() + 1
        published.entries.create(position=position, rank=1, member=who, rating=Decimal("1800"), games=number)


def game_form(white, black, **fields):
    """What the form of a game posts."""
    return {
        "white": white.pk, "black": black.pk, "time_control": control("180+2").pk, "rated": "on",
        "unrated_reason": "", "result": "1-0", "termination": "normal", "plies": "",
        "started_at_0": "2026-03-01", "started_at_1": "00:10:00",
        "ended_at_0": "2026-03-01", "ended_at_1": "00:20:00", "external_id": "", "pgn": "",
        "changes-TOTAL_FORMS": "0", "changes-INITIAL_FORMS": "0", **fields,
    }  # fmt: skip


def test_every_model_of_ratings_has_admin_pages():
    assert set(apps.get_app_config("ratings").get_models()) == {*INPUTS, *LOOK_AT_ONLY}


@pytest.mark.parametrize("model", [*INPUTS, *LOOK_AT_ONLY])
def test_admin_pages_open_for_a_superuser_and_for_nobody_else(client, django_user_model, model):
    furnish()
    entry = model.objects.first()
    pages = [admin_list(model), f"{admin_list(model)}?q=x", f"{admin_list(model)}{entry.pk}/change/"]
    if model in INPUTS:
        pages += [f"{admin_list(model)}add/", f"{admin_list(model)}{entry.pk}/delete/"]
    for login in (None, django_user_model.objects.create_user("guest")):
        if login:
            client.force_login(login)
        for page in pages:
            assert client.get(page).status_code == 302
    client.force_login(django_user_model.objects.create_superuser("registrar"))
    for page in pages:
        response = client.get(page)
        assert response.status_code == 200
        assert "default-src 'self'" in response["Content-Security-Policy"]


@pytest.mark.parametrize("model", [*INPUTS, *LOOK_AT_ONLY])
def test_a_clerk_without_the_permission_is_refused(client, django_user_model, model):
    client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
    assert client.get(admin_list(model)).status_code == 403


@pytest.mark.parametrize("model", LOOK_AT_ONLY)
def test_not_even_a_superuser_adds_changes_or_deletes_what_is_only_looked_at(staff, model):
    furnish()
    entry = model.objects.first()
    before = list(model.objects.values_list())
    for page in ("add/", f"{entry.pk}/change/", f"{entry.pk}/delete/"):
        assert staff.post(f"{admin_list(model)}{page}", {"post": "yes"}).status_code == 403
    assert staff.get(f"{admin_list(model)}add/").status_code == 403
    staff.post(admin_list(model), {"action": "delete_selected", "_selected_action": entry.pk, "post": "yes"})
    assert list(model.objects.values_list()) == before


@pytest.mark.parametrize("model", [*INPUTS, *LOOK_AT_ONLY])
def test_a_list_takes_as_many_queries_for_25_rows_as_for_5(staff, model):
    furnish(5)
    few = queries(staff, admin_list(model))
    furnish(20)
    assert queries(staff, admin_list(model)) == few


def test_the_form_of_a_game_takes_as_many_queries_however_many_games_there_are(staff):
    furnish(5)
    page = f"{admin_list(Game)}{Game.objects.first().pk}/change/"
    queries(staff, page)  # the first page of a process looks up content types
    few = queries(staff, page)
    furnish(20)
    assert queries(staff, page) == few


def test_a_game_entered_in_the_admin_is_rated(staff):
    who, other = rated("1799.60"), rated("1259.60")
    response = staff.post(f"{admin_list(Game)}add/", game_form(who, other))
    assert response.status_code == 302
    assert (points(who), points(other)) == (Decimal("1800.20"), Decimal("1259.00"))


def test_a_game_corrected_in_the_admin_is_rated_anew(staff):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other, minute=20)
    page = f"{admin_list(Game)}{played.pk}/change/"
    response = staff.post(page, game_form(who, other, result="0-1"))
    assert response.status_code == 302
    # RBB 3.9.2: 1799.60 + 20 × (0 − .97)
    assert points(who) == Decimal("1780.20")


def test_a_game_deleted_in_the_admin_leaves_no_trace_in_the_ratings(staff):
    who, other = rated(1800), rated(1700)
    played = game(who, other)
    assert staff.post(f"{admin_list(Game)}{played.pk}/delete/", {"post": "yes"}).status_code == 302
    assert points(who) == 1800
    assert not RatingChange.objects.filter(game__isnull=False).exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"time_control": "420+1"}, "is not one of the seventeen rated controls (RBB 2.3)"),
        ({"started_at_0": "2026-02-01"}, "White was no full member when the game started (RBB 2.1)"),
        ({"plies": "1"}, "fewer than one move by each side"),
        ({"ended_at_0": "2026-02-28"}, "A game ends at or after its start."),
        ({"result": ""}, "A finished game has end and result"),
        ({"ended_at_0": "2999-01-01"}, "A game cannot end in the future"),
    ],
)
def test_a_game_that_may_not_be_rated_is_refused_with_the_article(staff, fields, message):
    who, other = rated(1800), rated(1700)
    if "time_control" in fields:
        fields = {"time_control": control(fields["time_control"]).pk}
    response = staff.post(f"{admin_list(Game)}add/", game_form(who, other, **fields))
    assert response.status_code == 200
    assert message in words(response)
    assert not Game.objects.exists()


def test_a_game_against_oneself_and_one_without_players_are_refused(staff):
    who = rated(1800)
    assert "White and Black are the same" in words(staff.post(f"{admin_list(Game)}add/", game_form(who, who)))
    nobody = {**game_form(who, who), "white": "", "black": "", "time_control": ""}
    assert "This field is required." in words(staff.post(f"{admin_list(Game)}add/", nobody))


def test_the_form_of_a_game_shows_its_lines_of_the_ledger_and_why_it_is_void(staff):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other)
    text = words(staff.get(f"{admin_list(Game)}{played.pk}/change/"))
    assert "1799.60 1800.20 0.60 1259.60 540 97 20 3.9 game between two rated players" in text
    played.voided_at, played.void_reason = at(30), "engine use"
    played.save()
    text = words(staff.get(f"{admin_list(Game)}{played.pk}/change/"))
    assert "engine use" in text
    assert "3.9 game between two rated players" not in text


def test_the_void_of_a_game_and_its_batch_cannot_be_posted(staff):
    who, other = rated(1800), rated(1700)
    played = game(who, other, minute=20)
    posted = game_form(
        who, other, void_reason="hacked", voided_at_0="2026-03-01", voided_at_1="01:00:00", batch="1"
    )
    assert staff.post(f"{admin_list(Game)}{played.pk}/change/", posted).status_code == 302
    played.refresh_from_db()
    assert (played.voided_at, played.void_reason, played.batch) == (None, "", None)


@pytest.mark.parametrize("text", ["abc-1", "zoe"])
def test_games_are_found_by_external_id_and_username(staff, text):
    zoe = member("zoe")
    game(zoe, member("yves"), external_id="abc-1")
    game(member("other"), member("another"), minute=20)
    found = words(staff.get(admin_list(Game), {"q": text}))
    assert "yves" in found
    assert "another" not in found


@pytest.mark.parametrize("model", INPUTS)
def test_many_deleted_at_once_are_replayed_once(staff, model):
    furnish(4)
    chosen = list(model.objects.values_list("pk", flat=True))
    with patch.object(replay, "replay_since", wraps=replay.replay_since) as replayed:
        response = staff.post(
            admin_list(model), {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
        )
    assert response.status_code == 302
    assert not model.objects.exists()
    assert replayed.call_count == 1
    replay.replay(check=True, report=pytest.fail)


def test_an_opening_entered_in_the_admin_gives_a_rating(staff):
    who = member()
    posted = {
        "member": who.pk, "category": "2", "rating": "1799.60", "games": "0", "source": "FIDE list",
        "effective_at_0": "2026-03-01", "effective_at_1": "00:00:00",
    }  # fmt: skip
    assert staff.post(f"{admin_list(OpeningRating)}add/", posted).status_code == 302
    assert points(who) == Decimal("1799.60")


@pytest.mark.parametrize(
    ("rating", "message"),
    [("99.99", "greater than or equal to 100"), ("1799.605", "2 decimal places"), ("x", "Enter a number")],
)
def test_an_opening_rating_that_is_none_is_refused(staff, rating, message):
    posted = {
        "member": member().pk, "category": "2", "rating": rating, "games": "0", "source": "FIDE list",
        "effective_at_0": "2026-03-01", "effective_at_1": "00:00:00",
    }  # fmt: skip
    response = staff.post(f"{admin_list(OpeningRating)}add/", posted)
    assert message in words(response)
    assert not OpeningRating.objects.exists()


def test_an_adjustment_of_bullet_is_refused_with_the_article(staff):
    who = member()
    opening(who, 1800, Category.BULLET)
    posted = {
        "member": who.pk, "category": "3", "period": "2026-03-01", "change": "-12", "source": "FIDE list",
        "effective_at_0": "2026-03-02", "effective_at_1": "00:00:00",
    }  # fmt: skip
    text = words(staff.post(f"{admin_list(OtbAdjustment)}add/", posted))
    assert "Bullet ratings have no over-the-board changes (RBB 1.3)." in text
    opening(who, 1800, Category.RAPID)
    assert staff.post(f"{admin_list(OtbAdjustment)}add/", {**posted, "category": "1"}).status_code == 302
    assert points(who, Category.RAPID) == 1788


def test_exact_ratings_keep_their_two_decimals_in_the_admin(staff):
    rated("1800.50")
    assert "1800.50" in words(staff.get(admin_list(Rating)))
    assert "1800.50" in words(staff.get(admin_list(RatingChange)))


def test_a_rating_list_leads_to_its_lines(staff):
    furnish()
    published = RatingList.objects.get()
    link = f"{admin_list(RatingListEntry)}?rating_list__id__exact={published.pk}"
    assert f'href="{link}"' in staff.get(admin_list(RatingList)).content.decode()
    assert staff.get(link).status_code == 200


@pytest.mark.parametrize(
    "query", ["q=%00", "ended_at__year=x", "ended_at__year=99999", "p=99999", "rated__exact=2"]
)
def test_the_list_of_games_survives_a_broken_address(staff, query):
    furnish()
    assert staff.get(f"{admin_list(Game)}?{query}").status_code in (200, 302, 400)
