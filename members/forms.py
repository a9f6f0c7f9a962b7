"""Forms for a member's login."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from members.usernames import fault_in


def _refuse_unfit(username: str) -> None:
    """Raise ValidationError for a username that isn't allowed, such as one in full-width letters."""
    if fault := fault_in(username):
        raise ValidationError(str(fault))


class NewLoginForm(forms.Form):
    """Form for a new login: the name to log in with, of which one is suggested, and a password."""

    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        validators=[User.username_validator, _refuse_unfit],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("Password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, username: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("username", _fit_to_log_in(username))

    def clean(self) -> dict[str, Any]:
        """Check that both passwords are the same and strong enough."""
        given = super().clean() or {}
        password = given.get("password")
        if password and password != given.get("again"):
            self.add_error("again", gettext("The passwords differ."))
        elif password:
            try:
                validate_password(password, User(username=given.get("username", "")))
            except ValidationError as weak:
                self.add_error("password", weak)
        return given


class InviteForm(forms.Form):
    """Form for the address and language of an invitation."""

    email = forms.EmailField(label=_("Email address"), max_length=254)
    language = forms.ChoiceField(
        label=_("Language of the email"), choices=settings.LANGUAGES, initial=get_language
    )


def _fit_to_log_in(username: str) -> str:
    """Return the arena username, if a login can have it."""
    try:
        User.username_validator(username)
    except ValidationError:
        return ""
    return username
