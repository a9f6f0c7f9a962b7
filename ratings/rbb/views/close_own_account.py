"""Closing of a member's own account for rated play."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from foa.account.factors import asks_password
from foa.text import utc_text
from members.models import AccountClosure, Member
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.rbb.decisions.closures import KEEP


@login_required
@never_cache
@asks_password
def close_own_account(request: HttpRequest) -> HttpResponse:
    """Explain closing and do it: the same decision as the office's, but without affecting any game."""
    member = get_object_or_404(Member, user=request.user.pk)
    now = timezone.now()
    is_closed = AccountClosure.objects.overlapping((now, None)).filter(member=member).exists()
    if request.method == "POST" and not is_closed:
        proposal = Proposal(
            kind=kind_of("close-account"),
            parameters={
                "member": [str(member.pk)],
                "closed_from": [utc_text(now)],
                "category": [AccountClosure.Category.REQUEST],
                "games": [KEEP],
            },
            by=request.user,
        )
        try:
            decided, _effect = decide_at_once(proposal)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            if decided is not None and decided.needs_second:
                messages.success(request, gettext("The office will confirm that your account is closed."))
            else:
                messages.success(request, gettext("Your account is closed for rated play."))
            return redirect("account")
    return render(request, "ratings/close_own_account.html", {"is_closed": is_closed, "member": member})
