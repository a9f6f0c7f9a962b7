"""A cycle that was closed too early: what is missing is said before, and it can be opened again."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from ratings.league.models import Board, Cycle, CycleList, Player, SquadPlayer
from ratings.league.services.cycles import NotReopened, close_cycle, next_cycle, rate, reopen_cycle
from ratings.office.due import due_for
from ratings.office.models import ChangeSet
from tests.backoffice import admin_page
from tests.commands import run
from tests.decisions import decide
from tests.league.office import (
    NOW,
    ROUND_1,
    ROUND_2,
    bring_round,
    bring_squads,
    close_all,
    lists,
    small_season,
)
from tests.pages import words

pytestmark = pytest.mark.django_db

TEAMS = ("North", "South", "East", "West", "Hill", "Lake", "Moor", "Wood")
LATER = datetime(2026, 12, 3, 9, tzinfo=UTC)


@pytest.fixture
def officer(django_user_model):
    user = django_user_model.objects.create_user("officer", is_staff=True)
    user.groups.add(Group.objects.get(name="Rating officers"))
    client = Client()
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture
def eight_teams():
    """One cycle of one round for eight teams of two, of which one match of four is entered."""
    squads = [f"{team} {place},{team},1500,30,no" for team in TEAMS for place in (1, 2)]
    season = bring_squads(*squads, cycles=(1,)).season
    bring_round(season, *match("North", "South"))
    return season


def match(home, away, boards=2):
    return [f"1,{home},{away},{board},{home} {board},{away} {board},1-0" for board in range(1, boards + 1)]


def close_page(season):
    return admin_page(next_cycle(season), "close")


def reopen_page(season, number):
    return admin_page(season.cycles.get(number=number), "reopen")


def test_who_closes_a_cycle_is_told_which_teams_have_no_match(officer, eight_teams):
    told = "Round 1: no match has been entered for East, Hill, Lake, Moor, West, Wood."
    assert told in words(officer.get(close_page(eight_teams)))
    for home, away in (("East", "West"), ("Hill", "Lake"), ("Moor", "Wood")):
        bring_round(eight_teams, *match(home, away))
    assert "Round 1" not in words(officer.get(close_page(eight_teams)))


def test_who_closes_a_cycle_is_told_which_boards_are_missing(officer, eight_teams):
    bring_round(eight_teams, *match("East", "West", boards=1))
    told = "Round 1: East – West: board 2 hasn’t been entered."
    assert told in words(officer.get(close_page(eight_teams)))


def test_the_desk_says_that_all_rounds_are_in_only_if_they_are(officer, eight_teams):
    def told():
        return [one.text for one in due_for(officer.user, NOW) if "league/cycle" in one.link]

    assert told() == ["2026, cycle 1: close the cycle, or enter the missing results"]
    for home, away in (("East", "West"), ("Hill", "Lake"), ("Moor", "Wood")):
        bring_round(eight_teams, *match(home, away))
    assert told() == ["All rounds entered: 2026, cycle 1"]


def test_a_cycle_closed_by_mistake_is_opened_again_and_closed_with_a_new_revision(officer, eight_teams):
    """K adjustment apart, a win against an equal player is + 16 (k 32)."""
    decide(officer, close_page(eight_teams), {})
    first = CycleList.objects.get()
    kept = run("export_cycle", "--season", "2026").out
    page = officer.get(reopen_page(eight_teams, 1))
    assert "4 ratings will change" in words(page)
    assert "North 1 Team league 1516.00 1500.00 −16.00" in words(page)
    decide(officer, reopen_page(eight_teams, 1), {})
    register = officer.get(ChangeSet.objects.latest("pk").get_absolute_url())
    assert "Rating cycle reopened" in words(register)
    assert "The cycle is open again, and 2026, cycle 1, revision 1 is withdrawn." in words(
        officer.get(admin_page(ChangeSet.objects.latest("pk")))
    )
    assert next_cycle(eight_teams).number == 1
    assert run("export_cycle", "--season", "2026").code == 1
    assert run("export_cycle", "--season", "2026", "--revision", "1").out == kept
    assert "reopened" in words(officer.get(first.get_absolute_url()))
    player = Player.objects.get(name="North 1")
    assert "1516" not in words(officer.get(player.get_absolute_url()))
    for home, away in (("East", "West"), ("Hill", "Lake"), ("Moor", "Wood")):
        bring_round(eight_teams, *match(home, away))
    decide(officer, close_page(eight_teams), {})
    second = CycleList.objects.get(revision=2)
    assert (second.reopened_at, second.results.filter(new=1516).count()) == (None, 8)
    assert f'href="{second.get_absolute_url()}"' in officer.get(first.get_absolute_url()).text
    season = words(officer.get(eight_teams.get_absolute_url()))
    assert "Ratings after cycle 1 Revision 1 (withdrawn)" in season
    assert "1516" in words(officer.get(player.get_absolute_url()))


def test_a_cycle_from_which_others_were_rated_stays_closed_and_they_are_named():
    season = small_season()
    bring_round(season, *ROUND_1, *ROUND_2)
    close_all(season)
    first, second = season.cycles.order_by("number")
    told = "Reopen these first, because their ratings depend on 2026, cycle 1: 2026, cycle 2."
    with pytest.raises(NotReopened, match=told):
        reopen_cycle(first, at=LATER)
    following = bring_squads("Adams,North,,,no", "Baker,South,,,no", season="2027", cycles=(1,)).season
    bring_round(following, "1,North,South,1,Adams,Baker,1-0")
    close_all(following)
    with pytest.raises(NotReopened, match="2026, cycle 2: 2027, cycle 1"):
        reopen_cycle(second, at=LATER)
    for cycle in (following.cycles.get(), second, first):
        withdrawn = reopen_cycle(cycle, at=LATER)
        withdrawn.refresh_from_db()
        assert (withdrawn.cycle, withdrawn.reopened_at) == (cycle, LATER)
        with pytest.raises(NotReopened, match="is already open"):
            reopen_cycle(cycle, at=LATER)
    assert Cycle.objects.filter(closed_at__isnull=False).count() == 0


def test_a_withdrawn_list_counts_for_nobody_who_left_the_squad_meanwhile():
    """Adams plays for nobody in 2026 after all: 2027 begins with what its squads say."""
    season = small_season(cycles=(1,))
    bring_round(season, *ROUND_1)
    close_all(season)
    reopen_cycle(season.cycles.get(), at=LATER)
    Board.objects.filter(home_player__name="Adams").delete()
    SquadPlayer.objects.filter(player__name="Adams").delete()
    close_cycle(season, at=LATER)
    assert "Adams" not in str(lists(season))
    following = bring_squads("Adams,North,1400,10,no", season="2027", cycles=(1,)).season
    SquadPlayer.objects.filter(season=following).update(rating=None, games=None)
    with pytest.raises(ValueError, match="Adams has neither a rating nor a captain’s estimate"):
        rate(following.cycles.get())
