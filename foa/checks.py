"""What an operator can get wrong, with stable ids (see docs/operations.md)."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured

from foa.proxies import trusted_proxies


@register(Tags.security, deploy=True)
def secret_key_is_set(**kwargs: Any) -> list[CheckMessage]:
    """foa.W001: without SECRET_KEY every worker makes its own and sessions do not last."""
    if not settings.SECRET_KEY_IS_EPHEMERAL:
        return []
    return [
        Warning(
            "SECRET_KEY is not set: every process makes its own key, and logins don't last.",
            hint="Set SECRET_KEY in the environment or in .env to 50 or more random characters.",
            id="foa.W001",
        )
    ]


@register(Tags.security, deploy=True)
def mail_is_sent(**kwargs: Any) -> list[CheckMessage]:
    """foa.W002: without EMAIL_URL whoever reads the log finds links that set passwords."""
    if settings.EMAIL_IS_SENT:
        return []
    return [
        Warning(
            "EMAIL_URL is not set: mails, such as those that reset a password, go to the log.",
            hint="Set EMAIL_URL to your mail server, such as smtp+tls://user:password@mail.example:587.",
            id="foa.W002",
        )
    ]


@register(Tags.database)
def sqlite_waits_for_writers(**kwargs: Any) -> list[CheckMessage]:
    """foa.E001: a rating change reads, computes and writes; on SQLite it must hold the lock throughout."""
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3") or (
        database.get("OPTIONS", {}).get("transaction_mode") == "IMMEDIATE"
    ):
        return []
    return [
        Error(
            "SQLite must run with transaction_mode IMMEDIATE.",
            hint="Leave DATABASES to foa.settings and choose the file by DATABASE_URL.",
            id="foa.E001",
        )
    ]


@register(Tags.security)
def trusted_proxies_can_be_read(**kwargs: Any) -> list[CheckMessage]:
    """foa.E031: a wrong entry of TRUSTED_PROXIES; the site doesn't start with it."""
    try:
        trusted_proxies(settings.TRUSTED_PROXIES)
    except ImproperlyConfigured as fault:
        hint = "Give addresses and networks such as 10.0.0.5,10.1.0.0/16, and unix for a unix socket."
        return [Error(str(fault), hint=hint, id="foa.E031")]
    return []


@register(Tags.security, deploy=True)
def proxies_are_trusted(**kwargs: Any) -> list[CheckMessage]:
    """foa.W030: behind a proxy that isn't trusted, everybody has the address of the proxy."""
    if settings.TRUSTED_PROXIES or not settings.HTTPS:
        return []
    return [
        Warning(
            "HTTPS is true and TRUSTED_PROXIES is empty: all visitors share the proxy's address, so wrong "
            "passwords of one stop the logins of others, and requests may be taken for plain http.",
            hint="Set TRUSTED_PROXIES to the proxy's address, or to unix if it comes through a unix socket.",
            id="foa.W030",
        )
    ]
