"""Second factors: authenticator apps, passkeys (WebAuthn), and recovery codes for when neither is at hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.db import transaction
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.urls import path, reverse
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.views.i18n import JavaScriptCatalog
from django_otp import devices_for_user, user_has_device, verify_token
from django_otp import login as verified_by
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp_webauthn import views
from django_otp_webauthn.exceptions import NotVerified
from django_otp_webauthn.helpers import WebAuthnHelper

from foa.account.notify import LoginChange, notify_user
from foa.account.sessions import browser, end_others

SECOND_STEP_DUE: Final = "second_step_due"
"""Session key that is set between the right password and the second factor."""

_CONFIRMED: Final = "confirmed_at"
_RECENT: Final = 15 * 60
"""Seconds after logging in within which the password isn't asked for again."""

_CODES: Final = 10
_DIGITS: Final = 6


@receiver(user_logged_in, dispatch_uid="foa.ask_for_second_step")
def ask_for_second_step(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Require the second step in this session, if the user has a second factor."""
    confirm(request)
    if user_has_device(user):
        request.session[SECOND_STEP_DUE] = True


def passed(request: HttpRequest, device: Device) -> None:
    """Record that the second step was done with this factor."""
    verified_by(request, device)
    request.session.pop(SECOND_STEP_DUE, None)
    # Rotate the session key (prevents session fixation).
    request.session.cycle_key()


def check_code(user: User, code: str) -> Device:
    """Return the factor that a code came from.

    Raises ValidationError if the code is wrong or used, and while locked after too many wrong ones.
    """
    code = "".join(code.split()).replace("-", "").lower()
    kind = TOTPDevice if len(code) == _DIGITS and code.isascii() and code.isdigit() else StaticDevice
    device = kind.objects.devices_for_user(user, confirmed=True).first()
    if device is None:
        raise ValidationError(gettext("This code isn’t right."))
    return check_code_of(device, code)


def check_code_of(device: Device, code: str) -> Device:
    """Return the verified factor; raise ValidationError as ``check_code`` does."""
    allowed, why = device.verify_is_allowed()
    if not allowed:
        until = localtime(why["locked_until"]).strftime("%H:%M:%S")
        raise ValidationError(
            gettext("Too many wrong codes. Try again after %(time)s UTC.") % {"time": until}
        )
    verified = verify_token(device.user, device.persistent_id, code)
    if verified is None:
        raise ValidationError(gettext("This code isn’t right. Each code works once: wait for the next one."))
    return verified


def factors(user: User) -> list[Device]:
    """Return the user's second factors, without recovery codes."""
    return [one for one in devices_for_user(user) if not isinstance(one, StaticDevice)]


def added(request: HttpRequest, device: Device) -> None:
    """Record an added factor. The first one ends all other sessions, which were logged in without it."""
    if factors(device.user) == [device]:
        end_others(device.user, request.session.session_key)
    verified_by(request, device)
    request.session.cycle_key()
    notify_user(device.user, LoginChange.ADDED)


@transaction.atomic
def remove(request: HttpRequest, user: User, persistent_id: str) -> Device | None:
    """Remove and return a factor, with the last one also the recovery codes; None if it doesn't exist."""
    mine = factors(user)
    gone = next((one for one in mine if one.persistent_id == persistent_id), None)
    if gone is None:
        return None
    gone.delete()
    notify_user(user, LoginChange.REMOVED)
    if others := [one for one in mine if one != gone]:
        verified_by(request, others[0])
    else:
        StaticDevice.objects.filter(user=user).delete()
    return gone


@transaction.atomic
def remove_all(user: User) -> None:
    """Remove every factor and all recovery codes."""
    for device in list(devices_for_user(user, confirmed=None)):
        device.delete()
    notify_user(user, LoginChange.REMOVED)


@transaction.atomic
def new_recovery_codes(user: User) -> list[str]:
    """Return ten new codes that work once each, and delete earlier ones."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery")
    codes = [StaticToken.random_token() for _ in range(_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def recovery_codes_left(user: User) -> int:
    """Return the number of unused recovery codes."""
    return StaticToken.objects.filter(device__user=user, device__confirmed=True).count()


def confirm(request: HttpRequest) -> None:
    """Record that the password was just entered."""
    request.session[_CONFIRMED] = time.time()


def forget_confirmation(request: HttpRequest) -> None:
    """Record that the password wasn't entered, although somebody has just logged in."""
    request.session.pop(_CONFIRMED, None)


def was_entered(request: HttpRequest) -> bool:
    """Return whether the password, or a passkey, was given in this session at all."""
    return _CONFIRMED in request.session


def is_recent(request: HttpRequest) -> bool:
    """Return whether the password was entered in the last 15 minutes."""
    return bool(time.time() - request.session.get(_CONFIRMED, 0) < _RECENT)


def asks_password(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Ask for the password before a page that changes how the user logs in, unless entered lately."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        if is_recent(request):
            return view(request)
        back = request.path if request.method == "GET" else reverse("account")
        return redirect_to_login(back, reverse("confirm_password"))

    return answer


def domain(request: HttpRequest) -> str:
    """Return the domain that a passkey is bound to: the host, checked by ALLOWED_HOSTS, without its port."""
    return split_domain_port(request.get_host())[0]


class PasskeyHelper(WebAuthnHelper):
    """The library's helper, adapted to this site."""

    def get_allowed_origins(self) -> list[str]:
        """Return this site as the only allowed origin."""
        return [f"{self.request.scheme}://{self.request.get_host()}"]

    def create_credential(self, *args: Any, **kwargs: Any) -> Any:
        """Return a new passkey, named after the browser it was made with."""
        passkey = super().create_credential(*args, **kwargs)
        passkey.name = browser(self.request.META.get("HTTP_USER_AGENT", ""))
        return passkey

    def register_complete(self, *args: Any, **kwargs: Any) -> Any:
        """Store a new passkey, and record it as an added factor."""
        passkey = super().register_complete(*args, **kwargs)
        added(self.request, passkey)
        return passkey


class _PasswordFirst:
    """Mixin that requires a recent password, so that nobody adds a passkey in a session left open."""

    request: HttpRequest

    def check_can_register(self) -> None:
        """Raise NotVerified if the password wasn't entered lately."""
        if not is_recent(self.request):
            raise NotVerified


class BeginView(_PasswordFirst, views.BeginCredentialRegistrationView):
    """View with the data a browser needs to make a passkey."""


class CompleteView(_PasswordFirst, views.CompleteCredentialRegistrationView):
    """View that stores the browser's new passkey."""


class LoginView(views.CompleteCredentialAuthenticationView):
    """View that logs in with a passkey, or takes the second step with it."""

    def complete_auth(self, device: Any) -> None:
        """Log in if the user isn't logged in yet; the passkey counts as both factors."""
        super().complete_auth(device)
        passed(self.request, device)


urlpatterns = (
    [
        path("registration/begin/", BeginView.as_view(), name="credential-registration-begin"),
        path("registration/complete/", CompleteView.as_view(), name="credential-registration-complete"),
        path(
            "authentication/begin/",
            views.BeginCredentialAuthenticationView.as_view(),
            name="credential-authentication-begin",
        ),
        path("authentication/complete/", LoginView.as_view(), name="credential-authentication-complete"),
        path("words/", JavaScriptCatalog.as_view(packages=["django_otp_webauthn"]), name="js-i18n-catalog"),
    ],
    "otp_webauthn",
)
