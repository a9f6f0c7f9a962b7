"""Settings from the environment: an invalid one is refused with its name and what is expected."""

from __future__ import annotations

import builtins
import math
import os
import re
import warnings
from datetime import date
from pathlib import Path
from typing import Any, Final

import environ
from django.core.exceptions import ImproperlyConfigured

_NO: Final = ("false", "off", "no", "n", "0")
_KINDS: Final[dict[Any, str]] = {
    int: "a whole number",
    float: "a number",
    date.fromisoformat: "a day such as 2026-12-01",
}
_DATABASES: Final = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
_EXPECTED: Final = "Give an address such as postgres://user:password@host/name or sqlite:////absolute/file"


class Environment(environ.Env):  # type: ignore[misc]  # it has no types
    """The variables of the environment. An empty one counts as not set, except for lists and the database."""

    def get_value(
        self, var: Any, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        """Return the value of a variable; raise ImproperlyConfigured if it can't be read."""
        text = self.ENVIRON.get(var, "").strip()
        is_list = cast is list or isinstance(cast, list)
        if not text and not is_list and default is not self.NOTSET:
            return self.parse_value(default, cast) if parse_default and default is not None else default
        if cast is bool and text.lower() not in (*self.BOOLEAN_TRUE_STRINGS, *_NO):
            raise ImproperlyConfigured(f"{var}: “{text}” is neither true nor false.")
        try:
            value = super().get_value(var, cast, default, parse_default)
        except ValueError:
            kind = "a list of whole numbers" if is_list else _KINDS[cast]
            raise ImproperlyConfigured(f"{var}: “{text}” isn’t {kind}.") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise ImproperlyConfigured(f"{var}: “{text}” isn’t a number.")
        return value

    def number(
        self, var: str, default: Any, *, kind: Any = builtins.int, least: int = 0, most: int | None = None
    ) -> Any:
        """Return a number within limits; raise ImproperlyConfigured for another."""
        value = self.get_value(var, kind, default)
        if value is not None and (value < least or (most is not None and value > most)):
            limits = f"at least {least}" if most is None else f"from {least} to {most}"
            raise ImproperlyConfigured(f"{var}: {value} must be {limits}.")
        return value

    def matching(self, var: str, default: str, pattern: str, expected: str) -> str:
        """Return a text that matches a pattern; raise ImproperlyConfigured for another."""
        value: str = self.str(var, default=default)
        if value != default and not re.fullmatch(pattern, value):
            raise ImproperlyConfigured(f"{var}: “{value}” isn’t {expected}.")
        return value

    def database(self, var: str, default: str | None = None) -> Any:
        """Return the settings of a database from its URL, which may have a password and isn't shown."""
        url = self.ENVIRON.get(var, default or "").strip()
        if not url:
            raise ImproperlyConfigured(f"{var} is empty. {_EXPECTED}, or leave the variable out.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                config = self.db_url_config(url)
        except ValueError:
            raise ImproperlyConfigured(f"{var}: the URL can’t be read. {_EXPECTED}.") from None
        if config.get("ENGINE") not in _DATABASES:
            raise ImproperlyConfigured(f"{var} is neither of PostgreSQL nor of SQLite. {_EXPECTED}.")
        if config["NAME"] in ("", ":memory:") and "service" not in config.get("OPTIONS", {}):
            raise ImproperlyConfigured(f"{var}: the name of the database is missing. {_EXPECTED}.")
        # Django's checks may make this directory before they open the database: their order is by chance.
        folder = Path(config["NAME"]).absolute().parent
        if config["ENGINE"].endswith("sqlite3") and not os.access(folder, os.W_OK):
            raise ImproperlyConfigured(
                f"{var}: the directory {folder} doesn’t exist, or this user can’t write to it."
            )
        return config

    def mail(self, var: str) -> Any:
        """Return the settings for sending mail from a URL; without one, mails go to the console."""
        try:
            return self.email_url_config(self.str(var, default="") or "consolemail://")
        except (ImproperlyConfigured, ValueError):
            expected = "Give an address such as smtp+tls://user:password@mail.example:587"
            raise ImproperlyConfigured(f"{var}: the URL can’t be read. {expected}.") from None
