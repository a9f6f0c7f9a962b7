"""Choosing how to be notified, and unsubscribing from all mail without a login."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from ratings.notices.services.choosing import choose, renew_feed, stop_mail, who_unsubscribes
from ratings.notices.views.members import member_or_404


@login_required
@require_POST
def choose_news(request: HttpRequest) -> HttpResponse:
    """Store the ticked boxes, each with a value such as “list-mail”."""
    ticked = {tuple(one.split("-", 1)) for one in request.POST.getlist("told")}
    choose(member_or_404(request), {(one[0], one[-1]) for one in ticked})
    messages.success(request, gettext("Your choice is saved."))
    return redirect(f"{reverse('account')}#news")


@login_required
@require_POST
def renew_feed_address(request: HttpRequest) -> HttpResponse:
    """Give the feed another address."""
    renew_feed(member_or_404(request))
    messages.success(request, gettext("Your feed has a new address. The old one no longer works."))
    return redirect(f"{reverse('account')}#news")


@csrf_exempt
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Stop all digests of a member, by a button or a mail program, which has no CSRF token (RFC 8058).

    Opening the link alone stops nothing, because programs that scan mail open links.
    """
    member = who_unsubscribes(token)
    if member is None:
        raise Http404(gettext("This link isn't one of ours."))
    if request.method == "POST":
        stop_mail(member)
    return render(request, "notices/unsubscribe.html", {"done": request.method == "POST"})
