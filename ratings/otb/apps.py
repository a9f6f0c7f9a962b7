"""Tournaments over the board under FIDE B.02."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OtbConfig(AppConfig):
    name = "ratings.otb"
    verbose_name = _("Over the board")

    def ready(self) -> None:
        """Register the decisions."""
        from ratings.otb import decisions  # noqa: F401  imported for what it registers
