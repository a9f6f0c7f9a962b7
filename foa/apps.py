"""The site itself: settings checks."""

from django.apps import AppConfig


class FoaConfig(AppConfig):
    """Registers the checks of what an operator can get wrong."""

    name = "foa"

    def ready(self) -> None:
        """Import the checks so that they register themselves."""
        from foa import checks  # noqa: F401  imported for its registrations
