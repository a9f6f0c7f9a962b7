"""The app of team leagues, rated in cycles under the rules of the BAL."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class LeagueConfig(rooms.Room):
    name = "ratings.league"
    links = (("league:seasons", _("Team league")),)
    menu = (("league:seasons", _("League")),)
    demo = "ratings.league.demo.load_league_demo"
    api = "ratings.league.api"
    scales = "ratings.league.scales.scales"
    searches = ("ratings.league.services.searching.teams",)
    suggestions = ("ratings.league.services.searching.league_players",)
    rule_books = ("ratings.league.regulations.RULE_BOOK",)
    verbose_name = _("Team league")
    admin_menu = (
        Place("league.Season", Work.LEAGUE, 1),
        Place("league.Team", "league.Season", 1),
        Place("league.SquadPlayer", "league.Season", 2),
        Place("league.Board", "league.Season", 3),
        Place("league.Cycle", "league.Season", 4),
        Place("league.CycleList", "league.Season", 5),
        Place("league.CycleResult", "league.Season", 6),
        Place("league.Match", Work.LEAGUE, 2),
        Place("league.Player", Work.LEAGUE, 3),
        Place("league.League", Work.LEAGUE, 4),
    )

    def ready(self) -> None:
        from ratings.league import audit, decisions, due, page_sections, relations  # noqa: F401  imported for what they register
