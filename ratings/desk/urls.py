"""URLs of the desk's public pages."""

from django.urls import path

from ratings.desk import views

app_name = "desk"

urlpatterns = [
    path("calendar/", views.CalendarView.as_view(), name="calendar"),
    path("calendar.ics", views.CalendarFileView.as_view(), name="calendar_file"),
    path("cases/", views.MyCasesView.as_view(), name="cases"),
    path("cases/<int:pk>/", views.CaseView.as_view(), name="case"),
    path("cases/new/<slug:about>/<int:key>/", views.OpenCaseView.as_view(), name="open"),
    path("cases/new/login/", views.AskForLoginView.as_view(), name="this_is_me"),
    path("register/cases/<int:pk>/", views.PublicCaseView.as_view(), name="public_case"),
]
