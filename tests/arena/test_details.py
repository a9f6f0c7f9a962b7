"""Events, addresses and variants that a server tells of its games."""

from datetime import timedelta

import pytest

from foa.text import utc_text
from ratings.rbb.models import ArenaEvent, Game, RatingChange
from tests.arena import at

pytestmark = pytest.mark.django_db

EVENT = {
    "id": "spring",
    "name": "Spring Open",
    "round": "3",
    "url": "https://arena.example/tournament/spring",
}
DETAILS = {"event": EVENT, "url": "https://arena.example/4711", "variant": "standard"}


@pytest.fixture
def ended(ended):
    return {**ended, "termination": "checkmate"}


def in_bulk(api, *games):
    """Their verdicts."""
    return api.send_lines(*({"id": "1", **game} for game in games))


def one_by_one(api, *games):
    """What bulk would call them."""
    verdicts = []
    for game in games:
        response = api.put("/api/v1/games/1", game, content_type="application/json")
        verdicts.append({"verdict": "stored" if response.status_code < 400 else "refused"})
        if response.status_code >= 400:
            verdicts[-1]["field"] = response.json()["differing"][0]
    return verdicts


WAYS = pytest.mark.parametrize("send", [one_by_one, in_bulk])


def details():
    """What is stored of the only game."""
    game = Game.objects.get()
    event = game.event and (game.event.external_id, game.event.name, game.event.url)
    return event, game.round, game.url, game.variant


TOLD = (("arena/spring", "Spring Open", EVENT["url"]), "3", "https://arena.example/4711", "")


@WAYS
def test_event_round_and_address_are_stored(api, ended, send):
    send(api, {**ended, **DETAILS})
    assert details() == TOLD
    assert Game.objects.get().rated


@WAYS
@pytest.mark.parametrize("first", ["begun", "ended"])
def test_details_that_are_told_later_are_stored(api, ended, begun, send, first):
    send(api, begun if first == "begun" else ended, {**ended, **DETAILS})
    assert details() == TOLD
    assert RatingChange.objects.filter(game__isnull=False).count() == 2


@WAYS
def test_details_that_a_later_message_leaves_out_stay(api, begun, ended, send):
    send(api, {**begun, **DETAILS}, ended, begun)
    assert details() == TOLD


@WAYS
def test_the_last_message_says_how_the_event_is_called_and_where_the_game_is(api, ended, send):
    later = {"event": {"id": "spring", "name": "Spring Open 2026"}, "url": "https://arena.example/game/4711"}
    send(api, {**ended, **DETAILS}, {**ended, **later})
    assert details() == (
        ("arena/spring", "Spring Open 2026", EVENT["url"]),
        "3",
        "https://arena.example/game/4711",
        "",
    )


@WAYS
def test_a_game_of_another_event_has_the_round_of_that_one(api, ended, send):
    send(api, {**ended, **DETAILS}, {**ended, "event": {"id": "cup", "name": "Cup"}})
    assert details()[:2] == (("arena/cup", "Cup", ""), "")
    assert ArenaEvent.objects.count() == 2


@WAYS
@pytest.mark.parametrize("first", [{}, {"variant": "chess960"}])
def test_a_game_of_another_variant_is_unrated_with_the_reason(api, begun, ended, send, first):
    # Also one that was begun as if it were to be rated.
    send(api, {**begun, **first}, {**ended, "variant": "chess960"})
    game = Game.objects.get()
    assert (game.variant, game.rated, game.result) == ("Chess960", False, "1-0")
    assert game.unrated_reason == "the game was Chess960, and only standard chess is rated (RBB 1.1)"
    assert not RatingChange.objects.filter(game__isnull=False).exists()


@WAYS
def test_a_game_in_progress_becomes_unrated_when_its_variant_is_told(api, begun, send):
    send(api, begun, {**begun, "variant": "atomic"})
    assert (details()[3], Game.objects.get().rated) == ("Atomic", False)


