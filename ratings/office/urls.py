"""Addresses of the register."""

from django.urls import path

from ratings.office import views

app_name = "office"

urlpatterns = [
    path("", views.RegisterView.as_view(), name="register"),
    path("<int:pk>/", views.ChangeSetView.as_view(), name="change_set"),
]
