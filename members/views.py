"""Public pages of members. The page of one member is `ratings.rbb.views.profile`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from django.views.generic import FormView

from foa.spreadsheet import Cell
from foa.web.listing import FilteredTableView
from members.exporting import MEMBER_COLUMNS, member_rows
from members.filters import MemberFilter
from members.forms import NewLoginForm
from members.inviting import accept, invitation_of
from members.models import Invitation, Member
from members.tables import MemberTable


class MemberListView(FilteredTableView):
    """All members by name."""

    queryset = Member.objects.prefetch_related("ratings").order_by("name", "username", "pk")
    filterset_class = MemberFilter
    table_class = MemberTable
    tie_break = ("name", "username", "pk")
    title = _("Members")
    intro = _("With their live ratings.")
    file_name = "members"
    noun = "members"
    columns = MEMBER_COLUMNS
    template_name = "members/list.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add suggestions if a search has found nobody."""
        context = super().get_context_data(**kwargs)
        text = self.request.GET.get("member", "")[:100].strip()
        if text and not len(context["table"].rows):
            context["suggested"] = _suggested(text)
        return context

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return member_rows(queryset)


def _suggested(text: str) -> list[Member]:
    """Return members with similar names, for a search that has found nobody."""
    return list(Member.objects.resembling(text).order_by("name", "username").prefetch_related("ratings")[:5])


class FindMemberView(View):
    """Search while the user types; without JavaScript the same form opens the list of members."""

    FOUND_AT_ONCE = 8

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return the first members by name that match ``member``, as an HTML fragment."""
        text = request.GET.get("member", "")[:100].strip()
        if "HX-Request" not in request.headers:
            return HttpResponseRedirect(f"{reverse('members:list')}?{urlencode({'member': text})}")
        found = (
            list(Member.objects.matching(text).prefetch_related("ratings")[: self.FOUND_AT_ONCE + 1])
            if text
            else []
        )
        return render(
            request,
            "members/_found.html",
            {
                "text": text,
                "suggested": [] if found or not text else _suggested(text),
                "found": found[: self.FOUND_AT_ONCE],
                "more": len(found) > self.FOUND_AT_ONCE,
            },
        )


@login_required
@require_POST
def choose_privacy(request: HttpRequest) -> HttpResponse:
    """Store whether the member hides birth year and sex. Status 404 for a login without a member."""
    member = get_object_or_404(Member, user=request.user.pk)
    Member.objects.filter(pk=member.pk).update(hides_birth="hides_birth" in request.POST)
    messages.success(request, gettext("Your choice is saved."))
    return redirect(f"{reverse('account')}#privacy")


@method_decorator(never_cache, name="dispatch")
class NewLoginView(FormView[NewLoginForm]):
    """View behind the link of an invitation: it creates a login. Status 410 for an expired link."""

    form_class = NewLoginForm
    done: str
    """Name of the page that follows."""
    invitation: Any

    def find_invitation(self, token: str) -> Any:
        """Return the pending invitation of a token, or None."""
        raise NotImplementedError

    def create_login(self, username: str, password: str) -> Any:
        """Accept the invitation; return the new login. Raises ValidationError if it can't be done."""
        raise NotImplementedError

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 410 without a pending invitation."""
        self.invitation = self.find_invitation(kwargs["token"])
        if self.invitation is None:
            return render(request, "account/invitation_gone.html", status=410)
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: NewLoginForm) -> HttpResponse:
        """Create the login, log in and redirect."""
        try:
            user = self.create_login(form.cleaned_data["username"], form.cleaned_data["password"])
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.form_invalid(form)
        login(self.request, user, "django.contrib.auth.backends.ModelBackend")
        return redirect(self.done)


class AcceptInvitationView(NewLoginView):
    """View that creates the login of an invited member and logs them in."""

    template_name = "account/accept.html"
    done = "account"
    invitation: Invitation

    def find_invitation(self, token: str) -> Invitation | None:
        return invitation_of(token, timezone.now())

    def create_login(self, username: str, password: str) -> Any:
        return accept(self.invitation, username=username, password=password)

    def get_form_kwargs(self) -> dict[str, Any]:
        """Suggest the username of the member."""
        return {**super().get_form_kwargs(), "username": self.invitation.member.username}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the member to the context."""
        return super().get_context_data(member=self.invitation.member, **kwargs)
