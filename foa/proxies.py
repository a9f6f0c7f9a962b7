"""The client's address behind trusted proxies. Headers from anybody else are dropped.

The middleware writes the address into ``REMOTE_ADDR``, so that limits, the list of sessions and every package
use the same one, and removes the headers that only a proxy may set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

UNIX: Final = "unix"
"""Entry of ``TRUSTED_PROXIES`` for clients on a unix socket, which has no address."""

NOWHERE: Final = "0.0.0.0"  # noqa: S104  nobody listens there
"""Placeholder for unknown addresses where a limit needs one."""

_CUSTOMER: Final = 64
"""Prefix length of the IPv6 network that one customer has."""

Address = IPv4Address | IPv6Address
Trust = Callable[[Address | None], bool]


def trusted_proxies(entries: Sequence[str]) -> Trust:
    """Return a test of whether an address (None for a unix socket) is one of these proxies.

    Raises ImproperlyConfigured for an entry that isn't an address or network, or that covers all addresses.
    """
    networks = []
    for entry in entries:
        if entry == UNIX:
            continue
        try:
            network = ip_network(entry)
        except ValueError as fault:
            raise ImproperlyConfigured(f"TRUSTED_PROXIES: {fault}.") from None
        if network.prefixlen == 0:
            raise ImproperlyConfigured(f"TRUSTED_PROXIES: {entry} is everybody.")
        networks.append(network)

    def trust(address: Address | None) -> bool:
        return UNIX in entries if address is None else any(address in network for network in networks)

    return trust


def believe_trusted_proxies(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Find the client's address before anything else looks at the request.

    Each proxy appends the address it has seen to ``X-Forwarded-For``. So the header is read from the right,
    as far as trusted proxies have written it. Anything further left came with the request.
    """
    return partial(_answer, get_response, trusted_proxies(settings.TRUSTED_PROXIES))


def origin(request: Any) -> str:
    """Return the key that limits count by: the address, or for IPv6 the customer's network."""
    address = _read(request.META.get("REMOTE_ADDR", ""))
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), _CUSTOMER), strict=False).network_address)
    return str(address or NOWHERE)


def _answer(
    get_response: Callable[[HttpRequest], HttpResponse], is_trusted: Trust, request: HttpRequest
) -> HttpResponse:
    seen = _read(request.META.get("REMOTE_ADDR", ""))
    told = request.META.pop("HTTP_X_FORWARDED_FOR", "")
    if is_trusted(seen):
        for one in reversed(told.split(",")):
            before = _read(one)
            if before is None:
                break
            seen = before
            if not is_trusted(seen):
                break
    else:
        for header in ("HTTP_X_FORWARDED_PROTO", "HTTP_X_REQUEST_ID"):
            request.META.pop(header, None)
    request.META["REMOTE_ADDR"] = str(seen or "")
    return get_response(request)


def _read(text: str) -> Address | None:
    """Parse an address, or return None. IPv4 addresses mapped into IPv6 (dual-stack sockets) become IPv4."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
