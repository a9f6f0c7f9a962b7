"""The addresses of games on other sites, and when two of them are one game's."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, urlsplit

_LANGUAGE: Final = re.compile(
    "ar|az|be|bg|bs|ca|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fr|gl|he|hi|hr|hu|hy|id|is|it|ja|ka|ko|lt|lv|mk|mn"
    "|nb|nl|nn|no|pl|ps|pt|ro|ru|sk|sl|sq|sr|sv|tr|uk|uz|vi|zh"
)
"""Languages (ISO 639-1) by which sites name their translations: de.arena.example, /de/game/4711."""

_NAMES_A_GAME: Final = frozenset(("g", "game", "game_id", "gameid", "gid", "id", "match"))
"""Parameters that say which game, on sites whose addresses have no path for each."""

_SIDES: Final = ("white", "black")
_LICHESS: Final = re.compile(r"lichess\.(?:org|dev)/(?:embed/|game/export/)?(?P<id>\w{8})(?:\w{4})?")
"""A game of lichess, with eight characters for everybody and four more for each player."""

_CHESS_COM: Final = re.compile(
    r"chess\.com/(?:analysis/)?(?:game/(?P<kind>live|daily)|(?P<old>live|daily)/game)/(?P<id>\d+)(?:/\w+)?"
)


def key_of_game(url: str, external_id: str | None) -> str:
    """Return what all addresses of a game have in common, by its ``url`` or else by its id."""
    return address_key(url) or address_key(external_id or "")


@lru_cache(maxsize=4096)
def address_key(text: str) -> str:
    """Return the same text for all addresses of one game; ``""`` for what isn't the address of a game.

    It has no scheme, no ``www.`` and no language, nothing that chooses a side, a move or a theme, and no
    slash at the end. Of parameters, in the query or behind ``#``, those that name a game are kept.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not host:
        return ""
    labels = host.rstrip(".").split(".")
    if len(labels) > 2 and (labels[0] == "www" or _LANGUAGE.fullmatch(labels[0])):
        del labels[0]
    path = [part for part in parts.path.split("/") if part]
    if len(path) > 1 and _LANGUAGE.fullmatch(path[0]):
        del path[0]
    if len(path) > 1 and path[-1].lower() in _SIDES:
        del path[-1]
    told = [*parse_qsl(parts.query), *parse_qsl(parts.fragment)]
    named = sorted((name.lower(), value) for name, value in told if name.lower() in _NAMES_A_GAME)
    if not path and not named:
        return ""
    where = ".".join(labels) + (f":{port}" if port not in (None, 80, 443) else "")
    key = "/".join((where, *path))
    if found := _LICHESS.fullmatch(key):
        return f"lichess.org/{found['id']}"
    if found := _CHESS_COM.fullmatch(key):
        return f"chess.com/game/{found['kind'] or found['old']}/{found['id']}"
    return key + "".join(f"?{name}={value}" for name, value in named)
