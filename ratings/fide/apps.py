"""The rating lists of FIDE, and what follows from them for the members."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FideConfig(AppConfig):
    """FIDE rating lists."""

    name = "ratings.fide"
    verbose_name = _("FIDE rating lists")

    def ready(self) -> None:
        """Connect the receiver that gives new members their first ratings."""
        from ratings.fide import signals  # noqa: F401  imported for its receiver
