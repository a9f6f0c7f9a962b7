"""The federations that members belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.rules.federations import FEDERATIONS

if TYPE_CHECKING:
    _TextField = models.CharField[str, str]
else:
    _TextField = models.CharField


def existing(federation: str) -> None:
    """Raise ValidationError for a code that no federation has or had."""
    if federation not in FEDERATIONS:
        fault = _("%(code)s isn’t a federation code. Enter FIDE’s code, such as NOR.")
        raise ValidationError(fault, params={"code": federation})


class FederationField(_TextField):
    """FIDE's code of a federation: three capital letters, however they are typed."""

    def to_python(self, value: Any) -> Any:
        """Return the code in capital letters."""
        return value.strip().upper() if isinstance(value, str) else value
