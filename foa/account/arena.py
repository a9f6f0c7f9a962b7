"""Logging in with the arena, by OpenID Connect: a login is linked with the account there by its ``sub``.

Only where ``ARENA_OIDC_URL`` names the arena. Usernames there change hands, so they only say whom to ask for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import jwt
import requests
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django_otp import user_has_device
from mozilla_django_oidc.auth import OIDCAuthenticationBackend
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from foa.account.factors import asks_password, forget_confirmation
from foa.account.notify import LoginChange, notify_user
from foa.account.sessions import end_others
from foa.models import ArenaLogin
from foa.proxies import origin
from foa.rate_limits import count
from foa.web.posted import only_posted

_ACCOUNT: Final = "arena_account"
"""Session key of an account at the arena that isn't linked with a login yet."""

_KEPT: Final = 15 * 60
"""Seconds for which such an account waits to be linked."""

_FRESH: Final = 60 * 60
"""Seconds for which the arena's addresses are kept."""

_MOST: Final = 20
"""Requests a minute from one address for each of two pages: they wait for the arena, or store a session."""

_LONGEST: Final = 255
"""Maximum characters of a ``sub`` (OpenID Connect Core, 2)."""

_logger: Final = logging.getLogger(__name__)


class NoAnswerError(Exception):
    """The arena can't be reached, or its answer isn't one that may be believed."""


class Account(NamedTuple):
    """Account at the arena: its ``sub``, which never changes, and its names of today."""

    subject: str
    username: str
    email: str


@contextmanager
def _asking() -> Iterator[None]:
    """Raise NoAnswerError for whatever can be wrong with the arena's answers."""
    try:
        yield
    except (
        SuspiciousOperation,
        requests.RequestException,
        jwt.PyJWTError,
        # Nonsense in place of an answer: no JSON, or without what it must have.
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ) as fault:
        raise NoAnswerError(repr(fault)) from fault


def _endpoint(name: str) -> Any:
    return property(lambda self: _published()[name])


def _published() -> dict[str, str]:
    """Return what the arena publishes of its login (OpenID Connect Discovery, 4)."""
    url = settings.ARENA_OIDC_URL
    found: dict[str, str] | None = cache.get(f"arena-login:{url}")
    if found is None:
        answer = requests.get(f"{url}/.well-known/openid-configuration", timeout=settings.OIDC_TIMEOUT)
        answer.raise_for_status()
        found = answer.json()
        if found["issuer"] != url:
            raise NoAnswerError(f"{url} says that it is {found['issuer']!r}.")
        cache.set(f"arena-login:{url}", found, _FRESH)
    return found


class Provider(OIDCAuthenticationBackend):
    """The library's client, which tells an account at the arena. It isn't among AUTHENTICATION_BACKENDS.

    Django would otherwise ask it at each login with a password, and count its refusals as wrong passwords.
    """

    OIDC_OP_TOKEN_ENDPOINT = _endpoint("token_endpoint")
    OIDC_OP_USER_ENDPOINT = _endpoint("userinfo_endpoint")
    OIDC_OP_JWKS_ENDPOINT = _endpoint("jwks_uri")
    OIDC_RP_SIGN_ALGO = "RS256"
    OIDC_RP_IDP_SIGN_KEY = None

    def __init__(self) -> None:
        self.OIDC_RP_CLIENT_ID = settings.OIDC_RP_CLIENT_ID
        self.OIDC_RP_CLIENT_SECRET = settings.OIDC_RP_CLIENT_SECRET

    def get_token(self, payload: dict[str, Any]) -> Any:
        """Exchange the code. The address that it was sent to is that of SITE_URL."""
        return super().get_token({**payload, "redirect_uri": _callback()})

    def raise_token_response_error(self, response: requests.Response) -> None:
        """Refuse every answer but 200. Its text, which the library would log, may hold secrets."""
        if response.status_code != requests.codes.ok:
            raise NoAnswerError(f"The code was answered with {response.status_code}.")

    def verify_token(self, token: str, **kwargs: Any) -> Any:
        """Check signature, nonce and, which the library leaves out, issuer, audience and time."""
        claims = super().verify_token(token, **kwargs)
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if claims["iss"] != settings.ARENA_OIDC_URL:
            raise NoAnswerError("The token is of another issuer.")
        if self.OIDC_RP_CLIENT_ID not in audience:
            raise NoAnswerError("The token is for somebody else.")
        if (len(audience) > 1 or "azp" in claims) and claims.get("azp") != self.OIDC_RP_CLIENT_ID:
            raise NoAnswerError("The token was made for another party.")
        if "exp" not in claims:
            raise NoAnswerError("The token has no end.")
        return claims

    def get_or_create_user(self, access_token: str, id_token: str, payload: Any) -> Account:
        """Return the account instead of a login."""
        told = self.get_userinfo(access_token, id_token, payload)
        subject = payload["sub"]
        if told["sub"] != subject:
            raise NoAnswerError("The arena tells of somebody else.")
        proper = isinstance(subject, str) and subject.isascii() and subject.isprintable()
        if not proper or not 0 < len(subject) <= _LONGEST:
            raise NoAnswerError("The account has no proper number.")
        email = told.get("email") if told.get("email_verified") is True else ""
        # Nobody is looked up by a name that can't be seen: some characters are an error in a query.
        names = (str(name or "") for name in (told.get("preferred_username"), email))
        return Account(subject, *(name if name.isprintable() else "" for name in names))


