"""Who asks: the address behind proxies that are trusted. What anybody else says of it is dropped.

The middleware writes the address into ``REMOTE_ADDR``, so that limits, the list of sessions and every package
use the same one, and takes the headers away that only a proxy may set.
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
"""In ``TRUSTED_PROXIES``: whoever comes through a unix socket, which has no address."""

NOWHERE: Final = "0.0.0.0"  # noqa: S104  nobody listens there
"""Stands for all addresses that are not known, where one is needed to count by."""

_CUSTOMER: Final = 64
"""Bits of an IPv6 address that belong to one customer: all addresses that begin with them are theirs."""

Address = IPv4Address | IPv6Address
Trust = Callable[[Address | None], bool]


def trusted_proxies(entries: Sequence[str]) -> Trust:
    """Whether an address, or None for a unix socket, belongs to one of these proxies.

    Raises ImproperlyConfigured for what isn't an address or a network, and for a network of everybody.
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
    """Find out who asks, before anything else looks at the request.

    Each proxy adds whom it has seen to the end of ``X-Forwarded-For``. So the header is read from the right,
    as far as trusted proxies have written it. What stands before that came with the request.
    """
    return partial(_answer, get_response, trusted_proxies(settings.TRUSTED_PROXIES))


def origin(request: Any) -> str:
    """What limits count by: the address, or of IPv6 the network that one customer has."""
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
    """An address, or None. One socket for both kinds shows IPv4 addresses within those of IPv6."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
