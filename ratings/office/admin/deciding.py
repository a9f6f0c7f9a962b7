"""The page of every decision: ask for parameters, show what it would do, and do what was shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.db_errors import BUSY
from foa.text import number_in, points
from foa.web.admin import OfficeAdmin, is_value
from ratings.office.deciding import Proposal, StaleError, confirm, preview, waits_for_second
from ratings.office.decision_types import DecisionType, kind_of
from ratings.office.effects import Difference, Effect, Move, Shown, unsealed
from ratings.office.jobs import standing_of
from ratings.office.models import ChangeSet, PublicReason, Rehearsal
from ratings.office.rehearsing import ask_for_rehearsal, details_of
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths

_SEALED: Final = "shown"
"""Field with the sealed effect that somebody confirms. No other form of a decision posts it."""


class NoteForm(forms.Form):
    """The staff note that says why."""

    staff_note = forms.CharField(
        label=_("Note for staff"),
        max_length=2_000,
        widget=AdminTextareaWidget(attrs={"rows": 2}),
        help_text=_("Required. Never public."),
    )


class ReasonsForm(NoteForm):
    """The public reason, chosen from a short list, and the staff note."""

    field_order = ("public_reason", "public_text", "staff_note")

    public_reason = forms.ChoiceField(
        label=_("Reason shown to members"),
        choices=[("", "---------"), *(one for one in PublicReason.choices if one[0] != PublicReason.ROUTINE)],
    )
    public_text = forms.CharField(
        label=_("Public explanation"),
        required=False,
        max_length=255,
        help_text=_("Only with “Other”. This is public: don’t name or accuse anybody."),
    )

    def clean(self) -> dict[str, Any]:
        """Require other words with “Other”, and refuse them with any other reason."""
        cleaned = super().clean() or {}
        other = cleaned.get("public_reason") == PublicReason.OTHER
        if "public_reason" in cleaned and other != bool(cleaned.get("public_text")):
            self.add_error(
                "public_text",
                gettext("Write the reason shown to members.")
                if other
                else gettext("Leave this empty, or choose the reason “Other”."),
            )
        return cleaned


class MovedRow(NamedTuple):
    """A rating before and after, and the difference, as its rule book writes them."""

    name: str
    address: str
    scale: str
    before: str
    after: str
    change: str


class DecisionPages(OfficeAdmin[Any]):
    """Admin pages of a model that offer decisions.

    ``decisions``: kinds by the page's address behind that of the list.
    """

    decisions: ClassVar[Mapping[str, str]] = {}

    def get_urls(self) -> list[URLPattern]:
        """Add the pages that decide. Values in an address become parameters."""
        return [
            path(
                f"{address}/",
                self.admin_site.admin_view(self.decision_view),
                {"decision": kind},
                name=f"{self.opts.app_label}_{self.opts.model_name}_{address.rpartition('/')[2]}",
            )
            for address, kind in self.decisions.items()
        ] + super().get_urls()

    def may_decide(self, request: HttpRequest, kind: str) -> bool:
        """Return True if this user may make decisions of this kind."""
        return request.user.has_perm(kind_of(kind).permission)

    def decision_view(self, request: HttpRequest, decision: str, **fixed: Any) -> HttpResponse:
        """Ask for parameters, then show what the decision would do. On POST with reasons, do it."""
        if not kind_of(decision).is_decided:
            raise Http404(gettext("This kind of decision doesn’t exist."))
        posted = request.method == "POST"
        data = (request.POST if posted else request.GET).copy()
        for name, value in fixed.items():
            data[name] = str(value)
        fields = kind_of(decision).bind({}).fields
        rehearsal = _rehearsed(data.get("rehearsal", ""), decision, request)
        undoes = _undone(data.get("undoes", ""), decision)
        parameters = _with_plain_lines({name: data.getlist(name) for name in fields if name in data})
        if undoes is not None:
            parameters = undoes.undo["parameters"]
        if rehearsal is not None:
            parameters, undoes = rehearsal.parameters, rehearsal.undoes
        page = _Page(request, self, decision, request.path, parameters)
        page.undoes, page.rehearsal = undoes, rehearsal
        return page.response(data if posted and _SEALED in data else None)

    def show_decision(
        self, request: HttpRequest, page: str, parameters: Mapping[str, list[str]]
    ) -> HttpResponse:
        """Show the preview of a decision that another page asked for.

        ``page``: its address behind that of the list.
        """
        address = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{page}")
        return _Page(request, self, self.decisions[page], address, _with_plain_lines(parameters)).response()


def _with_plain_lines(parameters: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return parameters with the line ends that they had: browsers post others, and nothing has changed."""
    return {name: [one.replace("\r\n", "\n") for one in values] for name, values in parameters.items()}


