"""The login of a member: their identity on the site, and where and from where they are logged in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password

from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration

_OWNED: Final = (
    "foa.Session",
    "foa.LoginSettings",
    "otp_totp.TOTPDevice",
    "otp_static.StaticDevice",
    "django_otp_webauthn.WebAuthnCredential",
    "django_otp_webauthn.WebAuthnUserHandle",
    "oauth2_provider.AccessToken",
    "oauth2_provider.RefreshToken",
    "oauth2_provider.IDToken",
    "oauth2_provider.Grant",
)
"""Models whose rows belong to a login alone."""


class Logins(Declaration):
    """The login, its sessions and second factors, and the log of attempts to log in."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield logins and settings, but no secrets such as keys and passwords."""
        users = _users(person)
        columns = ("username", "email", "first_name", "last_name", "date_joined", "last_login", "is_active")
        yield table("login", users.order_by("pk"), columns)
        keys = list(users.values_list("pk", flat=True))
        chosen: Any = apps.get_model("foa.LoginSettings")
        yield table("login-settings", chosen.objects.filter(user__in=keys), ("language", "new_email"))
        sessions: Any = apps.get_model("foa.Session")
        yield table("sessions", sessions.objects.filter(user__in=keys), ("expire_date",))
        for label, name in (
            ("otp_totp.TOTPDevice", "apps-for-codes"),
            ("django_otp_webauthn.WebAuthnCredential", "passkeys"),
        ):
            model: Any = apps.get_model(label)
            yield table(name, model.objects.filter(user__in=keys), ("name", "created_at", "last_used_at"))
        names = list(users.values_list("username", flat=True))
        log = AccessLog.objects.filter(username__in=names).order_by("attempt_time")
        yield table("logins", log, ("attempt_time", "ip_address", "user_agent", "logout_time"))

    def erase(self, work: Erasing) -> None:
        """Empty the login. The row stays, because decisions and cases point to it, but can't be used."""
        users = list(_users(work.person))
        for user in users:
            for label in _OWNED:
                apps.get_model(label)._base_manager.filter(user=user).delete()
            for model in (AccessAttempt, AccessFailureLog, AccessLog):
                model.objects.filter(username=user.get_username()).delete()
            user.groups.clear()
            user.user_permissions.clear()
            type(user)._base_manager.filter(pk=user.pk).update(
                username=f"withdrawn-login-{user.pk}",
                first_name="",
                last_name="",
                email="",
                password=make_password(None),
                is_active=False,
            )
        work.tell_rows(get_user_model(), len(users))


def _users(person: Person) -> Any:
    return get_user_model()._base_manager.filter(
        pk__in=[one.user_id for one in person.accounts if one.user_id]
    )
