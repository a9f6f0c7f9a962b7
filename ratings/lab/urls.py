"""URLs of the rating lab. Its pages for staff are in the admin."""

from django.urls import path

from ratings.lab import views

app_name = "lab"

urlpatterns = [
    path("calibration/", views.CalibrationView.as_view(), name="calibration"),
    path("scale/", views.ScaleView.as_view(), name="latest_scale"),
    path("scale/lists/", views.ListsView.as_view(), name="scale_of_lists"),
    path("scale/lists/<slug:slug>/", views.ListsView.as_view(), name="scale_of"),
    path("scale/<month:month>/", views.ScaleView.as_view(), name="scale"),
    path(
        "scale/<month:month>/<category:category>/corrections/",
        views.CorrectionsView.as_view(),
        name="corrections",
    ),
]
