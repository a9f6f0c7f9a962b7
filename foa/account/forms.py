"""Forms for logging in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_otp.models import Device

from foa.account.factors import check_code, check_code_of


class LoginForm(AuthenticationForm):
    """Login form that takes a username or an e-mail address, and the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Username or email address")

    def clean_username(self) -> str:
        """Return the username of the only active login with this address (any case), else the typed text."""
        typed: str = self.cleaned_data["username"]
        if "@" not in typed or User.objects.filter(username=typed).exists():
            return typed
        logins = User.objects.filter(email__iexact=typed, is_active=True)
        named = list(logins.values_list("username", flat=True)[:2])
        return named[0] if len(named) == 1 else typed


class SecondStepForm(forms.Form):
    """Form for a code of an authenticator app or a recovery code. ``device`` is the factor it came from."""

    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True}),
    )

    device: Device

    def __init__(self, user: User, *args: Any, of: Device | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user, self.of = user, of

    def clean_code(self) -> str:
        """Check the code and set ``device``; raise ValidationError if it is wrong. A code works once."""
        code: str = self.cleaned_data["code"]
        self.device = check_code(self.user, code) if self.of is None else check_code_of(self.of, code)
        return code


class PasswordForm(forms.Form):
    """Form that asks for the password again. ``user`` is its owner, read after any rehashing."""

    user: Any

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_password(self) -> str:
        """Raise ValidationError for a wrong password, which counts like one on the login page."""
        password: str = self.cleaned_data["password"]
        user: Any = self.request.user
        self.user = authenticate(self.request, username=user.get_username(), password=password)
        if self.user != user:
            raise ValidationError(gettext("This password isn’t right."))
        return password
