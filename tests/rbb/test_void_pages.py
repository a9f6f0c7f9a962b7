"""Voiding and reinstating games in the admin."""

from decimal import Decimal
from unittest.mock import patch

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry

from members.models import FullMembership
from ratings.office import effects
from ratings.office.models import ChangeSet
from ratings.rbb.admin import games as pages_of_games
from ratings.rbb.decisions import games as decisions_of_games
from ratings.rbb.ledger import corrections, replay
from ratings.rbb.models import Game
from tests.arena import at, control, game, member, points, projections, rated
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import REASONS, confirmed_on, decide, shown_on
from tests.pages import queries, told, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

LIST = admin_page(Game)
VOID, REINSTATE = admin_page(Game, "void"), admin_page(Game, "reinstate")


def three_games():
    """Two games, and one that follows from the first."""
    anna, bob, carl, dora = (rated(1600) for _ in range(4))
    return [game(anna, bob, minute=10), game(carl, dora, minute=20), game(bob, dora, minute=30)]


@pytest.fixture(scope="class")
def games(standing):
    return standing(three_games)


def friendly(white, black, minute):
    """A game that is not rated, so that its voiding moves nobody."""
    facts = {"white": white, "black": black, "time_control": control("180+2"), "result": "1-0"}
    return Game(**facts, rated=False, started_at=at(minute), ended_at=at(minute + 1))


def chosen(*games):
    return "?" + "&".join(f"game={one.pk}" for one in games)


def everything():
    return projections(), list(Game.objects.order_by("pk").values_list()), list(Game.history.values_list())


def test_the_action_shows_what_it_does_and_asks_why(staff, games):
    for action, voided in (("void", 2), ("reinstate", 0)):
        page = staff.post(LIST, {"action": action, "_selected_action": [games[0].pk, games[1].pk]})
        assert "4 ratings will change" in words(page)
        assert confirmed_on(staff, page).status_code == 302
        assert Game.objects.filter(voided_at__isnull=False).count() == voided


def test_more_games_than_an_address_holds_are_chosen_and_confirmed_by_a_form(staff, games):
    anna, bob = rated(1600), rated(1600)
    with replay.deferred():
        Game.objects.bulk_create([friendly(anna, bob, minute) for minute in range(120)])
    page = staff.post(LIST, {"action": "void", "_selected_action": [games[0].pk], "select_across": "1"})
    assert page.context["button"] == "Void 123 games"
    assert confirmed_on(staff, page).status_code == 302
    assert Game.objects.filter(voided_at__isnull=False).count() == 123
    # The form posts each of them, its reasons, what was shown and the token.
    assert pages_of_games._AT_ONCE + len(REASONS) + 3 < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS


def test_so_many_games_are_voided_by_the_worker_and_only_as_shown(staff, games, worker):
    with patch.object(decisions_of_games, "MANY_GAMES", 2):
        decide(staff, VOID, {"game": [games[0].pk]})
        assert ChangeSet.objects.get().state == ChangeSet.State.APPLIED
        decide(staff, VOID, {"game": [games[1].pk, games[2].pk]})
        queued = ChangeSet.objects.latest("pk")
        assert queued.state == ChangeSet.State.QUEUED
        game(games[1].white, games[1].black, "0-1", minute=40)
        worker()
        queued.refresh_from_db()
        assert queued.state == ChangeSet.State.STALE
        decide(staff, VOID, {"game": [games[1].pk, games[2].pk]})
        worker()
    assert ChangeSet.objects.latest("pk").state == ChangeSet.State.APPLIED
    assert Game.objects.filter(voided_at__isnull=False).count() == 3


def test_the_page_shows_exactly_whose_ratings_will_move_and_changes_nothing(staff, games):
    before = everything()
    response = staff.get(VOID + chosen(games[0]))
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert everything() == before
    text = words(response)
    anna, bob = games[0].white, games[0].black
    # Anna loses her 10 points, Bob has his 10 again; he was 1590 against Dora's 1590, now 1600 against 1590.
    assert "3 ratings will change Member Category Before After Change" in text
    assert f"{anna} Blitz 1610.00 1600.00 −10.00" in text
    assert f"{bob} Blitz 1600.00 1609.80 +9.80" in text
    assert f"{games[2].black} Blitz 1580.00 1580.20 +0.20" in text
    assert f'href="{anna.get_absolute_url()}"' in response.content.decode()
    promised = response.context["rows"]
    done = staff.get(decide(staff, VOID, {"game": games[0].pk})["Location"])
    assert done.context["rows"] == promised


