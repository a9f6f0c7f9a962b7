"""The app of team leagues, rated in cycles under the rules of the BAL."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class LeagueConfig(rooms.Room):
    name = "ratings.league"
    links = (("league:seasons", _("Team league")),)
    menu = (("league:seasons", _("League")),)
    demo = "ratings.league.demo.load_league_demo"
    rule_books = ("ratings.league.regulations.RULE_BOOK",)
    verbose_name = _("Team league")

    def ready(self) -> None:
        from ratings.league import audit, decisions, due, page_sections, relations  # noqa: F401  imported for what they register
