"""Pages of the desk: the calendar, cases for whoever opened them, and published cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.generic import DetailView, FormView, TemplateView
from icalendar import Calendar, Event

from foa.account.arena import Account, waiting_account
from foa.web.caching import cached_for_visitors
from members.inviting import may_be_invited
from members.models import Member, member_of
from ratings.desk.forms import AskForLoginForm, ComplaintForm, ReplyForm
from ratings.desk.models import Case, find_subjects
from ratings.desk.services.cases import (
    AlreadyOpenError,
    TooManyCasesError,
    open_by_member,
    open_case_of,
    open_for_login,
    reply,
    withdraw,
)
from ratings.office.due import Dated, coming_dates, dates_between
from ratings.office.subjects import MEMBER, SubjectKind, subject_kind

_LATEST: Final = 100
_LARGEST_KEY: Final = 2**63 - 1


@method_decorator(never_cache, name="dispatch")
class MyCasesView(LoginRequiredMixin, TemplateView):
    """The cases of the member who is logged in, latest first."""

    template_name = "desk/my_cases.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the cases that they opened, or that the office opened for them."""
        cases = Case.objects.filter(opener__user=self.request.user.pk).order_by("-pk")
        member = member_of(self.request.user)
        return super().get_context_data(cases=find_subjects(cases[:_LATEST]), member=member, **kwargs)


