"""What tests of logins share: somebody with a password, an authenticator app, and its codes."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth import get_user_model
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

PASSWORD = "correct horse battery"


def account(name: str = "anna", **fields: Any) -> Any:
    return get_user_model().objects.create_user(name, password=PASSWORD, **fields)


def log_in(client: Any, name: str = "anna", *, page: str = "/login/", **posted: str) -> Any:
    return client.post(page, {"username": name, "password": PASSWORD, **posted})


def app_of(user: Any) -> TOTPDevice:
    """An authenticator app that is set up."""
    return TOTPDevice.objects.create(user=user, name="app")


def code(device: TOTPDevice, steps: int = 0) -> str:
    """What the app shows now, or so many half-minutes later."""
    totp = TOTP(device.bin_key)
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06d}"


def wrong(device: TOTPDevice) -> str:
    """A code that the app doesn’t show around this time."""
    shown = {code(device, steps) for steps in range(-2, 4)}
    return next(f"{number:06d}" for number in range(len(shown) + 1) if f"{number:06d}" not in shown)
