"""The rating office behind the counter."""

from decimal import Decimal
from unittest.mock import patch

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from members.models import Member
from ratings.office.models import (
    AboutText,
    AuditedCheck,
    AuditFinding,
    ChangeSet,
    Demo,
    Epoch,
    FileImport,
    Job,
    Journal,
    MovedRating,
    OutboxEntry,
    PutOff,
    Rehearsal,
)
from ratings.rbb.ledger import replay
from ratings.rbb.models import (
    ArenaEvent,
    Game,
    ImportBatch,
    LateLine,
    ListReview,
    OpeningRating,
    OtbAdjustment,
    OtherId,
    Rating,
    RatingChange,
    RatingList,
    RatingListEntry,
    RecalculatedLine,
    Recalculation,
    RuleEdition,
    RunningClocks,
    TimeControl,
)
from ratings.rules.time_controls import Category
from tests.arena import at, control, game, member, opening, points, rated
from tests.backoffice import admin_page, furnish, game_form
from tests.decisions import confirmed_on
from tests.pages import queries, told, words

pytestmark = pytest.mark.django_db

INPUTS = (Game, OpeningRating, OtbAdjustment)
LOOK_AT_ONLY = (
    ArenaEvent,
    TimeControl,
    ImportBatch,
    RatingChange,
    Rating,
    Recalculation,
    RecalculatedLine,
    LateLine,
    RatingList,
    RatingListEntry,
    RuleEdition,
    Job,
    ChangeSet,
    AuditFinding,
)


def test_every_model_of_ratings_has_admin_pages():
    histories = {model.history.model for model in (*INPUTS, TimeControl)}
    assert {
        *apps.get_app_config("ratings").get_models(),
        *apps.get_app_config("office").get_models(),
    } == {
        *INPUTS,
        *LOOK_AT_ONLY,
        *histories,
        *(
            MovedRating,
            AuditedCheck,
            Epoch,
            OutboxEntry,
            Journal,
            FileImport,
            ListReview,
            OtherId,
            PutOff,
            RunningClocks,
            AboutText,
            AboutText.history.model,
            Demo,
        ),
        Rehearsal,
    }


@pytest.fixture(scope="class")
def rows(standing):
    """A row of every model."""
    standing(furnish)


@pytest.mark.parametrize("model", [*INPUTS, *LOOK_AT_ONLY])
@pytest.mark.rendered
def test_admin_pages_open_for_a_superuser(rows, client, django_user_model, model):
    entry = model.objects.first()
    pages = [admin_page(model), f"{admin_page(model)}?q=x", f"{admin_page(model)}{entry.pk}/change/"]
    if model in INPUTS:
        pages += [f"{admin_page(model)}add/", f"{admin_page(model)}{entry.pk}/delete/"]
    client.force_login(django_user_model.objects.create_superuser("registrar"))
    for page in pages:
        response = client.get(page)
        assert response.status_code == 200
        assert "default-src 'self'" in response["Content-Security-Policy"]


@pytest.mark.parametrize("model", LOOK_AT_ONLY)
@pytest.mark.rendered
def test_not_even_a_superuser_adds_changes_or_deletes_what_is_only_looked_at(rows, staff, model):
    entry = model.objects.first()
    before = list(model.objects.values_list())
    for page in ("add/", f"{entry.pk}/change/", f"{entry.pk}/delete/"):
        assert staff.post(f"{admin_page(model)}{page}", {"post": "yes"}).status_code == 403
    assert staff.get(f"{admin_page(model)}add/").status_code == 403
    staff.post(admin_page(model), {"action": "delete_selected", "_selected_action": entry.pk, "post": "yes"})
    assert list(model.objects.values_list()) == before


def count_for_5_rows_and_make_25():
    """How many queries the list of a model and the form of a game take with five rows; then there are 25."""
    client = Client()
    client.force_login(User.objects.create_superuser("counter"))
    furnish(5)
    counted = {model: queries(client, admin_page(model)) for model in (*INPUTS, *LOOK_AT_ONLY)}
    form = admin_page(Game.objects.first())
    queries(client, form)  # the first page of a process looks up content types
    counted["form"] = queries(client, form)
    furnish(20)
    return counted


@pytest.fixture(scope="class")
def queries_for_5_rows(standing):
    return standing(count_for_5_rows_and_make_25)


