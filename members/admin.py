"""Admin pages of members."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin import StackedInline
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.forms import BaseInlineFormSet, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.moments import NEVER_ENDS
from foa.text import date_text
from foa.web.admin import ChoiceFilter, NamedMoments, TypedFilter
from foa.web.admin_history import HistoryAdmin
from foa.web.days import DayOfMomentInput
from members.forms import InviteForm
from members.inviting import invite, may_be_invited
from members.models import AccountClosure, FullMembership, Invitation, Member
from members.models import MemberQuerySet as Members


class _SpanForm(ModelForm[FullMembership]):
    """Form of a span, checked together with the others: one may end earlier as another begins earlier."""

    class Meta:
        help_texts = {
            "full_until": _("First day after the membership ended. Leave blank if it hasn’t ended."),
        }

    def _post_clean(self) -> None:
        """Leave comparing spans to the formset, which sees the new values of all."""
        self.instance.are_compared = True
        super()._post_clean()  # type: ignore[misc]  # django-stubs leave it out


class _SpansFormSet(BaseInlineFormSet[FullMembership, Member, Any]):
    """Formset that compares spans entered together; the model would compare stored spans only."""

    def clean(self) -> None:
        """Raise ValidationError if a span begins before the previous one has ended."""
        super().clean()
        spans = sorted(
            (data["full_from"], data.get("full_until") or NEVER_ENDS)
            for data in (getattr(form, "cleaned_data", {}) for form in self.forms)
            if data.get("full_from") and not data.get("DELETE")
        )
        if any(later[0] < earlier[1] for earlier, later in pairwise(spans)):
            raise ValidationError(_("Periods of full membership can’t overlap."))


class FullMembershipInline(NamedMoments, StackedInline[FullMembership, Member]):
    """Spans of full membership (RBB 2.1)."""

    model = FullMembership
    form = _SpanForm
    formset = _SpansFormSet
    moment_input = DayOfMomentInput
    fields = (("full_from", "full_until"),)
    extra = 0


class FederationFilter(TypedFilter):
    """Filter by federation."""

    title = _("federation")
    parameter_name = "federation"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Member]) -> QuerySet[Member]:
        """Filter by FIDE's code, which is stored in capital letters."""
        code = self.value()
        return queryset.filter(federation=code.strip().upper()) if code else queryset


class _YesNoFilter(ChoiceFilter):
    """Filter of members by whether they have a span that is in force now."""

    options = (("yes", _("Yes")), ("no", _("No")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Member]) -> QuerySet[Member]:
        """Return the members that match the choice."""
        if self.value() is None:
            return queryset
        holds = Q(Exists(self.spans(timezone.now()).filter(member=OuterRef("pk"))))
        return queryset.filter(holds if self.value() == "yes" else ~holds)

    def spans(self, now: datetime) -> QuerySet[Any]:
        """Return the spans that are in force."""
        raise NotImplementedError


class FullFilter(_YesNoFilter):
    """Filter of current full members (RBB 2.1)."""

    title = _("full member")
    parameter_name = "full"

    def spans(self, now: datetime) -> QuerySet[FullMembership]:
        return FullMembership.objects.at(now)


class ClosedFilter(_YesNoFilter):
    """Filter of accounts closed for rated play now."""

    title = _("closed")
    parameter_name = "closed"

    def spans(self, now: datetime) -> QuerySet[AccountClosure]:
        return AccountClosure.objects.overlapping((now, now)).filter(closed_from__lte=now)


def _in_force(spans: Iterable[tuple[datetime, datetime | None]]) -> str:
    """Return the end of the current span, "yes" for one without an end, or "" without a span."""
    now = timezone.now()
    for begin, end in spans:
        if begin <= now and (end is None or now < end):
            return gettext("yes") if end is None else gettext("until %(day)s") % {"day": date_text(end)}
    return ""


def _rating_column(slug: str, label: Promise) -> Any:
    """Return a column of the displayed rating in a category (RBB 3.12), empty while unrated."""

    def column(member: Member) -> int | None:
        return next((row.displayed for row in member.ratings.all() if row.category.slug == slug), None)

    column.__name__ = slug
    column.short_description = label  # type: ignore[attr-defined]  # where Django looks for it
    return column


