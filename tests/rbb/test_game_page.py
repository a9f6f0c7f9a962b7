"""The page of a game and the page of a line of the ledger: every number explained to the article."""

import io
import re

import chess.pgn
import pytest
from django.utils import timezone

from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.time_controls import Category
from tests.arena import adjustment, at, game, member, opening, rated
from tests.pages import is_friendly, queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

PGN = '[White "<b>x</b>"]\n\n1. e4 e5 (1... c5) 2. Nf3 {good} Nc6 1-0'


def content_of(client, entry, **parameters):
    """The HTML of the page of a game or a line."""
    response = client.get(entry.get_absolute_url(), parameters)
    assert response.status_code == 200
    return response.content.decode()


def page_of(client, entry):
    """The words of that page."""
    return words(client.get(entry.get_absolute_url()))


def lines_of(who):
    """His lines, earliest first."""
    return RatingChange.objects.filter(member=who).in_order()


def test_a_game_explains_both_ratings_to_the_article(client):
    who, other = rated("1799.60"), rated("1279.60")
    played = game(who, other)
    text = page_of(client, played)
    for line in (
        f"White {who} 1799.60 +0.60 1800.20 Black {other} 1279.60 −0.60 1279.00",
        "rounded to 520. ( RBB 3.9.1 , RBB 3.13 )",
        "Rn = Ro + K × ΔR = 1799.60 + 20 × 0.03 = 1800.20. ( RBB 3.9.2 )",
        "Rn = Ro + K × ΔR = 1279.60 + 20 × (−0.03) = 1279.00. ( RBB 3.9.2 )",
        "Duration 0:05:00",
    ):
        assert line in text
    assert "Why no rating changed" not in text


def test_the_row_of_table_4_2_is_marked_and_leads_to_the_whole_table(client):
    played = game(rated("1799.60"), rated("1279.60"))
    content = re.sub(r">\s+<", "><", content_of(client, played))
    row = '<tr class="chosen" aria-current="true"><th scope="row">518–559</th>'
    assert f"{row}<td><mark>0.97</mark></td><td>0.03</td></tr>" in content
    assert f"{row}<td>0.97</td><td><mark>0.03</mark></td></tr>" in content
    assert content.count('href="/how-ratings-work/#table-4-2-518"') == 2


def test_every_citation_leads_to_its_article(client):
    content = content_of(client, game(rated(1500), rated(1500)))
    assert '<a class="cite" href="/how-ratings-work/#rbb-3-10-1">RBB\xa03.10.1</a>' in content
    how = client.get("/how-ratings-work/").content.decode()
    for anchor in re.findall(r'href="/how-ratings-work/#([^"]+)"', content):
        assert f'id="{anchor}"' in how


def test_titles_and_members_are_linked(client):
    anna = member(name="Novak, Anna", title="WGM")
    content = content_of(client, game(anna, rated(1500)))
    title = '<abbr class="title" title="Woman Grandmaster">WGM</abbr>'
    assert f'{title} <a href="/members/{anna.pk}/">Novak, Anna</a>' in content


def test_a_first_rating_lists_its_five_results(client):
    who = member()
    for minute in range(10, 15):
        last = game(who, rated(1500), "1/2-1/2" if minute == 10 else "1-0", minute=minute)
    content = content_of(client, last)
    assert content.count('<th scope="row" class="number">') == 5
    text = page_of(client, last)
    assert "5 player" in text  # the fifth result and its opponent
    assert "1500.00 ½ 1 Mar 2026, 00:10 UTC" in text
    assert "Rf = 1500.00 + 80.00 = 1580.00. ( RBB 3.7.2 )" in text
    assert "does not change the rating, the number of games or K. ( RBB 3.8 )" in text


