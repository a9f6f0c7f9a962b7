"""The list of games as PGN: what it says, and that it gives the same games again."""

import io
from datetime import UTC, datetime

import chess.pgn
import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foa.files import TableFile
from ratings.formats.pgn_writing import game_text
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists import pgn
from ratings.rbb.models import ArenaEvent, Game, RatingChange, TimeControl
from ratings.rules.rbb.rating import Reason
from tests.arena import at, game, member, opening
from tests.commands import run
from tests.formats.pgn_samples import LICHESS

pytestmark = pytest.mark.django_db

SCHOLARS = "1. e4 { [%clk 0:03:00] } e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#"
FACTS = (
    "white__username", "black__username", "time_control", "rated", "result", "termination", "started_at",
    "ended_at", "variant", "voided_at",
)  # fmt: skip


@pytest.fixture
def two():
    anna = member("anna", name="Berg, Anna", title="WFM", fide_id=1500001)
    bert = member("bert", name='Vik, "Bert"')
    for one, points in ((anna, 1600), (bert, 1500)):
        opening(one, points)
    return anna, bert


def exported(client, **query):
    """The games of the list, as PGN."""
    response = client.get("/games/", {**query, "format": "pgn"})
    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-chess-pgn"
    assert response["Content-Disposition"] == 'attachment; filename="games.pgn"'
    assert response.streaming
    return response.getvalue().decode()


def read(text):
    """The games that python-chess finds."""
    stream = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(stream), None))


def test_a_game_has_its_players_ratings_and_changes(client, two):
    played = game(*two, minute=10, pgn=SCHOLARS, termination="checkmate", plies=7)
    assert exported(client) == (
        f"""[Event "FIDE Online Arena"]
[Site "{settings.SITE_URL}{played.get_absolute_url()}"]
[Date "2026.03.01"]
[Round "?"]
[White "anna"]
[Black "bert"]
[Result "1-0"]
[Rated "yes"]
[UTCDate "2026.03.01"]
[UTCTime "00:05:00"]
[WhiteElo "1600"]
[WhiteRatingDiff "+7.20"]
[WhiteTitle "WFM"]
[WhiteFideId "1500001"]
[BlackElo "1500"]
[BlackRatingDiff "-7.20"]
[TimeControl "180+2"]
[Termination "checkmate"]
[UTCEndDate "2026.03.01"]
[UTCEndTime "00:10:00"]
[PlyCount "7"]

{SCHOLARS} 1-0

"""
    )


def test_the_oldest_game_comes_first_and_filters_are_those_of_the_list(client, two):
    anna, bert = two
    carl = member("carl")
    opening(carl, 1400)
    event = ArenaEvent.objects.create(external_id="arena/spring", name="Spring Open")
    game(anna, bert, minute=30, event=event, round="2")
    game(carl, bert, minute=10)
    game(bert, anna, "", minute=50, ended_at=None)

    def names(**query):
        return [(one.headers["White"], one.headers["Black"]) for one in read(exported(client, **query))]

    assert names(state="finished") == [("carl", "bert"), ("anna", "bert")]
    assert names(player=anna.pk, state="finished") == [("anna", "bert")]
    assert names(since="2026-04-01") == []
    assert names(since="2026-03-01", until="2026-03-31") == [("carl", "bert"), ("anna", "bert")]
    (of_event,) = read(exported(client, event=event.pk))
    assert (of_event.headers["Event"], of_event.headers["Round"]) == ("Spring Open", "2")
    (going,) = read(exported(client, state="overdue"))
    assert (going.headers["Result"], "Termination" in going.headers) == ("*", False)


def test_pages_of_a_member_an_event_and_the_list_offer_it(client, two):
    event = ArenaEvent.objects.create(external_id="arena/spring", name="Spring Open")
    game(*two, minute=10, event=event)
    assert 'href="?format=pgn" download>PGN</a>' in client.get("/games/").content.decode()
    anna, _bert = two
    page = client.get(f"/members/{anna.pk}/games/").content.decode()
    assert f'href="/games/?player={anna.pk}&amp;format=pgn"' in page
    page = client.get(event.get_absolute_url()).content.decode()
    assert f'href="/games/?event={event.pk}&amp;format=pgn"' in page


def played_games(anna, bert):
    """Games of each kind that can be told in PGN, with the moves of each."""
    event = ArenaEvent.objects.create(external_id="arena/friendly", name="Friendly Cup")
    written = TimeControl.objects.create(initial=0, increment=0, written="40/7200:3600")
    game(anna, bert, minute=10, pgn=SCHOLARS, termination="checkmate")
    game(bert, anna, "1/2-1/2", minute=20, pgn="1. d4 d5 1/2-1/2", event=event, termination="agreement")
    game(anna, bert, "0-1", minute=30, pgn=LICHESS, url="https://arena.example/1", termination="time")
    game(
        anna, bert, minute=40, pgn='[Event "x"]\n[Result "0-1"]\n[ECO "B00"]\n\n1. e4 a6 {x} 0-1', rated=False
    )
    game(anna, bert, minute=50, pgn="1. e4 b6", rated=False, time_control=written)
    game(anna, bert, "0-1", minute=60, pgn="1. f3 e5 2. g4 Qh4#", external_id="https://other.example/game/7",
         started_at=datetime(2026, 3, 1, 0, 55, 1, 250_000, UTC))  # fmt: skip
    game(anna, bert, minute=70, pgn="1. c4 c5 2. Nf3 Nf6", external_id="arena/4711")


