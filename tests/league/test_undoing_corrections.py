"""Taking a correction of the league back changes what it changed, and nothing that was corrected later."""

import pytest
from django.core.exceptions import ValidationError

from ratings.league.models import SquadPlayer
from ratings.office.models import ChangeSet
from tests.decisions import confirmed_on, decided, staff_login, undo
from tests.league.office import ROUND_1, ROUND_2, board, bring_round, bring_squads, close_all, small_season

pytestmark = pytest.mark.django_db


@pytest.fixture
def adams():
    season = small_season()
    bring_round(season, *ROUND_1, *ROUND_2)
    close_all(season)
    return SquadPlayer.objects.get(player__name="Adams")


def corrected(entry, **changes):
    """The decision that corrects these fields of a squad entry."""
    entry.refresh_from_db()
    stands = {"team": entry.team_id, "rating": entry.rating, "games": entry.games}
    asked = {name: [str(value)] for name, value in {**stands, **changes}.items()}
    return decided("correct-squad-entry", squadplayer=[str(entry.pk)], **asked)


def figures(entry):
    return SquadPlayer.objects.values_list("rating", "games").get(pk=entry.pk)


def test_a_correction_taken_back_leaves_the_fields_of_a_later_one(adams):
    rating, _games = figures(adams)
    first = corrected(adams, rating=1200)
    corrected(adams, games=45)
    assert undo(first).state == ChangeSet.State.APPLIED
    assert figures(adams) == (rating, 45)


def test_a_board_keeps_the_player_who_was_corrected_later(adams):
    bring_squads("Cole,North,1500,30,no")
    one, cole = board(1, 1), SquadPlayer.objects.get(player__name="Cole").player_id
    asked = {"board": [str(one.pk)], "away_player": [str(one.away_player_id)], "result": ["0-1"]}
    first = decided("correct-board", **asked, home_player=[str(one.home_player_id)])
    decided("correct-board", **asked, home_player=[str(cole)])
    undo(first)
    corrected = board(1, 1)
    assert (corrected.home_player_id, corrected.result) == (cole, one.result)


def test_a_field_that_has_changed_since_refuses_to_take_the_correction_back(adams):
    first = corrected(adams, rating=1200, games=45)
    corrected(adams, games=50)
    with pytest.raises(ValidationError) as refusal:
        undo(first)
    (told,) = refusal.value.messages
    assert told.startswith("Adams (North), 2026 has changed again since that correction: ")
    assert figures(adams) == (1200, 50)


def test_what_took_a_correction_back_can_be_taken_back_in_turn(adams):
    first = corrected(adams, rating=1200)
    corrected(adams, games=45)
    undo(undo(first))
    assert figures(adams) == (1200, 45)


def test_the_page_takes_back_the_fields_of_that_correction_alone(adams):
    rating, _games = figures(adams)
    first = corrected(adams, rating=1200)
    corrected(adams, games=45)
    officer = staff_login("officer", "correct-squad-entry")
    page = officer.get(f"/admin/office/changeset/{first.pk}/change/")
    assert "/correct-squad-entry/" in page.text
    address = "/admin/office/changeset/decide/correct-squad-entry/"
    asked = {**first.undo["parameters"], "undoes": [str(first.pk)]}
    shown = officer.get(address, asked)
    assert confirmed_on(officer, shown).status_code == 302
    assert figures(adams) == (rating, 45)
    assert first.undone_by.get().state == ChangeSet.State.APPLIED


def test_a_field_that_no_correction_has_is_refused(adams):
    asked = {
        "squadplayer": [str(adams.pk)],
        "team": [str(adams.team_id)],
        "rating": ["1200"],
        "games": ["30"],
    }
    with pytest.raises(ValidationError, match="This no longer exists"):
        decided("correct-squad-entry", **asked, replaces=["player=7"])