@method_decorator(never_cache, name="dispatch")
class OpenCaseView(LoginRequiredMixin, FormView[ComplaintForm]):
    """Form for a new case. 403 if the subject doesn't concern the user, 429 after too many open cases."""

    form_class = ComplaintForm
    template_name = "desk/open_case.html"
    member: Member
    kind: SubjectKind
    subject: Any

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Require a login, then a member whom the subject concerns. Redirect to a case that is open."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        about, key = kwargs["about"], kwargs["key"]
        self.kind = subject_kind(about)
        self.subject = self.kind.find([key]).get(key) if key <= _LARGEST_KEY else None
        if self.subject is None:
            raise Http404(gettext("You can’t open a case about this."))
        openers = self.kind.openers(self.subject)
        member = next((one for one in openers if one.user_id == request.user.pk), None)
        if member is None:
            context = {"kind": self.kind, "address": self.kind.address(self.subject)}
            return render(request, "desk/not_yours.html", context, status=403)
        self.member = member
        if same := open_case_of(about, key, member):
            return HttpResponseRedirect(same.get_absolute_url())
        return super().dispatch(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        """Start with a text for members who want to leave."""
        leaves = self.kind.name == MEMBER and "leave" in self.request.GET
        return (
            {"text": gettext("Please erase my personal data. I want to leave the arena.")} if leaves else {}
        )

    def form_valid(self, form: ComplaintForm) -> HttpResponse:
        """Open the case and redirect to it."""
        about, key = self.kwargs["about"], self.kwargs["key"]
        try:
            case = open_by_member(
                about=about,
                key=key,
                member=self.member,
                text=form.cleaned_data["text"],
                at=timezone.now(),
            )
        except AlreadyOpenError as same:
            return HttpResponseRedirect(same.case.get_absolute_url())
        except ValidationError as refusal:
            form.add_error(None, refusal)
            status = 429 if isinstance(refusal, TooManyCasesError) else 409
            return self.render_to_response(self.get_context_data(form=form), status=status)
        messages.success(self.request, gettext("We’ve received your case."))
        return HttpResponseRedirect(case.get_absolute_url())

    def form_invalid(self, form: ComplaintForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the subject."""
        heading, address = self.kind.heading(self.subject), self.kind.address(self.subject)
        return super().get_context_data(kind=self.kind, heading=heading, address=address, **kwargs)


@method_decorator(never_cache, name="dispatch")
class AskForLoginView(FormView[AskForLoginForm]):
    """Form for somebody who is logged in at the arena and has no login here. 404 without such a member."""

    form_class = AskForLoginForm
    template_name = "desk/ask_for_login.html"
    account: Account
    member: Member

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Find the member of the username at the arena."""
        account = waiting_account(request)
        if account is None:
            return redirect("login")
        member = Member.objects.called(account.username) if account.username else None
        if member is None or not may_be_invited(member):
            return render(request, "desk/no_such_member.html", {"account": account}, status=404)
        self.account, self.member = account, member
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: AskForLoginForm) -> HttpResponse:
        """Open the case, or add to the one that is open."""
        try:
            open_for_login(
                account=self.account, member=self.member, text=form.cleaned_data["text"], at=timezone.now()
            )
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.render_to_response(self.get_context_data(form=form), status=409)
        return render(self.request, "desk/asked_for_login.html", self.get_context_data())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the account and the member."""
        return super().get_context_data(account=self.account, member=self.member, **kwargs)


@method_decorator(never_cache, name="dispatch")
class CaseView(LoginRequiredMixin, FormView[ReplyForm]):
    """A case as its opener sees it, who may answer or withdraw it. Staff may look; others get 404."""

    form_class = ReplyForm
    template_name = "desk/case.html"
    case: Case
    is_mine: bool

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Require a login, whether the case exists or not."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        self.case = self._found(kwargs["pk"])
        self.is_mine = self.case.is_opened_by(request.user)
        return super().dispatch(request, *args, **kwargs)

    def _found(self, key: int) -> Case:
        cases = Case.objects.select_related("opener", "change_set")
        cases = cases.filter(pk=min(key, _LARGEST_KEY))
        case = cases.filter(opener__user=self.request.user.pk).first()
        if case is None and self.request.user.has_perm("desk.view_case"):
            case = cases.shown_to(self.request.user).first()
        if case is None:
            raise Http404(gettext("This case doesn’t exist."))
        return case

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Withdraw the case, or add what its opener writes."""
        if not self.is_mine:
            raise PermissionDenied
        if "withdraw" not in request.POST:
            return super().post(request, *args, **kwargs)
        try:
            withdraw(self.case, at=timezone.now())
        except ValidationError as refusal:
            messages.error(request, " ".join(refusal.messages))
        return self._here()

    def form_valid(self, form: ReplyForm) -> HttpResponse:
        """Add the message and redirect to the case."""
        try:
            reply(self.case, text=form.cleaned_data["text"], at=timezone.now())
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.render_to_response(self.get_context_data(form=form), status=400)
        return self._here()

    def form_invalid(self, form: ReplyForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the messages. Staff notes and the owner's name aren't for members."""
        said = [one for one in self.case.entries.all() if one.is_message]
        return super().get_context_data(case=self.case, said=said, is_mine=self.is_mine, **kwargs)

    def _here(self) -> HttpResponse:
        return HttpResponseRedirect(self.case.get_absolute_url())


@method_decorator(cached_for_visitors, name="dispatch")
class PublicCaseView(DetailView[Case]):
    """The public part of a case, without who opened it and what it is about."""

    template_name = "desk/public_case.html"
    context_object_name = "case"

    def get_queryset(self) -> QuerySet[Case]:
        """Return published cases; all others give 404, as if they didn't exist."""
        return Case.objects.published()


def as_icalendar(dates: Iterable[Dated], *, host: str, at: datetime, address: Callable[[str], str]) -> bytes:
    """Return all-day events with stable UIDs. ``address`` makes a link absolute."""
    calendar = Calendar()
    calendar.add("prodid", "-//FOA rating office//Calendar//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", gettext("Rating office"))
    for one in dates:
        event = Event()
        event.add("uid", f"{one.key}-{one.day:%Y%m%d}@{host}")
        event.add("dtstamp", at)
        event.add("dtstart", one.day)
        event.add("dtend", one.day + timedelta(days=1))
        event.add("summary", one.text)
        event.add("url", address(one.link))
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content


def span_of(today: date) -> tuple[date, date]:
    """Return the first and last day of the calendar: from the beginning of last month to a year ahead."""
    before = today.replace(day=1) - timedelta(days=1)
    return before.replace(day=1), today + timedelta(days=366)


_NEXT: Final = 4
"""Number of dates above the table of the year."""


class CalendarView(TemplateView):
    """Calendar of publications and closing periods, month by month."""

    template_name = "desk/calendar.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the next dates, and a year with a row for each month and a column for each kind of date."""
        today = timezone.now().astimezone(UTC).date()
        coming = coming_dates(today)
        kinds = {one.key: one.heading for one in coming}
        by_month = attrgetter("month")
        months = [
            (month, [[one for one in dates if one.key == key] for key in kinds])
            for month, some in groupby(sorted(coming, key=by_month), by_month)
            for dates in [list(some)]
        ]
        return super().get_context_data(
            coming=coming[:_NEXT], headings=kinds.values(), months=months, **kwargs
        )


class CalendarFileView(View):
    """The calendar as an iCalendar file, for subscriptions."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Include the dates of the last weeks, because a subscription forgets what is missing."""
        now = timezone.now()
        content = as_icalendar(
            dates_between(*span_of(now.astimezone(UTC).date())),
            host=request.get_host(),
            at=now,
            address=request.build_absolute_uri,
        )
        return HttpResponse(content, content_type="text/calendar; charset=utf-8")
