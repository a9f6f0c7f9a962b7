"""Correcting a result is one form: result, ending and PGN together, and everything that is wrong at once."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from ratings.rbb.models import Game
from tests.arena import at, game, member, opening
from tests.backoffice import admin_page, game_form
from tests.formats.pgn_text import MATE
from tests.pages import words

pytestmark = pytest.mark.django_db

PGN = """[White "anna"]
[Black "bob"]
[Result "1/2-1/2"]

1. e4 e5 {½-½ offered, declined; again offered after the next move, and agreed to. A long comment makes the
text too long for a line of the preview, as the text of nearly every game with its tags and clocks is.} 2. Nf3
1/2-1/2
"""


@pytest.fixture
def drawn():
    anna, bob = member("anna"), member("bob")
    opening(anna, 1800)
    opening(bob, 1700)
    return game(anna, bob, "1/2-1/2", minute=20, started_at=at(10), pgn=PGN, termination="agreement", plies=3)


def posted(played, **fields):
    """What the form of this game posts when these fields are changed."""
    names = ("result", "termination", "plies")
    kept = {name: getattr(played, name) for name in names}
    # As browsers post lines.
    text = played.pgn.replace("\n", "\r\n")
    return {**game_form(played.white, played.black, pgn=text, **kept), **fields}


def faults(page):
    """The errors of the form by field."""
    return {name: list(found) for name, found in page.context["adminform"].form.errors.items()}


def test_result_and_termination_are_corrected_in_one_go_and_the_pgn_with_them(staff, drawn):
    preview = staff.post(admin_page(drawn), posted(drawn, result="1-0", termination="resignation"))
    assert "result: ½-½ → 1-0" in words(preview)
    shown = preview.context
    # As browsers post what the page has hidden.
    hidden = {"shown": shown["shown"], "public_reason": "result", "staff_note": "both wrote"}
    for name, value in shown["parameters"]:
        hidden[name] = value.replace("\n", "\r\n")
    assert staff.post(shown["address"], hidden).status_code == 302
    drawn.refresh_from_db()
    assert (drawn.result, drawn.termination) == ("1-0", "resignation")
    assert drawn.pgn == PGN.strip().replace('"1/2-1/2"', '"1-0"').replace("\n1/2-1/2", "\n1-0")


def test_a_preview_shows_ratings_first_and_folds_the_moves(staff, drawn):
    page = staff.post(admin_page(drawn), posted(drawn, result="1-0", termination="resignation")).text
    assert page.index('id="moved"') < page.index('id="inputs"') < page.index("<details>\n")
    folded = page[page.index("<details>\n") : page.index("</details>", page.index("<details>\n"))]
    assert folded.count("A long comment") == page[page.index('id="moved"') :].count("A long comment") == 2


def test_an_end_that_does_not_fit_the_new_result_is_said_at_the_end_alone(staff, drawn):
    page = staff.post(admin_page(drawn), posted(drawn, result="1-0"))
    assert faults(page) == {
        "termination": [
            "“agreement” means a draw, but the result is 1-0 (FIDE Laws 5.2.3). Correct the result, or how "
            "the game ended."
        ]
    }


def test_everything_wrong_with_a_game_is_said_at_once(staff, drawn):
    stranger = member("carl", full_from=None)
    changes = {"result": "1-0", "termination": "stalemate", "pgn": f"{MATE} 0-1", "black": stranger.pk}
    found = faults(staff.post(admin_page(drawn), posted(drawn, **changes)))
    assert found["pgn"] == [
        "the PGN says “0-1”, but the result is “1-0”",
        "the PGN has 4 half-moves, but 3 plies were entered",
    ]
    assert [text[:54] for text in found["termination"]] == [
        "“stalemate” means a draw, but the result is 1-0 (FIDE L"[:54]
    ]
    assert "was not a full member" in found["black"][0]


def test_word_and_moves_that_contradict_the_result_are_both_said():
    with pytest.raises(ValidationError) as refusal:
        game(member(), member(), "1/2-1/2", termination="checkmate", pgn=MATE)
    assert set(refusal.value.message_dict) == {"termination", "result"}


def test_a_result_typed_into_both_is_compared_as_entered(staff, drawn):
    changes = {"result": "1-0", "termination": "normal", "pgn": PGN.replace("1/2-1/2", "0-1")}
    page = staff.post(admin_page(drawn), posted(drawn, **changes))
    assert faults(page) == {"pgn": ["the PGN says “0-1”, but the result is “1-0”"]}
    assert Game.objects.get().result == "1/2-1/2"


def test_a_text_that_nobody_has_changed_is_no_change(staff, drawn):
    """The PGN names somebody else; only the number of moves is corrected."""
    Game.objects.filter(pk=drawn.pk).update(pgn=PGN.replace("anna", "Anna Berg"), plies=4)
    drawn.refresh_from_db()
    saved = staff.post(admin_page(drawn), posted(drawn, external_id="arena/7"))
    assert saved.status_code == 302
    drawn.refresh_from_db()
    assert (drawn.external_id, drawn.pgn) == ("arena/7", PGN.replace("anna", "Anna Berg"))
