"""The app shared by the offices of all rule books."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OfficeConfig(AppConfig):
    name = "ratings.office"
    verbose_name = _("Office")

    def ready(self) -> None:
        """Register the decisions about audit findings, what is due for staff, metrics and checks."""
        from ratings.office import (  # noqa: F401  imported for what they register
            accepting,
            checks,
            figures,
            waiting,
        )
