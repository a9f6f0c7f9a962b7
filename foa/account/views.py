"""Pages of the user's own login: second step, factors, recovery codes, sessions."""

from __future__ import annotations

from base64 import b32encode
from typing import Any, cast

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp.util import random_hex
from django_otp_webauthn.models import WebAuthnCredential

from foa.account.arena import waiting_account
from foa.account.factors import (
    SECOND_STEP_DUE,
    added,
    asks_password,
    confirm,
    factors,
    new_recovery_codes,
    passed,
    recovery_codes_left,
    remove,
)
from foa.account.forms import PasswordForm, SecondStepForm
from foa.account.notify import LoginChange, notify_user
from foa.account.sections import sections
from foa.account.sessions import end, end_others, places
from foa.models import ArenaLogin, LoginSettings
from foa.web.posted import only_posted


@login_required
@never_cache
def second_step(request: HttpRequest) -> HttpResponse:
    """Ask for the second factor after the password."""
    user: Any = request.user
    if not request.session.get(SECOND_STEP_DUE) and (user.is_verified() or not factors(user)):
        return HttpResponseRedirect(_next(request))
    form = SecondStepForm(user, request.POST or None)
    if form.is_valid():
        passed(request, form.device)
        return HttpResponseRedirect(_next(request))
    has_passkey = WebAuthnCredential.objects.devices_for_user(user, confirmed=True).exists()
    return render(
        request,
        "account/second_step.html",
        {"form": form, "has_passkey": has_passkey, "next": _next(request)},
    )


@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """Show the page “My account”: factors, sessions and the sections of other apps."""
    user = _user(request)
    mine = factors(user)
    return render(
        request,
        "account/account.html",
        {
            "apps": [one for one in mine if isinstance(one, TOTPDevice)],
            "passkeys": [one for one in mine if isinstance(one, WebAuthnCredential)],
            "codes_left": recovery_codes_left(user),
            "must": settings.STAFF_TWO_FACTOR and user.is_staff and not mine,
            "places": places(user, request.session.session_key),
            "sections": sections(request),
            "arena": settings.ARENA_OIDC_URL,
            "arena_login": ArenaLogin.objects.filter(user=user, issuer=settings.ARENA_OIDC_URL).first(),
            "arena_account": waiting_account(request),
            "new_email": LoginSettings.objects.filter(user=user).values_list("new_email", flat=True).first(),
        },
    )


@login_required
@never_cache
def confirm_password(request: HttpRequest) -> HttpResponse:
    """Ask for the password again."""
    form = PasswordForm(request, request.POST or None)
    if form.is_valid():
        # Rotates the session key. The password may have been rehashed, which would end the session.
        update_session_auth_hash(request, form.user)
        confirm(request)
        return HttpResponseRedirect(_next(request))
    return render(request, "account/confirm.html", {"form": form, "next": _next(request)})


@method_decorator(never_cache, name="dispatch")
class ChangePasswordView(PasswordChangeView):
    """View that sets a new password after asking for the old one. All other sessions end."""

    template_name = "account/password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: Any) -> HttpResponse:
        """Store the password; this session continues with a new key."""
        answer = super().form_valid(form)
        end_others(form.user, self.request.session.session_key)
        notify_user(form.user, LoginChange.PASSWORD)
        messages.success(
            self.request, gettext("Your password has been changed. You have been logged out everywhere else.")
        )
        return answer


@login_required
@never_cache
@asks_password
def add_app(request: HttpRequest) -> HttpResponse:
    """Show a new key for an authenticator app, and store it once the app gives the right code."""
    user = _user(request)
    waiting = TOTPDevice.objects.devices_for_user(user, confirmed=False)
    if TOTPDevice.objects.devices_for_user(user, confirmed=True).exists():
        return redirect("account")
    device = waiting.first()
    if request.method != "POST" or device is None:
        # Discard a key that was shown but not confirmed: others may have seen it.
        waiting.delete()
        device = TOTPDevice.objects.create(user=user, name="app", key=random_hex(20), confirmed=False)
    form = SecondStepForm(user, request.POST or None, of=device)
    if form.is_valid():
        device = cast(TOTPDevice, form.device)
        device.confirmed = True
        device.save(update_fields=["confirmed"])
        added(request, device)
        return _show_new_codes(request)
    picture = segno.make(device.config_url).svg_data_uri(scale=5, light="white")
    key = b32encode(device.bin_key).decode()
    return render(request, "account/add_app.html", {"form": form, "key": key, "picture": picture})


@login_required
@never_cache
@asks_password
def add_passkey(request: HttpRequest) -> HttpResponse:
    """Let the browser make a passkey."""
    return render(request, "account/add_passkey.html")


@login_required
@never_cache
@only_posted("account")
@asks_password
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes and show them once."""
    if not factors(_user(request)):
        return redirect("account")
    notify_user(_user(request), LoginChange.CODES)
    return _show_new_codes(request)


@login_required
@only_posted("account")
@asks_password
def remove_factor(request: HttpRequest) -> HttpResponse:
    """Remove an app or a passkey."""
    remove(request, _user(request), request.POST.get("factor", ""))
    return redirect("account")


@login_required
@only_posted("account")
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End one of the user's own sessions, or all others."""
    if reference := request.POST.get("session"):
        end(_user(request), reference)
    else:
        end_others(_user(request), request.session.session_key)
    return redirect("account")


def _show_new_codes(request: HttpRequest) -> HttpResponse:
    return render(request, "account/recovery_codes.html", {"codes": new_recovery_codes(_user(request))})


def _user(request: HttpRequest) -> User:
    """Return the logged-in user; for views that require a login."""
    return cast(User, request.user)


def _next(request: HttpRequest) -> str:
    """Return the address to go on to, on this site only; else LOGIN_REDIRECT_URL."""
    asked = request.POST.get("next") or request.GET.get("next", "")
    if url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure()):
        return asked
    return resolve_url(settings.LOGIN_REDIRECT_URL)
