"""Permitted targets for messages: https to public addresses that have been checked.

The office sends from its own network, so an address named by a server must not lead into it. A name is
resolved once, every address behind it is checked, and the connection is made to a checked one.
"""

from __future__ import annotations

import re
import ssl
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from socket import IPPROTO_TCP, getaddrinfo
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from urllib3.connection import HTTPConnection, HTTPSConnection

Address = IPv4Address | IPv6Address

_NAT64: Final = IPv6Network("64:ff9b::/96")
_UNICAST: Final = IPv6Network("2000::/3")
_NEVER: Final = [ip_network(one) for one in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")]
"""Special addresses that some versions of Python treat as public."""
_PLAIN: Final = re.compile(r"[!-\[\]-~]+")
"""ASCII without spaces, control characters and backslashes, which programs interpret differently."""
_PORTS: Final = {"https": 443, "http": 80}


class UnfitTargetError(ValueError):
    """The reason why nothing is sent to an address, for the person who named it."""


class Target(NamedTuple):
    """A checked address. ``path``: including the query. ``named``: host and port as in the URL."""

    secure: bool
    host: str
    named: str
    port: int
    path: str
    address: str

    def connect(self, timeout: float) -> HTTPConnection:
        """Connect to the checked address itself; ``timeout`` is in seconds, for each wait."""
        if not self.secure:
            return HTTPConnection(self.address, self.port, timeout=timeout)
        return HTTPSConnection(
            self.address,
            self.port,
            timeout=timeout,
            server_hostname=self.host,
            ssl_context=ssl.create_default_context(),
        )


def check_target(url: str) -> None:
    """Raise ValidationError if nothing may be sent there."""
    try:
        target_of(url)
    except UnfitTargetError as error:
        raise ValidationError(str(error)) from error


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host; raises OSError if there are none."""
    return [str(found[4][0]) for found in getaddrinfo(host, port, proto=IPPROTO_TCP)]


def target_of(url: str) -> Target:
    """Return the target of a URL; raises UnfitTargetError if nothing may be sent there."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host or not _PLAIN.fullmatch(url):
        raise UnfitTargetError(_("This isn’t an address such as https://example.org/hook."))
    if parts.scheme not in _PORTS or (parts.scheme == "http" and not settings.WEBHOOKS_PRIVATE):
        raise UnfitTargetError(_("The address must begin with https://."))
    if "@" in parts.netloc:
        raise UnfitTargetError(_("The address must not contain a name or a password."))
    secure = parts.scheme == "https"
    port = _PORTS[parts.scheme] if port is None else port
    if port not in settings.WEBHOOKS_PORTS and not settings.WEBHOOKS_PRIVATE:
        words = {"port": port, "ports": ", ".join(map(str, settings.WEBHOOKS_PORTS))}
        raise UnfitTargetError(_("We can’t send to port %(port)d. Use one of these: %(ports)s.") % words)
    try:
        # An IPv6 address may have a zone; only addresses in the local network do.
        addresses = [ip_address(one.partition("%")[0]) for one in resolve(host, port)]
    except (OSError, ValueError):
        addresses = []
    if not addresses:
        raise UnfitTargetError(_("The host %(host)s was not found.") % {"host": host})
    if settings.WEBHOOKS_PRIVATE:
        if not secure and not all(one.is_loopback for one in addresses):
            raise UnfitTargetError(_("The address must begin with https://."))
    elif not all(map(is_public, addresses)):
        raise UnfitTargetError(
            _("The host %(host)s has an address that isn’t public. We don’t send anything there.")
            % {"host": host}
        )
    path = parts.path or "/"
    if parts.query:
        path = f"{path}?{parts.query}"
    return Target(secure, host, parts.netloc, port, path, str(addresses[0]))


def is_public(address: Address) -> bool:
    """Return whether an address is public. An IPv4 address carried in an IPv6 one decides for it."""
    if isinstance(address, IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            carried = IPv4Address(int(address) & 0xFFFF_FFFF)
        if carried is not None:
            return is_public(carried)
        if address not in _UNICAST:
            return False
    return address.is_global and not address.is_multicast and not any(address in one for one in _NEVER)
