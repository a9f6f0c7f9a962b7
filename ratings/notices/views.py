"""Pages and feeds of news: a member's own, and those of the office for everybody."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import BadRequest, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import TemplateView

from foa.account.language import language_of
from foa.text import number_in, utc_text
from foa.web.caching import cached_for_visitors
from foa.web.negotiated import Negotiated
from foa.web.posted import only_posted
from members.models import Member, member_of
from ratings.notices.models import Notice
from ratings.notices.services.choosing import (
    choose,
    follow,
    renew_feed,
    stop_mail,
    unfollow,
    who_reads,
    who_unsubscribes,
)
from ratings.notices.services.public import public_news
from ratings.notices.services.telling import items
from ratings.rules.time_controls import Category


def member_or_404(request: HttpRequest) -> Member:
    """Return the member who is logged in. Raises Http404 for a login without a member."""
    member = member_of(request.user)
    if member is None:
        raise Http404(gettext("Your login isn’t linked to a member. Ask us to link it."))
    return member


@method_decorator(never_cache, name="dispatch")
class OwnPage(LoginRequiredMixin, Negotiated):
    """A private page of the member who is logged in, never cached; also as JSON."""

    member: Member

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Require a login."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        self.member = member_or_404(request)
        return super().dispatch(request, *args, **kwargs)


_AT_ONCE: Final = 50


class NewsView(OwnPage, TemplateView):
    """A page of news. ``?before=KEY`` continues after a notice. Opening it marks all as read."""

    template_name = "notices/news.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the notices, found by the index of a member's notices."""
        notices = Notice.objects.filter(member=self.member, page=True).order_by("-pk")
        if before := self.request.GET.get("before"):
            if (key := number_in(before)) is None:
                raise BadRequest(gettext("“before” must be the number of a notice."))
            notices = notices.filter(pk__lt=key)
        some = list(notices[: _AT_ONCE + 1])
        new = {one.pk for one in some if one.read_at is None}
        if new and not before and self.format != "json":
            Notice.objects.unread_by(self.request.user).update(read_at=timezone.now())
        return super().get_context_data(
            items=items(some[:_AT_ONCE]),
            new=new,
            older=some[_AT_ONCE - 1].pk if len(some) > _AT_ONCE else None,
            newest=not before,
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        news = [{**one._asdict(), "at": utc_text(one.at)} for one in context["items"]]
        return {"news": news, "before": context["older"]}


_LATEST: Final = 50


def feed(request: HttpRequest, token: str) -> HttpResponse:
    """Return the latest news, in the language of the member's login; 404 for an unknown address."""
    member = who_reads(token)
    if member is None or member.user_id is None:
        raise Http404(gettext("This feed doesn’t exist, or its address has changed."))
    latest = Notice.objects.filter(member=member, feed=True).order_by("-pk")[:_LATEST]
    site = settings.SITE_URL
    language = language_of(member.user)
    with translation.override(language):
        atom = Atom1Feed(
            title=gettext("News from the rating office for %(member)s") % {"member": member},
            link=site + reverse("notices:news"),
            description="",
            feed_url=site + request.path,
            language=language,
        )
        for one in items(latest):
            atom.add_item(
                title=f"{one.title}: {one.figure} {one.change}".rstrip() if one.figure else one.title,
                link=site + one.address,
                description=one.text,
                unique_id=f"tag:{urlsplit(site).hostname},2026:notice/{one.key}",
                pubdate=one.at,
                updateddate=one.at,
            )
    headers = {"Cache-Control": "private, max-age=300", "X-Robots-Tag": "noindex"}
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type, headers=headers)


class FollowingView(OwnPage, TemplateView):
    """The members whom somebody follows, by name, with their live ratings."""

    template_name = "notices/following.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the members and ratings, in two queries however many there are."""
        followed = Member.objects.filter(followers__follower=self.member)
        rows = []
        for one in followed.prefetch_related("ratings").order_by("name", "username", "pk"):
            shown = {rating.category: rating.displayed for rating in one.ratings.all()}
            rows.append((one, [shown.get(category) for category in Category]))
        return super().get_context_data(rows=rows, categories=list(Category), **kwargs)

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        slugs = [category.slug for category in Category]
        return {
            "following": [
                {
                    "username": one.username,
                    "name": one.name,
                    "url": one.get_absolute_url(),
                    "ratings": dict(zip(slugs, shown, strict=True)),
                }
                for one, shown in context["rows"]
            ]
        }


@login_required
@only_posted("notices:following")
def follow_member(request: HttpRequest, pk: int) -> HttpResponse:
    """Follow a member, or stop if ``stop`` is posted. Redirect to ``next``, the page of the button."""
    member = member_or_404(request)
    if "stop" in request.POST:
        unfollow(member, pk)
    else:
        followed = get_object_or_404(Member, pk=pk, withdrawn_at=None)
        try:
            follow(member, followed, at=timezone.now())
        except ValidationError as refusal:
            messages.error(request, " ".join(refusal.messages))
    asked = request.POST.get("next", "")
    is_here = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return redirect(asked if is_here else "notices:following")


@login_required
@only_posted("account", "#news")
def choose_news(request: HttpRequest) -> HttpResponse:
    """Store the ticked boxes, each with a value such as “list-mail”."""
    ticked = {tuple(one.split("-", 1)) for one in request.POST.getlist("told")}
    choose(member_or_404(request), {(one[0], one[-1]) for one in ticked})
    messages.success(request, gettext("Your choice has been saved."))
    return redirect(f"{reverse('account')}#news")


@login_required
@only_posted("account", "#news")
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
        raise Http404(gettext("This link isn’t one of ours."))
    if request.method == "POST":
        stop_mail(member)
    return render(request, "notices/unsubscribe.html", {"done": request.method == "POST"})


@method_decorator(cached_for_visitors, name="dispatch")
class PublicNewsView(TemplateView):
    """The latest rating lists, months and decisions. The register names nobody suspected of foul play."""

    template_name = "notices/public.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add lists, months and decisions, latest first."""
        return super().get_context_data(told=public_news(), **kwargs)
