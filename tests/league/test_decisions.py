"""The decisions about a league, each run through what holds for every kind."""

from ratings.league.models import Board, League, SquadPlayer
from tests.decisions import ArrangedOnce
from tests.league.office import (
    ROUND_1,
    ROUND_2,
    board,
    bring_round,
    close_all,
    everything,
    lists,
    small_season,
)


class TestCloseCycle(ArrangedOnce):
    kind = "close-cycle"
    undoable = False

    def arrange(self):
        self.season = small_season()
        bring_round(self.season, *ROUND_1, *ROUND_2)
        return {"cycle": [str(self.season.cycles.get(number=1).pk)]}

    def disturb(self):
        Board.objects.filter(pk=board(1, 1).pk).update(result="0-1")

    def state(self):
        return everything()


class OfClosedCycles(ArrangedOnce):
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
