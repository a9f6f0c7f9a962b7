"""Chess over the board: FIDE’s rating lists, what follows from them for members, and tournaments."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FideConfig(AppConfig):
    """FIDE rating lists, and tournaments under B.02."""

    name = "ratings.fide"
    verbose_name = _("Chess over the board")

    def ready(self) -> None:
        """Connect the receiver that gives new members their first ratings."""
        from ratings.fide import signals  # noqa: F401  imported for its receiver
