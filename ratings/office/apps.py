"""The app shared by the offices of all rule books."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work


class OfficeConfig(AppConfig):
    name = "ratings.office"
    verbose_name = _("Office")
    admin_menu = (
        Place("office.FileImport", Work.EVERY_DAY, 5),
        Place("office.Job", "office.FileImport", 1),
        Place("office.ChangeSet", Work.DECISIONS, 1, searched=3),
        Place("office.AuditFinding", Work.DECISIONS, 2),
        Place("office.Journal", Work.DECISIONS, 3),
        Place("office.AboutText", Work.ARENA, 9),
    )

    def ready(self) -> None:
        """Register the decisions about audit findings, what is due for staff, metrics and checks."""
        from ratings.office import (  # noqa: F401  imported for what they register
            audit,
            checks,
            figures,
            waiting,
        )
