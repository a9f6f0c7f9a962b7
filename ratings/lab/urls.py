"""URLs of the rating lab. Its pages for staff are in the admin."""

from django.urls import URLPattern

app_name = "lab"

urlpatterns: list[URLPattern] = []