class _Page:
    """The page of one decision during a request. ``address``: where the decision is confirmed."""

    def __init__(
        self,
        request: HttpRequest,
        model_admin: DecisionPages,
        kind: str,
        address: str,
        parameters: Mapping[str, list[str]],
    ) -> None:
        self.request = request
        self.admin = model_admin
        self.kind = kind_of(kind)
        self.address = address
        self.parameters = parameters
        self.undoes: ChangeSet | None = None
        self.rehearsal: Rehearsal | None = None
        self.form = self.kind.bind(parameters)
        self.reasons: NoteForm | None = None
        self.effect: Shown | None = None
        self.details = ""
        self.label = ""
        self.differs: list[Difference] | None = None
        self.faults: list[str] = []
        self.back = _page_of_admin(request, request.POST.get("next") or request.GET.get("next", ""))
        if not request.user.has_perm(self.kind.permission):
            raise PermissionDenied

    @property
    def about(self) -> str:
        """Return what the signature of a form covers: this decision, by this person."""
        query = urlencode(sorted(self.parameters.items()), doseq=True)
        return f"{self.kind.name}?{query}#{self.request.user.pk}"

    def proposal(self) -> Proposal:
        """Return the proposal with the reasons entered so far."""
        why = self.reasons.cleaned_data if self.reasons is not None and self.reasons.is_valid() else {}
        return Proposal(
            kind=self.kind,
            parameters=self.parameters,
            by=self.request.user,
            reason=why.get("public_reason") or PublicReason.ROUTINE,
            text=why.get("public_text", ""),
            note=why.get("staff_note", ""),
            undoes=self.undoes,
        )

    def confirm(self, shown: Mapping[str, Any]) -> HttpResponse | None:
        """Do what was shown and redirect to the outcome. Return None if nothing was done."""
        try:
            change_set = confirm(self.proposal(), shown)
        except StaleError as stale:
            self._show(stale.effect)
            self.differs = stale.differs
            return None
        except (ValidationError, OperationalError) as refusal:
            self.faults = why_refused(refusal)
            return None
        if self.rehearsal is not None and not hasattr(change_set, "rehearsal"):
            self.rehearsal.change_set = change_set
            self.rehearsal.save(update_fields=["change_set"])
        return self._led_on(change_set)

    def _show(self, effect: Effect) -> None:
        self.effect = Shown(effect.shown())
        self.label = self.kind.confirm_label(effect)
        self.details = details_of(self.request, self.proposal(), effect)

    def _show_rehearsed(self, rehearsal: Rehearsal) -> None:
        """Show what the worker found, if it has finished."""
        self.faults = rehearsal.faults
        if rehearsal.shown:
            self.effect, self.label = Shown(rehearsal.shown), rehearsal.button
            self.details = mark_safe(rehearsal.details)  # noqa: S308 - our own template's

    def response(self, confirmed: Mapping[str, Any] | None = None) -> HttpResponse:
        """Return the page. ``confirmed``: the POST that confirms what was shown, with the reasons."""
        asked = self.form.is_bound and self.form.is_valid()
        if not self.form.is_bound and not self.form.visible_fields():
            self.faults = [
                gettext("Open this page from the game, member or list that the decision is about.")
            ]
        if asked and self.kind.asks_reason:
            chosen = self.kind.is_public and self.kind.reason(self.parameters) is None
            self.reasons = (ReasonsForm if chosen else NoteForm)(confirmed)
        left = asked and self.kind.is_long(self.form.cleaned_data)
        seen = unsealed(str(confirmed[_SEALED]), self.about) if confirmed is not None else {}
        may_confirm = asked and confirmed is not None and (seen or not left)
        if may_confirm and (self.reasons is None or self.reasons.is_valid()):
            done = self.confirm(seen)
            if done is not None:
                return done
        if asked and self.effect is None and not self.faults:
            if self.rehearsal is not None:
                self._show_rehearsed(self.rehearsal)
            elif left:
                return self._asked_for_rehearsal()
            else:
                self._preview()
        for form in filter(None, (self.form, self.reasons)):
            form.required_css_class = "required"
        rows = moved_rows(self.kind, self.effect.moves) if self.effect else []
        waits = self.effect is not None and waits_for_second(self.proposal(), self.effect.kept)
        return TemplateResponse(
            self.request,
            "admin/office/decision.html",
            {
                **self.admin.admin_site.each_context(self.request),
                "title": self.kind.heading(self.form.cleaned_data) if asked else self.kind.title,
                "opts": self.admin.opts,
                "kind": self.kind,
                "address": self.address,
                "form": self.form,
                "parameters": [(name, value) for name, values in self.parameters.items() for value in values],
                "reasons": self.reasons,
                "effect": self.effect,
                "details": self.details,
                "rehearsal": self.rehearsal,
                **standing_of(self.rehearsal.job if self.rehearsal else None),
                "button": gettext("Propose: %(what)s") % {"what": self.label} if waits else self.label,
                "waits_for_second": waits,
                "sum": sum_of(self.effect) if self.effect else "",
                "rows": rows,
                "not_shown": self.effect.moved - len(rows) if self.effect else 0,
                "shown": self.effect.sealed(self.about) if self.effect else "",
                "stale": self.differs is not None,
                "differs": self.differs,
                "faults": self.faults,
                "undoes": self.undoes,
                "back": self.back,
                "cancel": self._cancel,
                "list": reverse(f"admin:{self.admin.opts.app_label}_{self.admin.opts.model_name}_changelist"),
            },
            status=200 if asked or self.form.visible_fields() else 400,
        )

    @property
    def _cancel(self) -> str:
        """Return the page that the decision was opened from, or that of the only object that it is about."""
        opts = self.admin.opts
        page = f"admin:{opts.app_label}_{opts.model_name}"
        chosen = self.parameters.get(str(opts.model_name), [])
        if not self.back and len(chosen) == 1 and is_value(opts.pk, chosen[0]):
            return reverse(f"{page}_change", args=chosen)
        return self.back or reverse(f"{page}_changelist")

    def _asked_for_rehearsal(self) -> HttpResponse:
        """Leave the preview to the worker and redirect to the page that waits for it."""
        rehearsal = ask_for_rehearsal(self.proposal(), self.address)
        query = {"rehearsal": str(rehearsal.pk), **({"next": self.back} if self.back else {})}
        return HttpResponseRedirect(f"{self.address}?{urlencode(query)}")

    def _preview(self) -> None:
        try:
            self._show(preview(self.proposal()))
        except (ValidationError, OperationalError) as refusal:
            self.faults = why_refused(refusal)

    def _led_on(self, change_set: ChangeSet) -> HttpResponse:
        told = {
            ChangeSet.State.APPLIED: gettext("Done: %(decision)s"),
            ChangeSet.State.PROPOSED: gettext(
                "Nothing has changed yet. Another person has to confirm this: %(decision)s"
            ),
        }.get(ChangeSet.State(change_set.state))
        if told:
            messages.success(self.request, told % {"decision": change_set.for_staff})
        if change_set.state == ChangeSet.State.APPLIED and self.back:
            return HttpResponseRedirect(f"{self.back}?{urlencode({'change_set': str(change_set.pk)})}")
        if change_set.state == ChangeSet.State.QUEUED and self.request.user.has_perm("office.view_job"):
            return HttpResponseRedirect(reverse("admin:office_job_change", args=(change_set.job_id,)))
        if self.request.user.has_perm("office.view_changeset"):
            return HttpResponseRedirect(reverse("admin:office_changeset_change", args=(change_set.pk,)))
        return HttpResponseRedirect(reverse("admin:index"))


