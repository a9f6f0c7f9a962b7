"""What the offices of all rule books share."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OfficeConfig(AppConfig):
    name = "ratings.office"
    verbose_name = _("Office")

    def ready(self) -> None:
        """Register the decisions about findings of the audit, what waits for staff, and figures."""
        from ratings.office import accepting, figures, waiting  # noqa: F401  imported for what it registers
