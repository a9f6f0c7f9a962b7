"""The site itself: settings checks, and the admin."""

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work


class FoaConfig(AppConfig):
    """Site app: registers system checks and the receivers of logins."""

    name = "foa"
    verbose_name = _("Logins")
    admin_menu = (
        Place("auth.User", Work.LOGINS, 1),
        Place("axes.AccessLog", "auth.User", 1),
        Place("axes.AccessAttempt", "auth.User", 2),
        Place("axes.AccessFailureLog", "auth.User", 3),
        Place("auth.Group", Work.LOGINS, 2),
    )

    def ready(self) -> None:
        """Import checks and receivers so that they register themselves."""
        from foa import checks  # noqa: F401  imported for its registrations
        from foa.account import (
            factors,  # noqa: F401  imported for their registrations
            middleware,  # noqa: F401  imported for their registrations
        )

        if settings.SENTRY_DSN:
            from foa.monitoring.sentry import report_faults

            report_faults(settings.SENTRY_DSN)


class OfficeAdminConfig(AdminConfig):
    """The admin, with the office's own site class."""

    default_site = "foa.web.admin_site.OfficeSite"
