"""The app of the rating lab."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class LabConfig(rooms.Room):
    name = "ratings.lab"
    verbose_name = _("Rating lab")
    links = (("lab:latest_scale", _("Rating scale")), ("lab:calibration", _("Calibration")))
    admin_menu = (
        Place("lab.Run", Work.DECISIONS, 4),
        Place("lab.Finding", "lab.Run", 1),
        Place("lab.Sweep", "lab.Run", 2),
    )

    def ready(self) -> None:
        """Register what cases are about, what is stored about members, and for how long."""
        from ratings.lab import relations, subjects, upkeep  # noqa: F401  imported for what they register