@WAYS
@pytest.mark.parametrize(
    ("first", "second"),
    [({}, "chess960"), ({"variant": "crazyhouse"}, "standard"), ({"variant": "horde"}, "koth")],
)
def test_a_rated_game_or_a_known_variant_does_not_become_another_one(api, ended, send, first, second):
    send(api, {**ended, **first})
    before = list(Game.objects.values_list())
    (verdict,) = send(api, {**ended, "variant": second, "url": "https://arena.example/2"})
    assert (verdict["verdict"], verdict["field"]) == ("refused", "variant")
    assert list(Game.objects.values_list()) == before


def test_another_variant_is_a_contradiction_that_names_both(api, ended):
    api.ask("PUT", "games/1", ended, status=201)
    problem = api.ask("PUT", "games/1", {**ended, "variant": "chess960"}, status=409)
    assert (problem["kind"], problem["differing"]) == ("contradiction", ["variant"])
    assert (problem["stored"], problem["sent"]) == ({"variant": "standard"}, {"variant": "Chess960"})


def test_the_answer_has_them_and_says_why_nothing_is_rated(api, ended):
    answer = api.ask("PUT", "games/1", {**ended, **DETAILS, "variant": "Fischerandom"}, status=201)
    assert answer["event"] == {
        "id": "arena/spring",
        "url": ArenaEvent.objects.get().get_absolute_url(),
        "name": "Spring Open",
        "round": "3",
        "arena_url": EVENT["url"],
    }
    assert (answer["arena_url"], answer["variant"], answer["rated"]) == (DETAILS["url"], "Chess960", False)
    assert [(note["articles"], note["text"]) for note in answer["why_nothing"]] == [
        (["1.1"], "It was Chess960. Only standard chess is rated.")
    ]


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"url": "http://arena.example/1"}, "url", "https://"),
        ({"url": "https://10.0.0.1/1"}, "url", "host name"),
        ({"url": "https://localhost/1"}, "url", "host name"),
        ({"url": "https://anna@arena.example/1"}, "url", "host name"),
        ({"url": "https://arena.example:22/1"}, "url", "host name"),
        ({"url": "https://arena.example/a b"}, "url", "percent-encoded"),
        ({"url": "https://arena.example/<script>"}, "url", "percent-encoded"),
        ({"url": f"https://arena.example/{'a' * 500}"}, "url", "more than 500"),
        ({"url": 5}, "url", "must be text"),
        ({"variant": "x" * 41}, "variant", "more than 40"),
        ({"variant": "<b>"}, "variant", "such as chess960"),
        ({"variant": "chess\u200b960"}, "variant", "U+200B"),
        ({"event": "Spring Open"}, "event", "must be an object"),
        ({"round": "3"}, "round", "isn’t a field of a game"),
        ({"event": {"id": "spring"}}, "event.name", "is missing"),
        ({"event": {"name": "Spring Open"}}, "event.id", "is missing"),
        ({"event": {**EVENT, "id": "a/b"}}, "event.id", "without spaces or slashes"),
        ({"event": {**EVENT, "name": 3}}, "event.name", "must be text"),
        ({"event": {**EVENT, "name": "x" * 151}}, "event.name", "more than 150"),
        ({"event": {**EVENT, "name": "Spring\u200bOpen"}}, "event.name", "U+200B"),
        ({"event": {**EVENT, "name": "\u2800"}}, "event.name", "U+2800"),
        ({"event": {**EVENT, "name": "–"}}, "event.name", "no letter or digit"),
        ({"event": {**EVENT, "round": "1" * 21}}, "event.round", "more than 20"),
        ({"event": {**EVENT, "url": "ftp://arena.example"}}, "event.url", "https://"),
        ({"event": {**EVENT, "city": "Oslo"}}, "event.city", "isn’t a field of an event"),
        ({"event": {**EVENT, "name": "a\nb"}}, "event.name", "U+000A"),
    ],
)
def test_what_nobody_could_show_is_refused_with_its_field(api, ended, sent, field, words):
    problem = api.ask("PUT", "games/1", {**ended, **sent}, status=400)
    assert [one["field"] for one in problem["errors"]] == [field]
    assert words in problem["errors"][0]["detail"]
    (verdict,) = in_bulk(api, {**ended, **sent})
    assert (verdict["verdict"], verdict["field"]) == ("refused", field)
    assert not ArenaEvent.objects.exists()


