"""The mail address of a login: a new one takes effect once the link sent to it is confirmed."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django_tasks import task

from foa.account.factors import asks_password
from foa.account.language import keep_language, language_of
from foa.mails import is_allowed, mail
from foa.models import LoginSettings
from foa.repeatable import repeatable

DAYS: Final = 1
"""Days for which a link works."""

_SALT: Final = "foa.account.addresses"
_MAILS: Final = 3
"""Maximum links an hour to one address, and for one login."""


class AddressForm(forms.Form):
    """Form for a new mail address."""

    email = forms.EmailField(
        label=_("New email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        """Raise ValidationError for the current address, or if too many links were requested."""
        email: str = self.cleaned_data["email"]
        if email == self.user.email:
            raise ValidationError(gettext("This is already your address."))
        asked = [("login", str(self.user.pk)), ("to", email.casefold())]
        if not all(is_allowed(f"address:{what}", whom, _MAILS) for what, whom in asked):
            raise ValidationError(gettext("We’ve sent too many links. Try again in an hour."))
        return email


@login_required
@never_cache
@asks_password
def change_address(request: HttpRequest) -> HttpResponse:
    """Ask for a new address, and queue a mail with a link to it."""
    user: Any = request.user
    form = AddressForm(user, request.POST or None)
    if not form.is_valid():
        return render(request, "account/address.html", {"form": form})
    with transaction.atomic():
        keep_language(user)
        LoginSettings.objects.filter(user=user).update(new_email=form.cleaned_data["email"])
        send_link.enqueue(user=user.pk)
    return render(request, "account/address_sent.html", {"email": form.cleaned_data["email"]})


@never_cache
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Store the new address after a press of the button: opening isn't enough, as mail scanners open links.

    The old address gets a mail. Status 410 for a link that was used, replaced or is too old.
    """
    chosen = _chosen_by(token)
    if chosen is None:
        return render(request, "account/address_gone.html", status=410)
    if request.method == "POST":
        _store(chosen)
        return render(request, "account/address_changed.html", {"email": chosen.new_email})
    return render(request, "account/confirm_address.html", {"email": chosen.new_email})


@task()
@repeatable
def send_link(user: int) -> None:
    """Mail the link to the address that a login requested last."""
    chosen = LoginSettings.objects.select_related("user").exclude(new_email="").filter(user=user).first()
    if chosen is not None:
        token = signing.dumps([chosen.user_id, chosen.new_email, _mark(chosen.user)], salt=_SALT)
        mail(
            "account/mails/confirm_address",
            chosen.new_email,
            language=language_of(chosen.user),
            login=chosen.user.get_username(),
            path=reverse("confirm_address", args=[token]),
        )


def _chosen_by(token: str) -> LoginSettings | None:
    try:
        user, email, mark = signing.loads(token, salt=_SALT, max_age=DAYS * 24 * 3600)
    except (signing.BadSignature, ValueError):
        return None
    chosen = LoginSettings.objects.select_related("user").filter(user=user, new_email=email).first()
    # A change of password since then invalidates the link: the old password may have been known to others.
    is_current = chosen is not None and chosen.user.is_active and _is_mark(mark, chosen.user)
    return chosen if email and is_current else None


def _mark(user: User, key: str | None = None) -> str:
    return salted_hmac(_SALT, user.password, key).hexdigest()[:16]


def _is_mark(mark: str, user: User) -> bool:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(mark, _mark(user, key)) for key in keys)


def _store(chosen: LoginSettings) -> None:
    user, old = chosen.user, chosen.user.email
    with transaction.atomic():
        LoginSettings.objects.filter(user=user).update(new_email="")
        User.objects.filter(pk=user.pk).update(email=chosen.new_email)

        def tell() -> None:
            mail(
                "account/mails/address_changed",
                old,
                language=chosen.language or settings.LANGUAGE_CODE,
                login=user.get_username(),
                email=chosen.new_email,
            )

        if old:
            # Robust: the address changes even if the mail fails, which is logged.
            transaction.on_commit(tell, robust=True)
