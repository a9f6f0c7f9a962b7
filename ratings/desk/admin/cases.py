"""Admin pages of cases: who owns each, what was said, and the decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import number_in
from foa.web.admin import ChoiceFilter
from ratings.desk.forms import ANSWERS, AnswerForm, CorrectionForm, DecisionForm, NoteForm, answer_text
from ratings.desk.models import Case, CaseQuerySet, find_subjects
from ratings.desk.services import cases as services
from ratings.desk.services.cases import address_of_opener
from ratings.office.subjects import subject_kinds
from ratings.rbb.admin.base import OfMembers


class NewCaseForm(ModelForm[Case]):
    """Form for a new case: its subject, for whom it is opened, and why. ``by``: who opens it."""

    by: ClassVar[Any]

    about = forms.ChoiceField(label=_("About"))
    text = forms.CharField(
        label=_("Subject"),
        max_length=5_000,
        widget=AdminTextareaWidget(attrs={"rows": 4}),
        help_text=_("If a member opened the case, they will read this."),
    )

    class Meta:
        model = Case
        fields = ("about", "key", "opener", "on_behalf_of")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        about: Any = self.fields["about"]
        about.choices = [(kind.name, kind.noun) for kind in subject_kinds()]

    def clean(self) -> dict[str, Any]:
        """Refuse a subject that doesn't exist, is about the user, or already has an open case."""
        cleaned = super().clean() or {}
        about, key = cleaned.get("about"), cleaned.get("key")
        if about and key is not None:
            try:
                services.check_subject(about, key, self.by)
            except ValidationError as refusal:
                self.add_error("key", refusal)
                return cleaned
            if same := services.open_case_of(about, key, cleaned.get("opener")):
                self.add_error(None, services.AlreadyOpenError(same))
        return cleaned


class StateFilter(ChoiceFilter):
    """Filter by state: open (the default) or closed."""

    title = _("state")
    parameter_name = "state"
    options = [one for one in Case.State.choices if one[0] != Case.State.OPEN]
    first = Case.State.OPEN.label

    def queryset(self, request: HttpRequest, queryset: QuerySet[Case]) -> QuerySet[Case]:
        asked = self.value()
        return queryset.filter(state=asked if asked in Case.State.values else Case.State.OPEN)


class OwnerFilter(ChoiceFilter):
    """Filter by owner: this user, or nobody."""

    title = _("owner")
    parameter_name = "whose"
    options = (("mine", _("mine")), ("nobody", _("unclaimed")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Case]) -> QuerySet[Case]:
        whose: dict[str | None, Any] = {"mine": request.user, "nobody": None}
        return queryset.filter(owner=whose[self.value()]) if self.value() in ("mine", "nobody") else queryset


class OverdueFilter(ChoiceFilter):
    """Filter for cases whose deadline has passed."""

    title = _("deadline")
    parameter_name = "deadline"
    options = (("overdue", _("overdue")),)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Case]) -> QuerySet[Case]:
        """Keep open cases that are overdue."""
        if self.value() != "overdue":
            return queryset
        return queryset.filter(state=Case.State.OPEN, deadline__lt=timezone.now())