def test_a_void_game_says_since_when_and_why_and_to_staff_by_whom(client, django_user_model):
    officer = django_user_model.objects.create_superuser("secret-officer")
    played = game(rated(1800), rated(1700), voided_at=at(60), void_reason="engine use", voided_by=officer)
    text = page_of(client, played)
    assert "Void since 1 Mar 2026, 01:00 UTC: engine use. The game does not count for ratings." in text
    assert "Rated no (void)" in text
    assert "1800.00 – –" in text
    assert "secret-officer" not in text
    client.force_login(officer)
    assert "Voided by secret-officer." in page_of(client, played)


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, ["It was played as an unrated game. ( RBB 2.2 )"]),
        (
            {"unrated_reason": "friendly"},
            ["It was played as an unrated game. ( RBB 2.2 ) Note on the game: friendly"],
        ),
        (
            {"notation": "420+1"},
            ["Its time control, 7 min + 1 s, is not one of the seventeen that are rated. ( RBB 2.3 )"],
        ),
        (
            {
                "notation": "420+1",
                "unrated_reason": "time control 420+1 is not one of the seventeen that are rated (RBB 2.3)",
            },
            ["is not one of the seventeen that are rated. ( RBB 2.3 ) Colour Player Before"],
        ),
        (
            {"termination": "no-show"},
            ["It was not played. A game counts once each side has made a move (FIDE B.02 5.1). ( RBB 2.4 )"],
        ),
        ({"plies": 1}, ["It was not played"]),
        (
            {"termination": "unknown", "termination_word": "goodbye"},
            ["“goodbye” leaves open whether the game was played, so it isn’t rated. ( RBB 2.4 )"],
        ),
        ({"termination": "disconnection both"}, ["Both players were disconnected for more than 60 seconds"]),
        (
            {"termination": "disconnection white"},
            [
                "was disconnected for more than 60 seconds and so should have lost, but the game has a "
                "different result.",
            ],
        ),
    ],
)
def test_an_unrated_game_says_why(client, fields, reasons):
    text = page_of(client, game(rated(1800), rated(1700), rated=False, **fields))
    assert "Why no rating changed" in text
    assert "Rated no " in text
    for reason in reasons:
        assert reason in text
    assert ("– – –" if "notation" in fields else "1800.00 – –") in text


def test_2_1_a_game_of_somebody_who_was_no_full_member_says_who(client):
    guest = member(name="Guest, Gil", full_from=at(100))
    text = page_of(client, game(rated(1800), guest, rated=False))
    assert "Gil Guest was not a full member when the game started. ( RBB 2.1 )" in text
    assert "played as an unrated game" not in text


def test_a_game_in_progress_is_rated_when_it_ends(client):
    playing = game(rated(1800), rated(1700), "", started_at=timezone.now(), ended_at=None)
    text = page_of(client, playing)
    assert "Result in progress" in text
    assert "The game is in progress. It will be rated when it ends. ( RBB 3.11 )" in text
    assert "Duration" not in text


def test_a_game_that_its_server_forgot_is_not_said_to_be_played(client):
    """3.11: at 3 min + 2 s a game lasts 36 minutes at most."""
    forgotten = game(rated(1800), rated(1700), "", started_at=at(0), ended_at=None)
    text = page_of(client, forgotten)
    assert "Result no result received" in text
    assert "We have no result for this game, although it must have ended." in text
    assert "in progress" not in text
    assert "live.js" not in content_of(client, forgotten)


def test_a_game_without_a_line_shows_where_the_players_stood_at_its_end(client):
    who = rated(1500)
    friendly = game(who, rated(1500), minute=20, rated=False)
    game(who, rated(1500), minute=30)
    assert f"White {who} 1500.00 – –" in page_of(client, friendly)


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_an_external_id_that_is_an_address_is_a_link(client, scheme):
    played = game(rated(1800), rated(1700), external_id=f"{scheme}://example.org/g/1")
    link = f'<a href="{scheme}://example.org/g/1" rel="nofollow noopener">'
    assert link in content_of(client, played)


@pytest.mark.parametrize("external_id", ["abc1", "javascript:alert(1)", "//example.org/1"])
def test_any_other_external_id_is_words(client, external_id):
    played = game(rated(1800), rated(1700), external_id=external_id)
    assert f'href="{external_id}"' not in content_of(client, played)
    assert external_id in page_of(client, played)