@pytest.mark.parametrize("model", [*INPUTS, *LOOK_AT_ONLY])
@pytest.mark.rendered
@pytest.mark.long
def test_a_list_takes_as_many_queries_for_25_rows_as_for_5(queries_for_5_rows, staff, model):
    assert queries(staff, admin_page(model)) == queries_for_5_rows[model]


@pytest.mark.long
@pytest.mark.rendered
def test_the_form_of_a_game_takes_as_many_queries_however_many_games_there_are(queries_for_5_rows, staff):
    assert queries(staff, admin_page(Game.objects.first())) == queries_for_5_rows["form"]


def test_a_game_entered_in_the_admin_is_rated(staff):
    who, other = rated("1799.60"), rated("1259.60")
    response = staff.post(f"{admin_page(Game)}add/", game_form(who, other))
    assert response.status_code == 302
    assert (points(who), points(other)) == (Decimal("1800.20"), Decimal("1259.00"))


def test_a_game_corrected_in_the_admin_is_rated_anew(staff):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other, minute=20)
    page = f"{admin_page(Game)}{played.pk}/change/"
    shown = staff.post(page, game_form(who, other, result="0-1"))
    assert "Correct a game" in words(shown)
    assert points(who) == Decimal("1800.20")
    assert confirmed_on(staff, shown).status_code == 302
    # RBB 3.9.2: 1799.60 + 20 × (0 − 0.97)
    assert points(who) == Decimal("1780.20")


def test_what_decides_no_rating_is_changed_without_a_decision(staff):
    played = game(rated(1800), rated(1700), minute=20)
    posted = game_form(played.white, played.black, external_id="new", started_at_1="00:15:00")
    assert staff.post(admin_page(played), posted).status_code == 302
    played.refresh_from_db()
    assert played.external_id == "new"


def test_a_game_deleted_in_the_admin_leaves_no_trace_in_the_ratings(staff):
    who, other = rated(1800), rated(1700)
    played = game(who, other)
    shown = staff.get(f"{admin_page(Game)}{played.pk}/delete/")
    assert Game.objects.exists()
    assert confirmed_on(staff, shown).status_code == 302
    assert points(who) == 1800
    assert not RatingChange.objects.filter(game__isnull=False).exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"time_control": "420+1"}, "is not one of the seventeen that are rated (RBB 2.3)"),
        ({"started_at_0": "2026-02-01"}, "membership began on 1 Mar 2026 (RBB 2.1)"),
        ({"plies": "1"}, "fewer than one move by each side"),
        ({"ended_at_0": "2026-02-28"}, "The end time is before the start time."),
        ({"result": ""}, "Enter both end time and result, or neither while the game is in progress."),
        ({"ended_at_0": "2999-01-01"}, "The end time is in the future"),
    ],
)
@pytest.mark.rendered
def test_a_game_that_may_not_be_rated_is_refused_with_the_article(staff, fields, message):
    who, other = rated(1800), rated(1700)
    if "time_control" in fields:
        fields = {"time_control": control(fields["time_control"]).pk}
    response = staff.post(f"{admin_page(Game)}add/", game_form(who, other, **fields))
    assert response.status_code == 200
    assert message in words(response)
    assert not Game.objects.exists()


def test_a_refused_change_does_not_rename_the_game(staff):
    who, other = rated(1800), rated(1700)
    played = game(who, other, result="1/2-1/2")
    address = f"{admin_page(Game)}{played.pk}/change/"
    refused = {"result": "1-0", "ended_at_0": "2999-01-01"}
    page = staff.post(address, game_form(who, other, **refused))
    assert page.context["errors"]
    assert page.context["subtitle"] == str(played)
    assert str(page.context["original"]) == str(played)


def test_cancel_on_the_correction_of_a_game_leads_back_to_the_game(staff):
    who, other = rated(1800), rated(1700)
    played = game(who, other)
    address = f"{admin_page(Game)}{played.pk}/change/"
    page = staff.post(address, game_form(who, other, result="0-1"))
    assert "Correct a game" in words(page)
    assert f'<a class="closelink" href="{address}">Cancel</a>' in page.text


def test_a_game_against_oneself_and_one_without_players_are_refused(staff):
    who = rated(1800)
    assert "White and Black are the same" in words(staff.post(f"{admin_page(Game)}add/", game_form(who, who)))
    nobody = {**game_form(who, who), "white": "", "black": "", "time_control": ""}
    assert "This field is required." in words(staff.post(f"{admin_page(Game)}add/", nobody))


