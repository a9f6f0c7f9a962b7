"""URLs of the team league."""

from django.urls import path

from ratings.league import views

app_name = "league"

_LIST = "seasons/<int:pk>/cycles/<int:number>/<int:revision>/"

urlpatterns = [
    path("", views.SeasonListView.as_view(), name="seasons"),
    path("seasons/<int:pk>/", views.SeasonView.as_view(), name="season"),
    path("seasons/<int:pk>/table.csv", views.StandingsFileView.as_view(), name="table_file"),
    path("seasons/<int:pk>/rounds.csv", views.RoundsFileView.as_view(), name="rounds_file"),
    path(_LIST, views.CycleListView.as_view(), name="list"),
    path(f"{_LIST}list.csv", views.CycleFileView.as_view(), name="list_file"),
    path("teams/<int:pk>/", views.TeamView.as_view(), name="team"),
    path("teams/<int:pk>/squad.csv", views.SquadFileView.as_view(), name="squad_file"),
    path("players/<int:pk>/", views.PlayerView.as_view(), name="player"),
    path("players/<int:pk>/cycles.csv", views.PlayerFileView.as_view(), name="player_file"),
    path("players/<int:pk>/cycles/<int:cycle>/", views.PlayerCycleView.as_view(), name="player_cycle"),
]
