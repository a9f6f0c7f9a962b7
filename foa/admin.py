"""Logins in the admin: superusers end sessions, remove a lost second factor and unlink from the arena."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext, ngettext
from django_otp.plugins.otp_static import admin as _static  # noqa: F401  registers itself, and goes below
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp import admin as _totp  # noqa: F401
from django_otp.plugins.otp_totp.models import TOTPDevice

from foa.account.arena import unlink
from foa.account.factors import factors, remove_all
from foa.account.sessions import end, end_others, places
from foa.models import ArenaLogin

# Their pages show keys, which only the owner needs.
admin.site.unregister([StaticDevice, TOTPDevice, User])


@admin.register(User)
class LoginAdmin(UserAdmin[User]):
    """Django's pages of a login, and a page of its sessions."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page of sessions."""
        sessions = path(
            "<int:login>/sessions/",
            self.admin_site.admin_view(self.sessions_view),
            name="auth_user_sessions",
        )
        return [sessions, *super().get_urls()]

    def sessions_view(self, request: HttpRequest, login: int) -> HttpResponse:
        """Show sessions, second factors and the link with the arena, and end them. For superusers only."""
        if not request.user.is_superuser:
            raise PermissionDenied
        user = get_object_or_404(User, pk=login)
        if request.method == "POST":
            done = _carry_out(request, user)
            self.log_change(request, user, done)
            self.message_user(request, done, messages.SUCCESS)
            return HttpResponseRedirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "object": user,
            "title": gettext("Sessions of %(name)s") % {"name": user.get_username()},
            "places": places(user, request.session.session_key),
            "factors": factors(user),
            "arena_login": ArenaLogin.objects.filter(user=user).first(),
        }
        return TemplateResponse(request, "admin/auth/user/sessions.html", context)


def _carry_out(request: HttpRequest, user: User) -> str:
    """Do what the pressed button asks for, and return a message about it."""
    asked: Any = request.POST
    if reference := asked.get("session"):
        end(user, reference)
        return gettext("1 session ended.")
    done = ""
    if "factors" in asked:
        remove_all(user)
        done = gettext("Second factor removed.")
    elif "arena" in asked and unlink(user):
        done = gettext("Unlinked from the arena.")
    this = request.session.session_key if user == request.user else None
    ended = end_others(user, this)
    said = ngettext("%(number)s session ended.", "%(number)s sessions ended.", ended) % {"number": ended}
    return f"{done} {said}".strip()