def test_several_games_are_voided_with_one_replay_and_the_page_says_whose_ratings_moved(staff, games):
    first, second, _ = games
    shown = shown_on(staff.get(VOID + chosen(first, second)))
    posted = {
        "game": [first.pk, second.pk],
        "shown": shown,
        "public_reason": "fair-play",
        "staff_note": " engine ",
    }
    with patch.object(replay, "replay_since", wraps=replay.replay_since) as replayed:
        response = staff.post(VOID, posted)
    assert replayed.call_count == 1
    assert response.status_code == 302
    text = words(staff.get(response["Location"]))
    number = ChangeSet.objects.get().pk
    assert f"Done: #{number} Void games: {first.white} – {first.black}, 1 Mar 2026, game {first.pk};" in text
    assert "4 ratings changed" in text
    assert f"{second.white} Blitz 1610.00 1600.00 −10.00" in text
    assert points(second.white) == Decimal("1600.00")
    for voided in Game.objects.filter(pk__in=[first.pk, second.pk]):
        assert (voided.void_reason, voided.void_note, voided.voided_by.username) == (
            "fair-play",
            "engine",
            "registrar",
        )
        log = LogEntry.objects.get(object_id=str(voided.pk), content_type__model="game")
        assert log.change_message.startswith(f"Void games: {first.white} – {first.black}, 1 Mar 2026, ")
        assert log.change_message.endswith(": engine")
    assert replay.replay(check=True).differences == 0


def test_void_games_are_reinstated_in_their_old_places(staff, games):
    before = projections()
    decide(staff, VOID, {"game": [games[0].pk, games[1].pk]}, staff_note="engine")
    text = words(staff.get(REINSTATE + chosen(*games[:2])))
    assert "4 ratings will change" in text
    decide(staff, REINSTATE, {"game": [games[0].pk, games[1].pk]}, staff_note="proven clean")
    assert projections() == before
    assert Game.objects.filter(voided_at=None, void_reason="", void_note="", voided_by=None).count() == 3


@pytest.mark.parametrize(
    ("reasons", "message"),
    [
        ({"public_reason": ""}, "This field is required."),
        (
            {"public_reason": "cheating"},
            "Select a valid choice. cheating is not one of the available choices.",
        ),
        ({"public_reason": "other"}, "Write the reason shown to members."),
        ({"public_text": "because"}, "Leave this empty, or choose the reason “Other”."),
        (
            {"public_reason": "other", "public_text": "x" * 256},
            "Ensure this value has at most 255 characters",
        ),
        ({"staff_note": "  \n"}, "This field is required."),
        ({"staff_note": "x" * 2001}, "Ensure this value has at most 2000 characters (it has 2001)."),
        ({"staff_note": "a\0b"}, "Null characters are not allowed."),
    ],
)
@pytest.mark.parametrize("address", [VOID, REINSTATE])
def test_without_a_sound_reason_nothing_is_done_and_the_field_says_why(
    staff, games, address, reasons, message
):
    if address == REINSTATE:
        corrections.void_games(games=games[:1], by=None, reason="error", at=at(500))
    before = everything()
    response = decide(staff, address, {"game": games[0].pk}, **reasons)
    assert response.status_code == 200
    assert message in words(response)
    assert 'aria-invalid="true"' in response.content.decode()
    assert "3 ratings will change" in words(response)
    assert everything() == before
    assert not ChangeSet.objects.decided().exists()


def test_other_words_are_what_members_read_of_a_void_game(staff, games):
    decide(staff, VOID, {"game": games[0].pk}, public_reason="other", public_text="The server failed")
    games[0].refresh_from_db()
    assert games[0].why_void == "The server failed"
    assert ChangeSet.objects.get().public_why == "The server failed"


