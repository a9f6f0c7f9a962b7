"""The site itself: settings checks, and the admin."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class FoaConfig(AppConfig):
    """Registers the checks of what an operator can get wrong."""

    name = "foa"

    def ready(self) -> None:
        """Import the checks so that they register themselves."""
        from foa import checks  # noqa: F401  imported for its registrations


class OfficeAdminConfig(AdminConfig):
    """The admin with what all its pages share."""

    default_site = "foa.web.admin.OfficeSite"
