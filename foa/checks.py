"""System checks for operators' mistakes, with stable ids (see docs/monitoring.md)."""

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured

from foa.monitoring.health import (
    is_worker_alive,
    kind_of_disk,
    last_sign_of_life,
    newest_backup,
    unapplied_migrations,
)
from foa.proxies import trusted_proxies
from foa.text import utc

_OF_NETWORKS: Final = frozenset(
    ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "lustre", "nfs", "nfs4", "smb3", "virtiofs")
)

_HOST: Final = re.compile(r"\*|\.?[\w-]+(\.[\w-]+)*\.?|\[[0-9a-fA-F:.]+\]")
_CONTACT: Final = re.compile(r"(mailto:)?[^@\s:/]+@[^@\s:/]+|https://\S+|tel:\+?[\d-]+")


@register(Tags.security, deploy=True)
def secret_key_is_set(**kwargs: Any) -> list[CheckMessage]:
    """foa.W001: without SECRET_KEY every process makes its own, and sessions don't last."""
    if not settings.SECRET_KEY_IS_EPHEMERAL:
        return []
    return [
        Warning(
            "SECRET_KEY is not set: every process makes its own key, and logins don’t last.",
            hint="Set SECRET_KEY in the environment or in .env to 50 or more random characters.",
            id="foa.W001",
        )
    ]


@register(Tags.security, deploy=True)
def mail_is_sent(**kwargs: Any) -> list[CheckMessage]:
    """foa.W002: without EMAIL_URL, links that set passwords go to the log."""
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


@register(Tags.database, deploy=True)
def worker_was_heard_of(databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """foa.W003: without a worker, jobs, mails and webhooks wait."""
    if not databases or is_worker_alive():
        return []
    last = last_sign_of_life()
    return [
        Warning(
            f"The worker has been silent since {utc(last)}." if last else "No worker was ever running.",
            hint="Start manage.py run_jobs with the environment of the site, and keep it running.",
            id="foa.W003",
        )
    ]


@register(Tags.security, deploy=True)
def sqlite_is_on_a_disk_of_this_machine(**kwargs: Any) -> list[CheckMessage]:
    """foa.W004: SQLite's locks and its log don't work across machines, and the file can break."""
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return []
    kind = kind_of_disk(Path(database["NAME"]).absolute().parent)
    if kind not in _OF_NETWORKS:
        return []
    return [
        Warning(
            f"The SQLite file is on a network disk ({kind}), where it can break.",
            hint="Move it to a disk of this machine, or use PostgreSQL.",
            id="foa.W004",
        )
    ]


@register(Tags.database, deploy=True)
def backups_are_made(databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """foa.W005: the database may be the only copy."""
    if not databases or newest_backup() is not None:
        return []
    return [
        Warning(
            f"There is no backup in {settings.BACKUP_DIR}.",
            hint="Make one, or set BACKUP_DIR to the directory of your backups.",
            id="foa.W005",
        )
    ]


@register(Tags.database, deploy=True)
def migrations_are_applied(databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """foa.W006: with unapplied migrations, tables and columns that pages read may be missing."""
    lacking = unapplied_migrations() if databases else 0
    if not lacking:
        return []
    return [
        Warning(
            "1 migration is not applied." if lacking == 1 else f"{lacking} migrations are not applied.",
            hint="Run manage.py migrate.",
            id="foa.W006",
        )
    ]


@register(Tags.security, deploy=True)
def hosts_are_named(**kwargs: Any) -> list[CheckMessage]:
    """foa.W007: with every host allowed, a request chooses the address in links and redirects."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        Warning(
            "ALLOWED_HOSTS has *, which allows every host: a request chooses the host in links.",
            hint="Set ALLOWED_HOSTS to the names of your site, such as ratings.example.",
            id="foa.W007",
        )
    ]


@register(Tags.security, deploy=True)
def site_url_leads_here_from_elsewhere(**kwargs: Any) -> list[CheckMessage]:
    """foa.W008: links in mails and feeds that begin with a loopback address work on this machine only."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    if not _is_loopback(host):
        return []
    return [
        Warning(
            f"SITE_URL is {settings.SITE_URL}: links in mails and feeds work on this machine only.",
            hint="Set SITE_URL to the address that members type, such as https://ratings.example.",
            id="foa.W008",
        )
    ]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@register(Tags.security)
def trusted_proxies_can_be_read(**kwargs: Any) -> list[CheckMessage]:
    """foa.E031: a wrong entry of TRUSTED_PROXIES; the site doesn't start with it."""
    try:
        trusted_proxies(settings.TRUSTED_PROXIES)
    except ImproperlyConfigured as fault:
        hint = "Give addresses and networks such as 10.0.0.5,10.1.0.0/16, and unix for a unix socket."
        return [Error(str(fault), hint=hint, id="foa.E031")]
    return []


@register(Tags.security)
def hosts_and_contacts_can_be_read(**kwargs: Any) -> list[CheckMessage]:
    """foa.E033: an entry of ALLOWED_HOSTS or SECURITY_CONTACT that can't be what it should name."""
    faults: list[CheckMessage] = []
    for host in settings.ALLOWED_HOSTS:
        if not _HOST.fullmatch(host):
            hint = "Give names without scheme, port and path, such as ratings.example, or .ratings.example."
            faults.append(Error(f"ALLOWED_HOSTS: “{host}” isn’t a host.", hint, id="foa.E033"))
    for contact in settings.SECURITY_CONTACT:
        if not _CONTACT.fullmatch(contact):
            hint = "Give addresses such as security@ratings.example or https://ratings.example/report."
            told = f"SECURITY_CONTACT: “{contact}” isn’t a mail address or URL."
            faults.append(Error(told, hint, id="foa.E033"))
    return faults


@register(Tags.security, deploy=True)
def proxies_are_trusted(**kwargs: Any) -> list[CheckMessage]:
    """foa.W030: behind a proxy that isn't trusted, everybody has the address of the proxy."""
    if settings.TRUSTED_PROXIES or not settings.HTTPS:
        return []
    return [
        Warning(
            "HTTPS is true and TRUSTED_PROXIES is empty: all visitors share the proxy’s address, so wrong "
            "passwords of one stop the logins of others, and requests may be taken for plain http.",
            hint="Set TRUSTED_PROXIES to the proxy’s address, or to unix if it comes through a unix socket.",
            id="foa.W030",
        )
    ]