def test_the_form_of_a_game_shows_its_lines_of_the_ledger_and_why_it_is_void(staff):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other)
    text = words(staff.get(f"{admin_page(Game)}{played.pk}/change/"))
    assert "1799.60 1800.20 +0.60 1259.60 540 0.97 20 3.9 game between two rated players" in text
    assert "1259.60 1259.00 −0.60 1799.60 540 0.03 20 3.9 game between two rated players" in text
    played.voided_at, played.void_reason = at(30), "engine use"
    played.save()
    text = words(staff.get(f"{admin_page(Game)}{played.pk}/change/"))
    assert "engine use" in text
    assert "No rating effect" in text
    assert "3.9 game between two rated players" not in text


def test_the_void_of_a_game_and_its_batch_cannot_be_posted(staff):
    who, other = rated(1800), rated(1700)
    played = game(who, other, minute=20)
    posted = game_form(
        who, other, void_reason="hacked", voided_at_0="2026-03-01", voided_at_1="01:00:00", batch="1"
    )
    assert staff.post(f"{admin_page(Game)}{played.pk}/change/", posted).status_code == 302
    played.refresh_from_db()
    assert (played.voided_at, played.void_reason, played.batch) == (None, "", None)


@pytest.mark.parametrize("text", ["abc-1", "zoe"])
def test_games_are_found_by_external_id_and_username(staff, text):
    zoe = member("zoe")
    game(zoe, member("yves"), external_id="abc-1")
    game(member("other"), member("another"), minute=20)
    found = words(staff.get(admin_page(Game), {"q": text}))
    assert "yves" in found
    assert "another" not in found


@pytest.mark.parametrize("model", INPUTS)
def test_many_deleted_at_once_are_replayed_once(staff, model):
    furnish(4)
    chosen = list(model.objects.values_list("pk", flat=True))
    posted = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    shown = staff.post(admin_page(model), posted)
    assert model.objects.count() == len(chosen)
    with patch.object(replay, "replay_since", wraps=replay.replay_since) as replayed:
        response = confirmed_on(staff, shown)
    assert response.status_code == 302
    assert not model.objects.exists()
    assert replayed.call_count == 1
    replay.replay(check=True, report=pytest.fail)


def test_an_opening_entered_in_the_admin_gives_a_rating(staff):
    who = member()
    posted = {
        "member": who.pk,
        "category": "2",
        "rating": "1799.60",
        "games": "0",
        "source": "FIDE list",
        "effective_at_0": "2026-03-01",
        "effective_at_1": "00:00:00",
    }
    shown = staff.post(f"{admin_page(OpeningRating)}add/", posted)
    assert f"{who} Blitz unrated 1799.60 –" in words(shown)
    assert not OpeningRating.objects.exists()
    assert confirmed_on(staff, shown).status_code == 302
    assert points(who) == Decimal("1799.60")


@pytest.mark.parametrize(
    ("rating", "message"),
    [("99.99", "greater than or equal to 100"), ("1799.605", "2 decimal places"), ("x", "Enter a number")],
)
def test_an_opening_rating_that_is_none_is_refused(staff, rating, message):
    posted = {
        "member": member().pk,
        "category": "2",
        "rating": rating,
        "games": "0",
        "source": "FIDE list",
        "effective_at_0": "2026-03-01",
        "effective_at_1": "00:00:00",
    }
    response = staff.post(f"{admin_page(OpeningRating)}add/", posted)
    assert message in words(response)
    assert not OpeningRating.objects.exists()


def test_an_adjustment_of_bullet_is_refused_with_the_article(staff):
    who = member()
    opening(who, 1800, Category.BULLET)
    posted = {
        "member": who.pk,
        "category": "3",
        "period": "2026-03-01",
        "change": "-12",
        "source": "FIDE list",
        "effective_at_0": "2026-03-02",
        "effective_at_1": "00:00:00",
    }
    text = words(staff.post(f"{admin_page(OtbAdjustment)}add/", posted))
    assert "Bullet ratings have no over-the-board changes (RBB 1.3)." in text
    opening(who, 1800, Category.RAPID)
    shown = staff.post(f"{admin_page(OtbAdjustment)}add/", {**posted, "category": "1"})
    assert confirmed_on(staff, shown).status_code == 302
    assert points(who, Category.RAPID) == 1788