def _page_of_admin(request: HttpRequest, address: str) -> str:
    """Return the admin page that a decision goes back to, or "" for any other address."""
    is_here = url_has_allowed_host_and_scheme(address, None) and address.startswith(reverse("admin:index"))
    return address.partition("?")[0] if is_here else ""


def why_refused(refusal: StaleError | ValidationError | OperationalError) -> list[str]:
    """Say why nothing was done."""
    if isinstance(refusal, OperationalError):
        return [str(BUSY)]
    return refusal.messages if isinstance(refusal, ValidationError) else [str(refusal)]


def sum_of(effect: Shown) -> str:
    """Summarize a decision in one line: changes, ratings, lists and the largest change."""
    lists, moves, changed = len(effect.lists), effect.moved, effect.changed
    parts = [ngettext("%d change", "%d changes", changed) % changed] if changed else []
    parts += [
        ngettext("%d rating", "%d ratings", moves) % moves,
        ngettext("%d published list", "%d published lists", lists) % lists,
    ]
    if effect.largest:
        largest = points(from_hundredths(Hundredths(effect.largest)))
        parts.insert(-1, gettext("up to %(points)s points each") % {"points": largest})
    return " · ".join(parts)


def moved_rows(kind: DecisionType, moves: Iterable[Move]) -> list[MovedRow]:
    """Describe moves for a table."""
    moves = list(moves)
    names = kind.name_subjects({move.subject for move in moves})
    return [
        MovedRow(
            *names[move.subject],
            kind.name_scale(move.scale),
            kind.rating_text(move.before),
            kind.rating_text(move.after),
            kind.change_text(move.change),
        )
        for move in moves
    ]


def _rehearsed(text: str, kind: str, request: HttpRequest) -> Rehearsal | None:
    """Return this person's rehearsal with the given key, or None. Raises Http404 if a GET finds none."""
    if (number := number_in(text)) is None:
        return None
    mine = Rehearsal.objects.select_related("job", "undoes").filter(asked_by=request.user.pk)
    found = mine.filter(pk=number, kind=kind, address=request.path).first()
    if found is None and request.method == "GET":
        raise Http404(gettext("This preview has expired. Start it again."))
    return found


def _undone(text: str, kind: str) -> Any:
    """Return the change set that this decision undoes, or None. Raises Http404 if it can't be undone so."""
    if not text:
        return None
    number = number_in(text)
    found = None if number is None else ChangeSet.objects.filter(pk=number).first()
    if found is None or not found.undo or found.undo["kind"] != kind:
        raise Http404(gettext("This change set doesn’t exist."))
    return found
