"""The app of the rating lab."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class LabConfig(rooms.Room):
    name = "ratings.lab"
    verbose_name = _("Rating lab")
