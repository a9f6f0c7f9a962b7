"""URLs of the team league."""

from django.urls import path

from ratings.league.views import lists, players, seasons

app_name = "league"

_LIST = "seasons/<int:pk>/cycles/<int:number>/<int:revision>/"

urlpatterns = [
    path("", seasons.SeasonListView.as_view(), name="seasons"),
    path("seasons/<int:pk>/", seasons.SeasonView.as_view(), name="season"),
    path("seasons/<int:pk>/table.csv", seasons.StandingsFileView.as_view(), name="table_file"),
    path("seasons/<int:pk>/rounds.csv", seasons.RoundsFileView.as_view(), name="rounds_file"),
    path(_LIST, lists.CycleListView.as_view(), name="list"),
    path(f"{_LIST}list.csv", lists.CycleFileView.as_view(), name="list_file"),
    path("teams/<int:pk>/", seasons.TeamView.as_view(), name="team"),
    path("teams/<int:pk>/squad.csv", seasons.SquadFileView.as_view(), name="squad_file"),
    path("players/<int:pk>/", players.PlayerView.as_view(), name="player"),
    path("players/<int:pk>/cycles.csv", players.PlayerFileView.as_view(), name="player_file"),
    path("players/<int:pk>/cycles/<int:cycle>/", players.PlayerCycleView.as_view(), name="player_cycle"),
]
