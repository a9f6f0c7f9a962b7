"""The ratings of the arena."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RatingsConfig(AppConfig):
    name = "ratings"
    verbose_name = _("Ratings")

    def ready(self) -> None:
        """Connect the receivers that keep ledger and games together; register decisions and checks."""
        from ratings import audit, decisions, signals  # noqa: F401  imported for what they register