def _callback() -> str:
    return f"{settings.SITE_URL}{reverse('arena_callback')}"


class _OnlyWithArena:
    """Mixin of views that don't exist without ARENA_OIDC_URL, and answer one address only so often."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 404 without it, and a page if the arena can't be reached."""
        if not settings.ARENA_OIDC_URL:
            raise Http404
        if count(f"arena-login:{type(self).__name__}:{origin(request)}", 60) > _MOST:
            told = gettext("Too many login attempts from your network. Try again in a minute.")
            return _failed(request, told, status=429)
        try:
            return super().dispatch(request, *args, **kwargs)  # type: ignore[misc]  # a mixin
        except NoAnswerError as fault:
            _logger.warning("the arena’s login failed: %s", fault)
            return _failed(
                request,
                gettext("Something went wrong at the arena. Try again later, or use your password here."),
                status=502,
            )


@method_decorator(never_cache, name="dispatch")
class ToArenaView(_OnlyWithArena, OIDCAuthenticationRequestView):
    """View that leads to the arena's login."""

    OIDC_OP_AUTH_ENDPOINT = _endpoint("authorization_endpoint")

    def __init__(self, **kwargs: Any) -> None:
        self.OIDC_RP_CLIENT_ID = settings.OIDC_RP_CLIENT_ID

    def get(self, request: HttpRequest) -> HttpResponse:
        """Redirect, and note where somebody goes on whose account isn't linked yet."""
        with _asking():
            answer: HttpResponse = super().get(request)
        request.session["arena_invited"] = "invited" in request.GET
        return answer

    def get_extra_params(self, request: HttpRequest) -> dict[str, str]:
        """Return the address to come back to, which is that of SITE_URL, whatever the host of the request."""
        return {"redirect_uri": _callback()}


@method_decorator(never_cache, name="dispatch")
class FromArenaView(_OnlyWithArena, OIDCAuthenticationCallbackView):
    """View to which the arena sends the browser back."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Log in whoever is linked with the account; otherwise keep it for the page that links it."""
        # Each state counts once.
        asked = request.session.get("oidc_states", {}).pop(request.GET.get("state", ""), None)
        if asked is None:
            return _failed(request, gettext("This login attempt has expired. Start again."), status=400)
        request.session.save()
        # Read anew when the arena has answered: meanwhile another tab or browser may have ended the session.
        request.session = type(request.session)(request.session.session_key)
        if "code" not in request.GET:
            return _failed(request, gettext("You didn’t finish logging in at the arena."), status=400)
        with _asking():
            account: Account | None = Provider().authenticate(
                request, nonce=asked["nonce"], code_verifier=asked["code_verifier"]
            )
        if account is None:
            raise NoAnswerError("The library doesn’t believe it.")
        issuer = settings.ARENA_OIDC_URL
        links = ArenaLogin.objects.select_related("user")
        linked = links.filter(issuer=issuer, subject=account.subject).first()
        if linked is None:
            # As at a login: whoever knew the key of the session before could otherwise link the account.
            request.session.cycle_key()
            request.session[_ACCOUNT] = {**account._asdict(), "issuer": issuer, "at": time.time()}
            return redirect(self.success_url if request.session.get("arena_invited") else "arena_account")
        user = linked.user
        if not user.is_active:
            return _failed(request, gettext("This login has been closed."), status=403)
        if user.is_staff and not user_has_device(user):
            told = gettext(
                "Staff can only log in with an arena account if they have set up a second factor here. "
                "Use your password."
            )
            return _failed(request, told, status=403)
        enter(request, user)
        return HttpResponseRedirect(self.success_url)


