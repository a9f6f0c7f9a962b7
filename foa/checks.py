"""What an operator can get wrong, with stable ids (see docs/operations.md)."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register


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