def test_a_game_that_somebody_voided_meanwhile_is_named_and_nothing_is_done(staff, games):
    first, second, _ = games
    posted = {
        "game": [first.pk, second.pk],
        "shown": shown_on(staff.get(VOID + chosen(first, second))),
        "public_reason": "error",
        "staff_note": "engine",
    }
    corrections.void_games(games=[first], by=None, reason="error", at=at(500))
    before = everything()
    response = staff.post(VOID, posted)
    assert response.status_code == 200
    text = words(response)
    assert "The data has changed since the preview. Nothing was done." in text
    # What is left to do is asked again.
    assert "Already void (skipped):" in text
    assert "3 ratings will change" in text
    assert f"{first}, 1 Mar 2026, 00:10 UTC void –" in text
    assert everything() == before


def test_where_all_games_are_void_already_there_is_nothing_to_confirm(staff, games):
    corrections.void_games(games=games, by=None, reason="error", at=at(500))
    response = staff.get(VOID + chosen(*games))
    assert "Already void" in words(response)
    assert "There’s nothing to do." in words(response)
    assert 'name="public_reason"' not in response.content.decode()


def test_a_game_that_may_not_be_rated_is_not_reinstated(staff, games):
    corrections.void_games(games=games[:2], by=None, reason="error", at=at(500))
    FullMembership.objects.filter(member=games[0].white).update(full_until=at(1))
    before = everything()
    for response in (
        staff.get(REINSTATE + chosen(*games[:2])),
        staff.post(REINSTATE, {"game": [games[0].pk, games[1].pk], "shown": "x", **REASONS}),
    ):
        assert f"{games[0]}: It can’t be rated: {games[0].white} was not a full member" in words(response)
    assert everything() == before


def test_a_game_on_which_nothing_depends_moves_nobody(staff):
    friendly = game(rated(1600), rated(1600), rated=False)
    text = words(staff.get(VOID + chosen(friendly)))
    assert "0 ratings will change This doesn’t affect any rating." in text
    decide(staff, VOID, {"game": friendly.pk})
    friendly.refresh_from_db()
    assert friendly.voided_at is not None


def test_a_game_that_made_a_rating_shows_that_its_member_will_be_unrated(staff):
    anna = member()
    played = [game(anna, rated(1500), minute=10 * number) for number in range(1, 6)]
    assert f"{anna} Blitz 1600.00 unrated –" in words(staff.get(VOID + chosen(played[0])))


def test_a_long_table_is_cut_and_says_how_many_ratings_are_not_shown(staff, games):
    with patch.object(effects, "KEPT", 2):
        text = words(staff.get(VOID + chosen(games[0])))
    assert "3 ratings will change" in text
    assert "1 more rating changes by less." in text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("?game=", 400),
        ("?game=x", 400),
        ("?game=%00", 400),
        ("?game=1.5", 400),
        ("?game=" + "9" * 30, 400),
        ("?game=" + "9" * 5000, 400),
        ("?game=0", 400),
        ("?game=999999", 400),
    ],
)
@pytest.mark.parametrize("address", [VOID, REINSTATE])
def test_games_that_are_none_are_refused(staff, address, query, status):
    assert staff.get(address + query).status_code == status
    posted = {"game": [part[5:] for part in query[1:].split("&")], "shown": "x", **REASONS}
    assert staff.post(address, posted).status_code == status


def test_more_games_than_fit_an_address_are_refused_in_words(staff, games):
    with patch.object(pages_of_games, "_AT_ONCE", 2):
        response = staff.post(LIST, {"action": "void", "_selected_action": [one.pk for one in games]})
    assert response["Location"] == LIST
    assert told(response) == ["Select 2 games or fewer. Nothing was done."]


def test_the_page_of_a_game_leads_to_its_voiding_or_reinstating(staff, games):
    form = admin_page(games[0])
    assert f'href="{VOID}?game={games[0].pk}"' in staff.get(form).content.decode()
    corrections.void_games(games=games[:1], by=None, reason="error", at=at(500))
    content = staff.get(form).content.decode()
    assert f'href="{REINSTATE}?game={games[0].pk}"' in content
    assert f'href="{VOID}?' not in content


def test_a_hundred_games_take_as_many_queries_to_show_as_two(staff, games):
    few = queries(staff, VOID + chosen(*games[:2]))
    more = [game(rated(1600), rated(1600), minute=100 + number, rated=False) for number in range(10)]
    # Of each game that will be void: its row twice, the conditions, the update and its history.
    assert queries(staff, VOID + chosen(*games[:2], *more)) - few <= 10 * len(more)