def test_the_moves_are_shown_in_two_columns_with_the_final_position(client):
    played = game(rated(1800), rated(1700), pgn=PGN)
    text = page_of(client, played)
    assert "No. White Black 1. e4 e5 2. Nf3 Nc6" in text
    content = content_of(client, played)
    placement = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
    assert (
        f'<a href="?ply=4#moves" data-fen="{placement}" data-name="2… Nc6" data-squares="b8c6" '
        'aria-current="true">Nc6</a>'
    ) in content
    assert content.count("data-fen=") == 4
    pieces = "White: Ke1, Qd1, Ra1, Rh1, Bc1, Bf1, Nb1, Nf3, a2, b2, c2, d2, e4, f2, g2, h2."
    assert f'role="img" aria-label="{pieces} Black: Ke8, ' in content
    assert re.search(r'<use href="[^"]*pieces[^"]*#bN" x="2" y="2" width="1" height="1" />', content)  # Nc6
    assert content.count("<use ") == 32
    assert "&lt;b&gt;x&lt;/b&gt;" in content


def test_without_javascript_the_links_of_the_moves_lead_to_each_position(client):
    played = game(rated(1800), rated(1700), pgn="1. e4 {[%clk 0:02:58.5]} e5 {[%clk 1:05:00]} 2. Nf3 Nc6 1-0")
    address = played.get_absolute_url()
    page = client.get(address, {"ply": "1"}).content.decode()
    assert 'aria-live="polite">1. e4<' in page
    assert '<rect class="mark" x="4" y="6" width="1" height="1" />' in page  # e2
    assert re.findall(r'data-clock="(\w+)">([^<]*)<', page) == [("black", ""), ("white", "2:58.5")]
    steps = re.findall(r'href="\?ply=(\d)#moves" data-go="(\w+)"', page)
    assert steps == [("0", "Home"), ("0", "ArrowLeft"), ("2", "ArrowRight"), ("4", "End")]
    page = client.get(address, {"ply": "99"}).content.decode()
    assert 'aria-live="polite">2… Nc6<' in page
    assert re.findall(r'data-clock="(\w+)">([^<]*)<', page) == [("black", "1:05:00"), ("white", "2:58.5")]
    assert 'aria-live="polite">Initial position<' in client.get(address, {"ply": "0"}).content.decode()
    for nonsense in ("x", "-1", "9" * 5000, "٣"):
        assert client.get(address, {"ply": nonsense}).status_code == 200


def test_a_game_leads_to_the_games_of_each_player_before_and_after_it(client):
    anna, boris = rated(1500), rated(1500)
    first, second, third = (
        game(anna, boris, minute=10),
        game(boris, anna, minute=20),
        game(anna, rated(1500), minute=30),
    )
    content = content_of(client, second)
    assert content.count(f'rel="prev" href="{first.get_absolute_url()}"') == 2
    assert content.count(f'rel="next" href="{third.get_absolute_url()}"') == 1
    assert 'rel="prev"' not in content_of(client, first)


@pytest.mark.parametrize("pgn", ["1. e4 <b>e4</b> 1-0", "no game at all", '[FEN "nonsense"]\n\n1. e4 *'])
def test_moves_that_cannot_be_played_are_shown_as_they_are_stored(client, pgn):
    content = content_of(client, game(rated(1800), rated(1700), pgn=pgn))
    assert pgn.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;") in content
    assert "These moves can’t be replayed" in content
    assert "board.js" not in content


def test_a_game_without_moves_has_neither_board_nor_file(client):
    played = game(rated(1800), rated(1700))
    assert "PGN" not in page_of(client, played)
    response = client.get(f"{played.get_absolute_url()}?format=pgn")
    assert response.status_code == 404
    assert is_friendly(response)


