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
            "SECRET_KEY is not set: every process makes a key of its own and logins do not last.",
            hint="Set SECRET_KEY in the environment or in .env to 50 or more random characters.",
            id="foa.W001",
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
