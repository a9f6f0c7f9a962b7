"""Games that end without a result, and DELETE of a server's game."""

from decimal import Decimal

import pytest

from foa.text import utc_text
from ratings.arena.services.presence import settle_all
from ratings.office.audit import audit
from ratings.office.deciding import second
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game, RatingChange
from tests.arena import at, points
from tests.arena.conftest import ApiClient, tell

pytestmark = pytest.mark.django_db

EVEN, WON = Decimal("2000.00"), Decimal("2010.00")
NOT_PLAYED = "not played: “aborted” (FIDE B.02 5.1: a game counts once each side has moved)"


@pytest.fixture
def aborted(begun):
    return {**begun, "ended_at": "2026-03-01T00:06:00Z", "termination": "aborted", "plies": 1}


def send_in_bulk(api, *games):
    return api.send_lines(*({"id": "1", **game} for game in games))


def stored():
    game = Game.objects.get()
    return game.result, game.termination, game.ended_at and utc_text(game.ended_at), game.rated


class TestAborted:
    @pytest.mark.parametrize("word", ["aborted", "no-show", "cancelled", "noStart"])
    def test_a_game_that_was_not_played_ends_without_a_result_and_unrated(self, api, aborted, players, word):
        answer = api.ask("PUT", "games/1", {**aborted, "termination": word}, status=201)
        assert (answer["result"], answer["rated"], answer["changes"]) == (None, False, [])
        assert answer["ended_at"] == "2026-03-01T00:06:00Z"
        assert [one["articles"] for one in answer["why_nothing"]] == [["2.4"]]
        assert points(players[0]) == EVEN
        assert api.ask("PUT", "games/1", {**aborted, "termination": word}) == answer

    def test_it_ends_a_game_in_progress_once(self, api, begun, aborted):
        api.ask("PUT", "games/1", begun, status=201)
        for _again in range(2):
            assert api.ask("PUT", "games/1", aborted)["termination"] == "aborted"
        assert stored() == ("", "aborted", "2026-03-01T00:06:00Z", False)
        assert Game.objects.get().unrated_reason == NOT_PLAYED
        # The message that it is in progress comes late.
        assert api.ask("PUT", "games/1", begun)["termination"] == "aborted"

    def test_without_its_end_a_game_in_progress_ends_now_and_stays_so(self, api, begun):
        api.ask("PUT", "games/1", begun, status=201)
        first = api.ask("PUT", "games/1", {**begun, "termination": "aborted"})
        assert first["ended_at"] is not None
        assert api.ask("PUT", "games/1", {**begun, "termination": "aborted"}) == first
        assert send_in_bulk(api, {**begun, "termination": "aborted"})[0]["verdict"] == "already there"

    def test_without_its_end_a_new_game_ends_when_it_starts(self, api, begun):
        api.ask("PUT", "games/1", {**begun, "termination": "no-show"}, status=201)
        assert stored() == ("", "no-show", begun["started_at"], False)

    def test_a_casual_game_is_aborted_too_and_again(self, api, begun, aborted):
        api.ask("PUT", "games/1", {**begun, "rated": False}, status=201)
        for rated_ in (False, True, False):
            api.ask("PUT", "games/1", {**aborted, "rated": rated_})
        assert stored() == ("", "aborted", "2026-03-01T00:06:00Z", False)

    def test_a_result_afterwards_is_a_contradiction_and_so_is_another_end(self, api, aborted, ended):
        api.ask("PUT", "games/1", aborted, status=201)
        problem = api.ask("PUT", "games/1", ended, status=409)
        assert problem["differing"] == ["result", "ended_at"]
        assert (problem["stored"]["result"], problem["sent"]["result"]) == (None, "1-0")
        no_show = api.ask("PUT", "games/1", {**aborted, "termination": "no-show"}, status=409)
        assert no_show["differing"] == ["termination"]

    def test_a_game_with_a_result_is_not_aborted(self, api, ended, aborted, players):
        api.ask("PUT", "games/1", ended, status=201)
        assert "result" in api.ask("PUT", "games/1", aborted, status=409)["differing"]
        assert points(players[0]) == WON

    @pytest.mark.parametrize("word", ["aborted", "no-show", "bye", "forfeit", "noStart"])
    def test_a_game_that_was_not_played_has_no_result(self, api, ended, word):
        game = {**ended, "termination": word}
        told = (
            f"termination “{word}” says that the game wasn’t played, but result is “1-0”: leave out the "
            "result, or say how the game ended"
        )
        answer = api.ask("PUT", "games/1", game, status=422)
        assert answer["detail"] == told
        assert [(one["field"], one["article"]) for one in answer["errors"]] == [
            ("termination", "FIDE B.02 5.1")
        ]
        (line,) = send_in_bulk(api, game)
        assert (line["verdict"], line["kind"], line["field"], line["reason"]) == (
            "refused",
            "refused",
            "termination",
            told,
        )
        assert not Game.objects.exists()

    @pytest.mark.parametrize(
        "end", [{"termination": "abandoned"}, {"result": "+/-", "termination": "forfeit"}]
    )
    def test_a_point_without_a_game_is_stored_unrated(self, api, ended, end):
        answer = api.ask("PUT", "games/1", {**ended, **end}, status=201)
        assert (answer["result"], answer["rated"]) == ("1-0", False)

    def test_in_bulk_the_same(self, api, begun, aborted, ended):
        lines = (begun, aborted, aborted, ended)
        answer = send_in_bulk(api, *lines)
        assert [one["verdict"] for one in answer] == ["stored", "finished", "already there", "refused"]
        assert answer[1]["reason"] == NOT_PLAYED
        assert answer[3]["field"] == "result"
        assert "no result" in answer[3]["reason"]
        assert stored() == ("", "aborted", "2026-03-01T00:06:00Z", False)

    def test_new_ones_in_bulk(self, api, begun, aborted):
        answer = send_in_bulk(api, aborted, {"id": "2", **begun, "termination": "no-show"})
        assert [one["verdict"] for one in answer] == ["stored"] * 2
        assert not Game.objects.filter(ended_at=None).exists()

    def test_who_was_gone_loses_no_game_that_was_aborted(self, api, begun, aborted, players):
        api.ask("PUT", "games/1", {**begun, "plies": 1}, status=201)
        tell(1, "gone", -30)
        settle_all(at(20))
        assert stored()[0] == "0-1"
        api.ask("PUT", "games/1", {**aborted, "ended_at": "2026-03-01T00:07:00Z"})
        settle_all(at(40))
        assert stored() == ("", "aborted", "2026-03-01T00:07:00Z", False)
        assert points(players[0]) == EVEN
        assert replay(check=True).differences == 0

    def test_pages_lists_and_files_say_so(self, api, client, begun, aborted):
        api.ask("PUT", "games/1", aborted, status=201)
        game = Game.objects.get()
        page = client.get(game.get_absolute_url()).content.decode()
        assert "in progress" not in page
        assert "– (aborted)" in page
        assert "live.js" not in page
        games = client.get("/games/").content.decode()
        # Once, as a choice of a filter.
        assert games.count(">in progress<") == 1
        assert ">aborted<" in games
        csv = b"".join(client.get("/games/?format=csv")).decode().splitlines()
        assert ",no,,aborted,2026-03-01T00:05:00Z,2026-03-01T00:06:00Z," in csv[1]
        told = api.ask("GET", "all-games")["games"][0]
        assert (told["result"], told["termination"]) == (None, "aborted")

    def test_the_audit_has_nothing_against_it(self, api, aborted):
        api.ask("PUT", "games/1", aborted, status=201)
        assert not sum(audit().open.values())


