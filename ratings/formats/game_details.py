"""Details of an arena game that don't decide a rating: its event, its address and its variant."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from ratings.formats.problems import Fault, shown
from ratings.formats.unseen import unseen
from ratings.rules.rbb.variants import STANDARD, variant_of

MAX_EVENT_ID: Final = 200
MAX_EVENT_NAME: Final = 150
MAX_ROUND: Final = 20
MAX_VARIANT: Final = 40
MAX_ADDRESS: Final = 500

DETAIL_COLUMNS: Final = ("event_id", "event", "event_url", "round", "url", "variant")
"""Optional columns that a file of games may have."""

_LONGEST: Final = {
    "event_id": MAX_EVENT_ID,
    "event": MAX_EVENT_NAME,
    "round": MAX_ROUND,
    "variant": MAX_VARIANT,
}
_HOST: Final = re.compile(
    r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})",
    re.IGNORECASE,
)
"""A DNS name with a domain. Numeric addresses aren't accepted."""

_PLAIN: Final = re.compile(r"[!#-;=?-\[\]_a-zA-Z~]+")
"""ASCII without blanks, quotes, backslashes and angle brackets, as addresses are written."""

_VARIANT: Final = re.compile(r"[\w .,'’+()/-]+")


class EventOfGame(NamedTuple):
    """The event to which a game belongs, as given by a file or server. ``url``: its page, or ``""``."""

    id: str
    name: str
    url: str = ""


class Details(NamedTuple):
    """Details of a game. Missing ones are None or ``""``.

    ``url``: the game's address in the arena. ``variant``: ``""`` also for standard chess, unless
    ``says_standard``.
    """

    event: EventOfGame | None = None
    round: str = ""
    url: str = ""
    variant: str = STANDARD
    says_standard: bool = False

    @property
    def columns(self) -> dict[str, str]:
        """Return the details as columns of a file, without those that are missing."""
        if self == NONE:
            return {}
        event = self.event or EventOfGame("", "")
        variant = "standard" if self.says_standard else self.variant
        told = (event.id, event.name, event.url, self.round, self.url, variant)
        return dict(zip(DETAIL_COLUMNS, told, strict=True))


NONE: Final = Details()


def details_of(values: Mapping[str, str], faults: list[Fault], called: Mapping[str, str]) -> Details:
    """Return the details of a row, and add whatever is wrong with them to the faults.

    ``called``: the source's names for columns, where they differ.
    """
    told = {name: values.get(name, "") for name in DETAIL_COLUMNS}
    if not any(told.values()):
        return NONE
    names = {name: called.get(name, name) for name in DETAIL_COLUMNS}
    for name, text in told.items():
        if fault := address_fault(text) if name.endswith("url") else _text_fault(name, text):
            faults.append(Fault(names[name], f"{names[name]}: {fault}"))
    for name in ("event_id", "event"):
        if not told[name] and any(told[other] for other in ("event_id", "event", "event_url", "round")):
            missing = f"{names[name]} is missing: an event needs an ID and a name"
            faults.append(Fault(names[name], missing))
    event = EventOfGame(told["event_id"], told["event"], told["event_url"]) if told["event_id"] else None
    variant = variant_of(told["variant"])
    says_standard = bool(told["variant"]) and variant == STANDARD
    return Details(event, told["round"], told["url"], variant, says_standard)


def address_fault(text: str) -> str:
    """Return why a page can't link to an address, or ``""``: it must be https, a DNS host, plain ASCII."""
    if not text:
        return ""
    if len(text) > MAX_ADDRESS:
        return f"{shown(text)} has {len(text)} characters, more than {MAX_ADDRESS}"
    if not text.startswith("https://"):
        return f"{shown(text)} must begin with https://"
    if not _PLAIN.fullmatch(text):
        return f"{shown(text)} has characters that must be percent-encoded in an address"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return f"{shown(text)} isn’t an address"
    if "@" in parts.netloc or port not in (None, 443) or not _HOST.fullmatch(parts.hostname or ""):
        return f"{shown(text)} needs a host name, such as https://arena.example/4711"
    return ""


def _text_fault(name: str, text: str) -> str:
    longest = _LONGEST[name]
    if len(text) > longest:
        return f"{shown(text)} has {len(text)} characters, more than {longest}"
    if char := unseen(text):
        return f"{char} in {shown(text)} can’t be seen. Remove it"
    if text and name == "variant" and not _VARIANT.fullmatch(text):
        return f"{shown(text)} isn’t the name of a variant, such as chess960"
    if text and not any(map(str.isalnum, text)):
        return f"{shown(text)} has no letter or digit"
    return ""
