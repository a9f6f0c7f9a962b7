"""URLs of the desk's public pages."""

from django.urls import path

from ratings.desk.views import calendar, cases, published

app_name = "desk"

urlpatterns = [
    path("calendar/", calendar.CalendarView.as_view(), name="calendar"),
    path("calendar.ics", calendar.CalendarFileView.as_view(), name="calendar_file"),
    path("cases/", cases.MyCasesView.as_view(), name="cases"),
    path("cases/<int:pk>/", cases.CaseView.as_view(), name="case"),
    path("cases/new/<slug:about>/<int:key>/", cases.OpenCaseView.as_view(), name="open"),
    path("register/cases/<int:pk>/", published.PublicCaseView.as_view(), name="public_case"),
]