class TestDelete:
    def test_a_game_in_progress_is_aborted(self, api, begun, players):
        api.ask("PUT", "games/1", begun, status=201)
        answer = api.ask("DELETE", "games/1")
        assert (answer["termination"], answer["result"], answer["rated"]) == ("aborted", None, False)
        assert answer["ended_at"] is not None
        assert api.ask("DELETE", "games/1") == answer
        assert api.ask("PUT", "games/1", {**begun, "termination": "aborted"}) == answer
        assert Game.objects.get().unrated_reason == NOT_PLAYED
        assert not ChangeSet.objects.exists()

    @pytest.mark.parametrize("body", [None, {}, {"reason": ""}, {"reason": " "}])
    def test_a_game_that_has_ended_needs_a_reason(self, api, ended, body):
        api.ask("PUT", "games/1", ended, status=201)
        problem = api.ask("DELETE", "games/1", body, status=400)
        assert [one["field"] for one in problem["errors"]] == ["reason"]
        assert stored()[0] == "1-0"

    @pytest.mark.parametrize("body", [{"reason": 5}, {"reason": "x" * 256}, {"why": "test game"}])
    def test_a_malformed_reason_is_named(self, api, ended, body):
        api.ask("PUT", "games/1", ended, status=201)
        problem = api.ask("DELETE", "games/1", body, status=400)
        assert [one["field"] for one in problem["errors"]] == [next(iter(body))]

    @pytest.mark.parametrize("in_body", [True, False])
    def test_a_trusted_server_voids_at_once(self, trusted, ended, players, in_body, client):
        trusted.ask("PUT", "games/1", ended, status=201)
        body, address = ({"reason": "a test"}, "games/1") if in_body else (None, "games/1?reason=a+test")
        answer = trusted.ask("DELETE", address, body)
        assert answer["void_reason"] == "At the request of the organizer"
        assert answer["changes"] == []
        assert points(players[0]) == EVEN
        (decision,) = ChangeSet.objects.all()
        assert (decision.kind, decision.state, decision.proposed_as, decision.staff_note) == (
            "void-games",
            "applied",
            "server club",
            "a test",
        )
        assert "a test" not in client.get(decision.get_absolute_url()).content.decode()
        assert "a test" not in client.get(Game.objects.get().get_absolute_url()).content.decode()
        assert trusted.ask("DELETE", "games/1", {"reason": "again"}) == answer
        assert trusted.ask("PUT", "games/1", ended)["void_reason"]
        assert ChangeSet.objects.count() == 1
        assert replay(check=True).differences == 0

    def test_of_another_server_it_waits_for_the_office(self, api, ended, players, django_user_model):
        api.ask("PUT", "games/1", ended, status=201)
        answer = api.ask("DELETE", "games/1", {"reason": "a test"}, status=202)
        (decision,) = ChangeSet.objects.all()
        (waiting,) = answer["waiting"]
        assert (waiting["id"], waiting["state"]) == (decision.pk, "proposed")
        assert answer["voided_at"] is None
        assert points(players[0]) == WON
        # The same again is the same; another reason replaces it.
        assert api.ask("DELETE", "games/1", {"reason": "a test"}, status=202) == answer
        other = api.ask("DELETE", "games/1", {"reason": "played twice"}, status=202)["waiting"]
        assert [one["id"] for one in other] != [decision.pk]
        decision.refresh_from_db()
        assert decision.state == "withdrawn"
        now = ChangeSet.objects.get(pk=other[0]["id"])
        assert (now.staff_note, now.state) == ("played twice", "proposed")
        second(now, django_user_model.objects.create_superuser("head"), now.shown)
        assert points(players[0]) == EVEN
        assert api.ask("DELETE", "games/1")["voided_at"] is not None

    def test_a_trusted_server_waits_where_a_second_person_is_needed(self, trusted, ended, settings):
        settings.SECOND_PERSON_KINDS = ["void-games"]
        trusted.ask("PUT", "games/1", ended, status=201)
        assert trusted.ask("DELETE", "games/1", {"reason": "a test"}, status=202)["waiting"]
        assert Game.objects.get().voided_at is None

    def test_an_unrated_game_is_voided_like_any_other(self, trusted, ended):
        trusted.ask("PUT", "games/1", {**ended, "rated": False}, status=201)
        assert trusted.ask("DELETE", "games/1", {"reason": "a test"})["voided_at"] is not None

    def test_only_the_server_that_sent_a_game_takes_it_back(self, api, other, begun):
        api.ask("PUT", "games/1", begun, status=201)
        assert other.ask("DELETE", "games/1", status=404)["kind"] == "not-found"
        assert stored()[2] is None

    def test_a_token_without_the_scope_takes_nothing_back(self, server, api, begun, client):
        api.ask("PUT", "games/1", begun, status=201)
        assert ApiClient(server, "read").ask("DELETE", "games/1", status=403)["scope"] == "games"
        assert client.delete("/api/v1/games/1").status_code == 401
        assert stored()[2] is None

    def test_a_game_that_was_never_sent_is_not_found(self, api):
        assert api.ask("DELETE", "games/9", status=404)["kind"] == "not-found"

    def test_a_game_that_2_4_ended_has_ended(self, api, begun, players):
        api.ask("PUT", "games/1", {**begun, "plies": 20}, status=201)
        tell(1, "gone", 0)
        settle_all(at(20))
        api.ask("DELETE", "games/1", status=400)
        assert stored()[0] == "0-1"
        assert RatingChange.objects.filter(game__isnull=False).count() == 2