def facts():
    """What the ledger depends on, of all games in order."""
    return list(Game.objects.order_by("ended_at", "pk").values_list(*FACTS))


def test_an_empty_office_reads_the_same_games_and_gives_the_same_ratings(client, two, tmp_path):
    played_games(*two)
    before = facts()
    lines = list(RatingChange.objects.exclude(reason=Reason.OPENING).order_by("occurred_at", "id")
                 .values_list("member__username", "before", "change", "after"))  # fmt: skip
    assert len(lines) == 10
    path = tmp_path / "games.pgn"
    path.write_text(exported(client))
    RatingChange.objects.filter(game__isnull=False).delete()
    Game.objects.all()._raw_delete(Game.objects.db)
    done = run("import_games", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Read 7 games: 7 stored, 0 already there, 0 refused.")
    assert facts() == before
    again = RatingChange.objects.exclude(reason=Reason.OPENING).order_by("occurred_at", "id")
    assert list(again.values_list("member__username", "before", "change", "after")) == lines


def test_the_office_itself_has_each_of_its_games_already(client, two, tmp_path):
    played_games(*two)
    for number, one in enumerate(Game.objects.filter(external_id=None)):
        one.external_id = f"pgn:{number}"
        one.save()
    path = tmp_path / "games.pgn"
    path.write_text(exported(client))
    done = run("import_games", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Read 7 games: 0 stored, 7 already there, 0 refused.")


def test_a_page_of_that_number_with_other_players_is_another_game(client, two, tmp_path):
    played = game(*two, minute=10, pgn=SCHOLARS, termination="checkmate", external_id="pgn:1")
    text = exported(client)
    played.white = member("carl")
    played.save()
    path = tmp_path / "games.pgn"
    path.write_text(text)
    assert run("import_games", path).out.startswith("Read 1 game: 1 stored, 0 already there, 0 refused.")


def test_python_chess_reads_each_game_with_its_moves(client, two):
    played_games(*two)
    found = read(exported(client))
    assert [one.end().ply() for one in found] == [7, 2, 4, 2, 2, 4, 4]
    assert [one.errors for one in found] == [[]] * 7
    assert [one.headers["Result"] for one in found] == ["1-0", "1/2-1/2", "0-1", "1-0", "1-0", "0-1", "1-0"]
    # Of the stored text: what it says of the opening, and not the result that an officer has corrected.
    assert (found[3].headers["ECO"], found[3].headers["Event"]) == ("B00", "FIDE Online Arena")
    assert (found[1].headers["Event"], found[1].headers["Tournament"]) == (
        "FIDE Online Arena",
        "Friendly Cup",
    )
    assert found[0].next().clock() == 180


@pytest.mark.parametrize("stored", ["1. e4 {never closed", '1. e4 e5\n\n[Event "another"]\n\n1. d4 1-0'])
def test_moves_that_cannot_be_read_never_swallow_the_next_game(client, two, stored):
    game(*two, minute=10, pgn=stored)
    game(*two, minute=20, pgn=SCHOLARS)
    first, second = read(exported(client))
    assert (first.comment, first.end().ply()) == ("The stored moves can’t be read.", 0)
    assert second.end().ply() == 7


def test_a_void_game_says_so_and_is_rated_nowhere(client, two):
    played = game(*two, minute=10, pgn=SCHOLARS)
    void_games(games=[played], by=None, reason="Fair play", at=at(20))
    (only,) = read(exported(client))
    assert (only.headers["Rated"], only.headers["Void"]) == ("no", "Fair play")
    assert "WhiteElo" not in only.headers


def test_many_games_take_two_statements_for_each_piece(two, monkeypatch):
    for minute in range(10, 16):
        game(*two, minute=minute, pgn=SCHOLARS)
    monkeypatch.setattr(pgn, "_AT_ONCE", 2)
    file = TableFile(name="games", columns=(), source=Game.objects.all(), rows=(), noun="games")
    with CaptureQueriesContext(connection) as taken:
        pieces = list(pgn.pgn_pieces(file))
    assert [len(read(piece.decode())) for piece in pieces] == [2, 2, 2]
    assert len(taken) == 1 + 3


def test_quotation_marks_in_a_name_are_escaped(client):
    assert r'[White "a\"b\\c"]' in game_text({"White": 'a"b\\c'}, "", "1-0")