def test_moves_without_tags_are_shown_with_those_of_the_file(client):
    played = game(rated(1800), rated(1700), pgn="1. e4 e5 1-0")
    assert "[WhiteElo &quot;1800&quot;]" in content_of(client, played)


def test_the_pgn_can_be_had_as_a_file(client):
    played = game(rated(1800), rated(1700), pgn=PGN)
    response = client.get(played.get_absolute_url(), {"format": "pgn"})
    assert response["Content-Type"] == "application/x-chess-pgn"
    assert response["Content-Disposition"] == f'attachment; filename="game-{played.pk}.pgn"'
    assert response.content.decode() == f"{PGN}\n"


def test_staff_are_led_to_the_admin_page_of_the_game_and_of_the_line(staff):
    played = game(rated(1800), rated(1700))
    key = change_id(EventType.GAME, played.pk)
    assert f'<a href="/admin/ratings/game/{played.pk}/change/">Admin</a>' in content_of(staff, played)
    line = f'<a href="/admin/ratings/ratingchange/{key}/change/">Admin</a>'
    assert line in staff.get(f"/changes/{key}/").content.decode()


def test_every_line_of_the_ledger_has_a_page_of_its_own(client):
    anna = member("anna")
    opening(anna, 1800)
    adjustment(anna, -12, source="FIDE list April")
    game(anna, rated(1500))
    texts = [words(client.get(row.get_absolute_url())) for row in lines_of(anna)]
    assert "Starting rating: test" in texts[0]
    assert "opponent" not in texts[0].lower()
    assert "Over-the-board adjustment: FIDE list April" in texts[1]
    assert "Rn = 1800.00 + (−12.00) = 1788.00." in texts[1]
    assert "1788.00 → 1791.20" in texts[2]


def test_a_line_leads_to_the_lines_before_and_after_it_in_the_same_category(client):
    who = rated(1500)
    opening(who, 1600, Category.RAPID, minute=15)
    for minute in (10, 20, 20, 30):
        game(who, rated(1500), minute=minute)
    game(member(), rated(1500), minute=20)
    keys = [row.pk for row in lines_of(who) if row.category == Category.BLITZ]
    for before, key, after in zip([None, *keys], keys, [*keys[1:], None], strict=False):
        content = client.get(f"/changes/{key}/").content.decode()
        found = dict(re.findall(r'<a rel="(prev|next)" href="/changes/([0-9]+)/">', content))
        assert found == {
            name: str(other) for name, other in (("prev", before), ("next", after)) if other is not None
        }


def test_a_line_of_an_unrated_member_leads_to_the_coach(client):
    anna = member()
    game(anna, rated(1500))
    address = f"/members/{anna.pk}/first-rating/blitz/"
    assert address in client.get(lines_of(anna).get().get_absolute_url()).content.decode()


def test_pages_of_games_and_lines_take_few_queries_however_much_was_played(client):
    who = member()
    for minute in range(10, 15):
        first = game(who, rated(1500), minute=minute)
    addresses = [first.get_absolute_url(), lines_of(who).get(game=first).get_absolute_url()]
    few = [queries(client, address) for address in addresses]
    for minute in range(20, 40):
        last = game(who, rated(1500), minute=minute)
    assert [queries(client, address) for address in addresses] == few
    # The game, its lines, what is beside them, and here the results of a first rating; of a line without the
    # game, but with the opponent's line.
    assert few == [4, 4]
    # Of a game between rated players the editions of RBB, too.
    assert queries(client, last.get_absolute_url()) == 4
    friendly = game(who, rated(1500), minute=50, rated=False)
    assert queries(client, friendly.get_absolute_url()) == 4


def test_a_game_in_progress_says_what_each_result_would_give_both_players(client):
    """RBB 4.2: D = 100 is 0.64 and 0.36; RBB 3.10: K = 20 of both."""
    anna, bert = rated("1900.00"), rated("1800.00")
    played = game(anna, bert, "", started_at=timezone.now(), ended_at=None)
    text = page_of(client, played)
    assert f"White {anna} 1900.00 +7.20 −2.80 −12.80 Black {bert} 1800.00 +12.80 +2.80 −7.20" in text
    assert "Initial position" in text


