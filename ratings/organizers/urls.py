"""URLs of the organizers' pages."""

from django.urls import path

from ratings.organizers import views

app_name = "organizers"

urlpatterns = [
    path("", views.MineView.as_view(), name="mine"),
    path("program/", views.program, name="program"),
    path("invitation/<str:token>/", views.AcceptView.as_view(), name="accept"),
    path("<int:scope>/", views.SendingView.as_view(), name="scope"),
    path("<int:scope>/tournaments/<int:tournament>/", views.SendingView.as_view(), name="tournament"),
    path("<int:scope>/tournaments/<int:tournament>/appeal/", views.AppealView.as_view(), name="appeal"),
    path("reports/<int:pk>/", views.SubmissionView.as_view(), name="submission"),
    path("reports/<int:pk>/receipt.txt", views.receipt, name="receipt"),
    path("reports/<int:pk>/file/", views.file, name="file"),
]
