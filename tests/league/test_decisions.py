"""The decisions about a league, each run through what holds for every kind."""

import pytest
from django.contrib.auth.models import Permission

from ratings.league.models import Board, Cycle, CycleResult, League, SquadPlayer
from ratings.league.services.cycles import close_cycle
from tests.decisions import DecisionCase
from tests.files import brought, kept, page_of
from tests.league.office import (
    NOW,
    ROUND_1,
    ROUND_2,
    SQUADS,
    board,
    bring_round,
    bring_squads,
    close_all,
    everything,
    lists,
    rounds_csv,
    small_season,
    squads_csv,
)
from tests.pages import words


def in_force():
    """The lines of all lists that count."""
    lines = CycleResult.objects.in_force().order_by("cycle_list", "name")
    return list(lines.values_list("cycle_list__cycle", "name", "old", "new", "games_after"))


class TestCloseCycle(DecisionCase):
    kind = "close-cycle"

    def arrange(self):
        self.season = small_season()
        bring_round(self.season, *ROUND_1, *ROUND_2)
        return {"cycle": [str(self.season.cycles.get(number=1).pk)]}

    def disturb(self):
        Board.objects.filter(pk=board(1, 1).pk).update(result="0-1")

    def state(self):
        """Without lists that were withdrawn, which stay."""
        closed = [(one.pk, one.closed_at is not None) for one in Cycle.objects.order_by("pk")]
        return [closed, list(Board.objects.order_by("pk").values_list()), in_force()]


class TestReopenCycle(TestCloseCycle):
    kind = "reopen-cycle"
    says_what_differs = False

    def arrange(self):
        asked = super().arrange()
        close_cycle(self.season, at=NOW)
        return asked

    def disturb(self):
        """The next cycle is closed meanwhile."""
        close_cycle(self.season, at=NOW)


class OfClosedCycles(DecisionCase):
    """Two teams of two, and two closed cycles of a round each."""

    def arrange(self):
        self.season = small_season()
        bring_round(self.season, *ROUND_1, *ROUND_2)
        close_all(self.season)
        return self.asked()

    def state(self):
        return [
            list(Board.objects.order_by("pk").values_list()),
            list(SquadPlayer.objects.order_by("pk").values_list()),
            list(League.objects.values_list()),
            lists(self.season),
        ]


class TestCorrectBoard(OfClosedCycles):
    kind = "correct-board"

    def asked(self):
        wrong = board(1, 1)
        return {
            "board": [str(wrong.pk)],
            "home_player": [str(wrong.home_player_id)],
            "away_player": [str(wrong.away_player_id)],
            "result": ["0-1"],
        }

    def disturb(self):
        SquadPlayer.objects.filter(player__name="Adams").update(rating=1500)


class TestCorrectSquadEntry(OfClosedCycles):
    kind = "correct-squad-entry"

    def asked(self):
        adams = SquadPlayer.objects.get(player__name="Adams")
        return {
            "squadplayer": [str(adams.pk)],
            "team": [str(adams.team_id)],
            "rating": ["1200"],
            "games": ["30"],
        }

    def disturb(self):
        SquadPlayer.objects.filter(player__name="Baker").update(rating=1500)


class TestCorrectLimit(OfClosedCycles):
    kind = "correct-limit"

    def asked(self):
        return {"league": [str(League.objects.get().pk)], "provisional_limit": ["40"]}

    def disturb(self):
        SquadPlayer.objects.filter(player__name="Baker").update(games=50)


class OfALeagueFile(DecisionCase):
    """Two teams of two, and a file about them."""

    undoable = False
    is_public = False

    def arrange(self):
        self.season = small_season()
        bring_round(self.season, *ROUND_1)
        return self.asked()

    def asked(self):
        raise NotImplementedError

    def state(self):
        return everything()


class TestImportSquads(OfALeagueFile):
    kind = "import-squads"
    told_by_number = {"player": "2026 players", "squadplayer": "2026 players"}

    def asked(self):
        return kept(squads_csv(*SQUADS, "Cole,North,1500,5,no", "Dean,East,,,yes"), "s.csv", season="2026")

    def disturb(self):
        bring_squads("Cole,North,1500,5,no")


class TestImportRounds(OfALeagueFile):
    kind = "import-rounds"
    told_by_number = {"board": "boards"}

    def staff(self, name):
        officer = super().staff(name)
        officer.user.user_permissions.add(Permission.objects.get(codename="change_board"))
        return officer

    def asked(self):
        changed = ROUND_1[0].replace("1-0", "0-1")
        return kept(rounds_csv(changed, *ROUND_2), "r.csv", season=str(self.season.pk), replace="on")

    def disturb(self):
        """The board that the file replaces says something else meanwhile."""
        Board.objects.filter(pk=board(1, 1).pk).update(result="1/2-1/2")


@pytest.mark.django_db
def test_a_refused_row_refuses_a_file_of_the_league_and_all_are_named(staff, worker):
    season = small_season()
    for kind, content, options in (
        ("import-squads", squads_csv("Cole,North,x,5,no", "Dean,East,,,no"), {"season": "2026"}),
        ("import-rounds", rounds_csv("1,North,South,1,Adams,Nobody,1-0", "x,,,,,,"), {"season": season.pk}),
    ):
        before = everything()
        one = brought(staff, kind, content, "file.csv", **options)
        worker()
        page = staff.get(page_of(one))
        assert "2 rows were refused, so nothing was stored." in words(page)
        assert "line 2: " in words(page)
        assert "line 3: " in words(page)
        assert 'name="apply"' not in page.text
        assert everything() == before


@pytest.mark.django_db
def test_a_new_season_comes_with_its_squads_by_a_file(staff, worker):
    one = brought(staff, "import-squads", squads_csv(*SQUADS), "s.csv", season="2027", cycles="5, 10")
    worker()
    assert "New season, with cycles after rounds 5, 10" in words(staff.get(page_of(one)))
    staff.post(page_of(one), {"apply": "on"})
    worker()
    assert SquadPlayer.objects.filter(season__name="2027").count() == 4
    other = brought(staff, "import-squads", squads_csv(*SQUADS), "s.csv", season="2028")
    worker()
    assert "give the last round of each cycle, such as 5,10,11" in words(staff.get(page_of(other)))
