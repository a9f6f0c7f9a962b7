"""The ratings of the arena."""

from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """How members are rated."""

    name = "ratings"

    def ready(self) -> None:
        """Connect the receivers that keep ledger and games together."""
        from ratings import signals  # noqa: F401  imported for its receivers
