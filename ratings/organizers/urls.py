"""Addresses of the organizers' pages."""

from django.urls import path

from ratings.organizers.views import invitations, reports, sent

app_name = "organizers"

urlpatterns = [
    path("", sent.MineView.as_view(), name="mine"),
    path("invitation/<str:token>/", invitations.AcceptView.as_view(), name="accept"),
    path("<int:scope>/", reports.SendingView.as_view(), name="scope"),
    path("<int:scope>/tournaments/<int:tournament>/", reports.SendingView.as_view(), name="tournament"),
    path("<int:scope>/tournaments/<int:tournament>/appeal/", reports.AppealView.as_view(), name="appeal"),
    path("reports/<int:pk>/", sent.SubmissionView.as_view(), name="submission"),
    path("reports/<int:pk>/receipt.txt", sent.receipt, name="receipt"),
    path("reports/<int:pk>/file/", sent.file, name="file"),
]