def is_offered() -> bool:
    """Return whether somebody can log in with the arena."""
    return bool(settings.ARENA_OIDC_URL)


def enter(request: HttpRequest, user: Any) -> None:
    """Log in somebody who came from the arena: their password here wasn't given."""
    login(request, user, "django.contrib.auth.backends.ModelBackend")
    forget_confirmation(request)
    request.session.pop(_ACCOUNT, None)


def waiting_account(request: HttpRequest) -> Account | None:
    """Return the account with which somebody came from the arena, if it waits to be linked."""
    kept: Any = request.session.get(_ACCOUNT) if settings.ARENA_OIDC_URL else None
    if kept is None or kept["issuer"] != settings.ARENA_OIDC_URL or time.time() - kept["at"] > _KEPT:
        return None
    return Account(kept["subject"], kept["username"], kept["email"])


def link(user: Any, account: Account) -> None:
    """Link a login with an account at the arena; raise ValidationError if one of them is linked already."""
    issuer = settings.ARENA_OIDC_URL
    try:
        with transaction.atomic():
            # With an arena that is no longer offered, nobody can log in.
            ArenaLogin.objects.filter(user=user).exclude(issuer=issuer).delete()
            ArenaLogin.objects.create(
                user=user, issuer=issuer, subject=account.subject, linked_at=timezone.now()
            )
    except IntegrityError:
        told = gettext("Either your login or the arena account “%(name)s” is already linked.")
        raise ValidationError(told % {"name": account.username}) from None
    notify_user(user, LoginChange.LINKED)


@transaction.atomic
def unlink(user: Any) -> bool:
    """End the link of a login with the arena; return whether there was one."""
    ended = ArenaLogin.objects.filter(user=user).delete()[0] > 0
    if ended:
        notify_user(user, LoginChange.UNLINKED)
    return ended


@never_cache
def arena_account(request: HttpRequest) -> HttpResponse:
    """Show an account that isn't linked yet, and what to do."""
    account = waiting_account(request)
    if account is None:
        return redirect("account" if request.user.is_authenticated else "login")
    return render(request, "account/arena_account.html", {"account": account})


@login_required
@never_cache
@only_posted("account", "#login")
@asks_password
def link_arena(request: HttpRequest) -> HttpResponse:
    """Link the account that waits with one's own login."""
    account = waiting_account(request)
    if account is not None:
        try:
            link(request.user, account)
        except ValidationError as refusal:
            messages.error(request, refusal.messages[0])
        else:
            messages.success(request, gettext("You can now log in with your arena account."))
        request.session.pop(_ACCOUNT, None)
    return redirect(f"{reverse('account')}#login")


@login_required
@never_cache
@only_posted("account", "#login")
@asks_password
def unlink_arena(request: HttpRequest) -> HttpResponse:
    """End the link of one's own login with the arena, and all other sessions, which it may have begun."""
    user: Any = request.user
    if unlink(user):
        end_others(user, request.session.session_key)
        told = gettext(
            "You can no longer log in with your arena account. You have been logged out everywhere else."
        )
        messages.success(request, told)
    return redirect(f"{reverse('account')}#login")


urlpatterns = [
    path("login/arena/", ToArenaView.as_view(), name="arena_login"),
    path("login/arena/back/", FromArenaView.as_view(), name="arena_callback"),
    path("login/arena/account/", arena_account, name="arena_account"),
    path("account/arena/link/", link_arena, name="link_arena"),
    path("account/arena/unlink/", unlink_arena, name="unlink_arena"),
]


def _failed(request: HttpRequest, told: str, *, status: int) -> HttpResponse:
    return render(request, "account/arena_failed.html", {"told": told}, status=status)
