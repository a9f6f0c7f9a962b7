"""Pages of the desk: the calendar, cases for whoever opened them, and published cases."""

from ratings.desk.views.calendar import CalendarFileView, CalendarView
from ratings.desk.views.cases import CaseView, MyCasesView, OpenCaseView
from ratings.desk.views.published import PublicCaseView

__all__ = [
    "CalendarFileView",
    "CalendarView",
    "CaseView",
    "MyCasesView",
    "OpenCaseView",
    "PublicCaseView",
]