def test_exact_ratings_keep_their_two_decimals_in_the_admin(staff):
    rated("1800.50")
    assert "1800.50" in words(staff.get(admin_page(Rating)))
    assert "1800.50" in words(staff.get(admin_page(RatingChange)))


def test_a_rating_list_leads_to_its_lines(staff):
    furnish()
    published = RatingList.objects.get()
    link = f"{admin_page(RatingListEntry)}?rating_list__id__exact={published.pk}"
    assert f'href="{link}"' in staff.get(admin_page(RatingList)).content.decode()
    assert staff.get(link).status_code == 200


def test_a_game_entered_corrected_or_deleted_in_the_admin_says_whose_ratings_move(staff):
    who, other = rated("1799.60"), rated("1259.60")
    entered = staff.post(f"{admin_page(Game)}add/", game_form(who, other))
    assert told(entered)[0] == (
        f"2 ratings changed: {who}, Blitz: 1799.60 → 1800.20; {other}, Blitz: 1259.60 → 1259.00."
    )
    page = admin_page(Game.objects.get())
    correcting = staff.post(page, game_form(who, other, result="0-1"))
    # RBB 3.9.2: 20 × (0 − 0.97) and 20 × (1 − 0.03)
    assert f"{who} Blitz 1800.20 1780.20 −20.00" in words(correcting)
    assert "result: 1-0 → 0-1" in words(correcting)
    confirmed_on(staff, correcting)
    unmoved = staff.post(page, game_form(who, other, result="0-1", termination="time"))
    assert unmoved.status_code == 302
    assert not [text for text in told(unmoved) if "moved" in text]
    deleting = staff.get(page.replace("change", "delete"))
    assert f"{who} Blitz 1780.20 1799.60 +19.40" in words(deleting)


def test_a_page_names_the_ratings_that_move_farthest_first_and_a_lost_one_before_all(staff):
    beginner, *others = [member(), *(rated(1600) for _ in range(7))]
    for number, other in enumerate(others[:5]):
        game(beginner, other, minute=10 + number)
    for number, other in enumerate(others[1:]):
        game(other, others[0], minute=30 + number)
    assert points(beginner) == Decimal("1700.00")
    played = Game.objects.get(white=beginner, black=others[1])
    deleting = staff.get(admin_page(played, "delete"))
    assert (
        f"1 rating will change Member Category Before After Change {beginner} Blitz 1700.00 unrated –"
        in words(deleting)
    )
    confirmed_on(staff, deleting)
    first = Game.objects.get(white=others[1], black=others[0])
    rows = staff.get(admin_page(first, "delete")).context["rows"]
    assert len(rows) == 7
    sizes = [Decimal(row.change.strip("+−")) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_an_opening_deleted_in_the_admin_says_that_its_member_will_be_unrated(staff):
    who = rated(1800)
    deleting = staff.get(admin_page(OpeningRating.objects.get(), "delete"))
    assert f"{who} Blitz 1800.00 unrated –" in words(deleting)


@pytest.mark.parametrize("model", [OpeningRating, OtbAdjustment, Rating, RatingChange, RatingListEntry])
def test_what_members_have_is_found_by_their_names(staff, model):
    furnish(2)
    row = model.objects.order_by("pk").first()
    Member.objects.filter(pk=row.member_id).update(name="Berg, Anna", fide_id=1500001)
    for text in ("berg", "1500001"):
        found = staff.get(admin_page(model), {"q": text}).context["cl"].queryset
        assert set(found) == set(model.objects.filter(member=row.member_id))


def test_a_search_that_matches_too_many_members_says_so_and_still_finds_a_game_by_its_id(staff):
    Member.objects.bulk_create(Member(username=f"abc{number}") for number in range(101))
    played = game(member("abcd"), member("zoe"), external_id="abc")
    game(member("abce"), member("yves"), minute=20)
    response = staff.get(admin_page(Game), {"q": "abc"})
    assert told(response) == ["Over 100 members match. Type more of the name."]
    assert list(response.context["cl"].queryset) == [played]


@pytest.mark.parametrize(("void", "seen"), [("yes", {"void"}), ("no", {"valid"}), ("x", {"void", "valid"})])
def test_void_games_are_listed_apart(staff, void, seen):
    game(rated(1800), rated(1700), external_id="void", voided_at=at(30), void_reason="engine")
    game(rated(1800), rated(1700), external_id="valid")
    found = staff.get(admin_page(Game), {"void": void}).context["cl"].queryset
    assert {played.external_id for played in found} == seen
