"""Files of games, starting ratings and members as decisions, each run through what holds for every kind."""

import io

from members.models import FullMembership, Member
from ratings.formats.games import read_games_csv
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.models import Game, OpeningRating, RatingChange
from tests.arena import at, game, member, opening
from tests.commands import game_row
from tests.decisions import DecisionCase
from tests.files import games_csv, kept


class OfAFile(DecisionCase):
    """Anna and Bob, who are rated, and what a file brings of them."""

    def arrange(self):
        self.anna, self.bob = member("anna"), member("bob")
        for who, points in ((self.anna, 1800), (self.bob, 1700)):
            opening(who, points)
        game(self.anna, self.bob, "1/2-1/2", minute=10)
        return self.asked()

    def asked(self):
        raise NotImplementedError

    def disturb(self):
        """Somebody brings one of the games before."""
        rows = read_games_csv(io.BytesIO(games_csv(game_row(5, "bob", "anna"))))
        assert import_games(rows=rows, source="other.csv", sha256="", at=at(60)).stored == 1

    def state(self):
        """Games that count and the ledger; keys may differ after something is entered again."""
        return [
            list(Game.objects.filter(voided_at=None).order_by("ended_at").values_list("white", "result")),
            list(OpeningRating.objects.order_by("member", "category").values_list("member", "rating")),
            list(RatingChange.objects.order_by("member", "occurred_at").values_list("member", "after")),
            list(Member.objects.order_by("username").values_list("username", "name")),
            FullMembership.objects.count(),
        ]


class TestImportGames(OfAFile):
    kind = "import-games"
    told_by_number = {"game": "stored"}

    def asked(self):
        return kept(games_csv(game_row(4), game_row(5, "bob", "anna")), "games.csv")


class TestImportOpenings(OfAFile):
    kind = "import-openings"
    told_by_number = {"openingrating": "stored"}

    def asked(self):
        member("carl")
        text = "username,category,rating,effective_at\ncarl,blitz,1500.00,2026-03-01\n"
        return kept(text.encode(), "ratings.csv")

    def disturb(self):
        game(self.anna, Member.objects.get(username="carl"), minute=60 * 24 * 3)


class TestImportMembers(OfAFile):
    kind = "import-members"
    told_by_number = {"member": "stored"}
    is_public = False

    def asked(self):
        text = "username,name,fide_id,federation,sex,birth_year,title,full_from,full_until\n"
        return kept(f"{text}carl,Carl,,,,,,,\ndora,Dora,,,,,,,\n".encode(), "people.csv")

    def disturb(self):
        Member.objects.create(username="carl", name="Carl")