class KindFilter(admin.SimpleListFilter):
    """Filter by kind of subject."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(kind.name, kind.case) for kind in subject_kinds()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Case]) -> QuerySet[Case]:
        return queryset.filter(about=self.value()) if self.value() else queryset


@admin.register(Case)
class CaseAdmin(OfMembers[Case]):
    """A case. Every step goes through :mod:`ratings.desk.services.cases`."""

    form = NewCaseForm
    fields = ("about", "key", "opener", "on_behalf_of", "text")
    autocomplete_fields = ("opener",)
    list_display = ("__str__", "kind", "heading", "opener", "owner", "deadline", "state")
    list_filter = (StateFilter, OwnerFilter, OverdueFilter, KindFilter)
    list_select_related = ("opener", "owner")
    sortable_by = ()
    actions = None
    search_fields = ("opener",)
    search_help_text = _("A case number, or part of the member’s name or username")

    @admin.display(description=_("kind"))
    def kind(self, case: Case) -> str:
        """Return what a case of this kind is called."""
        return str(case.kind.case)

    @admin.display(description=_("about"))
    def heading(self, case: Case) -> str:
        """Return the name of the subject."""
        return case.heading

    def get_queryset(self, request: HttpRequest) -> QuerySet[Case]:
        """Leave out the user's own cases, and those about them."""
        return cast(CaseQuerySet, super().get_queryset(request)).shown_to(request.user)

    def get_form(self, request: HttpRequest, obj: Case | None = None, *args: Any, **kwargs: Any) -> Any:
        """Return the form, which has to know who opens the case."""
        form = super().get_form(request, obj, *args, **kwargs)
        return type(form.__name__, (form,), {"by": request.user})

    def found(self, text: str, members: list[int]) -> Q:
        """Find the cases of these members, and the case with this number."""
        of_members = super().found(text, members)
        number = number_in(text.strip())
        return of_members if number is None else of_members | Q(pk=number)

    def has_change_permission(self, request: HttpRequest, obj: Case | None = None) -> bool:
        """Refuse edits: a case is changed by steps, each with its own button."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Case | None = None) -> bool:
        return False

    def may_handle(self, request: HttpRequest) -> bool:
        """Return True if this user may claim, answer and decide cases."""
        return request.user.has_perm("desk.handle_case")

    def get_urls(self) -> list[URLPattern]:
        """Add the pages that decide a case and correct its decision."""
        decide, correct = map(self.admin_site.admin_view, (self.decide_view, self.correct_view))
        return [
            path("<int:pk>/decide/", decide, name="desk_case_decide"),
            path("<int:pk>/correct/", correct, name="desk_case_correct"),
            *super().get_urls(),
        ]

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Load the subjects of the cases on the page."""
        page = super().get_changelist_instance(request)
        page.result_list = self.with_what_is_shown(page.result_list)
        return page

    def with_what_is_shown(self, rows: Sequence[Case]) -> Sequence[Case]:
        """Load the subjects of the cases."""
        return find_subjects(rows)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Fill in the subject from the address, so that links can name it."""
        known = {name: request.GET[name] for name in ("about", "key") if name in request.GET}
        return {**super().get_changeform_initial_data(request), **known}

    def save_model(self, request: HttpRequest, obj: Case, form: Any, change: bool) -> None:
        """Open the case through the service."""
        case = services.open_by_office(**form.cleaned_data, by=request.user, at=timezone.now())
        vars(obj).update(vars(case))

    def response_add(
        self, request: HttpRequest, obj: Case, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Redirect to the case."""
        messages.success(request, gettext("%(case)s is open.") % {"case": obj})
        return HttpResponseRedirect(_page_of(obj))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form. If somebody else has just opened the same case, redirect to it."""
        try:
            return super().add_view(request, form_url, extra_context)
        except services.AlreadyOpenError as same:
            messages.warning(request, " ".join(same.messages))
            return HttpResponseRedirect(_page_of(same.case))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the case. On POST, take the step of the button. Staff see their own cases as members do."""
        own = Case.objects.filter(opener__user=request.user.pk, pk=number_in(object_id) or 0).first()
        if own is not None:
            return HttpResponseRedirect(own.get_absolute_url())
        case = self.get_object(request, object_id)
        if case is None or not self.has_view_permission(request, case):
            return super().change_view(request, object_id, form_url, extra_context)
        if request.method == "POST":
            return self._step(request, case)
        return self._page(request, case)

    def _step(self, request: HttpRequest, case: Case) -> HttpResponse:
        if not self.may_handle(request):
            raise PermissionDenied
        now = timezone.now()
        answer, note = (
            form(request.POST if step in request.POST else None)
            for step, form in (("answer", AnswerForm), ("note", NoteForm))
        )
        try:
            if "claim" in request.POST:
                services.claim(case, by=request.user, at=now)
                told = gettext("The case is yours.")
            elif "release" in request.POST:
                services.release(case, by=request.user, at=now)
                told = gettext("Anyone can claim it now.")
            elif "withdraw" in request.POST and case.opened_by_id is not None:
                services.withdraw(case, at=now)
                told = gettext("Withdrawn.")
            elif answer.is_bound:
                if not answer.is_valid():
                    return self._page(request, case, answer=answer)
                text = answer.cleaned_data["text"]
                services.answer(case, by=request.user, text=text, at=now, link=_link(request, case))
                told = _told(case)
            elif note.is_bound:
                if not note.is_valid():
                    return self._page(request, case, note=note)
                services.note(case, by=request.user, text=note.cleaned_data["text"], at=now)
                told = gettext("Note saved.")
            else:
                raise PermissionDenied
        except ValidationError as refusal:
            for form in (answer, note):
                if form.is_bound:
                    # Nothing that was typed gets lost.
                    form.add_error("text", refusal)
                    case.refresh_from_db()
                    return self._page(request, case, answer=answer, note=note)
            for fault in refusal.messages:
                self.message_user(request, fault, messages.ERROR)
            return HttpResponseRedirect(_page_of(case))
        self.message_user(request, told, messages.SUCCESS)
        return HttpResponseRedirect(_page_of(case))

    def _page(self, request: HttpRequest, case: Case, **forms_with_faults: Any) -> HttpResponse:
        """Render what was said and done, with a button for each possible step."""
        is_open = case.state == Case.State.OPEN
        may = self.may_handle(request)
        mine = case.owner_id == request.user.pk
        forms_shown = {"answer": AnswerForm(), "note": NoteForm(), **forms_with_faults}
        return TemplateResponse(
            request,
            "admin/desk/case/case.html",
            {
                **self.admin_site.each_context(request),
                **forms_shown,
                "title": f"{case}: {case.kind.case}",
                "opts": self.opts,
                "case": case,
                "entries": case.entries.select_related("by"),
                "remedies": self._remedies(request, case),
                "overdue": is_open and case.deadline < timezone.now(),
                "may_claim": may and is_open and case.owner_id is None,
                "may_release": may and is_open and case.owner_id is not None,
                "may_answer": may and is_open and mine and case.opener is not None,
                "may_decide": may and is_open and (mine or case.owner_id is None),
                "may_correct": may and case.state == Case.State.DECIDED,
                "may_withdraw": may and is_open and case.opened_by_id is not None,
                "may_note": may,
                "no_mail": case.opener is not None and not address_of_opener(case),
                "mine": mine,
            },
        )

    def decide_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for the decision. On POST, close the case with it."""
        if not self.may_handle(request):
            raise PermissionDenied
        case = get_object_or_404(self.get_queryset(request).select_related("opener__user", "owner"), pk=pk)
        number, answer = request.GET.get("change_set", ""), ANSWERS.get(request.GET.get("answer", ""))
        initial = {
            "change_set": number_in(number),
            "decision": answer_text(answer or (ANSWERS["corrected"] if number else None), case),
        }
        form = DecisionForm(request.POST or None, initial=initial, case=case)

        def decide(**said: Any) -> None:
            if case.owner_id is None and case.state == Case.State.OPEN:
                services.claim(case, by=request.user, at=said["at"])
            services.decide(case, **said)

        if self._is_decided(request, case, form, decide):
            self.log_change(request, case, gettext("Decided."))
            return HttpResponseRedirect(_page_of(case))
        context = {
            "title": gettext("Decide %(case)s") % {"case": case},
            "button": gettext("Decide the case"),
            "answers": [(name, one.name) for name, one in ANSWERS.items()],
            "number": number,
        }
        return self._decision_page(request, case, form, context)

    def correct_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for what the decision of a case should say. On POST, correct it."""
        if not self.may_handle(request):
            raise PermissionDenied
        case = get_object_or_404(
            self.get_queryset(request).select_related("opener__user", "change_set"), pk=pk
        )
        if case.state != Case.State.DECIDED:
            return HttpResponseRedirect(_page_of(case))
        names = ("decision", "public_reasons", "staff_reasons", "corrections")
        initial = {name: getattr(case, name) for name in names} | {"change_set": case.change_set_id}
        form = CorrectionForm(request.POST or None, initial=initial, case=case)
        if self._is_decided(request, case, form, partial(services.correct, case)):
            self.log_change(request, case, gettext("Decision corrected."))
            return HttpResponseRedirect(_page_of(case))
        context = {
            "title": gettext("Correct the decision of %(case)s") % {"case": case},
            "button": gettext("Correct the decision"),
        }
        return self._decision_page(request, case, form, context)

    def _is_decided(
        self, request: HttpRequest, case: Case, form: DecisionForm, decide: Callable[..., None]
    ) -> bool:
        """Decide as the form says; return False with the errors in the form if that fails.

        With a typed number, only choose that change set: somebody should look at it first.
        """
        if request.POST.get("number", "").strip() or "find" in request.POST:
            form.find()
            return False
        if not form.is_valid():
            return False
        said = {name: value for name, value in form.cleaned_data.items() if name != "number"}
        try:
            decide(by=request.user, **said, at=timezone.now(), link=_link(request, case))
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return False
        self.message_user(request, _told(case), messages.SUCCESS)
        return True

    def _decision_page(
        self, request: HttpRequest, case: Case, form: DecisionForm, context: dict[str, Any]
    ) -> HttpResponse:
        shown = {"opts": self.opts, "case": case, "form": form, "remedies": self._remedies(request, case)}
        context = {**self.admin_site.each_context(request), **shown, **context}
        return TemplateResponse(request, "admin/desk/case/decide.html", context)

    def _remedies(self, request: HttpRequest, case: Case) -> list[Any]:
        """Return the admin pages that can put it right. Each leads back to the decision of the case."""
        if case.subject is None:
            return []
        back = urlencode({"next": reverse("admin:desk_case_decide", args=(case.pk,))})
        return [
            replace(one, address=f"{one.address}{'&' if '?' in one.address else '?'}{back}")
            for one in case.kind.remedies(case.subject)
            if request.user.has_perm(one.permission)
        ]


def _page_of(case: Case) -> str:
    return reverse("admin:desk_case_change", args=(case.pk,))


def _link(request: HttpRequest, case: Case) -> str:
    """Return the absolute address of the member's page, for a mail."""
    return request.build_absolute_uri(case.get_absolute_url())


def _told(case: Case) -> str:
    """Say who will read what was written, and how they are notified."""
    if case.opener is None:
        return gettext("Done. Nobody was notified, because no member opened the case.")
    if address_of_opener(case):
        return gettext("Done. We’ll email %(member)s.") % {"member": case.opener}
    return gettext("Done. %(member)s has no email address, but can read it on their page.") % {
        "member": case.opener
    }
