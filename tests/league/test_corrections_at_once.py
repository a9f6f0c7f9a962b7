"""Corrections beside other changes of the league: what a form has checked is checked again under the lock."""

from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from ratings.league.models import Board, Match, SquadPlayer, Team
from ratings.league.services.cycles import close_cycle, lock_league, next_cycle
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from tests.league.office import NOW, bring_round, bring_squads, small_season
from tests.rbb.conftest import shared_database  # noqa: F401  # a fixture
from tests.rbb.test_concurrency import in_thread

PLAYED = "This player has already played for their team this season, so they can’t change teams."

ROUND_1 = ("1,North,South,1,Adams,Baker,1-0",)


def moves_abel():
    """Parameters that move Cole, who hasn’t played, from North to South; cycle 1 is closed."""
    season = small_season()
    bring_squads("Cole,North,1500,30,no")
    bring_round(season, *ROUND_1)
    close_cycle(season, at=NOW)
    assert next_cycle(season).number == 2
    cole = SquadPlayer.objects.get(player__name="Cole")
    return {
        "squadplayer": [str(cole.pk)],
        "team": [str(Team.objects.get(name="South").pk)],
        "rating": ["1500"],
        "games": ["30"],
    }


def fields_cole():
    """Enter round 2, in which Cole plays for North."""
    home, away = Team.objects.get(name="North"), Team.objects.get(name="South")
    match = Match.objects.create(season=home.season, round=2, home_team=home, away_team=away)
    cole, baker = (SquadPlayer.objects.get(player__name=name).player for name in ("Cole", "Baker"))
    return Board.objects.create(match=match, number=1, home_player=cole, away_player=baker, result="1-0")


@pytest.mark.django_db
def test_a_player_who_is_fielded_after_the_form_was_checked_stays_in_the_team():
    kind = kind_of("correct-squad-entry")
    proposal = Proposal(kind=kind, parameters=moves_abel())

    def lock(form):
        fields_cole()
        return type(kind).lock(kind, form)

    with patch.object(kind, "lock", lock), pytest.raises(ValidationError) as refused:
        decide_at_once(proposal)
    assert refused.value.messages == [PLAYED]
    assert SquadPlayer.objects.get(player__name="Cole").team.name == "North"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
def test_a_correction_waits_for_a_round_that_is_being_entered_and_is_refused_then(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    proposal = Proposal(kind=kind_of("correct-squad-entry"), parameters=moves_abel())
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock_league()
            fields_cole()
            waiting = pool.submit(in_thread, lambda: decide_at_once(proposal))
            _until_somebody_waits()
        with pytest.raises(ValidationError) as refused:
            waiting.result()
    assert refused.value.messages == [PLAYED]
    assert SquadPlayer.objects.get(player__name="Cole").team.name == "North"
    assert not ChangeSet.objects.filter(kind="correct-squad-entry").exists()


def _until_somebody_waits():
    """Return once another connection waits for the lock of the league."""
    with connection.cursor() as cursor:
        waits = False
        while not waits:
            cursor.execute(
                "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
            )
            (waits,) = cursor.fetchone()