class MemberAdmin(HistoryAdmin[Member]):
    """Admin pages of members. Registered by the rating office, which adds spans that may concern games."""

    list_display = (
        "username",
        "name",
        "title",
        "federation",
        "fide_id",
        "full_member",
        "closed",
        _rating_column("rapid", _("Rapid")),
        _rating_column("blitz", _("Blitz")),
        _rating_column("bullet", _("Bullet")),
    )
    list_display_links = ("username", "name")
    list_filter = (FederationFilter, FullFilter, ClosedFilter, "title", "sex")
    sortable_by = ("username", "name", "federation")
    search_fields = ("username", "name", "fide_id")
    search_help_text = _("Part of a username or name, or a FIDE ID")
    autocomplete_fields = ("user",)
    inlines = (FullMembershipInline,)
    history_of = ("full_memberships",)
    list_prefetch_related = ("ratings", "full_memberships", "closures")
    instead = _(
        "Close the account to end rated play, or erase the member if they have left: their games "
        "stay, without their name. If this is somebody’s second account, merge the two."
    )

    @admin.display(description=_("full member"))
    def full_member(self, member: Member) -> str:
        """Return the end of the current full membership (RBB 2.1); empty for a member without one now."""
        return _in_force((one.full_from, one.full_until) for one in member.full_memberships.all())

    @admin.display(description=_("closed"))
    def closed(self, member: Member) -> str:
        """Return the end of the current closure for rated play; empty without one."""
        return _in_force((one.closed_from, one.closed_until) for one in member.closures.all())

    def get_urls(self) -> list[URLPattern]:
        """Add the page that invites a member."""
        invitation = path(
            "<int:member>/invite/", self.admin_site.admin_view(self.invite_view), name="members_member_invite"
        )
        return [invitation, *super().get_urls()]

    def invite_view(self, request: HttpRequest, member: int) -> HttpResponse:
        """Ask for the mail address of a member, and queue an invitation."""
        if not request.user.has_perm("members.invite_member"):
            raise PermissionDenied
        invited = get_object_or_404(Member, pk=member)
        form = InviteForm(request.POST or None)
        if form.is_valid() and _is_invited(request, invited, form):
            told = gettext("An invitation for %(member)s is on its way to %(email)s.")
            words = {"member": invited, "email": form.cleaned_data["email"]}
            self.message_user(request, told % words, messages.SUCCESS)
            return HttpResponseRedirect(reverse("admin:members_member_change", args=(invited.pk,)))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": invited,
            "title": gettext("Invite %(member)s") % {"member": invited},
            "form": form,
            "waiting": Invitation.objects.filter(member=invited).first(),
            "may": may_be_invited(invited),
        }
        return TemplateResponse(request, "admin/members/member/invite.html", context)

    def save_model(self, request: HttpRequest, obj: Member, form: Any, change: bool) -> None:
        """Store the member, and show warnings about names and birth year."""
        super().save_model(request, obj, form, change)
        if {"username", "name", "birth_year"} & set(form.changed_data):
            for doubt in obj.doubts():
                self.message_user(request, doubt, messages.WARNING)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Member], search_term: str
    ) -> tuple[QuerySet[Member], bool]:
        """Search as on the public pages, by indexes."""
        return (cast(Members, queryset).matching(search_term) if search_term else queryset), False

    def get_readonly_fields(self, request: HttpRequest, obj: Member | None = None) -> tuple[str, ...]:
        """Make the login read-only for users who may not see logins."""
        return () if request.user.has_perm("auth.view_user") else ("user",)


def _is_invited(request: HttpRequest, member: Member, form: InviteForm) -> bool:
    """Invite the member; return False with the error in the form if that fails."""
    try:
        invite(member=member, by=request.user.get_username(), at=timezone.now(), **form.cleaned_data)
    except ValidationError as refusal:
        form.add_error(None, refusal)
        return False
    return True
