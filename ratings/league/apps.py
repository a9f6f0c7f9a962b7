"""A team league, rated in cycles under the rules of the BAL."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LeagueConfig(AppConfig):
    name = "ratings.league"
    verbose_name = _("Team league")