def test_a_game_that_will_not_be_rated_says_nothing_of_what_results_would_give(client):
    played = game(
        rated("1900.00"),
        rated("1800.00"),
        "",
        started_at=timezone.now(),
        ended_at=None,
        rated=False,
        unrated_reason="casual",
    )
    assert "If they win" not in page_of(client, played)


def test_two_changes_that_differ_say_that_k_does(client):
    """RBB 3.10.3: K = 40 until 30 games for a member once unrated, 20 for the other."""
    newcomer = member(name="Novak, Anna")
    other = member(name="Berg, Olav")
    opening(other, 1500)
    for minute in range(10, 15):
        game(newcomer, rated(1500), minute=minute)
    text = page_of(client, game(newcomer, other, minute=20))
    assert "The changes differ because K is 40 for Anna Novak and 20 for Olav Berg." in text
    assert "The changes differ" not in page_of(client, game(other, rated(1500), minute=25))


def test_a_line_says_what_the_game_did_to_the_opponent_and_why_that_differs(client):
    """RBB 4.2: D = 0 is 0.50; RBB 3.10: K = 20 of both."""
    anna, olav, unrated = member(name="Novak, Anna"), member(name="Berg, Olav"), member(name="Holm, Eva")
    opening(anna, 1500, previously_unrated=True)
    opening(olav, 1500)
    played = game(anna, olav, minute=20)
    text = words(client.get(lines_of(anna).get(game=played).get_absolute_url()))
    differ = "The changes differ because K is 40 for Anna Novak and 20 for Olav Berg."
    assert f"Opponent Berg, Olav , −10.00 . {differ}" in text
    text = words(client.get(lines_of(olav).get(game=played).get_absolute_url()))
    assert "Opponent Novak, Anna , +20.00 . The changes differ because K is 20 for Olav Berg" in text
    played = game(unrated, olav, minute=30)
    text = words(client.get(lines_of(unrated).get(game=played).get_absolute_url()))
    stayed = "Olav Berg’s blitz rating stayed at 1490.00, because Eva Holm was unrated."
    assert f"Opponent Berg, Olav , 0.00 . {stayed}" in text
    # Here the headline says it.
    text = words(client.get(lines_of(olav).get(game=played).get_absolute_url()))
    assert text.count("because Eva Holm was unrated") == 1


def test_a_line_shows_the_opponents_change_alone_where_it_is_the_reverse(client):
    anna, olav = rated(1500), rated(1500)
    played = game(anna, olav, minute=20)
    text = words(client.get(lines_of(anna).get(game=played).get_absolute_url()))
    assert f"Opponent {olav} , −10.00 " in text
    assert "The changes differ" not in text


def test_the_moves_can_be_analysed_elsewhere_and_come_with_tags(client):
    played = game(
        member("anna", name="Novak, Anna"), member("ole"), pgn="1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#"
    )
    assert "https://lichess.org/analysis/pgn/e4_e5_Qh5_Nc6_Bc4_Nf6_Qxf7%23" in content_of(client, played)
    told = client.get(played.get_absolute_url(), {"format": "pgn"}).content.decode()
    read = chess.pgn.read_game(io.StringIO(told))
    assert (read.headers["White"], read.headers["Black"]) == ("anna", "ole")
    assert (read.headers["Result"], read.headers["TimeControl"]) == ("1-0", "180+2")
    assert told.endswith("Qxf7# 1-0\n\n")


@pytest.mark.needs("desk")
def test_strangers_are_asked_to_log_in_if_they_played_once_the_game_has_ended(client):
    told = "Played this game? Log in to dispute it"
    assert told in page_of(client, game(rated(1500), rated(1500)))
    assert told not in page_of(
        client, game(rated(1500), rated(1500), "", started_at=timezone.now(), ended_at=None)
    )
