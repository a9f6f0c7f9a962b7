"""The app of the rating lab."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class LabConfig(rooms.Room):
    name = "ratings.lab"
    verbose_name = _("Rating lab")
    links = (("lab:latest_scale", _("Rating scale")), ("lab:calibration", _("Calibration")))
    admin_menu = (Place("lab.Run", Work.DECISIONS, 4),)