def test_an_event_is_one_for_all_its_games(api, ended):
    games = [{**ended, "id": str(number), "event": EVENT} for number in range(3)]
    assert {one["verdict"] for one in in_bulk(api, *games)} == {"stored"}
    assert ArenaEvent.objects.get().games.count() == 3


STALEMATED = {"result": "1-0", "termination": "stalemate"}
MATED = {"result": "1-0", "pgn": "1. f3 e5 2. g4 Qh4#"}


@WAYS
@pytest.mark.parametrize("ending", [STALEMATED, MATED])
@pytest.mark.parametrize("variant", ["antichess", "atomic"])
@pytest.mark.parametrize("first", [True, False])
def test_in_a_variant_an_end_may_be_impossible_in_chess(api, begun, ended, send, variant, ending, first):
    """In antichess a player who is stalemated wins."""
    if first:
        send(api, begun)
    send(api, {**ended, **ending, "variant": variant})
    played = Game.objects.get()
    assert (played.result, played.rated) == ("1-0", False)
    assert played.termination == ending.get("termination", "checkmate")


@WAYS
def test_moves_of_a_variant_that_was_told_at_the_start_decide_no_result(api, begun, ended, send):
    send(api, {**begun, "variant": "antichess", "pgn": MATED["pgn"]})
    send(api, {**ended, "result": "1-0"})
    assert Game.objects.get().result == "1-0"


@WAYS
def test_a_game_that_was_unrated_for_few_moves_stays_unrated_as_a_variant(api, ended, send):
    send(api, {**ended, "plies": 1})
    send(api, {**ended, "plies": 1, "variant": "atomic"})
    send(api, {**ended, "plies": 20})
    played = Game.objects.get()
    assert (played.plies, played.rated) == (20, False)
    assert "Atomic" in played.unrated_reason


@WAYS
def test_a_variant_is_taken_while_the_server_knows_of_no_end(api, begun, ended, send):
    """RBB 2.4 has ended the game; it is a matter of rated games."""
    send(api, begun)
    for number, what, second in ((1, "gone", 0), (2, "back", 90)):
        moment = utc_text(at(6) + timedelta(seconds=second))
        event = {"sequence": number, "player": "white", "event": what, "at": moment}
        api.ask("POST", "games/1/presence", event, status=201)
    assert Game.objects.get().result == "0-1"
    send(api, {**begun, "variant": "atomic"})
    played = Game.objects.get()
    assert (played.variant, played.rated, played.result) == ("Atomic", False, "")
    send(api, {**ended, **STALEMATED, "variant": "atomic"})
    assert Game.objects.get().termination == "stalemate"


@pytest.mark.parametrize("more", [{"url": "https://arena.example/2"}, {"event": EVENT}])
def test_a_game_of_which_only_details_are_new_is_updated(api, ended, more):
    in_bulk(api, ended)
    assert [one["verdict"] for one in in_bulk(api, {**ended, **more})] == ["updated"]
    assert [one["verdict"] for one in in_bulk(api, {**ended, **more})] == ["already there"]


def test_another_variant_is_a_contradiction_in_bulk_too(api, ended):
    in_bulk(api, ended)
    [told] = in_bulk(api, {**ended, "variant": "atomic"})
    assert (told["verdict"], told["kind"], told["field"]) == ("refused", "contradiction", "variant")
